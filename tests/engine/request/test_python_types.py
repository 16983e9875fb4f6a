"""Python callers can pass types that JSON lacks: they are converted or rejected."""

from __future__ import annotations

import sys
from collections import OrderedDict
from decimal import Decimal
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Any

import orjson
import pytest
from boto3.dynamodb.types import Binary

from pksk.client import ServiceError
from pksk.engine.request import read_request
from tests.engine.damaged_requests import Raising, RaisingDict
from tests.engine.request.requests import KEY, error_of, item_with, scan_with

SURROGATE = "\ud83d"


class Name(StrEnum):
    TABLE = "TableName"
    ORDERS = "orders"
    STRING = "S"


class Size(IntEnum):
    PAGE = 5


@pytest.mark.parametrize("content", [b"x", bytearray(b"x"), memoryview(b"x"), Binary(b"x")])
def test_bytes_become_base64_at_any_depth(content: Any) -> None:
    value = {"L": [{"B": content}, {"M": {"b": {"BS": [content, "eQ=="]}}}]}

    read = read_request("PutItem", item_with(value))

    assert read["Item"]["a"] == {"L": [{"B": "eA=="}, {"M": {"b": {"BS": ["eA==", "eQ=="]}}}]}
    assert value["L"][0]["B"] is content


def test_subclasses_are_read_as_their_base_types() -> None:
    request = OrderedDict(
        {Name.TABLE: Name.ORDERS, "Item": {Name.STRING: OrderedDict({Name.STRING: Name.ORDERS})}}
    )

    read = read_request("PutItem", request)

    assert read == {"TableName": "orders", "Item": {"S": {"S": "orders"}}}
    assert orjson.loads(orjson.dumps(read)) == read
    assert type(read_request("Scan", scan_with(Limit=Size.PAGE))["Limit"]) is int


def test_a_type_name_of_a_str_subclass_becomes_a_str() -> None:
    read = read_request("PutItem", item_with({Name.STRING: "x"}))

    assert orjson.dumps(read["Item"]) == b'{"pk":{"S":"a"},"a":{"S":"x"}}'


def test_any_mapping_is_a_request() -> None:
    assert read_request("DescribeTable", MappingProxyType({"TableName": "orders"})) == {"TableName": "orders"}


STRANGE: list[Any] = [
    Decimal(1), {"a"}, frozenset(), ("a",), 1j, object(), Raising(), RaisingDict(S="a"), b"a", Ellipsis, len,
    range(3), float("nan"), Binary, type, iter([]),
]  # fmt: skip


@pytest.mark.parametrize("strange", STRANGE, ids=lambda one: type(one).__name__)
def test_types_that_json_lacks_are_rejected(strange: Any) -> None:
    for request in (
        item_with(strange),
        item_with({"S": strange}),
        item_with({"SS": [strange]}),
        item_with({"L": [strange]}),
        item_with({"BOOL": strange}),
        scan_with(Limit=strange),
        scan_with(ConsistentRead=strange),
    ):
        operation = "PutItem" if "Item" in request else "Scan"
        assert error_of(operation, request)[0] == "SerializationException"
    assert error_of("ListTables", strange) == ("SerializationException", None)


@pytest.mark.parametrize("key", [5, b"TableName", ("a",), None, Raising()])
def test_keys_that_are_not_strings_are_a_serialization_error(key: Any) -> None:
    strange = {key: {"S": "a"}}

    assert error_of("PutItem", {**item_with({"S": "a"}), key: 1})[0] == "SerializationException"
    assert error_of("PutItem", {"TableName": "orders", "Item": strange})[0] == "SerializationException"
    assert error_of("PutItem", item_with({key: "a"}))[0] == "SerializationException"
    assert error_of("PutItem", item_with({key: "a", "N": "1"}))[0] == "SerializationException"
    assert error_of("PutItem", item_with({"M": strange}))[0] == "SerializationException"
    assert error_of("DeleteItem", {"TableName": "orders", "Key": KEY, "Expected": {"a": {key: 1}}})[0] == (
        "SerializationException"
    )


def test_a_lone_surrogate_is_a_serialization_error() -> None:
    for request in (
        {"TableName": SURROGATE},
        item_with({"S": SURROGATE}),
        item_with({"N": SURROGATE}),
        item_with({"B": SURROGATE * 4}),
        item_with({"SS": [SURROGATE]}),
        item_with({"M": {SURROGATE: {"S": "a"}}}),
        {"TableName": "orders", "Item": {SURROGATE: {"S": "a"}}},
        {"ExpressionAttributeNames": {"#a": SURROGATE}},
        {"ExpressionAttributeNames": {SURROGATE: "a"}},
    ):
        assert error_of("PutItem", request) == ("SerializationException", None)


def nested(kind: str, levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"BOOL": "true"}
    for _ in range(levels):
        value = {"L": [value]} if kind == "L" else {"M": {"m": value}}
    return value


@pytest.mark.parametrize("kind", ["L", "M"])
def test_values_are_read_to_a_depth_of_2000(kind: str) -> None:
    value = read_request("PutItem", item_with(nested(kind, 2000)))["Item"]["a"]
    for _ in range(2000):
        value = value["L"][0] if kind == "L" else value["M"]["m"]

    assert value == {"BOOL": True}
    assert error_of("PutItem", item_with(nested(kind, 2001))) == ("SerializationException", None)


def test_values_nested_beyond_the_recursion_limit_are_rejected() -> None:
    deep = nested("L", sys.getrecursionlimit() * 10)

    assert error_of("PutItem", item_with(deep)) == ("SerializationException", None)
    assert error_of("UpdateItem", {"Expected": {"a": {"Value": deep}}}) == ("SerializationException", None)
    while deep:  # taken apart here, for Python would do so by calling itself
        deep = deep["L"].pop() if "L" in deep else {}


def test_a_value_that_contains_itself_is_rejected() -> None:
    cycle: dict[str, Any] = {"M": {}}
    cycle["M"]["again"] = cycle

    assert error_of("PutItem", item_with(cycle)) == ("SerializationException", None)
    assert error_of("PutItem", item_with(OrderedDict(M={"again": cycle}))) == ("SerializationException", None)


def test_a_value_that_repeats_an_object_exponentially_is_rejected() -> None:
    value: dict[str, Any] = {"L": []}
    for _ in range(60):
        value = {"L": [value, value]}

    assert error_of("PutItem", item_with(value)) == ("SerializationException", None)


def test_a_mapping_that_raises_causes_only_a_service_error() -> None:
    with pytest.raises(ServiceError):
        read_request("PutItem", RaisingDict(TableName="orders"))
