"""Responses, codes, messages and fields over the network are those of the engine itself."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pksk.client import ServiceError
from tests.engine.damaged_requests import PYTHON, damaged_request
from tests.engine.valid_requests import FULL, VALID

from .both_clients import KINDS, error_of, outcome
from .engine_pair import EnginePair, engine_pair

KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
NEVER = "attribute_not_exists(pk)"
GUARDED_PUT = {
    "TableName": "orders",
    "Item": KEY,
    "ConditionExpression": NEVER,
    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
}


@pytest.fixture(scope="module", params=KINDS)
def pair(request: pytest.FixtureRequest) -> Iterator[EnginePair]:
    with engine_pair(request.param) as made:
        yield made


def test_every_operation_has_the_same_response(pair: EnginePair) -> None:
    different = []
    for operation, request in VALID:
        pair.renew()
        near, far = pair.outcomes(operation, request)
        if near != far:
            different.append((operation, near, far))

    assert different == []


def test_binary_values_and_times_have_the_form_of_dynamodb_json(pair: EnginePair) -> None:
    pair.renew()

    item = pair.client.call("GetItem", {"TableName": "orders", "Key": KEY})["Item"]
    table = pair.client.call("DescribeTable", {"TableName": "orders"})["Table"]

    assert item == FULL
    assert (item["binary"], item["binaries"]) == ({"B": "eHl6"}, {"BS": ["eA==", "eQ=="]})
    assert table["CreationDateTime"] == 1_790_000_000


def test_the_error_of_a_failed_condition_has_the_item(pair: EnginePair) -> None:
    pair.renew()

    error = error_of(pair.client, "PutItem", GUARDED_PUT)

    assert (error.code, error.message, error.status, error.fields) == (
        "ConditionalCheckFailedException",
        "The conditional request failed",
        400,
        {"Item": FULL},
    )


def test_a_cancelled_transaction_has_its_reasons_with_the_items(pair: EnginePair) -> None:
    pair.renew()
    request = {
        "TransactItems": [
            {"Put": GUARDED_PUT},
            {"Delete": {"TableName": "parts", "Key": {"id": {"B": b"x"}}}},
        ]
    }

    near, far = pair.outcomes("TransactWriteItems", request)

    error = error_of(pair.client, "TransactWriteItems", request)
    assert near == far
    assert error.code == "TransactionCanceledException"
    assert error.fields == {
        "CancellationReasons": [
            {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed", "Item": FULL},
            {"Code": "None"},
        ]
    }


def test_a_stream_is_read_to_its_end(pair: EnginePair) -> None:
    pair.renew()
    call = pair.client.call
    arn = call("ListStreams", {"TableName": "orders"})["Streams"][0]["StreamArn"]
    records = []
    for shard in call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]:
        start = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = call("GetShardIterator", start)["ShardIterator"]
        records += call("GetRecords", {"ShardIterator": iterator})["Records"]

    changes = [record["dynamodb"] for record in records]
    assert [record["eventName"] for record in records] == ["INSERT"] * 4
    assert [change["ApproximateCreationDateTime"] for change in changes] == [1_790_000_000] * 4
    assert FULL in [change["NewImage"] for change in changes]


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("ListTables", {"Limit": "x"}),
        ("ListTables", {"Limit": None, "Unknown": 1}),
        ("ListTables", {"Limit": 10**40}),
        ("ListTables", []),
        ("PutItem", {"TableName": "orders", "Item": []}),
        ("PutItem", {"TableName": "orders", "Item": {**KEY, "b": {"B": "%"}}}),
        (
            "PutItem",
            {"TableName": "orders", "Item": {**KEY, "b": {"B": b"\x00\xff"}}, "ReturnValues": "ALL_OLD"},
        ),
        ("PutItem", {"TableName": 5, "Item": KEY}),
        ("PutItem", {}),
        ("GetItem", {"TableName": "none", "Key": KEY, "TableArn": "x", "ResourceArn": "arn:aws:x"}),
        ("BatchGetItem", {"RequestItems": {"arn:aws:dynamodb:::": 7}}),
        (
            "TransactGetItems",
            {"TransactItems": [{"Put": {"TableName": "arn:aws:dynamodb:us-east-1:1:table/x"}}]},
        ),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Get": {"TableName": "arn:aws:dynamodb:us-east-1:1:table/x"}}]},
        ),
        ("TransactWriteItems", {"TransactItems": [5, {"Put": 5}, {"Put": {"TableName": 5}}]}),
    ],
)
def test_errors_have_the_messages_of_dynamodb(pair: EnginePair, operation: str, request_: Any) -> None:
    pair.renew()

    near, far = pair.outcomes(operation, request_)

    assert far == near


@settings(max_examples=settings().max_examples // 2)
@given(damaged_request())
def test_damaged_requests_have_the_same_response(pair: EnginePair, damaged: tuple[str, Any]) -> None:
    assume(_survives(damaged[1]))
    pair.renew()

    near, far = pair.outcomes(*damaged)

    assert far == near


def _survives(request: Any) -> bool:
    """Whether the engine gets the same over the network; a number of 400 digits is not read there."""
    try:
        return bool(orjson.loads(json.dumps(request)) == request)
    except ValueError:
        return False


@settings(max_examples=settings().max_examples // 2)
@given(damaged_request(foreign=True))
def test_any_python_object_in_a_request_raises_only_a_service_error(
    pair: EnginePair, damaged: tuple[str, Any]
) -> None:
    try:
        assert isinstance(pair.client.call(*damaged), dict)
    except ServiceError as error:
        assert error.status in {400, 500}  # noqa: PT017 - some are taken


@pytest.mark.parametrize("thing", PYTHON, ids=repr)
def test_any_python_object_as_a_request_raises_only_a_service_error(pair: EnginePair, thing: Any) -> None:
    for operation, request in (
        ("PutItem", {"TableName": "orders", "Item": {**KEY, "x": thing.make()}}),
        ("PutItem", {"TableName": thing.make(), "Item": KEY}),
        ("BatchGetItem", {"RequestItems": thing.make()}),
        ("TransactWriteItems", {"TransactItems": thing.make()}),
        ("GetItem", thing.make()),
        (thing.make(), {}),
    ):
        try:
            pair.client.call(operation, request)
        except ServiceError as error:
            # Some are taken. One that raises by itself is not even looked through.
            assert error.status == 400 or thing.name == "raising_dict"  # noqa: PT017


@settings(max_examples=settings().max_examples // 4)
@given(
    st.binary(max_size=50), st.lists(st.binary(min_size=1, max_size=9), min_size=1, max_size=3, unique=True)
)
def test_bytes_and_base64_text_are_the_same(pair: EnginePair, one: bytes, several: list[bytes]) -> None:
    as_bytes = {
        **KEY,
        "l": {"L": [{"B": one}]},
        "m": {"M": {"s": {"BS": [memoryview(each) for each in several]}}},
    }
    as_text = {
        **KEY,
        "l": {"L": [{"B": b64encode(one).decode()}]},
        "m": {"M": {"s": {"BS": [b64encode(each).decode() for each in several]}}},
    }
    shown = []
    for item in (as_bytes, as_text):
        pair.client.call("PutItem", {"TableName": "orders", "Item": item})
        shown.append(pair.client.call("GetItem", {"TableName": "orders", "Key": KEY})["Item"])

    assert shown[0] == shown[1]
    assert b64decode(shown[0]["l"]["L"][0]["B"]) == one
    assert {b64decode(each) for each in shown[0]["m"]["M"]["s"]["BS"]} == set(several)


@pytest.mark.parametrize(
    ("operation", "shown"),
    [
        ("NoSuchOperation", "'NoSuchOperation'"),
        ("", "''"),
        ("put_item", "'put_item'"),
        (None, "<NoneType>"),
        (["PutItem"], "<list>"),
    ],
)
def test_an_operation_unknown_to_botocore_raises(pair: EnginePair, operation: Any, shown: str) -> None:
    error = error_of(pair.client, operation)

    assert (error.code, error.status) == ("UnknownOperationException", 400)
    assert f"does not know the operation {shown}. Fix: check its name; if it is new, pip inst" in str(error)


def test_every_operation_of_the_engine_is_known(pair: EnginePair) -> None:
    unknown = [
        operation for operation, _ in VALID if "UnknownOperation" in str(outcome(pair.client, operation, {}))
    ]

    assert unknown == []
