"""Transactions: all or nothing, with the error of each member that failed."""

from __future__ import annotations

from datetime import date
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


def test_all_writes_of_a_transaction_are_applied(db: Store, door: Door) -> None:
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


def test_a_transaction_reads_a_snapshot(db: Store) -> None:
    db.put(ORDER)
    db.put(Flag(name="x"))
    found = db.transaction(
        Order.primary.get(customer="7", number=1),
        Order.primary.get(customer="7", number=2),
        Flag.primary.get(name="x"),
    )

    assert found == [ORDER, None, Flag(name="x")]


def test_a_failed_member_prevents_all_writes_and_is_reported_by_position(db: Store, door: Door) -> None:
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


def test_the_message_of_a_failed_transaction_lists_positions(db: Store) -> None:
    db.put(ORDER)
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(
            Put(Flag(name="x")), Put(ORDER).if_absent(), Order.primary.check(customer="9", number=9)
        )

    assert str(caught.value) == (
        "Transaction of Flag, Order: nothing was written, because these members failed:\n"
        "  1: Put of Order: an item with the key pk = 'CUST#7', sk = 'ORDER#000001' already exists.\n"
        "  2: Check of Order: there is no item pk = 'CUST#9', sk = 'ORDER#000009'.\n"
        "Fix: see .failures for the error of each.  (pksk explain store-transaction-failed)"
    )
    assert caught.value.request.members[1] == Put(ORDER).if_absent()


def test_the_one_member_of_a_transaction_fails_as_a_transaction(db: Store) -> None:
    db.put(ORDER)
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(Put(ORDER).if_absent())

    assert list(caught.value.failures) == [0]


def test_updates_that_must_read_first_do_so_in_a_transaction(db: Store, door: Door) -> None:
    db.put(ORDER)
    db.transaction(THE_ORDER.set(status="paid"), Put(Flag(name="x")))

    assert_keys_right(door, shop)


def test_an_update_of_a_missing_item_is_reported_by_position_even_if_it_reads_first(
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


def test_the_token_of_another_transaction_raises(db: Store) -> None:
    token = str(uuid4())
    db.put(ORDER)
    db.transaction(THE_ORDER.add(total=1), token=token)
    with pytest.raises(RequestRejected, match="IdempotentParameterMismatchException") as caught:
        db.transaction(THE_ORDER.add(total=2), token=token)

    assert caught.value.code == "store-token-reused"
    assert caught.value.service_code == "IdempotentParameterMismatchException"
    assert "no two requests" not in caught.value.expected


def test_a_reused_token_with_stamps_explains_why_the_request_differs(db: Store, clock: Clock) -> None:
    token = str(uuid4())
    ann = Customer(customer="7", name="Ann", email="a@b.c")
    db.transaction(Put(ann), token=token)
    clock.advance(1)
    with pytest.raises(RequestRejected) as caught:
        db.transaction(Put(ann), token=token)

    assert str(caught.value) == (
        f"{caught.value.problem}\n"
        f"Another request used the token '{token}' in the last ten minutes; this one was not applied. "
        "A retry of these writes is a different request each time: Customer.created is the time of the request; "
        "Customer.updated is the time of the request; Customer is read first, and the request contains what was read.\n"
        "Fix: if this repeats the same transaction, it is already done; give another transaction another token.  "
        "(pksk explain store-token-reused)"
    )
    assert db.get(Customer.primary.get(customer="7")).version == 1  # type: ignore[union-attr]


def test_each_transaction_without_a_token_gets_a_new_one(db: Store, door: Door) -> None:
    sent: list[RequestStarted] = []
    store = door.open(hooks=[sent.append])
    store.transaction(Put(ORDER))
    store.transaction(Put(ORDER))
    tokens = [each.parameters["ClientRequestToken"] for each in sent]

    assert len(set(tokens)) == 2


@pytest.mark.one_door
@pytest.mark.parametrize("token", ["", "x" * 37, 5])
def test_invalid_tokens_raise(db: Store, token: Any) -> None:
    with pytest.raises(PkskError, match="token"):
        db.transaction(Put(ORDER), token=token)


def test_a_transaction_with_a_hundred_members_is_applied(db: Store) -> None:
    made = [Line(customer="7", number=1, line=n) for n in range(100)]
    db.transaction(*map(Put, made))

    assert list(db.iter(Line.primary(customer="7"))) == made


@pytest.mark.one_door
def test_a_transaction_with_more_than_a_hundred_members_raises(db: Store, door: Door) -> None:
    with pytest.raises(DesignError, match="101 members; DynamoDB allows 100, and two halves"):
        db.transaction(*(Put(Line(customer="7", number=1, line=n)) for n in range(101)))

    assert items_of(door, shop) == []


def test_guards_count_for_the_limit_of_a_transaction(db: Store, door: Door) -> None:
    customers = [Customer(customer=str(n), name="x", email=f"{n}@b.c") for n in range(51)]
    with pytest.raises(DesignError, match="102 items with guards and checks; DynamoDB allows 100"):
        db.transaction(*map(Put, customers))

    assert items_of(door, shop) == []
    db.transaction(*map(Put, customers[:50]))
    assert len(items_of(door, shop)) == 100


@pytest.mark.one_door
def test_a_transaction_with_the_same_item_twice_raises(db: Store) -> None:
    with pytest.raises(PkskError, match="is in it twice"):
        db.transaction(THE_ORDER.add(total=1), Order.primary.check(customer="7", number=1))


@pytest.mark.one_door
def test_a_transaction_with_reads_and_writes_raises(db: Store) -> None:
    with pytest.raises(PkskError, match="reads and writes in one transaction"):
        db.transaction(Put(ORDER), Order.primary.get(customer="8", number=1))  # type: ignore[call-overload]


@pytest.mark.one_door
@pytest.mark.parametrize("members", [(), (None,), (ORDER,), (Order.primary(customer="7"),)])
def test_a_value_that_is_not_a_member_raises(db: Store, members: tuple[Any, ...]) -> None:
    with pytest.raises(PkskError):
        db.transaction(*members)


def test_a_unique_violation_is_reported_with_other_failures(db: Store) -> None:
    db.put(Customer(customer="7", name="Ann", email="a@b.c"))
    db.put(ORDER)
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(Put(ORDER).if_absent(), Put(Customer(customer="8", name="Bob", email="a@b.c")))

    assert {place: type(error) for place, error in caught.value.failures.items()} == {
        0: AlreadyExists,
        1: UniqueViolation,
    }
