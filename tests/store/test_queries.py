"""Queries: every item that matches, in order, and no other."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel

from pksk import DesignError, F, Query, RequestStarted, Store, begins, between, collect, gt, gte, lt, lte
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import Animal, Customer, Dog, Line, Order, Puppy, Reading, Slim, Word

FIRST = date(2025, 3, 1)


def order(number: int, **fields: Any) -> Order:
    return Order(customer="7", number=number, day=FIRST + timedelta(days=number), **fields)


@pytest.fixture
def orders(db: Store) -> list[Order]:
    """Ten orders of one customer with two lines each, the customer, and one order of another."""
    made = [
        order(number, total=number * 10, status="open" if number % 2 else "paid") for number in range(1, 11)
    ]
    db.batch_put(*made, order(5).model_copy(update={"customer": "77"}))
    db.batch_put(*(Line(customer="7", number=each.number, line=line) for each in made for line in (1, 2)))
    db.put(Customer(customer="7", name="Ann"))
    return made


class Number(BaseModel):
    number: int


def numbers(results: Any) -> list[int]:
    return [each.number for each in results]


def test_a_query_returns_its_entities_in_order_without_foreign_items(db: Store, orders: list[Order]) -> None:
    assert list(db.iter(Order.primary(customer="7"))) == orders
    assert db.run(Order.primary(customer="7")) == orders
    assert db.count(Order.primary(customer="7")) == 10
    assert db.first(Order.primary(customer="7")) == orders[0]


def test_a_query_in_descending_order(db: Store, orders: list[Order]) -> None:
    assert list(db.iter(Order.primary(customer="7").reverse())) == orders[::-1]
    assert db.first(Order.primary(customer="7").reverse()) == orders[-1]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (5, [5]),
        (gt(8), [9, 10]),
        (gte(8), [8, 9, 10]),
        (lt(3), [1, 2]),
        (lte(3), [1, 2, 3]),
        (between(2, 4), [2, 3, 4]),
        (gt(10), []),
    ],
    ids=str,
)
def test_operators_compare_values(
    db: Store, orders: list[Order], condition: Any, expected: list[int]
) -> None:
    query = Order.primary(customer="7", number=condition)

    assert numbers(db.iter(query)) == expected
    assert numbers(db.iter(query.reverse())) == expected[::-1]
    assert db.count(query) == len(expected)


def test_pages_of_one_row_find_all_of_it(db: Store, orders: list[Order]) -> None:
    assert list(db.iter(Order.primary(customer="7").pages(1))) == orders
    assert db.count(Order.primary(customer="7").pages(3)) == 10


def test_a_limit_counts_results_and_not_rows(db: Store, orders: list[Order]) -> None:
    filtered = Order.primary(customer="7").filter(F.status == "paid")

    assert numbers(db.iter(filtered.limit(3))) == [2, 4, 6]
    assert numbers(db.iter(filtered.limit(3).pages(1))) == [2, 4, 6]
    assert db.count(filtered.limit(3)) == 3
    assert db.count(filtered) == 5
    assert db.first(filtered.reverse()) == orders[-1]


def test_a_limit_above_the_number_of_results(db: Store, orders: list[Order]) -> None:
    assert list(db.iter(Order.primary(customer="7").limit(100))) == orders


def test_an_empty_partition_has_no_results(db: Store) -> None:
    assert list(db.iter(Order.primary(customer="none"))) == []
    assert db.first(Order.primary(customer="none")) is None
    assert db.count(Order.primary(customer="none")) == 0
    assert list(db.page(Order.primary(customer="none").limit(3))) == []


def test_a_query_that_no_key_can_match_has_no_results_and_sends_no_request(
    door: Door, orders: list[Order]
) -> None:
    sent: list[RequestStarted] = []
    db = door.open(hooks=[sent.append])
    query = Order.primary(customer="7", number=gt(999_999))

    assert (list(db.iter(query)), list(db.page(query.limit(3))), db.count(query)) == ([], [], 0)
    assert query.plan.notes == ("no item can match",)
    assert sent == []
    assert list(db.iter(collect(query, Order.primary(customer="7", number=3)))) == [orders[2]]


def test_iteration_reads_only_as_many_pages_as_the_caller_takes(
    db: Store, door: Door, orders: list[Order]
) -> None:
    sent: list[str] = []
    watched = door.open(hooks=[lambda request: sent.append(request.operation)])
    found = watched.iter(Order.primary(customer="7").pages(3))
    first = next(found)
    after_the_first = len(sent)
    rest = list(found)

    assert [first, *rest] == orders
    assert after_the_first == 1
    assert len(sent) > 5


def test_a_filter_on_fields_by_their_own_names(db: Store, orders: list[Order]) -> None:
    big = (F.total > 50) & ~F.status.is_in("open", "sent")

    assert numbers(db.iter(Order.primary(customer="7").filter(big))) == [6, 8, 10]


def test_a_consistent_read(db: Store, orders: list[Order]) -> None:
    assert list(db.iter(Order.primary(customer="7").consistently())) == orders


def test_a_global_index(db: Store, orders: list[Order], eventually: Eventually) -> None:
    query = Order.by_status(status="open", day=between(FIRST, FIRST + timedelta(days=5)))
    eventually(lambda: [each for each in db.iter(query) if each.customer == "7"], orders[0:5:2])
    eventually(lambda: db.count(query), 4)


def test_a_keys_only_index_reads_items_from_the_table(
    db: Store, orders: list[Order], eventually: Eventually
) -> None:
    query = Order.slim(day=orders[4].day, customer="7").hydrate()
    eventually(lambda: db.iter(query), [orders[4]])
    eventually(lambda: db.page(query.limit(5)).items, (orders[4],))
    eventually(lambda: db.first(query), orders[4])


def test_items_read_from_the_table_keep_the_order_of_the_index(db: Store, eventually: Eventually) -> None:
    made = [Order(customer=f"{n:03d}", number=n, day=FIRST) for n in range(120)]
    db.batch_put(*made)
    eventually(lambda: db.iter(Order.slim(day=FIRST).hydrate()), made)
    eventually(lambda: db.iter(Order.slim(day=FIRST).hydrate().reverse().limit(101)), made[::-1][:101])


def test_an_index_with_a_projection_returns_smaller_models(
    db: Store, orders: list[Order], eventually: Eventually
) -> None:
    db.put(orders[0].model_copy(update={"agent": "eve"}))
    eventually(lambda: db.iter(Order.by_agent(agent="eve").into(Slim)), [Slim(total=10, status="open")])


def test_a_smaller_model_of_the_table_itself(db: Store, orders: list[Order]) -> None:
    query = Order.primary(customer="7").into(Number)

    assert list(db.iter(query)) == [Number(number=each.number) for each in orders]
    assert db.count(query) == 10
    assert db.first(query.reverse()) == Number(number=10)


def test_a_local_index(db: Store, orders: list[Order]) -> None:
    query = Order.by_total(customer="7", total=gte(80)).consistently()

    assert list(db.iter(query)) == orders[7:]
    assert list(db.iter(query.reverse())) == orders[:6:-1]


def test_numbers_sort_as_numbers(db: Store, eventually: Eventually) -> None:
    values = [-20, -3, 0, 2, 10, 100]
    db.batch_put(
        *(Reading(sensor=1, moment=bytes([n]), value=Decimal(value)) for n, value in enumerate(values))
    )

    eventually(lambda: [int(each.value) for each in db.iter(Reading.by_value(kind="heat"))], values)
    eventually(
        lambda: [int(each.value) for each in db.iter(Reading.by_value(kind="heat", value=lt(2)))],
        [-20, -3, 0],
    )
    assert [each.moment for each in db.iter(Reading.primary(sensor=1, moment=gte(b"\x04")))] == [
        b"\x04",
        b"\x05",
    ]


def test_a_query_for_1_does_not_return_10(db: Store) -> None:
    db.batch_put(*(Line(customer="7", number=number, line=1) for number in (1, 10, 11, 100)))
    db.batch_put(*(Word(language="d", word=word) for word in ("1", "10", "11")))

    assert [each.number for each in db.iter(Line.primary(customer="7", number=1))] == [1]
    assert [each.word for each in db.iter(Word.primary(language="d", word="1"))] == ["1"]
    assert [each.word for each in db.iter(Word.primary(language="d", word=begins("1")))] == ["1", "10", "11"]


def test_a_prefix_ends_at_a_delimiter(db: Store) -> None:
    db.put(Order(customer="7", number=1, day=FIRST))
    db.put(Line(customer="7", number=1, line=1))
    db.put(Customer(customer="7", name="Ann"))

    assert [type(each).__name__ for each in db.iter(Order.primary(customer="7"))] == ["Order"]
    assert [type(each).__name__ for each in db.iter(Line.primary(customer="7", number=1))] == ["Line"]


def test_where_chooses_the_key(db: Store, orders: list[Order], eventually: Eventually) -> None:
    assert numbers(db.iter(Order.where(customer="7", note=None, total=30))) == [3]
    eventually(lambda: numbers(db.iter(Order.where(status="paid", day=orders[1].day))), [2])


@pytest.mark.one_door
def test_where_without_a_suitable_key_raises(db: Store) -> None:
    with pytest.raises(Exception, match="no key or index can serve a query by 'note'"):
        list(db.iter(Order.where(note="gift")))


def test_several_types_of_a_partition_in_one_request(db: Store, door: Door, orders: list[Order]) -> None:
    sent: list[RequestStarted] = []
    watched = door.open(hooks=[sent.append])
    found = watched.collect(
        Order.primary(customer="7"), Line.primary(customer="7"), Customer.primary(customer="7")
    )

    assert [type(each).__name__ for each in found[:3]] == ["Order", "Line", "Line"]
    assert isinstance(found[-1], Customer)
    assert len(found) == 31
    assert [each.operation for each in sent] == ["Query"]
    assert sent[0].entities == ("Order", "Line", "Customer")


def test_a_collection_can_be_paged_and_iterated(db: Store, orders: list[Order]) -> None:
    both: Query[Any] = collect(Order.primary(customer="7"), Customer.primary(customer="7"))
    first = db.page(both.limit(4))
    second = db.page(both.limit(20), after=first.next)

    assert [*first, *second] == list(db.iter(both))
    assert len([*first, *second]) == 11


def test_a_collection_of_several_partitions(db: Store, orders: list[Order]) -> None:
    results = db.collect(Order.primary(customer="77"), Line.primary(customer="7", number=3))

    assert [type(each).__name__ for each in results] == ["Order", "Line", "Line"]


def test_a_base_finds_its_subclasses_and_a_subclass_its_own(db: Store, eventually: Eventually) -> None:
    made = [
        Animal(owner="ann", name="a"),
        Dog(owner="ann", name="b", tricks={"sit"}),
        Puppy(owner="ann", name="c", weeks=3, legs=3),
    ]
    db.batch_put(*made)

    assert list(db.iter(Animal.primary(owner="ann"))) == made
    assert list(db.iter(Dog.primary(owner="ann"))) == made[1:]
    assert list(db.iter(Puppy.primary(owner="ann"))) == made[2:]
    assert db.count(Dog.primary(owner="ann")) == 2
    eventually(lambda: db.iter(Dog.by_legs(legs=4)), [made[1]])
    eventually(lambda: db.iter(Animal.by_legs(legs=3)), [made[2]])


def test_a_large_partition_is_read_to_its_last_page(db: Store) -> None:
    made = [order(number, note="x" * 60_000) for number in range(25)]
    db.batch_put(*made)

    assert list(db.iter(Order.primary(customer="7"))) == made
    assert db.count(Order.primary(customer="7")) == 25


@pytest.mark.one_door
def test_a_check_runs_only_in_a_transaction(db: Store) -> None:
    with pytest.raises(DesignError, match="a check is a member of a transaction"):
        db.run(Order.primary.check(customer="7", number=1))
