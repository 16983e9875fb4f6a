"""Overlapping calls on one item wait for each other, or with `conflicts` fail as on AWS."""

from __future__ import annotations

from pathlib import Path

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine
from tests.engine.operations.shop import Item, Shop, check, delete, get, order, person, put, update

from .overlapping_calls import Call, before_read, held_call


def _number(value: int) -> Item:
    return {"N": str(value)}


# Waiting is the default: an overlapping call comes to its end once the other has.


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("PutItem", {"TableName": "orders", "Item": order(note="second")}),
        ("TransactWriteItems", {"TransactItems": [put(order(note="second"))]}),
        ("BatchWriteItem", {"RequestItems": {"orders": [{"PutRequest": {"Item": order(note="second")}}]}}),
    ],
)
def test_a_call_waits_for_a_transaction_with_the_same_item(
    waiting: Shop, operation: str, request_: Item
) -> None:
    with held_call(waiting.engine, "TransactWriteItems", {"TransactItems": [put(order(note="first"))]}):
        second = Call.of(waiting.engine, operation, request_)
        assert second.waits()

    second.result()
    assert waiting.orders() == [order(note="second")]


def test_reads_of_a_file_do_not_wait_and_see_the_previous_state(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "shop.db", durable=False) as engine:
        shop = Shop(engine)
        shop.put(order(note="before"))

        with held_call(engine, "TransactWriteItems", {"TransactItems": [put(order(note="after"))]}):
            found = Call.of(engine, "TransactGetItems", {"TransactItems": [get()]}).result()
            assert found["Responses"] == [{"Item": order(note="before")}]

        assert shop.orders() == [order(note="after")]


# Conflicts: an overlapping call fails as on AWS.


_CONFLICT = {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}
_FINE = {"Code": "None"}
_PUT = {"TableName": "orders", "Item": order()}
_TRANSACTION = {"TransactItems": [put(order("z")), put(), check("attribute_not_exists(pk)", order("c"))]}
_BATCH = {"RequestItems": {"orders": [{"PutRequest": {"Item": order()}}]}}


def test_a_transaction_fails_beside_another_with_one_of_its_items(conflicting: Shop) -> None:
    with held_call(conflicting.engine, "TransactWriteItems", _TRANSACTION):
        reasons = conflicting.reasons(put(order("b")), delete(), put(order("d")), put(order("z")))

    assert reasons == [_FINE, _CONFLICT, _FINE, _CONFLICT]
    assert conflicting.orders() == [order(), order("z")]


def test_a_condition_check_holds_its_item_too(conflicting: Shop) -> None:
    with held_call(conflicting.engine, "TransactWriteItems", _TRANSACTION):
        assert conflicting.codes(put(order("c"))) == ["TransactionConflict"]
        assert conflicting.codes(check("attribute_exists(pk)")) == ["TransactionConflict"]


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("PutItem", _PUT),
        ("DeleteItem", {"TableName": "orders", "Key": order()}),
        ("UpdateItem", {"TableName": "orders", "Key": order(), "UpdateExpression": "REMOVE a"}),
    ],
)
def test_a_single_write_fails_beside_a_transaction_with_its_item(
    conflicting: Shop, operation: str, request_: Item
) -> None:
    with held_call(conflicting.engine, "TransactWriteItems", _TRANSACTION):
        error = conflicting.error(operation, **request_)

    assert (error.code, error.message, error.status) == (
        "TransactionConflictException",
        "Transaction is ongoing for the item",
        400,
    )
    assert conflicting.orders() == [order(), order("z")]


def test_a_batch_returns_items_in_transactions_as_unprocessed(conflicting: Shop) -> None:
    left = {"PutRequest": {"Item": order(note="batch")}}
    batch = {
        "orders": [{"DeleteRequest": {"Key": order("b")}}, left, {"PutRequest": {"Item": order("d")}}],
        "people": [{"PutRequest": {"Item": person(1)}}],
    }
    conflicting.put(order("b"))

    with held_call(conflicting.engine, "TransactWriteItems", _TRANSACTION):
        call = Call.of(
            conflicting.engine, "BatchWriteItem", {"RequestItems": batch, "ReturnConsumedCapacity": "TOTAL"}
        )
        assert call.waits()
    answer = call.result()

    assert answer["UnprocessedItems"] == {"orders": [left]}
    assert [each["CapacityUnits"] for each in answer["ConsumedCapacity"]] == [2.0, 1.0]
    assert conflicting.orders() == [order(), order("d"), order("z")]
    assert conflicting.people() == [person(1)]

    assert (
        conflicting.call("BatchWriteItem", RequestItems=answer["UnprocessedItems"])["UnprocessedItems"] == {}
    )
    assert conflicting.orders() == [order(note="batch"), order("d"), order("z")]


@pytest.mark.parametrize(
    ("operation", "request_"),
    [("TransactWriteItems", _TRANSACTION), ("PutItem", _PUT), ("BatchWriteItem", _BATCH)],
)
def test_a_transaction_that_reads_fails_beside_any_write_of_its_items(
    conflicting: Shop, operation: str, request_: Item
) -> None:
    with held_call(conflicting.engine, operation, request_):
        error = conflicting.error("TransactGetItems", TransactItems=[get(order("b")), get()])

    assert error.code == "TransactionCanceledException"
    assert error.message == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, TransactionConflict]"
    )
    assert error.fields["CancellationReasons"] == [_FINE, _CONFLICT]


@pytest.mark.parametrize(("operation", "request_"), [("PutItem", _PUT), ("BatchWriteItem", _BATCH)])
def test_a_transaction_that_writes_fails_beside_a_write_of_its_items(
    conflicting: Shop, operation: str, request_: Item
) -> None:
    with held_call(conflicting.engine, operation, request_):
        assert conflicting.codes(put(order("b")), put(order(note="other"))) == ["None", "TransactionConflict"]

    assert conflicting.orders() == [order()]


@pytest.mark.parametrize(("operation", "request_"), [("PutItem", _PUT), ("BatchWriteItem", _BATCH)])
def test_single_writes_of_one_item_wait_for_each_other(
    conflicting: Shop, operation: str, request_: Item
) -> None:
    with held_call(conflicting.engine, operation, request_):
        second = Call.of(conflicting.engine, "PutItem", {"TableName": "orders", "Item": order(note="second")})
        assert second.waits()

    second.result()
    assert conflicting.orders() == [order(note="second")]


def test_transactions_on_other_items_wait_for_each_other(conflicting: Shop) -> None:
    with held_call(conflicting.engine, "TransactWriteItems", _TRANSACTION):
        second = Call.of(
            conflicting.engine,
            "TransactWriteItems",
            {"TransactItems": [put(order("b")), put(person(1), "people")]},
        )
        assert second.waits()

    second.result()
    assert conflicting.orders() == [order(), order("b"), order("z")]


def test_an_item_is_free_once_the_transaction_ends_however_it_ends(conflicting: Shop) -> None:
    conflicting.put(order("c"))
    engine = conflicting.engine

    with (
        pytest.raises(ServiceError, match="ConditionalCheckFailed"),
        held_call(engine, "TransactWriteItems", _TRANSACTION),
    ):
        assert conflicting.codes(put()) == ["TransactionConflict"]

    conflicting.transact(put())
    conflicting.put(order("z"))
    assert conflicting.call("TransactGetItems", TransactItems=[get()])["Responses"] == [{"Item": order()}]


def test_a_transaction_of_reads_holds_no_items(conflicting: Shop) -> None:
    def meanwhile() -> None:
        conflicting.call("TransactGetItems", TransactItems=[get()])
        conflicting.put(order())
        conflicting.transact(update("SET note = :n", n={"S": "x"}))

    with before_read(conflicting.engine, meanwhile):
        answer = conflicting.call("TransactGetItems", TransactItems=[get(), get(order("b"))])

    assert answer["Responses"] == [{"Item": order(note="x")}, {}]


def test_a_token_that_is_in_use_fails(conflicting: Shop) -> None:
    request = {"TransactItems": [update("ADD n :one", one=_number(1))], "ClientRequestToken": "t"}

    with held_call(conflicting.engine, "TransactWriteItems", request):
        error = conflicting.error("TransactWriteItems", **request)
    again = conflicting.call("TransactWriteItems", **request)

    assert (error.code, error.message) == (
        "TransactionInProgressException",
        "Transaction from previous request is still in progress",
    )
    assert again == {}
    assert conflicting.orders() == [{**order(), "n": _number(1)}]


def test_a_transaction_sent_again_is_answered_though_its_items_are_held(tmp_path: Path) -> None:
    request = {"TransactItems": [put()], "ClientRequestToken": "t"}
    with Engine.open(tmp_path / "shop.db", durable=False, conflicts=True) as engine:
        shop = Shop(engine)
        shop.call("TransactWriteItems", **request)

        with held_call(engine, "TransactWriteItems", {"TransactItems": [delete()]}):
            assert Call.of(engine, "TransactWriteItems", request).result() == {}

        assert shop.orders() == []
