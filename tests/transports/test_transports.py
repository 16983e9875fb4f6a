"""Whichever way a call goes, its engine answers, and the caller gets the same."""

from __future__ import annotations

import gc
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from weakref import ref

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine
from tests.engine.state.catalogues import NAME, table
from tests.engine.valid_requests import VALID, set_up

from .selection import ALWAYS, ENGINE, ON_DEMAND, transports_of
from .transports import TRANSPORTS, Transports

KEY = {"pk": {"S": "a"}}


def _refusal(engine: Engine, operation: str, request: Any) -> tuple[object, ...]:
    with pytest.raises(ServiceError) as caught:
        engine.call(operation, request)
    error = caught.value
    return error.code, error.message, error.status, error.fields


def test_binary_content_and_times_are_as_in_dynamodbs_json(way: str) -> None:
    engine = Engine.open(clock=lambda: 1_790_000_000.125)
    created = engine.call("CreateTable", table())["TableDescription"]
    binary = {"B": b64encode(b"\x00\xff").decode()}
    engine.call("PutItem", {"TableName": NAME, "Item": {**KEY, "b": binary}})

    assert created["CreationDateTime"] == 1_790_000_000.125
    assert engine.call("GetItem", {"TableName": NAME, "Key": KEY}) == {"Item": {**KEY, "b": binary}}


def test_refusals_have_their_status_message_and_fields(way: str) -> None:
    engine = Engine.open()
    engine.call("CreateTable", table())
    engine.call("PutItem", {"TableName": NAME, "Item": KEY})
    absent = {
        "TableName": NAME,
        "Item": KEY,
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }

    assert _refusal(engine, "PutItem", absent) == (
        "ConditionalCheckFailedException",
        "The conditional request failed",
        400,
        {"Item": KEY},
    )
    cancelled = _refusal(engine, "TransactWriteItems", {"TransactItems": [{"Put": absent}]})
    assert cancelled[-1] == {
        "CancellationReasons": [
            {
                "Code": "ConditionalCheckFailed",
                "Message": "The conditional request failed",
                "Item": KEY,
            }
        ]
    }


@pytest.mark.parametrize(
    ("operation", "request_", "code"),
    [
        ("ListTables", {"Limit": "x"}, "SerializationException"),
        ("ListTables", {"Limit": None, "Unknown": 1}, None),
        ("PutItem", {"TableName": NAME, "Item": {"pk": {"B": "%"}}}, "SerializationException"),
        ("PutItem", {"TableName": NAME, "Item": []}, "SerializationException"),
        ("BatchGetItem", {}, "ValidationException"),
        ("NoSuchOperation", {}, "UnknownOperationException"),
    ],
)
def test_what_botocore_cannot_express_arrives_all_the_same(
    way: str, operation: str, request_: Any, code: str | None
) -> None:
    engine = Engine.open()

    if code is None:
        assert engine.call(operation, request_) == {"TableNames": []}
    else:
        assert _refusal(engine, operation, request_)[0] == code


def test_errors_that_are_the_engines_own_have_the_status_500(way: str) -> None:
    engine = Engine.open()
    engine.close()

    code, _, status, _ = _refusal(engine, "ListTables", {})
    assert (code, status) == ("InternalServerError", 500)


def test_engines_of_one_test_are_told_apart_also_by_threads(way: str) -> None:
    engines = [Engine.open() for _ in range(4)]
    for number, engine in enumerate(engines):
        engine.call("CreateTable", table(TableName=f"table-{number}"))

    with ThreadPoolExecutor(len(engines)) as pool:
        shown = list(pool.map(lambda engine: engine.call("ListTables", {}), engines * 10))

    assert shown == [{"TableNames": [f"table-{number}"]} for number in range(len(engines))] * 10


def test_a_way_keeps_no_engine(way: str) -> None:
    engine = Engine.open()
    engine.call("ListTables", {})
    kept = ref(engine)
    del engine
    gc.collect()

    assert kept() is None


@pytest.mark.parametrize("way_", TRANSPORTS)
def test_calls_are_the_engines_own_again_after_the_block(ways: Transports, way_: str) -> None:
    before = Engine.call
    with ways.through(way_):
        pass

    assert Engine.call is before


def test_every_valid_request_is_written_by_botocore_itself(ways: Transports) -> None:
    raw = []
    for operation, request in VALID:
        engine = set_up(Engine.open())
        with ways.through("botocore"):
            engine.call(operation, request)
        if not ways.in_process.latest().is_typed:
            raw.append(operation)

    assert raw == []


def test_folders_take_all_ways_or_call_alone() -> None:
    assert all((ENGINE / name).is_dir() for name in ALWAYS | ON_DEMAND)
    assert transports_of(ENGINE / "operations" / "test_put_item.py") == TRANSPORTS
    assert transports_of(ENGINE / "test_faults.py") == ("call",)
