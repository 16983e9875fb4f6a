"""Numbers and sets that are invalid: AWS's two layers word them differently, and each operation is read by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine

from .items import ABSENT, KEY, PREFIX, Item

pytestmark = pytest.mark.every_transport

NOT_NUMERIC = "The parameter cannot be converted to a numeric value"
OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
INVALID = "One or more parameter values were invalid: "
TWICE = f"{INVALID}Input collection "
NAMED = "ExpressionAttributeValues contains invalid value: "

# A value, and what the newer and the older layer say of it. The older one computes exponents in 32 bits.
VALUES: list[tuple[Item, str, str]] = [
    ({"N": "abc"}, f"{NOT_NUMERIC}: abc", f"{NOT_NUMERIC}: abc"),
    ({"N": ""}, f"{NOT_NUMERIC}: ", NOT_NUMERIC),
    ({"N": "1e126"}, OVERFLOW, OVERFLOW),
    ({"N": "1e2147483647"}, OVERFLOW, UNDERFLOW),
    ({"N": "1e2147483648"}, OVERFLOW, f"{NOT_NUMERIC}: 1e2147483648"),
    ({"N": "-1e99999999999"}, OVERFLOW, f"{NOT_NUMERIC}: -1e99999999999"),
    ({"N": "1.5e-2147483647"}, UNDERFLOW, f"{NOT_NUMERIC}: 1.5e-2147483647"),
    ({"NS": ["1", ""]}, f"{NOT_NUMERIC}: ", NOT_NUMERIC),
    ({"M": {"x": {"L": [{"N": ""}]}}}, f"{NOT_NUMERIC}: ", NOT_NUMERIC),
    (
        {"SS": ["b", "a", "b"]},
        f'{TWICE}["a", "b", "b"] contains duplicates.',
        f"{TWICE}[b, a, b] contains duplicates.",
    ),
    (
        {"SS": ["é", "z", "a", "z", "b"]},
        f'{TWICE}["a", "z", "é", "z", "b"] contains duplicates.',
        f"{TWICE}[é, z, a, z, b] contains duplicates.",
    ),
    (
        {"BS": ["/w==", "AA==", "AA=="]},
        f'{TWICE}["AA==","/w==","AA=="]of type BS contains duplicates.',
        f"{TWICE}[/w==, AA==, AA==]of type BS contains duplicates.",
    ),
    ({"NS": ["2", "1", "2.0"]}, f"{TWICE}contains duplicates.", "Input collection contains duplicates"),
]

CONDITION: Item = {"ConditionExpression": "a = :v"}
LEGACY: Item = {"KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}}
KEY_CONDITION: Item = {"KeyConditionExpression": "pk = :p"}


def compared(value: Item) -> Item:
    return {"ComparisonOperator": "EQ", "AttributeValueList": [value]}


def valued(value: Item, **others: Item) -> Item:
    return {"ExpressionAttributeValues": {":v": value, **{f":{name}": each for name, each in others.items()}}}


Build = Callable[[Item], Item]

PREFIXED: list[tuple[str, Build]] = [
    ("PutItem", lambda value: {"Item": {**KEY, "a": value}}),
    ("PutItem", lambda value: {"Item": KEY, **CONDITION, **valued(value)}),
    ("PutItem", lambda value: {"Item": KEY, "Expected": {"a": {"Value": value}}}),
    ("UpdateItem", lambda value: {"Key": {"pk": value}}),
    ("UpdateItem", lambda value: {"Key": KEY, "UpdateExpression": "SET a = :v", **valued(value)}),
    ("UpdateItem", lambda value: {"Key": KEY, "AttributeUpdates": {"a": {"Value": value}}}),
    ("DeleteItem", lambda value: {"Key": {"pk": value}}),
    ("DeleteItem", lambda value: {"Key": KEY, **CONDITION, **valued(value)}),
]
NEWER: list[tuple[str, Build]] = [
    ("GetItem", lambda value: {"Key": {"pk": value}}),
    ("BatchGetItem", lambda value: {"RequestItems": {ABSENT: {"Keys": [{"pk": value}]}}}),
    ("Query", lambda value: {"KeyConditionExpression": "pk = :v", **valued(value)}),
    ("Query", lambda value: {**KEY_CONDITION, "FilterExpression": "a = :v", **valued(value, p={"S": "a"})}),
    (
        "Query",
        lambda value: {
            **KEY_CONDITION,
            "ExpressionAttributeValues": {":p": {"S": "a"}},
            "ExclusiveStartKey": {"pk": value},
        },
    ),
    ("Query", lambda value: {**LEGACY, "QueryFilter": {"a": compared(value)}}),
]
OLDER: list[tuple[str, Build]] = [
    (
        "BatchWriteItem",
        lambda value: {"RequestItems": {ABSENT: [{"PutRequest": {"Item": {**KEY, "a": value}}}]}},
    ),
    ("BatchWriteItem", lambda value: {"RequestItems": {ABSENT: [{"DeleteRequest": {"Key": {"pk": value}}}]}}),
    ("TransactWriteItems", lambda value: acting("Put", Item={**KEY, "a": value})),
    ("TransactWriteItems", lambda value: acting("Delete", Key={"pk": value})),
    ("TransactGetItems", lambda value: acting("Get", Key={"pk": value})),
]
OLDER_NAMED: list[tuple[str, Build]] = [
    ("TransactWriteItems", lambda value: acting("Put", Item=KEY, **CONDITION, **valued(value))),
    (
        "TransactWriteItems",
        lambda value: acting("Update", Key=KEY, UpdateExpression="SET a = :v", **valued(value)),
    ),
    ("TransactWriteItems", lambda value: acting("Delete", Key=KEY, **CONDITION, **valued(value))),
    ("TransactWriteItems", lambda value: acting("ConditionCheck", Key=KEY, **CONDITION, **valued(value))),
]


def acting(action: str, **members: Any) -> Item:
    return {"TransactItems": [{action: {"TableName": ABSENT, **members}}]}


def scanned(value: Item) -> Item:
    return {"FilterExpression": "a = :v", **valued(value)}


def words_of(engine: Engine, operation: str, members: Item) -> str:
    """The words of a ValidationException, before any table is looked up."""
    named = operation in {"PutItem", "UpdateItem", "DeleteItem", "GetItem", "Query", "Scan"}
    with pytest.raises(ServiceError) as caught:
        engine.call(operation, {"TableName": ABSENT, **members} if named else members)
    assert caught.value.code == "ValidationException"
    return str(caught.value.message)


@pytest.mark.parametrize(("operation", "build"), PREFIXED)
def test_single_writes_have_the_newer_words_behind_the_prefix(operation: str, build: Build) -> None:
    engine = Engine.open()

    for value, newer, _ in VALUES:
        assert words_of(engine, operation, build(value)) == f"{PREFIX}{newer}"


@pytest.mark.parametrize(("operation", "build"), NEWER)
def test_single_reads_and_batches_of_reads_have_the_newer_words_bare(operation: str, build: Build) -> None:
    engine = Engine.open()

    for value, newer, _ in VALUES:
        assert words_of(engine, operation, build(value)) == newer


@pytest.mark.parametrize(("operation", "build"), OLDER)
def test_batches_of_writes_and_transactions_have_the_older_words(operation: str, build: Build) -> None:
    engine = Engine.open()

    for value, _, older in VALUES:
        assert words_of(engine, operation, build(value)) == older


@pytest.mark.parametrize(("operation", "build"), OLDER_NAMED)
def test_expressions_of_transactions_name_the_placeholder_of_a_value(operation: str, build: Build) -> None:
    engine = Engine.open()

    for value, _, older in VALUES:
        assert words_of(engine, operation, build(value)) == f"{NAMED}{older} for key :v"


def test_a_scan_has_the_words_of_its_region() -> None:
    older_region, newer_region = Engine.open(), Engine.open(region="eu-west-2")

    for value, newer, older in VALUES:
        legacy = {"ScanFilter": {"a": compared(value)}}
        assert words_of(older_region, "Scan", scanned(value)) == f"{NAMED}{older} for key :v"
        assert words_of(newer_region, "Scan", scanned(value)) == newer
        assert words_of(older_region, "Scan", legacy) == older
        assert words_of(newer_region, "Scan", legacy) == newer
