"""One connection: the order of requests, its end, and bytes that are not a request."""

from __future__ import annotations

import socket
import struct
from time import monotonic, sleep

import orjson
import pytest

from pksk.engine import Engine
from pksk.server import Limits, Server
from tests.server.raw_http import Raw, call, connected, exchange, get

CHUNKED = "Transfer-Encoding: chunked"
TABLE = {
    "TableName": "orders",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
}


def test_a_connection_serves_requests_one_after_another(server: Server) -> None:
    with connected(server) as raw:
        for _ in range(3):
            raw.send(call())
            answer = raw.response()

            assert (answer.status, answer.body) == (200, b'{"TableNames":[]}')
            assert answer.headers["connection"] == "keep-alive"


def test_pipelined_requests_are_answered_in_their_order(server: Server) -> None:
    long, quick, page = call("CreateTable", orjson.dumps(TABLE)), call("ListTables"), get("/ping")
    with connected(server) as raw:
        raw.send(quick + long + quick + page + call("Nothing") + quick)
        answers = [raw.response() for _ in range(6)]

    assert [each.status for each in answers] == [200, 200, 200, 200, 400, 200]
    assert answers[0].json() == {"TableNames": []}
    assert answers[1].json()["TableDescription"]["TableName"] == "orders"
    assert answers[2].json() == answers[5].json() == {"TableNames": ["orders"]}
    assert answers[3].body.startswith(b"healthy")


@pytest.mark.parametrize("one", [get("/ping"), call()], ids=["page", "call"])
def test_thousands_of_pipelined_requests_are_answered(server: Server, one: bytes) -> None:
    with connected(server) as raw:
        raw.send(one * 3000)

        assert {raw.response().status for _ in range(3000)} == {200}


def test_a_request_can_arrive_byte_by_byte(server: Server) -> None:
    with connected(server) as raw:
        raw.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in call():
            raw.send(bytes([byte]))

        assert raw.response().status == 200


def test_a_client_that_has_closed_its_half_gets_all_responses(server: Server) -> None:
    with connected(server) as raw:
        raw.send(call() + call("CreateTable", orjson.dumps(TABLE)) + call())
        raw.end()

        assert [raw.response().status for _ in range(3)] == [200, 200, 200]
        assert raw.is_closed()


def test_a_client_that_closes_its_half_within_a_request_is_disconnected(server: Server) -> None:
    with connected(server) as raw:
        raw.send(call()[:-1])
        raw.end()

        assert raw.is_closed()


def test_a_client_can_disconnect_before_its_response(server: Server, engine: Engine) -> None:
    raw = Raw(server)
    raw.send(call("CreateTable", orjson.dumps(TABLE)) * 20)
    raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raw.close()  # with a reset

    assert exchange(server, call()).status == 200


@pytest.mark.parametrize(
    ("version", "header", "stays"),
    [
        ("1.1", "", True),
        ("1.1", "Connection: close\r\n", False),
        ("1.0", "", False),
        ("1.0", "Connection: keep-alive\r\n", True),
    ],
)
def test_a_connection_stays_open_if_the_client_wants(
    server: Server, version: str, header: str, stays: bool
) -> None:
    request = f"GET /ping HTTP/{version}\r\n{header}\r\n".encode()
    with connected(server) as raw:
        raw.send(request)
        answer = raw.response()

        assert answer.headers["connection"] == ("keep-alive" if stays else "close")
        if stays:
            raw.send(request)
            assert raw.response().status == 200
        else:
            assert raw.is_closed()


def test_bytes_after_the_last_request_are_ignored(server: Server) -> None:
    with connected(server) as raw:
        raw.send(call("ListTables", b"{}", "Connection: close") + call())

        assert raw.response().status == 200
        assert raw.is_closed()


def test_a_body_can_be_chunked(server: Server) -> None:
    chunks = b"1;name=value\r\n{\r\n1\r\n}\r\n0\r\nX-Amz-Target: DynamoDB_20120810.Nothing\r\n\r\n"
    with connected(server) as raw:
        raw.send(call("ListTables", b"", CHUNKED, length=False) + chunks + call())

        assert raw.response().json() == {"TableNames": []}  # bytes after the body are not a header
        assert raw.response().status == 200


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100),
        b"hello\r\n\r\n",
        b"BREW / HTTP/1.1\r\n\r\n",
        b"POST / HTTP/1.1\nHost: localhost\n\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: +2\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nContent-Length: 2_0\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nContent-Length:\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nContent-Length: 2, 2\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999999\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
        b"POST / HTTP/1.1\r\nX: a\x00b\r\n\r\n",
        b"POST / HTTP/1.1\r\nX: a\r\n b\r\n\r\n",
        b"POST / HTTP/1.1\r\nX : a\r\n\r\n",
        b"POST /\x00 HTTP/1.1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"CONNECT localhost:80 HTTP/1.1\r\n\r\n",
    ],
    ids=lambda data: data[:60].decode("latin-1").encode("unicode_escape").decode(),
)
def test_bytes_that_are_not_a_request_close_the_connection(server: Server, data: bytes) -> None:
    with connected(server) as raw:
        raw.send(call() + data)
        first, rejected = raw.response(), raw.response()

        assert (first.status, rejected.status) == (200, 400)
        assert rejected.headers["connection"] == "close"
        assert raw.is_closed()


@pytest.mark.parametrize("target", ["http://localhost:8000/", "HTTPS://elsewhere", "http://x?a=b", "/?a=b"])
def test_a_target_can_be_a_full_url(server: Server, target: str) -> None:
    assert exchange(server, call().replace(b"POST /", f"POST {target}".encode())).status == 200


@pytest.mark.parametrize("connection", ["Upgrade, HTTP2-Settings", "upgrade, close"])
def test_a_request_to_upgrade_the_protocol_is_answered_in_http_1(server: Server, connection: str) -> None:
    lines = ("Upgrade: h2c", f"Connection: {connection}", "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA")
    with connected(server) as raw:
        raw.send(call() + call("ListTables", b'{"Limit":1}', *lines) + call())

        assert [raw.response().status for _ in range(2)] == [200, 200]
        assert raw.is_closed() if "close" in connection else raw.response().status == 200


def test_a_client_can_wait_for_100_continue(server: Server) -> None:
    head, body = call("ListTables", b"{}", "Expect: 100-continue")[:-2], b"{}"
    with connected(server) as raw:
        raw.send(head)
        assert raw.head() == (100, {})
        raw.send(body + call() + head)
        assert [raw.response().status for _ in range(2)] == [200, 200]
        assert raw.head() == (100, {})
        raw.send(body)

        assert raw.response().status == 200


def test_a_body_that_is_too_large_gets_no_100_continue(server: Server) -> None:
    head = call("ListTables", b"", "Content-Length: 16777217", "Expect: 100-continue", length=False)

    assert exchange(server, head).status == 413


def test_a_head_request_gets_no_body(server: Server) -> None:
    with connected(server) as raw:
        raw.send(get("/", method="HEAD") + get("/"))
        head, page = raw.response(has_body=False), raw.response()

    assert head.headers["content-length"] == page.headers["content-length"] == str(len(page.body))


def test_a_rejected_client_that_has_closed_its_half_is_disconnected_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pksk.server.connections._LINGER_SECONDS", 60.0)
    with (
        Engine.open() as engine,
        Server(engine, limits=Limits(request_seconds=60.0)) as server,
        socket.create_connection(("127.0.0.1", server.port)) as client,
    ):
        # The rejection follows answers that take time, so the server has seen the end of input before it.
        client.sendall(call("ListBackups") * 50 + b"no HTTP\r\n\r\n")
        client.shutdown(socket.SHUT_WR)
        while client.recv(4096):
            pass

        assert _connections(server) == 1


def _connections(server: Server) -> int:
    """The number of connections, including this one, once others have had time to end."""
    until = monotonic() + 10
    while True:
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(b"GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n")
            page = b"".join(iter(lambda: client.recv(65536), b""))
        count = int(page.rpartition(b"pksk_connections ")[2].split()[0])
        if count == 1 or monotonic() > until:
            return count
        sleep(0.01)
