"""The mistakes that are made with DynamoDB everywhere, each tried here in earnest."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk import (
    GSI,
    AlreadyExists,
    DesignError,
    Entity,
    InvalidValue,
    Key,
    NotFound,
    PkskError,
    Put,
    Query,
    Retry,
    Store,
    Table,
    TemplateError,
    begins,
    between,
    connect,
    doc_id,
    gte,
    lte,
    parse_doc_id,
)
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import Customer, Line, Order, Word, line_numbers, order_numbers, shop
from tests.store.table_contents import assert_keys_right, items_of

FIRST = date(2025, 3, 1)
ORDER = Order(customer="7", number=1, day=FIRST)
THE_ORDER = Order.primary.update(customer="7", number=1)


# Keys concatenated in forty places that disagree: one template, checked when the class is made.


def test_a_key_that_names_no_field_is_refused_with_the_class() -> None:
    with pytest.raises(TemplateError, match=r"'CUST#\{custmer\}' uses field 'custmer'") as caught:

        class Wrong(Entity, table=Table("wrong")):
            customer: str
            primary = Key("CUST#{custmer}", "META")

    assert "customer" in caught.value.fix


def test_two_entities_that_could_stand_on_one_key_are_refused_with_the_class() -> None:
    table = Table("crowded")

    class One(Entity, table=table):
        id: str
        primary = Key("THING#{id}", "{id}")

    with pytest.raises(DesignError, match=r"can render the same key in table 'crowded'"):

        class Other(Entity, table=table):
            name: str
            kind: str
            primary = Key("THING#{name}", "{kind}")


def test_whoever_writes_and_whoever_reads_use_one_key(db: Store, door: Door) -> None:
    db.put(ORDER)
    (item,) = items_of(door, shop)

    assert db.get(Order.primary.get(customer="7", number=1)) == ORDER
    assert db.first(Order.primary(customer="7")) == ORDER
    assert item["pk"] == Put(ORDER).item["pk"] == {"S": "CUST#7"}


# An update of an item that is not there silently creates half an item.


def test_an_update_of_nothing_makes_nothing(db: Store, door: Door) -> None:
    for update in (THE_ORDER.add(total=1), THE_ORDER.set(status="sent"), THE_ORDER.remove("note")):
        with pytest.raises(NotFound):
            db.update(update)
    with pytest.raises(PkskError, match="would lack 'day'"):
        db.update(THE_ORDER.add(total=1), upsert=True)

    assert items_of(door, shop) == []


def test_put_replaces_and_create_refuses(db: Store) -> None:
    db.create(ORDER)
    with pytest.raises(AlreadyExists):
        db.create(ORDER.model_copy(update={"total": 9}))
    db.put(ORDER.model_copy(update={"total": 8}))

    assert db.get(Order.primary.get(customer="7", number=1)).total == 8  # type: ignore[union-attr]


# begins_with(sk, "1") returns 1, 10, 11.


def test_one_is_not_ten(db: Store) -> None:
    db.batch_put(*(Line(customer="7", number=number, line=1) for number in (1, 10, 11, 100)))
    db.batch_put(*(Word(language="d", word=word) for word in ("1", "10", "11")))

    assert [each.number for each in db.iter(Line.primary(customer="7", number=1))] == [1]
    assert [each.word for each in db.iter(Word.primary(language="d", word="1"))] == ["1"]
    assert [each.word for each in db.iter(Word.primary(language="d", word=begins("1")))] == ["1", "10", "11"]


def test_a_prefix_ends_at_a_delimiter(db: Store) -> None:
    """The lines of order 1 are not those of an order whose number begins so, and an entity's are not another's."""
    db.put(Order(customer="7", number=1, day=FIRST))
    db.put(Line(customer="7", number=1, line=1))
    db.put(Customer(customer="7", name="Ann"))

    assert [type(each).__name__ for each in db.iter(Order.primary(customer="7"))] == ["Order"]
    assert [type(each).__name__ for each in db.iter(Line.primary(customer="7", number=1))] == ["Line"]


# "a#b" + "c" and "a" + "b#c" are one key, the second put overwrites the first.

texts = Table("texts")


class Text(Entity, table=texts):
    a: str
    b: str
    c: str
    primary = Key("{a}#{b}", "TEXT#{c}")


PARTS = st.text(alphabet='ab#$ !"\u00e9', min_size=1, max_size=3)


def test_a_delimiter_in_a_value_does_not_make_two_items_one(db: Store) -> None:
    one, other = Word(language="a#b", word="c"), Word(language="a", word="b#c")
    third = Word(language="a$23b", word="c")
    db.batch_put(one, other, third)

    assert db.get(Word.primary.get(language="a#b", word="c")) == one
    assert db.get(Word.primary.get(language="a", word="b#c")) == other
    assert db.get(Word.primary.get(language="a$23b", word="c")) == third


@given(st.lists(st.tuples(PARTS, PARTS, PARTS), unique=True, min_size=2, max_size=8))
def test_as_many_different_values_are_as_many_items(values: list[tuple[str, str, str]]) -> None:
    entities = [Text(a=a, b=b, c=c) for a, b, c in values]
    with connect("memory:") as db:
        db.create_tables(texts)
        db.batch_put(*entities)

        assert db.client.call("Scan", {"TableName": "texts"})["Count"] == len(values)
        assert all(db.get(Text.primary.get(a=each.a, b=each.b, c=each.c)) == each for each in entities)


# 10 < 9; -5 sorts before -9; a range drops its boundary.

numbers = Table("numbers", indexes=[GSI("by-amount", pk="n1", sk="n2")])


class Number(Entity, table=numbers):
    n: int
    amount: Decimal
    day: date
    primary = Key("NUMBERS", "{n:04d}")
    by_amount = Key("AMOUNTS", "{amount:08.2f}#{n:04d}", index="by-amount")


@given(
    st.lists(
        st.tuples(st.integers(-9999, 9999), st.integers(-99999, 99999)),
        unique_by=lambda pair: pair[0],
        max_size=9,
    ),
    st.integers(-9999, 9999),
    st.integers(-9999, 9999),
)
def test_numbers_come_in_their_order_and_ranges_have_their_ends(
    pairs: list[tuple[int, int]], one: int, other: int
) -> None:
    low, high = sorted((one, other))
    made = [Number(n=n, amount=Decimal(cents) / 100, day=FIRST) for n, cents in pairs]
    with connect("memory:") as db:
        db.create_tables(numbers)
        db.batch_put(*made)
        ordered = sorted(each.n for each in made)

        assert [each.n for each in db.iter(Number.primary())] == ordered
        assert [each.n for each in db.iter(Number.primary(n=between(low, high)))] == [
            n for n in ordered if low <= n <= high
        ]
        assert [each.n for each in db.iter(Number.primary(n=gte(low)))] == [n for n in ordered if n >= low]
        assert [each.amount for each in db.iter(Number.by_amount(amount=lte(Decimal(low) / 100)))] == sorted(
            each.amount for each in made if each.amount <= Decimal(low) / 100
        )


def test_a_number_that_does_not_fit_is_refused_and_never_misplaced(db: Store, door: Door) -> None:
    with pytest.raises(InvalidValue, match="number"):
        db.put(Order(customer="7", number=1_000_000, day=FIRST))

    assert items_of(door, shop) == []


# An update leaves a stale index key; an insert forgets one and the item vanishes from the index.


def test_an_index_shows_an_item_where_it_is_now_and_nowhere_else(
    db: Store, door: Door, eventually: Eventually
) -> None:
    db.put(ORDER)
    changed = db.update(THE_ORDER.set(status="sent"))
    eventually(lambda: db.iter(Order.by_status(status="open")), [])
    eventually(lambda: db.iter(Order.by_status(status="sent")), [changed])
    assert_keys_right(door, shop)


def test_a_changed_primary_key_is_a_move_and_nothing_else(db: Store, door: Door) -> None:
    db.put(ORDER)
    with pytest.raises(PkskError, match="which an update cannot change"):
        db.update(THE_ORDER.set(customer="8"))
    db.move(ORDER, customer="8")

    assert [item["pk"] for item in items_of(door, shop)] == [{"S": "CUST#8"}]
    assert_keys_right(door, shop)


# Counters that COUNT the partition, race, or live among the entities.


def test_a_number_is_not_drawn_again_after_a_delete_and_the_counter_is_no_entity(db: Store) -> None:
    first = db.create(Order(customer="7", number=db.next(order_numbers, customer="7"), day=FIRST))
    db.delete(first)
    second = db.create(Order(customer="7", number=db.next(order_numbers, customer="7"), day=FIRST))

    assert second.number == 2
    assert list(db.iter(Order.primary(customer="7"))) == [second]
    assert list(db.scan(Order.scan())) == [second]


def test_a_counter_is_moved_forward_and_never_back(db: Store) -> None:
    db.take(line_numbers, 50, year=2025)

    assert db.reconcile(line_numbers, 20, year=2025) == 50
    assert db.next(line_numbers, year=2025) == 51


# A list that silently returns its first page; batches that drop unprocessed items.


def test_everything_is_read_to_the_end(db: Store) -> None:
    made = [Order(customer="7", number=n, day=FIRST, note="x" * 50_000) for n in range(45)]
    db.batch_put(*made)

    assert [each.number for each in db.iter(Order.primary(customer="7"))] == list(range(45))
    assert db.count(Order.primary(customer="7")) == 45
    assert len(db.batch_get(*(Order.primary.get(customer="7", number=n) for n in range(45)))) == 45
    assert len(list(db.scan(Order.scan()))) == 45


class Reluctant:
    """A service that leaves all but one of each batch unprocessed, as a busy one may."""

    def __init__(self, store: Store) -> None:
        self._call = store.client.call

    def call(self, operation: str, request: Any) -> Any:
        if operation == "BatchWriteItem":
            ((table, members),) = request["RequestItems"].items()
            self._call(operation, {"RequestItems": {table: members[:1]}})
            rest = {table: members[1:]} if members[1:] else {}
            return {"UnprocessedItems": rest}
        if operation == "BatchGetItem":
            ((table, asked),) = request["RequestItems"].items()
            answer = self._call(operation, {"RequestItems": {table: {**asked, "Keys": asked["Keys"][:1]}}})
            rest = {table: {**asked, "Keys": asked["Keys"][1:]}} if asked["Keys"][1:] else {}
            return {**answer, "UnprocessedKeys": rest}
        return self._call(operation, request)


def test_what_a_batch_leaves_unprocessed_is_done_all_the_same() -> None:
    with connect("memory:") as inner:
        inner.create_tables(texts)
        db = connect(Reluctant(inner), retry=Retry(pause_seconds=0))
        made = [Text(a="a", b="b", c=str(n)) for n in range(30)]
        db.batch_put(*made)
        gets = [Text.primary.get(a="a", b="b", c=str(n)) for n in range(30)]

        assert inner.count(Text.primary(a="a", b="b")) == 30
        assert db.batch_get(*gets) == made
        db.batch_delete(*(Text.primary.delete(a="a", b="b", c=str(n)) for n in range(30)))
        assert inner.count(Text.primary(a="a", b="b")) == 0


# An atomic set of 130 writes split in two.


def test_a_transaction_of_a_hundred_and_thirty_is_refused_with_the_reason(db: Store, door: Door) -> None:
    with pytest.raises(
        DesignError, match="130 members; DynamoDB takes 100, and two halves would not be all or nothing"
    ):
        db.transaction(*(Put(Line(customer="7", number=1, line=n)) for n in range(130)))

    assert items_of(door, shop) == []


# A query with no index silently scans.


def test_a_question_without_an_index_is_refused_with_what_is_missing(db: Store, door: Door) -> None:
    sent: list[Any] = []
    store = door.open(hooks=[sent.append])
    asks: list[Callable[[], Query[Any]]] = [
        lambda: Order.where(note="gift"),
        lambda: Order.by_status(day=FIRST),
        lambda: Order.primary(number=1),
    ]
    for ask in asks:
        with pytest.raises(PkskError) as caught:
            list(store.iter(ask()))

        assert caught.value.fix
    assert sent == []


def test_only_a_scan_scans(db: Store, door: Door) -> None:
    sent: list[str] = []
    store = door.open(hooks=[lambda sending: sent.append(sending.operation)])
    list(store.iter(Order.where(customer="7", note="gift")))
    store.first(Order.monthly(status="open", day=between(FIRST, FIRST + timedelta(days=40))))
    assert "Scan" not in sent
    list(store.scan(Order.scan()))

    assert sent[-1] == "Scan"


# `<pk>#<sk>` that is not reversible, or over 512 bytes.


@given(PARTS, PARTS)
def test_the_id_of_a_document_leads_back_to_the_item(a: str, c: str) -> None:
    with connect("memory:") as db:
        db.create_tables(texts)
        db.put(Text(a=a, b="x", c=c))
        (item,) = db.client.call("Scan", {"TableName": "texts"})["Items"]
        pk, sk = parse_doc_id(doc_id(item["pk"]["S"], item["sk"]["S"]))

        assert (pk, sk) == (item["pk"]["S"], item["sk"]["S"])


def test_a_long_id_says_that_there_is_no_way_back() -> None:
    made = doc_id("x" * 500, "y" * 500)

    assert len(made.encode()) <= 512
    with pytest.raises(PkskError):
        parse_doc_id(made)
