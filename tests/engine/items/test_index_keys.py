"""Every write rejects values that cannot be index keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pksk.client import ServiceError
from tests.engine.operations.items import KEY, Item, Items
from tests.engine.state.catalogues import NAME, defined, index

INVALID = "One or more parameter values were invalid: "
NOT_VALID = "One or more parameter values are not valid. "
EMPTY = "The AttributeValue for a key attribute cannot contain an empty"
UPDATE = "The update expression attempted to update"


def shop() -> Items:
    """Two indexes on `s`, one of them with `n`; one on `b`."""
    return Items(
        AttributeDefinitions=defined("pk", "s", n="N", b="B"),
        GlobalSecondaryIndexes=[index("by-text", "s"), index("by-both", "s", "n"), index("by-binary", "b")],
    )


Write = Callable[[Items, str, Item], Any]


def put(items: Items, name: str, value: Item) -> Any:
    return items.put({**KEY, name: value})


def batch(items: Items, name: str, value: Item) -> Any:
    requests = {NAME: [{"PutRequest": {"Item": {**KEY, name: value}}}]}
    return items.engine.call("BatchWriteItem", {"RequestItems": requests})


def transact(items: Items, name: str, value: Item) -> Any:
    members = [{"Put": {"TableName": NAME, "Item": {**KEY, name: value}}}]
    return items.engine.call("TransactWriteItems", {"TransactItems": members})


def legacy(items: Items, name: str, value: Item) -> Any:
    return items.update(None, AttributeUpdates={name: {"Value": value}})


def update(items: Items, name: str, value: Item) -> Any:
    return items.update(f"SET {name} = :v", v=value)


def transact_update(items: Items, name: str, value: Item) -> Any:
    member = {
        "TableName": NAME,
        "Key": KEY,
        "UpdateExpression": f"SET {name} = :v",
        "ExpressionAttributeValues": {":v": value},
    }
    return items.engine.call("TransactWriteItems", {"TransactItems": [{"Update": member}]})


def error_of(write: Write, name: str, value: Item) -> str | None:
    """The message of the error, or of the reason of a cancellation; nothing is written."""
    items = shop()
    with pytest.raises(ServiceError) as caught:
        write(items, name, value)
    assert items.get() is None
    if caught.value.code == "TransactionCanceledException":
        (reason,) = caught.value.fields["CancellationReasons"]
        assert reason["Code"] == "ValidationError"
        message: str = reason["Message"]
        return message
    assert caught.value.code == "ValidationException"
    return caught.value.message


@pytest.mark.parametrize("write", [put, batch, transact, legacy])
@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        (
            "s",
            {"N": "1"},
            f"{INVALID}Type mismatch for Index Key s Expected: S Actual: N IndexName: by-both",
        ),
        (
            "s",
            {"M": {}},
            f"{INVALID}Type mismatch for Index Key s Expected: S Actual: M IndexName: by-both",
        ),
        (
            "s",
            {"NULL": True},
            f"{INVALID}Type mismatch for Index Key s Expected: S Actual: NULL IndexName: by-both",
        ),
        (
            "n",
            {"S": "1"},
            f"{INVALID}Type mismatch for Index Key n Expected: N Actual: S IndexName: by-both",
        ),
        (
            "b",
            {"BS": ["eA=="]},
            f"{INVALID}Type mismatch for Index Key b Expected: B Actual: BS IndexName: by-binary",
        ),
        (
            "s",
            {"S": ""},
            f"{NOT_VALID}A value specified for a secondary index key is not supported. {EMPTY} string value. "
            "IndexName: by-both, IndexKey: s",
        ),
        (
            "b",
            {"B": ""},
            f"{NOT_VALID}A value specified for a secondary index key is not supported. {EMPTY} binary value. "
            "IndexName: by-binary, IndexKey: b",
        ),
        (
            "s",
            {"S": "é" * 1025},
            f"{INVALID}Size limit exceeded for Index Key s Actual Size: 2050 bytes Max Size: 2048 bytes "
            "IndexName: by-both",
        ),
        (
            "b",
            {"B": b"x" * 2049},
            f"{INVALID}Size limit exceeded for Index Key b Actual Size: 2049 bytes Max Size: 2048 bytes "
            "IndexName: by-binary",
        ),
    ],
)
def test_an_item_with_an_invalid_index_key_is_rejected(
    write: Write, name: str, value: Item, text: str
) -> None:
    assert error_of(write, name, value) == text


@pytest.mark.parametrize("write", [update, transact_update])
@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        (
            "s",
            {"N": "1"},
            f"{INVALID}Type mismatch for Index Key s Expected: S Actual: N IndexName: by-both",
        ),
        (
            "n",
            {"L": []},
            f"{INVALID}Type mismatch for Index Key n Expected: N Actual: L IndexName: by-both",
        ),
        (
            "s",
            {"S": ""},
            f"{NOT_VALID}{UPDATE} a secondary index key to a value that is not supported. {EMPTY} string value.",
        ),
        (
            "b",
            {"B": ""},
            f"{NOT_VALID}{UPDATE} a secondary index key to a value that is not supported. {EMPTY} binary value.",
        ),
        ("s", {"S": "x" * 2049}, f"{UPDATE} the secondary index key beyond allowed size limits"),
    ],
)
def test_an_update_to_an_invalid_index_key_is_rejected(
    write: Write, name: str, value: Item, text: str
) -> None:
    assert error_of(write, name, value) == text


@pytest.mark.every_transport
def test_a_value_of_the_wrong_type_is_reported_before_the_condition() -> None:
    items = Items(AttributeDefinitions=defined("pk", "s"), GlobalSecondaryIndexes=[index("gsi", "s")])
    wrong = {
        "Key": KEY,
        "UpdateExpression": "SET s = :v",
        "ExpressionAttributeValues": {":v": {"N": "1"}},
        "ConditionExpression": "attribute_exists(pk)",
    }
    mismatch = f"{INVALID}Type mismatch for Index Key s Expected: S Actual: N IndexName: gsi"

    assert items.invalid("UpdateItem", **wrong) == mismatch
    wrong["UpdateExpression"] = "SET s = if_not_exists(t, :v)"
    assert items.error_of("UpdateItem", **wrong)[0] == "ConditionalCheckFailedException"
    legacy = {
        "Key": KEY,
        "AttributeUpdates": {"s": {"Value": {"N": "1"}}},
        "Expected": {"t": {"Value": {"S": "x"}}},
    }
    assert items.invalid("UpdateItem", **legacy) == mismatch


def test_a_sort_key_of_an_index_has_at_most_1024_bytes() -> None:
    items = Items(
        AttributeDefinitions=defined("pk", "p", "s"), GlobalSecondaryIndexes=[index("by-two", "p", "s")]
    )
    items.put({**KEY, "p": {"S": "x" * 2048}, "s": {"S": "x" * 1024}})

    assert len(items.entries("by-two")) == 1
    assert items.invalid("PutItem", Item={**KEY, "s": {"S": "x" * 1025}}) == (
        f"{INVALID}Size limit exceeded for Index Key s Actual Size: 1025 bytes Max Size: 1024 bytes "
        "IndexName: by-two"
    )


def test_the_key_of_a_local_index_must_have_its_type() -> None:
    items = Items(
        "pk",
        "sk",
        AttributeDefinitions=defined("pk", "sk", "t"),
        LocalSecondaryIndexes=[index("lsi", "pk", "t")],
    )

    assert items.invalid("PutItem", Item={**KEY, "sk": {"S": "s"}, "t": {"N": "1"}}) == (
        f"{INVALID}Type mismatch for Index Key t Expected: S Actual: N IndexName: lsi"
    )


def test_a_put_with_a_table_key_too_long_for_an_index_is_rejected() -> None:
    items = Items(AttributeDefinitions=defined("pk", "s"), GlobalSecondaryIndexes=[index("gsi", "s", "pk")])

    assert items.invalid("PutItem", Item={"pk": {"S": "x" * 1025}, "s": {"S": "x"}}) == (
        f"{INVALID}Size limit exceeded for Index Key pk Actual Size: 1025 bytes Max Size: 1024 bytes "
        "IndexName: gsi"
    )


def test_an_update_is_checked_only_for_the_index_keys_it_changes() -> None:
    items = Items()
    items.put({**KEY, "s": {"N": "1"}})
    created = {"Create": index("late", "s")}
    items.call("UpdateTable", AttributeDefinitions=defined("s"), GlobalSecondaryIndexUpdates=[created])

    assert items.entries("late") == []
    items.update("SET other_one = :v", v={"S": "x"})
    assert (
        items.invalid("UpdateItem", Key=KEY, UpdateExpression="SET s = s")
        == f"{UPDATE} the secondary index key to unsupported type"
    )
    items.update("REMOVE s")
    items.update("SET s = :v", v={"S": "x"})
    assert items.entries("late") == [{**KEY, "s": {"S": "x"}, "other_one": {"S": "x"}}]
