"""Attributes with unusual names are written, read, updated and used as keys."""

from __future__ import annotations

from typing import Any

import pytest

from .state.catalogues import NAME, Opened, defined, index, key

Request = dict[str, Any]

UNUSUAL_NAMES = [
    "a.b", "a[0]", "#x", ":y", " ", "\x00", "\n", "\U0001f600", "é", "SELECT", "size", "'", '"', "\\", "0", "\u2028",
    "x" * 65_535,
]  # fmt: skip


@pytest.mark.parametrize("name", UNUSUAL_NAMES, ids=lambda name: ascii(name)[:12])
def test_any_name_of_an_attribute_can_be_written_read_and_changed(name: str) -> None:
    opened = Opened()
    opened.create()
    item = {"pk": {"S": "1"}, name: {"M": {name: {"L": [{"N": "1"}]}}}}
    placeholder = {"ExpressionAttributeNames": {"#n": name}}
    opened.put_item(item)
    changed = opened.call("UpdateItem", {
        "TableName": NAME, "Key": {"pk": {"S": "1"}}, "UpdateExpression": "SET #n.#n[0] = #n.#n[0] + :one",
        "ConditionExpression": "size(#n.#n) = :one", "ExpressionAttributeValues": {":one": {"N": "1"}},
        "ReturnValues": "UPDATED_NEW", **placeholder,
    })  # fmt: skip
    got = opened.call("GetItem", {
        "TableName": NAME, "Key": {"pk": {"S": "1"}}, "ProjectionExpression": "#n.#n[0]", **placeholder,
    })  # fmt: skip
    found = opened.call("Scan", {"TableName": NAME, "AttributesToGet": [name]})

    expected = {name: {"M": {name: {"L": [{"N": "2"}]}}}}
    assert changed["Attributes"] == got["Item"] == found["Items"][0] == expected


@pytest.mark.parametrize("name", UNUSUAL_NAMES[:-1], ids=ascii)
def test_any_name_can_be_that_of_a_key(name: str) -> None:
    opened = Opened()
    opened.create(
        KeySchema=key(name, "sk"),
        AttributeDefinitions=defined(name, "sk"),
        GlobalSecondaryIndexes=[index("turned", "sk", name)],
    )
    item = {name: {"S": "1"}, "sk": {"S": "2"}}
    opened.put_item(item)
    found = opened.call("Query", {
        "TableName": NAME, "IndexName": "turned", "KeyConditionExpression": "sk = :s AND #n = :n", "Limit": 1,
        "ExpressionAttributeNames": {"#n": name},
        "ExpressionAttributeValues": {":s": {"S": "2"}, ":n": {"S": "1"}},
    })  # fmt: skip

    assert found["Items"] == [found["LastEvaluatedKey"]] == [item]


# Tables and indexes that come and go


ABSENT = {"ComparisonOperator": "NULL"}
LEGACY: list[tuple[str, str, Any]] = [
    ("GetItem", "AttributesToGet", list),
    ("Query", "AttributesToGet", list),
    ("Scan", "AttributesToGet", list),
    ("PutItem", "Expected", lambda names: {name: {"Exists": False} for name in names}),
    ("DeleteItem", "Expected", lambda names: dict.fromkeys(names, ABSENT)),
    ("UpdateItem", "AttributeUpdates", lambda names: {name: {"Action": "DELETE"} for name in names}),
    ("Scan", "ScanFilter", lambda names: dict.fromkeys(names, ABSENT)),
    ("Query", "QueryFilter", lambda names: dict.fromkeys(names, ABSENT)),
]


@pytest.mark.every_transport
@pytest.mark.parametrize(("operation", "parameter", "build"), LEGACY)
def test_an_attribute_name_of_64_kb_in_a_legacy_parameter_is_rejected(
    operation: str, parameter: str, build: Any
) -> None:
    opened, item = Opened(), {"pk": {"S": "1"}}
    opened.create()
    equal = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "1"}]}}
    requests: dict[str, Request] = {"PutItem": {"Item": item}, "Query": {"KeyConditions": equal}, "Scan": {}}
    members = requests.get(operation, {"Key": item})
    prefix = "1 validation error detected: " if operation in {"PutItem", "UpdateItem", "DeleteItem"} else ""

    for name in ("x" * 65_536, "\U0001f511" * 16_384):
        request = {"TableName": NAME, **members, parameter: build(["a", name])}
        assert opened.invalid(operation, request) == (
            f"{prefix}Attribute name is too large, must be less than 65536 bytes"
        )
    opened.call(operation, {"TableName": NAME, **members, parameter: build(["a", "x" * 65_535])})
