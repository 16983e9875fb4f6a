"""DeleteItem: serialisation, validation, behaviour."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.engine.operations.items import ABSENT, KEY, PREFIX, Item, Items
from tests.engine.state.catalogues import NAME, defined

INVALID = "One or more parameter values were invalid: "
MISMATCH = "The provided key element does not match the schema"
RETURN_VALUES = "ReturnValues can only be ALL_OLD or NONE"

# Serialisation.


def test_a_delete_returns_an_empty_response() -> None:
    body = json.dumps({"TableName": NAME, "Key": KEY}).encode()

    assert Items().engine.answer("DeleteItem", body) == (200, b"{}")


# Validation before the table is looked up.


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        ({"NULL": False}, f"{PREFIX}{INVALID}Null attribute value types must have the value of true"),
        ({"NS": []}, f"{PREFIX}{INVALID}An number set  may not be empty"),
        ({"N": "x"}, f"{PREFIX}The parameter cannot be converted to a numeric value: x"),
    ],
)
def test_a_key_with_an_invalid_value_is_rejected(value: Item, message: str) -> None:
    assert Items().invalid("DeleteItem", TableName=ABSENT, Key={"pk": value}) == message


def test_a_key_without_a_name_is_rejected() -> None:
    message = Items().invalid("DeleteItem", TableName=ABSENT, Key={"": {"S": "a"}})

    assert message == f"{PREFIX}Empty attribute name"


# Errors in the order in which DynamoDB reports them: each request has this error and all that follow.
ORDER: list[tuple[dict[str, Any], str]] = [
    ({"Expected": {"a": {}}}, "Can not use both expression and non-expression parameters"),
    ({"ExpressionAttributeNames": {"a": "a"}}, "contains invalid key"),
    ({"ExpressionAttributeValues": {":v": {}}}, "ExpressionAttributeValues contains invalid value"),
    ({"Key": {"a": {}}}, "Supplied AttributeValue is empty"),
    ({"ReturnValues": "ALL_NEW"}, RETURN_VALUES),
    ({"ConditionExpression": "a = "}, "Syntax error"),
]


@pytest.mark.parametrize("position", range(len(ORDER)))
def test_errors_are_reported_in_the_order_of_the_service(position: int) -> None:
    request: dict[str, Any] = {"Key": KEY}
    for members, _ in reversed(ORDER[position:]):
        request |= members

    assert ORDER[position][1] in Items().invalid("DeleteItem", TableName=ABSENT, **request)


# Validation against the table.


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ({}, MISMATCH),
        ({"pk": {"S": "a"}}, MISMATCH),
        ({"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"S": "a"}}, MISMATCH),
        ({"pk": {"S": "a"}, "x": {"S": "1"}}, MISMATCH),
        ({"pk": {"N": "1"}, "sk": {"S": "1"}}, MISMATCH),
        (
            {"pk": {"S": "a"}, "sk": {"S": ""}},
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
            "contain an empty string value. Key: sk",
        ),
        (
            {"pk": {"S": "a" * 2049}, "sk": {"S": "1"}},
            f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes",
        ),
        (
            {"pk": {"S": "a"}, "sk": {"S": "é" * 513}},
            f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
        ),
    ],
)
def test_a_key_that_does_not_match_the_table_is_rejected_without_the_prefix(key: Item, message: str) -> None:
    assert Items("pk", "sk").invalid("DeleteItem", Key=key) == message


# Behaviour.


def test_a_delete_removes_one_item() -> None:
    items = Items("pk", "sk", AttributeDefinitions=defined("pk", sk="N"))
    keys = [{**KEY, "sk": {"N": str(number)}} for number in range(3)]
    for key in keys:
        items.put(key)
    items.delete(keys[1])

    assert items.call("Scan")["Items"] == [keys[0], keys[2]]


def test_deleting_a_missing_item_succeeds() -> None:
    items = Items()
    items.put(KEY)

    assert [items.delete() for _ in range(2)] == [{}, {}]
    assert items.get() is None


def test_equal_numbers_delete_the_same_item() -> None:
    items = Items(AttributeDefinitions=defined(pk="N"))
    items.put({"pk": {"N": "100"}})
    items.delete({"pk": {"N": "1e2"}})

    assert items.call("Scan")["Count"] == 0


def test_all_old_returns_the_item_that_was_deleted() -> None:
    items = Items()
    old = {**KEY, "ns": {"NS": ["1", "2"]}, "m": {"M": {"a": {"S": ""}}}}
    items.put(old)

    assert items.delete(ReturnValues="ALL_OLD") == {"Attributes": old}
    assert items.delete(ReturnValues="ALL_OLD") == {}


@pytest.mark.parametrize(("size", "units"), [(0, 1.0), (1024, 1.0), (1025, 2.0), (409_600, 400.0)])
def test_a_delete_costs_the_size_of_the_item(size: int, units: float) -> None:
    items = Items()
    if size:
        items.put({**KEY, "a": {"S": "x" * (size - 4)}})

    assert items.delete(ReturnConsumedCapacity="TOTAL") == {
        "ConsumedCapacity": {"TableName": NAME, "CapacityUnits": units}
    }
