"""Transactions: all or nothing, with the error of each member that is to blame."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any
from uuid import uuid4

import pytest

from pksk import (
    AlreadyExists,
    Clock,
    ConditionFailed,
    DesignError,
    F,
    NotFound,
    PkskError,
    Put,
    RequestRejected,
    RequestStarted,
    StaleVersion,
    Store,
    TransactionFailed,
    UniqueViolation,
    transaction,
)
from tests.store.doors import Door
from tests.store.shop import Animal, Customer, Dog, Flag, Line, Order, Reading, flags, shop
from tests.store.table_contents import assert_keys_right, items_of

FIRST = date(2025, 3, 1)
ORDER = Order(customer="7", number=1, day=FIRST)
THE_ORDER = Order.primary.update(customer="7", number=1)


def test_all_writes_are_done(db: Store, door: Door) -> None:
    db.put(ORDER)
    db.put(Flag(name="old"))
    new = Order(customer="8", number=2, day=FIRST)
    found = db.transaction(
        Put(new),
        THE_ORDER.set(status="sent"),
        Flag.primary.delete(name="old"),
        Put(Reading(sensor=1, moment=b"1")),
        Customer.primary.check(customer="7").absent(),
    )

    assert found == [new, None, None, Reading(sensor=1, moment=b"1"), None]
    assert db.get(Order.primary.get(customer="8", number=2)) == new
    assert db.get(Order.primary.get(customer="7", number=1)) == ORDER.model_copy(update={"status": "sent"})
    assert items_of(door, flags) == []
    assert_keys_right(door, shop)


def test_a_transaction_can_be_built_before(db: Store) -> None:
    request = transaction(Put(ORDER).if_absent(), Put(Flag(name="x")))

    assert db.run(request) == [ORDER, Flag(name="x")]


def test_reads_of_one_moment(db: Store) -> None:
    db.put(ORDER)
    db.put(Flag(name="x"))
    found = db.transaction(
        Order.primary.get(customer="7", number=1),
        Order.primary.get(customer="7", number=2),
        Flag.primary.get(name="x"),
    )

    assert found == [ORDER, None, Flag(name="x")]


def test_nothing_is_done_where_one_fails_and_each_failure_is_told_by_its_place(db: Store, door: Door) -> None:
    db.put(ORDER)
    ann = db.put(Customer(customer="7", name="Ann"))
    db.put(Animal(owner="ann", name="tom"))
    before = items_of(door, shop)
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(
            Put(Flag(name="new")),
            Put(ORDER).if_absent(),
            Order.primary.update(customer="7", number=2).set(note="x"),
            Customer.primary.update(customer="7").set(name="Eve").when(F.name == "Bob"),
            Dog.primary.delete(owner="ann", name="tom"),
            Order.primary.check(customer="9", number=9),
            Order.primary.delete(customer="9", number=8).if_present(),
        )

    failures = caught.value.failures
    assert {place: type(error) for place, error in failures.items()} == {
        1: AlreadyExists,
        2: NotFound,
        3: ConditionFailed,
        4: ConditionFailed,
        5: NotFound,
        6: NotFound,
    }
    assert failures[1].item == ORDER  # type: ignore[attr-defined]
    assert failures[2].item is None  # type: ignore[attr-defined]
    assert failures[3].item == ann  # type: ignore[attr-defined]
    assert "the condition name = 'Bob' does not hold" in failures[3].problem
    assert failures[4].code == "store-other-entity"
    assert failures[4].item == Animal(owner="ann", name="tom")  # type: ignore[attr-defined]
    assert sorted(map(str, items_of(door, shop))) == sorted(map(str, before))
    assert items_of(door, flags) == []


def test_the_text_of_a_failed_transaction_lists_the_places(db: Store) -> None:
    db.put(ORDER)
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(
            Put(Flag(name="x")), Put(ORDER).if_absent(), Order.primary.check(customer="9", number=9)
        )

    assert str(caught.value) == (
        "Transaction of Flag, Order: nothing was written, because these members failed:\n"
        "  1: Put of Order: an item with the key pk = 'CUST#7', sk = 'ORDER#000001' exists already.\n"
        "  2: Check of Order: there is no item pk = 'CUST#9', sk = 'ORDER#000009'.\n"
        "Fix: see .failures for the error of each.  (pksk explain store-transaction-failed)"
    )
    assert caught.value.request.members[1] == Put(ORDER).if_absent()


def test_the_one_member_of_a_transaction_fails_as_a_transaction(db: Store) -> None:
    db.put(ORDER)
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(Put(ORDER).if_absent())

    assert list(caught.value.failures) == [0]


def test_versions_and_times_are_kept(db: Store, clock: Clock) -> None:
    now = datetime.fromtimestamp(clock(), UTC)
    ann = db.put(Customer(customer="7", name="Ann"))
    put, _ = db.transaction(Put(ann), Put(Flag(name="x")))
    db.transaction(Customer.primary.update(customer="7").set(name="Eve"), Put(Flag(name="y")))

    assert isinstance(put, Customer)
    assert put.version == 2
    found = db.get(Customer.primary.get(customer="7"))
    assert found is not None
    assert (found.version, found.name, found.updated) == (3, "Eve", now)
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(Put(ann), Put(Flag(name="z")))
    assert isinstance(caught.value.failures[0], StaleVersion)


def test_updates_that_must_read_first_do_so_in_a_transaction(db: Store, door: Door) -> None:
    db.put(ORDER)
    db.transaction(THE_ORDER.set(status="paid"), Put(Flag(name="x")))

    assert_keys_right(door, shop)


def test_an_update_of_what_is_not_there_is_told_by_its_place_also_where_it_reads_first(
    db: Store, door: Door
) -> None:
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(Put(Flag(name="x")), THE_ORDER.set(status="paid"))

    assert {place: type(error) for place, error in caught.value.failures.items()} == {1: NotFound}
    assert items_of(door, flags) == []


def test_one_token_is_one_transaction(db: Store) -> None:
    token = str(uuid4())
    db.put(ORDER)
    for _ in range(3):
        db.transaction(THE_ORDER.add(total=1), token=token)

    assert db.get(Order.primary.get(customer="7", number=1)).total == 1  # type: ignore[union-attr]
    db.transaction(THE_ORDER.add(total=1), token=str(uuid4()))
    assert db.get(Order.primary.get(customer="7", number=1)).total == 2  # type: ignore[union-attr]


def test_a_token_of_another_transaction_is_refused(db: Store) -> None:
    token = str(uuid4())
    db.put(ORDER)
    db.transaction(THE_ORDER.add(total=1), token=token)
    with pytest.raises(RequestRejected, match="IdempotentParameterMismatchException") as caught:
        db.transaction(THE_ORDER.add(total=2), token=token)

    assert caught.value.code == "store-token-used"
    assert caught.value.service_code == "IdempotentParameterMismatchException"
    assert "no two requests" not in caught.value.expected


def test_a_token_with_what_is_stamped_says_why_it_cannot_be_repeated(db: Store, clock: Clock) -> None:
    token = str(uuid4())
    ann = Customer(customer="7", name="Ann", email="a@b.c")
    db.transaction(Put(ann), token=token)
    clock.advance(1)
    with pytest.raises(RequestRejected) as caught:
        db.transaction(Put(ann), token=token)

    assert str(caught.value) == (
        f"{caught.value.problem}\n"
        f"Under the token '{token}' another request was done in the last ten minutes; this one was not. "
        "Of these writes no two requests are the same: Customer.created is the time of each; "
        "Customer.updated is the time of each; Customer is read first, and what was read is part of each.\n"
        "Fix: where it is the same transaction once more, take it as done; for another one give another token.  "
        "(pksk explain store-token-used)"
    )
    assert db.get(Customer.primary.get(customer="7")).version == 1  # type: ignore[union-attr]


def test_without_a_token_each_has_one_of_its_own(db: Store, door: Door) -> None:
    sent: list[RequestStarted] = []
    store = door.open(hooks=[sent.append])
    store.transaction(Put(ORDER))
    store.transaction(Put(ORDER))
    tokens = [each.request["ClientRequestToken"] for each in sent]

    assert len(set(tokens)) == 2


@pytest.mark.one_door
@pytest.mark.parametrize("token", ["", "x" * 37, 5])
def test_tokens_that_cannot_be_are_refused(db: Store, token: Any) -> None:
    with pytest.raises(PkskError, match="token"):
        db.transaction(Put(ORDER), token=token)


def test_a_hundred_members_are_done(db: Store) -> None:
    made = [Line(customer="7", number=1, line=n) for n in range(100)]
    db.transaction(*map(Put, made))

    assert list(db.iter(Line.primary(customer="7"))) == made


@pytest.mark.one_door
def test_more_than_a_hundred_are_never_split(db: Store, door: Door) -> None:
    with pytest.raises(DesignError, match="101 members; DynamoDB takes 100, and two halves"):
        db.transaction(*(Put(Line(customer="7", number=1, line=n)) for n in range(101)))

    assert items_of(door, shop) == []


def test_guards_count_too(db: Store, door: Door) -> None:
    customers = [Customer(customer=str(n), name="x", email=f"{n}@b.c") for n in range(51)]
    with pytest.raises(DesignError, match="102 items with guards and checks; DynamoDB takes 100"):
        db.transaction(*map(Put, customers))

    assert items_of(door, shop) == []
    db.transaction(*map(Put, customers[:50]))
    assert len(items_of(door, shop)) == 100


@pytest.mark.one_door
def test_one_item_twice_is_refused(db: Store) -> None:
    with pytest.raises(PkskError, match="is in it twice"):
        db.transaction(THE_ORDER.add(total=1), Order.primary.check(customer="7", number=1))


@pytest.mark.one_door
def test_reads_and_writes_do_not_mix(db: Store) -> None:
    with pytest.raises(PkskError, match="reads and writes in one transaction"):
        db.transaction(Put(ORDER), Order.primary.get(customer="8", number=1))  # type: ignore[call-overload]


@pytest.mark.one_door
@pytest.mark.parametrize("given", [(), (None,), (ORDER,), (Order.primary(customer="7"),)])
def test_what_is_no_member_is_refused(db: Store, given: tuple[Any, ...]) -> None:
    with pytest.raises(PkskError):
        db.transaction(*given)


def test_a_unique_value_is_told_beside_other_failures(db: Store) -> None:
    db.put(Customer(customer="7", name="Ann", email="a@b.c"))
    db.put(ORDER)
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(Put(ORDER).if_absent(), Put(Customer(customer="8", name="Bob", email="a@b.c")))

    assert {place: type(error) for place, error in caught.value.failures.items()} == {
        0: AlreadyExists,
        1: UniqueViolation,
    }


def test_values_are_given_back_by_a_transaction(db: Store) -> None:
    db.put(Customer(customer="7", name="Ann", email="a@b.c"))
    db.transaction(Customer.primary.delete(customer="7"), Put(Flag(name="x")))
    db.put(Customer(customer="8", name="Bob", email="a@b.c"))
