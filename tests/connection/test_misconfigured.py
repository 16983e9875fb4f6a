"""Wrong settings of a store raise at once, with the value and one fix."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pksk import (
    AccessDenied,
    Engine,
    Entity,
    Key,
    NotConfigured,
    OutcomeUnknown,
    RequestRejected,
    RequestStarted,
    RequestThrottled,
    Retry,
    ServiceError,
    ServiceUnreachable,
    StoreError,
    Table,
    connect,
    connect_async,
    sequence,
)
from pksk.aws import AwsClient, AwsOptions
from pksk.sending.diagnosis import ACCESS_FIXES
from pksk.server import Server
from tests.aws.faulty_server import FaultyServer, faulty_server, replies, sends

NO_PAUSES = Retry(pause_seconds=0, throttled_pause_seconds=0)
HTML = b"<html><body>Not Found</body></html>"
OK = b'{"status":"ok"}'
TLS_ALERT = b"\x15\x03\x01\x00\x02\x02\x46"


class Note(Entity, table=Table("notes")):
    id: str
    seen: int = 0
    primary = Key("NOTE#{id}", "META")


GET = Note.primary.get(id="1")
NOTE = Note(id="1")
UPDATE = Note.primary.update(id="1").add(seen=1)
DELETE = Note.primary.delete(id="2")
NUMBERS = sequence("note", table=Note.__pksk__.table)


@pytest.fixture(autouse=True)
def no_aws_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No keys, no region, no proxy and no file of the user; and no instance metadata that gives a role."""
    for name in (
        *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_CA_BUNDLE"),
        *("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def waited(target: Any, use: Callable[[Any], Any], sent: list[RequestStarted]) -> Any:
    with connect(target, retry=NO_PAUSES, hooks=[sent.append]) as db:
        return use(db)


def awaited(target: Any, use: Callable[[Any], Any], sent: list[RequestStarted]) -> Any:
    async def run() -> Any:
        async with connect_async(target, retry=NO_PAUSES, hooks=[sent.append]) as db:
            return await use(db)

    return asyncio.run(run())


@pytest.fixture(params=[waited, awaited])
def failed(request: pytest.FixtureRequest) -> Callable[..., tuple[StoreError, int]]:
    """The error of a read, or of what else is done, and how often it was tried; of both kinds of stores."""

    def run(target: Any, use: Callable[[Any], Any] = lambda db: db.get(GET)) -> tuple[StoreError, int]:
        sent: list[RequestStarted] = []
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
def test_missing_settings_are_reported_when_connecting(target: str, code: str, value: str) -> None:
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
        "Fix: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a profile of ~/.aws.  "
        "(pksk explain store-not-configured)"
    )
    assert error.request is GET
    assert isinstance(error.__cause__, ServiceError)


def test_incomplete_credentials_are_reported_without_a_retry(
    failed: Failed, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        sent: list[RequestStarted] = []
        db = connect_async(server.url, hooks=[sent.append])
        first.run(db.create_tables(Note.__pksk__.table))
        sent.clear()
        with asyncio.Runner() as second, pytest.raises(NotConfigured) as caught:
            second.run(db.get(GET))
        first.run(db.close())

    assert len(sent) == 1
    assert caught.value.problem.endswith("the client belongs to another event loop.")
    assert caught.value.fix == "make one in each asyncio.run."


def test_a_client_that_its_owner_has_closed() -> None:
    client = AwsClient(AwsOptions(endpoint="http://127.0.0.1:1"))
    client.close()
    sent: list[RequestStarted] = []
    with pytest.raises(NotConfigured, match="the client is closed") as caught:
        connect(client, hooks=[sent.append]).get(GET)

    assert len(sent) == 1
    assert caught.value.fix == "make another one, or close it later."


@pytest.mark.parametrize("code", sorted(ACCESS_FIXES))
def test_credentials_that_are_not_taken_are_one_error(failed: Failed, code: str) -> None:
    body = b'{"__type":"com.amazon.coral.service#%s","message":"No."}' % code.encode()
    with faulty_server(replies("400 Bad Request", body)) as server:
        error, tried = failed(server.url)

    assert isinstance(error, AccessDenied)
    assert isinstance(error, RequestRejected)
    assert (error.code, error.service_code, tried) == ("store-access-denied", code, 1)
    assert error.problem == f"Get of Note: {code}: No."
    assert error.fix


def test_a_port_without_a_server(failed: Failed) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    error, tried = failed(url)

    assert (type(error), tried) == (ServiceUnreachable, 4)
    assert str(error) == (
        f"Get of Note: no connection, tried 4 times: GetItem was not sent to {url}: the connection was refused.\n"
        "Fix: start a server there, or correct the address.  (pksk explain store-unreachable)"
    )


def test_an_unknown_host_name(failed: Failed) -> None:
    error, tried = failed("http://nosuchhost.invalid")

    assert (type(error), tried) == (ServiceUnreachable, 4)
    assert error.problem.endswith("not sent to http://nosuchhost.invalid: its name cannot be resolved.")
    assert error.fix == "check the name and the network."


@pytest.mark.parametrize("use", [lambda db: db.get(GET), lambda db: db.put(NOTE)], ids=["get", "put"])
def test_a_server_that_is_not_dynamodb(failed: Failed, use: Callable[[Any], Any]) -> None:
    with faulty_server(replies("404 Not Found", HTML, Content_Type="text/html", x_amz_crc32="")) as server:
        error, tried = failed(server.url, use)

    assert (type(error), error.code, tried) == (NotConfigured, "store-not-configured", 1)
    assert f"{server.url} answered " in error.problem
    assert error.problem.endswith(
        "with HTTP 404 and '<html><body>Not Found</body></html>', which is not an answer of DynamoDB."
    )
    assert error.fix == "use the address of a DynamoDB."


@pytest.mark.parametrize("body", [HTML, OK], ids=["a page", "JSON"])
def test_success_from_a_server_that_is_not_dynamodb(failed: Failed, body: bytes) -> None:
    with faulty_server(replies("200 OK", body, Content_Type="text/html", x_amz_crc32="")) as server:
        read, tried = failed(server.url)
        written, _ = failed(server.url, lambda db: db.put(NOTE))

    assert (type(read), tried) == (NotConfigured, 1)
    assert read.fix == "use the address of a DynamoDB."
    assert isinstance(written, OutcomeUnknown)
    assert (
        f"{server.url} answered PutItem with HTTP 200 and {body.decode()!r}, which is not an answer of Dyn"
        in written.problem
    )


READS: dict[str, Callable[[Any], Any]] = {
    "get": lambda db: db.get(GET),
    "batch_get": lambda db: db.batch_get(GET, Note.primary.get(id="2")),
    "page": lambda db: db.page(Note.primary(id="1")),
    "count": lambda db: db.count(Note.primary(id="1")),
    "transaction": lambda db: db.transaction(GET, Note.primary.get(id="2")),
    "ensure_tables": lambda db: db.ensure_tables(Note.__pksk__.table),
}
WRITES: dict[str, Callable[[Any], Any]] = {
    "put": lambda db: db.put(NOTE),
    "create": lambda db: db.create(NOTE),
    "update": lambda db: db.update(UPDATE),
    "delete": lambda db: db.delete(DELETE),
    "batch_put": lambda db: db.batch_put(NOTE, Note(id="2")),
    "transaction": lambda db: db.transaction(UPDATE, DELETE),
    "next": lambda db: db.next(NUMBERS),
    "create_tables": lambda db: db.create_tables(Note.__pksk__.table),
}


@pytest.mark.parametrize("use", READS.values(), ids=READS)
def test_every_read_notices_json_of_another_service(failed: Failed, use: Callable[[Any], Any]) -> None:
    with faulty_server(replies("200 OK", OK)) as server:
        error, tried = failed(server.url, use)

    assert (type(error), tried) == (NotConfigured, 1)
    assert "which is not an answer of DynamoDB: it has no member 'status'." in error.problem


@pytest.mark.parametrize("use", WRITES.values(), ids=WRITES)
def test_a_write_rejects_the_json_of_another_service(failed: Failed, use: Callable[[Any], Any]) -> None:
    with faulty_server(replies("200 OK", OK)) as server:
        error, _ = failed(server.url, use)

    assert type(error) is OutcomeUnknown
    assert "which is not an answer of DynamoDB: it has no member 'status'." in error.problem


def test_rows_of_another_service() -> None:
    with faulty_server(replies("200 OK", OK)) as server, connect(server.url) as db:
        for rows in (db.iter(Note.primary(id="1")), db.scan(Note.scan())):
            with pytest.raises(NotConfigured):
                list(rows)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("use", [lambda db: db.get(GET), lambda db: db.put(NOTE)], ids=["get", "put"])
def test_a_redirect_is_not_followed(failed: Failed, use: Callable[[Any], Any], status: int) -> None:
    with (
        faulty_server(replies("200 OK", b"{}")) as other,
        faulty_server(replies(f"{status} Moved", b"", Location=other.url)) as server,
    ):
        error, tried = failed(server.url, use)

    assert (type(error), tried, other.requests) == (NotConfigured, 1, [])
    assert (
        f"with HTTP {status} to {other.url!r} and no body, which is not an answer of DynamoDB"
        in error.problem
    )


@pytest.mark.parametrize("status", [500, 502, 503, 504])
@pytest.mark.parametrize("body", [HTML, b"", b'{"message":"Busy"}'], ids=["a page", "nothing", "JSON"])
def test_a_proxy_before_a_service_in_trouble(failed: Failed, status: int, body: bytes) -> None:
    with faulty_server(replies(f"{status} Busy", body, Content_Type="text/html", x_amz_crc32="")) as server:
        read, reads = failed(server.url)
        put, puts = failed(server.url, lambda db: db.put(NOTE))
        added, adds = failed(server.url, lambda db: db.update(UPDATE))

    assert (type(read), reads) == (ServiceUnreachable, 4)
    assert f"{server.url} answered GetItem with HTTP {status} and " in read.problem
    assert read.fix == "try again later, or check the status of the service."
    assert (type(put), puts) == (OutcomeUnknown, 4)
    assert f"{server.url} answered PutItem with HTTP {status} and " in put.problem
    assert (type(added), adds) == (OutcomeUnknown, 1)


@pytest.mark.parametrize("body", [HTML, b"", b'{"message":"Slow down"}'], ids=["a page", "nothing", "JSON"])
@pytest.mark.parametrize("use", [lambda db: db.get(GET), lambda db: db.update(UPDATE)], ids=["get", "update"])
def test_a_proxy_that_throttles(failed: Failed, use: Callable[[Any], Any], body: bytes) -> None:
    with faulty_server(
        replies("429 Too Many Requests", body, Content_Type="text/html", x_amz_crc32="")
    ) as server:
        error, tried = failed(server.url, use)

    assert (type(error), error.code, tried) == (RequestThrottled, "store-throttled", 4)
    assert f"{server.url} answered " in error.problem
    assert "with HTTP 429 and " in error.problem


def test_a_service_that_recovers_behind_its_proxy() -> None:
    troubles = iter([b"429 Too Many Requests", b"503 Busy", b"504 Gateway Timeout"])

    def reply(server: FaultyServer, connection: socket.socket) -> None:
        while True:
            server.read(connection)
            status = next(troubles, b"200 OK")
            body = (
                b'{"Item":{"pk":{"S":"NOTE#1"},"sk":{"S":"META"},"id":{"S":"1"}}}' if b"OK" in status else b""
            )
            connection.sendall(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body))

    with faulty_server(reply) as server, connect(server.url, retry=NO_PAUSES) as db:
        assert db.get(GET) == NOTE


@pytest.mark.parametrize("data", [TLS_ALERT, b"SSH-2.0-OpenSSH_9.2\r\n"], ids=["TLS", "SSH"])
def test_a_server_that_does_not_speak_http(failed: Failed, data: bytes) -> None:
    with faulty_server(sends(data)) as server:
        error, tried = failed(server.url)

    assert (type(error), tried) == (ServiceUnreachable, 4)
    assert f"sent to {server.url}, and no answer came: the answer is not HTTP." in error.problem
    assert "http or https is right" in error.fix


def test_tls_with_a_server_that_has_none(failed: Failed) -> None:
    with Engine.open() as engine, Server(engine) as plain:
        error, tried = failed(plain.url.replace("http:", "https:"))

    assert (type(error), tried) == (NotConfigured, 1)
    assert error.problem.endswith("it does not use TLS.")
    assert error.fix == f"write {plain.url}, or another port."
