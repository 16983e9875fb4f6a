"""Over every transport, the engine gives the same responses."""

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

from .selection import ENGINE, FOLDERS, transports_of
from .transports import TRANSPORTS, Transports

KEY = {"pk": {"S": "a"}}


def _error_of(engine: Engine, operation: str, request: Any) -> tuple[object, ...]:
    with pytest.raises(ServiceError) as caught:
        engine.call(operation, request)
    error = caught.value
    return error.code, error.message, error.status, error.fields


def test_binary_values_and_times_have_the_form_of_dynamodb_json(transport: str) -> None:
    engine = Engine.open(clock=lambda: 1_790_000_000.125)
    created = engine.call("CreateTable", table())["TableDescription"]
    binary = {"B": b64encode(b"\x00\xff").decode()}
    engine.call("PutItem", {"TableName": NAME, "Item": {**KEY, "b": binary}})

    assert created["CreationDateTime"] == 1_790_000_000.125
    assert engine.call("GetItem", {"TableName": NAME, "Key": KEY}) == {"Item": {**KEY, "b": binary}}


def test_errors_have_their_status_message_and_fields(transport: str) -> None:
    engine = Engine.open()
    engine.call("CreateTable", table())
    engine.call("PutItem", {"TableName": NAME, "Item": KEY})
    absent = {
        "TableName": NAME,
        "Item": KEY,
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }

    assert _error_of(engine, "PutItem", absent) == (
        "ConditionalCheckFailedException",
        "The conditional request failed",
        400,
        {"Item": KEY},
    )
    cancelled = _error_of(engine, "TransactWriteItems", {"TransactItems": [{"Put": absent}]})
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
def test_requests_that_botocore_cannot_express_are_sent(
    transport: str, operation: str, request_: Any, code: str | None
) -> None:
    engine = Engine.open()

    if code is None:
        assert engine.call(operation, request_) == {"TableNames": []}
    else:
        assert _error_of(engine, operation, request_)[0] == code


def test_internal_errors_of_the_engine_have_the_status_500(transport: str) -> None:
    engine = Engine.open()
    engine.close()

    code, _, status, _ = _error_of(engine, "ListTables", {})
    assert (code, status) == ("InternalServerError", 500)


def test_engines_of_one_test_are_separate_even_in_threads(transport: str) -> None:
    engines = [Engine.open() for _ in range(4)]
    for number, engine in enumerate(engines):
        engine.call("CreateTable", table(TableName=f"table-{number}"))

    with ThreadPoolExecutor(len(engines)) as pool:
        shown = list(pool.map(lambda engine: engine.call("ListTables", {}), engines * 10))

    assert shown == [{"TableNames": [f"table-{number}"]} for number in range(len(engines))] * 10


def test_a_transport_keeps_no_engine(transport: str) -> None:
    engine = Engine.open()
    engine.call("ListTables", {})
    kept = ref(engine)
    del engine
    gc.collect()

    assert kept() is None


@pytest.mark.parametrize("transport_name", TRANSPORTS)
def test_after_the_block_calls_go_to_the_engine_directly(transports: Transports, transport_name: str) -> None:
    before = Engine.call
    with transports.through(transport_name):
        pass

    assert Engine.call is before


def test_every_valid_request_is_written_by_botocore_itself(transports: Transports) -> None:
    raw = []
    for operation, request in VALID:
        engine = set_up(Engine.open())
        with transports.through("botocore"):
            engine.call(operation, request)
        if not transports.in_process.latest().is_typed:
            raw.append(operation)

    assert raw == []


def test_a_sample_of_tests_runs_over_every_transport() -> None:
    path = ENGINE / "operations" / "test_put_item.py"
    chosen = [transports_of(path, f"test_{number}") for number in range(1000)]

    assert all((ENGINE / name).is_dir() for name in FOLDERS)
    assert 0 < chosen.count(TRANSPORTS) <= len(chosen)
    assert set(chosen) <= {TRANSPORTS, ("call",)}
    assert transports_of(ENGINE / "test_service_errors.py", "test_0") == ("call",)


def test_a_marked_test_runs_over_every_transport() -> None:
    path = ENGINE / "operations" / "test_put_item.py"

    assert {transports_of(path, f"test_{number}", marked=True) for number in range(20)} == {TRANSPORTS}
