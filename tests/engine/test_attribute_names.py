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
