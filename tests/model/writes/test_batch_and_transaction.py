"""Batches and transactions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pksk import Entity, F, Key, PkskError, Put, Table, batch, transaction
from tests.model.writes.running import problems
from tests.model.writes.shop import KEY, Order, order


class Note(Entity, table=Table("notes", sk=None)):
    id: str
    primary = Key("NOTE#{id}")


def test_a_batch_reads_a_hundred_keys_per_request() -> None:
    gets = [each.primary.get(id=str(n)) for n in range(70) for each in (Order, Note)]
    made = batch(*gets)

    assert made.operation == "BatchGetItem"
    assert [
        {table: len(part["Keys"]) for table, part in request["RequestItems"].items()}
        for request in made.requests
    ] == [{"shop": 50, "notes": 50}, {"shop": 20, "notes": 20}]
    assert [problems("BatchGetItem", request) for request in made.requests] == ["", ""]


def test_consistent_reads_of_a_batch_have_requests_of_their_own() -> None:
    made = batch(Order.primary.get(id="7"), Order.primary.get(id="8").consistently())

    assert made.requests[0] == {"RequestItems": {"shop": {"Keys": [KEY]}}}
    assert made.requests[1]["RequestItems"]["shop"]["ConsistentRead"] is True


def test_a_batch_writes_twenty_five_items_per_request() -> None:
    made = batch(*(Put(order(id=str(n))) for n in range(30)), Order.primary.delete(id="x"), Put(Note(id="1")))

    assert made.operation == "BatchWriteItem"
    assert [sum(map(len, request["RequestItems"].values())) for request in made.requests] == [25, 7]
    assert made.requests[1]["RequestItems"]["shop"][-1] == {
        "DeleteRequest": {"Key": {**KEY, "pk": {"S": "ORDER#x"}}}
    }
    assert [problems("BatchWriteItem", request) for request in made.requests] == ["", ""]


def test_a_transaction_of_writes_is_one_request() -> None:
    made = transaction(
        Put(Note(id="1")).if_absent(),
        Order.primary.update(id="1").add(total=5).when(F.total > 1),
        Order.primary.delete(id="2").if_present(),
        Order.primary.check(id="3"),
        token="a-token",
    )

    assert made.operation == "TransactWriteItems"
    assert [list(each) for each in made.request["TransactItems"]] == [
        ["Put"],
        ["Update"],
        ["Delete"],
        ["ConditionCheck"],
    ]
    assert made.request["ClientRequestToken"] == "a-token"
    assert problems("TransactWriteItems", made.request) == ""


def test_a_transaction_of_reads_is_one_request() -> None:
    made = transaction(Order.primary.get(id="7").consistently(), Note.primary.get(id="1"))

    assert made.operation == "TransactGetItems"
    assert made.request["TransactItems"][0] == {"Get": {"TableName": "shop", "Key": KEY}}
    assert problems("TransactGetItems", made.request) == ""


def test_a_transaction_lists_the_updates_that_must_read_first() -> None:
    update = Order.primary.update(id="1").set(status="paid")
    made = transaction(Order.primary.delete(id="2"), update)

    assert made.fields_to_read == {1: ("day",)}
    with pytest.raises(PkskError) as caught:
        made.request  # noqa: B018
    assert caught.value.code == "write-unread"
    assert transaction(made.members[0], update.with_read({"day": "2025-01-01"})).fields_to_read == {}


def test_a_transaction_may_have_a_hundred_members() -> None:
    assert len(transaction(*(Order.primary.delete(id=str(n)) for n in range(100))).members) == 100


THE = Order.primary
TWICE = Put(order())


@pytest.mark.parametrize(
    ("make", "code", "says"),
    [
        (batch, "write-empty", "batch"),
        (transaction, "write-empty", "transaction"),
        (lambda: batch(THE.get(id="1"), THE.delete(id="2")), "write-mixed", "two batches"),
        (lambda: transaction(THE.get(id="1"), THE.delete(id="2")), "write-mixed", "Checks"),
        (lambda: batch(THE.get(id="1"), THE.get(id="1").consistently()), "write-item-twice", "ORDER#1"),
        (lambda: batch(Put(order()), THE.delete(id="7")), "write-item-twice", "ORDER#7"),
        (lambda: batch(Put(order()).if_absent()), "write-batch-condition", "a Put of Order"),
        (lambda: batch(THE.delete(id="1").when(F.total > 5)), "write-batch-condition", "a Delete of Order"),
        (lambda: batch(THE.update(id="1").set(total=5)), "write-not-batchable", "Update"),  # type: ignore[arg-type]
        (lambda: batch(THE.check(id="1")), "write-not-batchable", "Check"),  # type: ignore[arg-type]
        (lambda: transaction(Put(order()), THE.check(id="7")), "write-item-twice", ".when(...)"),
        (lambda: transaction(THE(id="7")), "write-not-a-member", "Query"),  # type: ignore[arg-type]
        (
            lambda: transaction(*(THE.delete(id=str(n)) for n in range(101))),
            "write-transaction-size",
            "101 members",
        ),
        (lambda: transaction(THE.delete(id="1"), token="x" * 37), "write-token", "1 to 36"),
        (lambda: transaction(THE.get(id="1"), token="x"), "write-token", "for writes only"),
    ],
)
def test_requests_that_dynamodb_rejects_raise_with_a_fix(make: Any, code: str, says: str) -> None:
    with pytest.raises(PkskError) as caught:
        make()

    assert caught.value.code == code
    assert says in str(caught.value)


@pytest.mark.parametrize("make", [batch, transaction])
def test_an_entity_instead_of_a_put_raises_with_the_fix(make: Any) -> None:
    cases: list[tuple[Any, str]] = [
        (order(), f"{make.__name__}(Put(order))"),
        (Order, f"{make.__name__}(Put(Order(...)))"),
        ([Put(order())], f"{make.__name__}(*requests)"),
        ((Put(each) for each in [order()]), f"{make.__name__}(*requests)"),
    ]
    for given, fix in cases:
        with pytest.raises(PkskError) as caught:
            make(given)
        assert fix in caught.value.fix


@pytest.mark.parametrize(
    ("make", "fix"),
    [
        (lambda: batch(TWICE, TWICE), "leave one of them out."),
        (lambda: batch(Put(order()), THE.delete(id="7")), "leave out one of them; or, to write both"),
        (lambda: batch(THE.get(id="7"), THE.get(id="7")), "batch_get of a store takes the same item"),
        (lambda: transaction(Put(order()), Put(order())), "an update checks its item with .when(...)"),
    ],
)
def test_an_item_that_is_twice_in_a_request_gets_a_fix_for_that_request(
    make: Callable[[], object], fix: str
) -> None:
    with pytest.raises(PkskError) as caught:
        make()

    assert caught.value.code == "write-item-twice"
    assert "pk = 'ORDER#7'" in caught.value.problem
    assert "as members 0 and 1" in caught.value.problem
    assert fix in caught.value.fix
