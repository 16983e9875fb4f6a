"""What a store says where it is set up wrongly, or led to the wrong place: at once, with the value and one fix."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pksk import (
    AccessRefused,
    Engine,
    Entity,
    Key,
    NotConfigured,
    OutcomeUnknown,
    Refused,
    Retry,
    Sending,
    ServiceError,
    StoreError,
    Table,
    Unreachable,
    connect,
    connect_async,
)
from pksk.aws import AwsClient, AwsOptions
from pksk.server import Server
from pksk.store.sending.access import ACCESS
from tests.aws.faulty import faulty, replies, sends

NO_PAUSES = Retry(pause_seconds=0)
HTML = b"<html><body>Not Found</body></html>"
TLS_ALERT = b"\x15\x03\x01\x00\x02\x02\x46"


class Note(Entity, table=Table("notes")):
    id: str
    primary = Key("NOTE#{id}", "META")


GET = Note.primary.get(id="1")
NOTE = Note(id="1")


@pytest.fixture(autouse=True)
def settings_of_nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No keys, no region, no proxy and no file of the user; and no machine that is asked for a role."""
    for name in (
        *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_CA_BUNDLE"),
        *("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def waited(target: Any, use: Callable[[Any], Any], sent: list[Sending]) -> Any:
    with connect(target, retry=NO_PAUSES, hooks=[sent.append]) as db:
        return use(db)


def awaited(target: Any, use: Callable[[Any], Any], sent: list[Sending]) -> Any:
    async def run() -> Any:
        async with connect_async(target, retry=NO_PAUSES, hooks=[sent.append]) as db:
            return await use(db)

    return asyncio.run(run())


@pytest.fixture(params=[waited, awaited])
def failed(request: pytest.FixtureRequest) -> Callable[..., tuple[StoreError, int]]:
    """The error of a read, or of what else is done, and how often it was tried; of both kinds of stores."""

    def run(target: Any, use: Callable[[Any], Any] = lambda db: db.get(GET)) -> tuple[StoreError, int]:
        sent: list[Sending] = []
        with pytest.raises(StoreError) as caught:
            request.param(target, use, sent)
        # One fix, and one only.
        assert "Fix:" not in caught.value.problem
        assert str(caught.value).count("Fix: ") == 1
        return caught.value, len(sent)

    return run


Failed = Callable[..., tuple[StoreError, int]]


@pytest.mark.parametrize(
    ("target", "code", "value"),
    [
        ("dynamodb://", "aws-region", "no region"),
        ("dynamodb://eu-west-1?profile=nope", "aws-profile", "'nope'"),
    ],
)
def test_what_is_missing_is_told_when_connecting(target: str, code: str, value: str) -> None:
    for opening in (connect, connect_async):
        with pytest.raises(NotConfigured) as caught:
            opening(target)

        assert caught.value.code == code
        assert value in caught.value.problem


def test_without_credentials_a_request_is_tried_once(failed: Failed) -> None:
    error, tried = failed("dynamodb://eu-west-1")

    assert (type(error), error.code, tried) == (NotConfigured, "store-not-configured", 1)
    assert str(error) == (
        "Get of Note: GetItem was not sent to DynamoDB in eu-west-1: there are no AWS credentials.\n"
        "Fix: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile of ~/.aws.  "
        "(pksk explain store-not-configured)"
    )
    assert error.request is GET
    assert isinstance(error.__cause__, ServiceError)


def test_half_the_credentials_are_told_once(failed: Failed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDOFENV")
    error, tried = failed("dynamodb://eu-west-1")

    assert (type(error), tried) == (NotConfigured, 1)
    assert "AWS_SECRET_ACCESS_KEY is missing" in error.problem


def test_tables_are_named_where_no_entity_is(failed: Failed) -> None:
    error, _ = failed("dynamodb://eu-west-1", lambda db: db.drop_tables("notes"))

    assert error.problem.startswith(
        "DeleteTable of 'notes': DeleteTable was not sent to DynamoDB in eu-west-1: "
    )


def test_a_store_of_another_event_loop() -> None:
    with Engine.open() as engine, Server(engine) as server, asyncio.Runner() as first:
        sent: list[Sending] = []
        db = connect_async(server.url, hooks=[sent.append])
        first.run(db.create_tables(Note.__pksk__.table))
        sent.clear()
        with asyncio.Runner() as second, pytest.raises(NotConfigured) as caught:
            second.run(db.get(GET))
        first.run(db.close())

    assert len(sent) == 1
    assert caught.value.problem.endswith("the client is another event loop's.")
    assert caught.value.fix == "make one in each asyncio.run."


def test_a_client_that_its_owner_has_closed() -> None:
    client = AwsClient(AwsOptions(endpoint="http://127.0.0.1:1"))
    client.close()
    sent: list[Sending] = []
    with pytest.raises(NotConfigured, match="the client is closed") as caught:
        connect(client, hooks=[sent.append]).get(GET)

    assert len(sent) == 1
    assert caught.value.fix == "make another one, or close it later."


@pytest.mark.parametrize("code", sorted(ACCESS))
def test_credentials_that_are_not_taken_are_one_error(failed: Failed, code: str) -> None:
    body = b'{"__type":"com.amazon.coral.service#%s","message":"No."}' % code.encode()
    with faulty(replies("400 Bad Request", body)) as server:
        error, tried = failed(server.url)

    assert isinstance(error, AccessRefused)
    assert isinstance(error, Refused)
    assert (error.code, error.service_code, tried) == ("store-access-refused", code, 1)
    assert error.problem == f"Get of Note: {code}: No."
    assert error.fix


def test_a_port_that_nobody_listens_on(failed: Failed) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    error, tried = failed(url)

    assert (type(error), tried) == (Unreachable, 4)
    assert str(error) == (
        f"Get of Note: no connection, tried 4 times: GetItem was not sent to {url}: the connection was refused.\n"
        "Fix: start a server there, or correct the address.  (pksk explain store-unreachable)"
    )


def test_a_name_that_nobody_has(failed: Failed) -> None:
    error, tried = failed("http://nosuchhost.invalid")

    assert (type(error), tried) == (Unreachable, 4)
    assert error.problem.endswith("not sent to http://nosuchhost.invalid: its name cannot be resolved.")
    assert error.fix == "check the name, and the network."


@pytest.mark.parametrize("use", [lambda db: db.get(GET), lambda db: db.put(NOTE)], ids=["get", "put"])
def test_a_server_that_is_no_dynamodb(failed: Failed, use: Callable[[Any], Any]) -> None:
    with faulty(replies("404 Not Found", HTML, Content_Type="text/html", x_amz_crc32="")) as server:
        error, tried = failed(server.url, use)

    assert (type(error), error.code, tried) == (NotConfigured, "store-not-configured", 1)
    assert f"{server.url} answered " in error.problem
    assert error.problem.endswith(
        "with HTTP 404 and '<html><body>Not Found</body></html>', as no DynamoDB does."
    )
    assert error.fix == "give the address of one."


def test_a_page_instead_of_an_answer(failed: Failed) -> None:
    with faulty(replies("200 OK", HTML, Content_Type="text/html", x_amz_crc32="")) as server:
        read, tried = failed(server.url)
        written, _ = failed(server.url, lambda db: db.put(NOTE))

    assert (type(read), tried) == (Unreachable, 4)
    assert read.fix == "give the address of one."
    assert isinstance(written, OutcomeUnknown)


def test_a_page_of_a_server_in_trouble(failed: Failed) -> None:
    with faulty(replies("503 Busy", HTML, Content_Type="text/html", x_amz_crc32="")) as server:
        error, tried = failed(server.url)

    assert (type(error), tried) == (Unreachable, 4)
    assert error.fix == "try again later, or look at the state of the service."


@pytest.mark.parametrize("data", [TLS_ALERT, b"SSH-2.0-OpenSSH_9.2\r\n"], ids=["TLS", "SSH"])
def test_what_is_no_http(failed: Failed, data: bytes) -> None:
    with faulty(sends(data)) as server:
        error, tried = failed(server.url)

    assert (type(error), tried) == (Unreachable, 4)
    assert f"sent to {server.url}, and no answer came: what came is not HTTP." in error.problem
    assert "http or https is as it speaks" in error.fix


def test_tls_with_a_server_that_has_none(failed: Failed) -> None:
    with Engine.open() as engine, Server(engine) as plain:
        error, tried = failed(plain.url.replace("http:", "https:"))

    assert (type(error), tried) == (NotConfigured, 1)
    assert error.problem.endswith("it does not speak TLS.")
    assert error.fix == f"write {plain.url}, or the port that does."
