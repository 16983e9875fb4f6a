"""Requests of botocore go to an engine in the block, and nowhere near it before and afterwards."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import wraps
from pathlib import Path
from threading import Barrier, Event, Thread, current_thread
from typing import Any
from unittest.mock import patch

import boto3
import botocore.session
import pytest
from botocore.awsrequest import AWSRequest, AWSResponse
from botocore.config import Config
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError
from botocore.httpsession import URLLib3Session
from botocore.stub import Stubber

from pksk.engine import Engine
from pksk.errors import PkskError
from pksk.testing import intercept
from pksk.testing.scopes import Scope

from .orders import ORDERS, order

NOWHERE = "http://127.0.0.1:1"
NO_RETRIES = Config(retries={"total_max_attempts": 1})


def _names(client: Any) -> list[str]:
    names: list[str] = client.list_tables()["TableNames"]
    return names


def _with_table(name: str) -> Engine:
    engine = Engine.open()
    engine.call("CreateTable", ORDERS | {"TableName": name})
    return engine


def test_clients_created_before_and_in_the_block_use_the_engine() -> None:
    before = boto3.client("dynamodb", "us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
    with intercept() as engine:
        engine.call("CreateTable", ORDERS)
        assert _names(before) == _names(boto3.client("dynamodb")) == ["orders"]
        assert [table.name for table in boto3.resource("dynamodb").tables.all()] == ["orders"]


def test_a_client_created_without_credentials_works_in_the_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    client = boto3.client("dynamodb", "us-east-1")
    with intercept():
        assert _names(client) == []
    with pytest.raises(NoCredentialsError):
        client.list_tables()


def test_methods_are_restored_after_the_block_and_after_an_exception() -> None:
    original = vars(URLLib3Session)["send"]
    with intercept():
        assert vars(URLLib3Session)["send"] is not original
    assert vars(URLLib3Session)["send"] is original
    with pytest.raises(ZeroDivisionError), intercept():
        _ = 1 / 0

    assert vars(URLLib3Session)["send"] is original


def test_after_the_block_requests_are_sent_again() -> None:
    with intercept(endpoints="*"):
        client = boto3.client("dynamodb", endpoint_url=NOWHERE, config=NO_RETRIES)
        assert _names(client) == []
    with pytest.raises(EndpointConnectionError):
        client.list_tables()


def test_only_an_engine_of_its_own_is_closed_at_the_end() -> None:
    given = Engine.open()
    with intercept() as own, intercept(given) as same:
        assert same is given
    assert own.answer("ListTables", b"{}")[0] == 500
    assert given.answer("ListTables", b"{}")[0] == 200


def test_the_innermost_open_block_wins_in_any_order_of_ends() -> None:
    outer, inner = intercept(_with_table("outer")), intercept(_with_table("inner"))
    outer.__enter__()
    client = boto3.client("dynamodb")
    assert _names(client) == ["outer"]
    inner.__enter__()
    assert _names(client) == ["inner"]
    outer.__exit__(None, None, None)
    assert _names(client) == ["inner"]
    inner.__exit__(None, None, None)


def test_an_interception_can_be_entered_twice() -> None:
    again = intercept()
    with again as first:
        first.call("CreateTable", ORDERS)
        with again as second:
            assert second is not first
            assert _names(boto3.client("dynamodb")) == []
        assert _names(boto3.client("dynamodb")) == ["orders"]


def test_threads_can_leave_one_interception_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    shared, is_here = intercept(), Scope.is_here
    entered, leave = Event(), Event()

    def other() -> None:
        with shared:
            entered.set()
            assert leave.wait(20)

    def slowly(scope: Scope) -> bool:
        """The other one leaves while this one looks for its own."""
        if current_thread() is not thread and thread.is_alive():
            leave.set()
            thread.join()
        return is_here(scope)

    thread = Thread(target=other)
    thread.start()
    assert entered.wait(20)
    before = dict(os.environ)
    with shared:
        monkeypatch.setattr(Scope, "is_here", slowly)
    assert dict(os.environ).keys() < before.keys()
    assert shared._open == []


def test_threads_with_their_own_blocks_have_their_own_engines() -> None:
    barrier = Barrier(4)

    def run(name: str) -> list[str]:
        with intercept(_with_table(name)):
            client = boto3.session.Session().client("dynamodb")
            barrier.wait()
            found = _names(client)
            barrier.wait()
        return found

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(run, ["one1", "two2", "three", "four"]))

    assert found == [["one1"], ["two2"], ["three"], ["four"]]


def test_threads_started_in_the_block_use_its_engine() -> None:
    with intercept() as engine:
        engine.call("CreateTable", ORDERS)
        client = boto3.client("dynamodb")
        threads = [
            Thread(target=client.put_item, kwargs={"TableName": "orders", "Item": order("7", n)})
            for n in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert client.scan(TableName="orders")["Count"] == 8


def test_a_task_that_outlives_its_block_uses_the_open_block() -> None:
    with intercept() as engine:
        client = boto3.client("dynamodb")
        engine.call("CreateTable", ORDERS)
        context = copy_context()
    with intercept():
        assert context.run(_names, client) == []


def test_a_block_in_a_generator_ends_when_the_generator_is_closed() -> None:
    def values() -> Iterator[Engine]:
        with intercept() as engine:
            yield engine

    generator = values()
    next(generator).call("CreateTable", ORDERS)
    assert _names(boto3.client("dynamodb", "us-east-1")) == ["orders"]
    generator.close()  # type: ignore[attr-defined]


def test_an_explicit_endpoint_is_routed_only_if_it_is_named() -> None:
    with intercept(endpoints=["127.0.0.1:1"]):
        assert _names(boto3.client("dynamodb", endpoint_url=NOWHERE)) == []
    with intercept():
        client = boto3.client("dynamodb", endpoint_url=NOWHERE, config=NO_RETRIES)
        with pytest.raises(EndpointConnectionError):
            client.list_tables()


def test_other_services_reach_their_own_transport() -> None:
    sent: list[str] = []

    def send(self: object, request: Any) -> AWSResponse:
        sent.append(request.url)
        return AWSResponse(request.url, 200, {}, _Nothing())

    with patch.object(URLLib3Session, "send", send), intercept() as engine:
        boto3.client("s3").delete_object(Bucket="bucket", Key="k")
        boto3.client("sqs").list_queues()
        engine.call("CreateTable", ORDERS)
        assert _names(boto3.client("dynamodb")) == ["orders"]

    assert sent == ["https://bucket.s3.amazonaws.com/k", "https://sqs.us-east-1.amazonaws.com/"]


class _Nothing:
    def stream(self) -> Iterator[bytes]:
        yield b""


def test_a_wrapper_of_send_set_in_the_block_stays() -> None:
    original = vars(URLLib3Session)["send"]
    with intercept():
        ours = vars(URLLib3Session)["send"]
        wrapped = wraps(ours)(lambda self, request: ours(self, request))  # noqa: PLW0108 - another object
        setattr(URLLib3Session, "send", wrapped)  # noqa: B010
        assert _names(boto3.client("dynamodb")) == []
    try:
        assert vars(URLLib3Session)["send"] is wrapped
        keys = {"aws_access_key_id": "a", "aws_secret_access_key": "b"}
        client = boto3.client("dynamodb", "us-east-1", endpoint_url=NOWHERE, config=NO_RETRIES, **keys)
        with pytest.raises(EndpointConnectionError):
            client.list_tables()
    finally:
        setattr(URLLib3Session, "send", original)  # noqa: B010


def test_the_stubber_and_events_of_botocore_work() -> None:
    with intercept() as engine:
        engine.call("CreateTable", ORDERS)
        client = boto3.client("dynamodb")
        seen: list[bytes] = []
        client.meta.events.register("before-send.dynamodb.*", lambda request, **_: seen.append(request.body))
        with Stubber(client) as stubber:
            stubber.add_response("list_tables", {"TableNames": ["stubbed"]})
            assert _names(client) == ["stubbed"]
        assert _names(client) == ["orders"]
        client.meta.events.register("before-send.dynamodb.ListTables", _answer_other)
        assert _names(client) == ["other"]

    assert seen[0] == b"{}"


def _answer_other(request: Any, **_: object) -> AWSResponse:
    response = AWSResponse(request.url, 200, {}, None)
    response._content = b'{"TableNames":["other"]}'
    return response


def test_responses_have_the_headers_of_http() -> None:
    with intercept():
        metadata = boto3.client("dynamodb").list_tables()["ResponseMetadata"]

    headers = metadata["HTTPHeaders"]
    assert metadata["RequestId"] == headers["x-amzn-requestid"]
    assert len(metadata["RequestId"]) == 52
    assert headers["content-type"] == "application/x-amz-json-1.0"
    assert headers["x-amz-crc32"] == "1315925753"
    assert headers["content-length"] == "17"
    assert {"date", "server", "connection"} <= set(headers)


class Flaky:
    """Fails some times, and then answers."""

    def __init__(self, engine: Engine, times: int) -> None:
        self.engine = engine
        self.times = times

    def answer(self, operation: str, body: bytes) -> tuple[int, bytes]:
        if self.times:
            self.times -= 1
            return 500, b'{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"}'
        return self.engine.answer(operation, body)


def test_botocore_retries_as_over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    with intercept(Flaky(Engine.open(), times=2)):
        answer = boto3.client("dynamodb").list_tables()
    with intercept(Flaky(Engine.open(), times=100)), pytest.raises(ClientError) as failure:
        boto3.client("dynamodb", config=Config(retries={"total_max_attempts": 2})).list_tables()

    assert answer["ResponseMetadata"]["RetryAttempts"] == 2
    assert failure.value.response["Error"]["Code"] == "InternalServerError"


def test_errors_are_those_of_the_client() -> None:
    with intercept() as engine:
        engine.call("CreateTable", ORDERS)
        client = boto3.client("dynamodb")
        client.put_item(TableName="orders", Item=order("7", 1))
        with pytest.raises(client.exceptions.ConditionalCheckFailedException) as failure:
            client.put_item(
                TableName="orders",
                Item=order("7", 1),
                ConditionExpression="attribute_not_exists(pk)",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )

    assert failure.value.response["Item"] == order("7", 1)


@pytest.mark.parametrize(
    ("coding", "body", "status"),
    [
        ("gzip", gzip.compress(b"{}"), 200),
        ("gzip", b"no such thing", 500),
        ("zstd", b"{}", 500),
        ("gzip", gzip.compress(b" " * (17 * 1024 * 1024)), 413),
    ],
    ids=["right", "broken", "unknown", "too large"],
)
def test_bodies_can_be_compressed(coding: str, body: bytes, status: int) -> None:
    headers = {"X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Encoding": coding}
    with intercept():
        assert _sent(headers, body).status_code == status


def test_an_operation_of_the_other_service_is_unknown() -> None:
    with intercept():
        response = _sent({"X-Amz-Target": "DynamoDB_20120810.ListStreams"}, b"{}")

    assert (response.status_code, response.content) == (
        400,
        b'{"__type":"com.amazon.coral.service#UnknownOperationException"}',
    )


def _sent(headers: dict[str, str], body: bytes) -> AWSResponse:
    url = "https://dynamodb.us-east-1.amazonaws.com/"
    request = AWSRequest("POST", url, headers, body)
    return URLLib3Session().send(request.prepare())


def test_code_without_credentials_and_region_works_and_the_environment_is_restored() -> None:
    before = dict(os.environ)
    with intercept(Engine.open(region="eu-west-1")):
        assert boto3.client("dynamodb").meta.region_name == "eu-west-1"
        assert botocore.session.Session().get_credentials().access_key == "testing"
    assert dict(os.environ) == before


def test_overlapping_blocks_set_credentials_until_the_last_ends() -> None:
    first, second = intercept(), intercept()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert _names(boto3.client("dynamodb")) == []
    second.__exit__(None, None, None)
    assert "AWS_ACCESS_KEY_ID" not in os.environ


@pytest.mark.parametrize("first_ends_first", [True, False])
def test_a_variable_removed_in_a_block_is_set_again_by_the_next(first_ends_first: bool) -> None:
    before = dict(os.environ)
    blocks = [intercept(), intercept()]
    blocks[0].__enter__()
    del os.environ["AWS_DEFAULT_REGION"]
    blocks[1].__enter__()
    for block in blocks if first_ends_first else reversed(blocks):
        assert "AWS_DEFAULT_REGION" in os.environ or block is blocks[0]
        block.__exit__(None, None, None)
    assert dict(os.environ) == before


def test_the_users_variables_are_not_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "mine")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "ap-south-1")
    before = dict(os.environ)
    with intercept():
        assert dict(os.environ) == before


@pytest.mark.parametrize(
    ("file", "text", "lent"),
    [
        ("config", "[default]\nregion = eu-north-1\n", {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}),
        (
            "credentials",
            "[default]\naws_access_key_id = a\naws_secret_access_key = b\n",
            {"AWS_DEFAULT_REGION"},
        ),
        ("config", "[profile work]\nsso_session = s\nregion = eu-north-1\n", set()),
        ("config", "no section at all", {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"}),
    ],
    ids=["region", "keys", "sign-on and region", "nothing that can be read"],
)
def test_settings_in_the_users_files_are_not_overridden(
    file: str, text: str, lent: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / file).write_text(text)
    if "work" in text:
        monkeypatch.setenv("AWS_PROFILE", "work")
    before = set(os.environ)
    with intercept():
        assert set(os.environ) - before - {"AWS_EC2_METADATA_DISABLED"} == lent


def test_an_empty_variable_is_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "")
    with intercept():
        assert _names(boto3.client("dynamodb")) == []
    assert os.environ["AWS_ACCESS_KEY_ID"] == ""


def test_a_variable_set_in_the_block_stays() -> None:
    with intercept():
        os.environ["AWS_DEFAULT_REGION"] = "sa-east-1"
    assert os.environ.pop("AWS_DEFAULT_REGION") == "sa-east-1"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("shop.db", ()), "testing-engine"),
        ((None, [""]), "testing-endpoint"),
        ((None, [8000]), "testing-endpoint"),
    ],
)
def test_an_invalid_engine_or_endpoint_raises(arguments: tuple[Any, Any], code: str) -> None:
    with pytest.raises(PkskError) as error:
        intercept(arguments[0], endpoints=arguments[1])

    assert error.value.code == code


def test_a_default_session_created_in_the_block_is_removed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)

    with intercept():
        boto3.client("dynamodb").list_tables()
        assert boto3.DEFAULT_SESSION is not None

    assert boto3.DEFAULT_SESSION is None


def test_a_default_session_of_the_user_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)

    with intercept():
        boto3.setup_default_session(aws_access_key_id="mine", aws_secret_access_key="mine")
        mine = boto3.DEFAULT_SESSION

    assert boto3.DEFAULT_SESSION is mine
