"""Limits on size, time and number; a slow client does not affect others."""

from __future__ import annotations

import asyncio
import select
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import orjson
import pytest

from pksk.engine import Engine
from pksk.server import Limits, Server
from tests.server.raw_http import SECONDS, call, connected, exchange, get
from tests.server.test_connections import TABLE

SHORT = 0.08
LoopFactory = Callable[[], asyncio.AbstractEventLoop]
Serving = Callable[[Limits], Server]


@pytest.fixture
def serving(engine: Engine, loop_factory: LoopFactory) -> Iterator[Serving]:
    with ExitStack() as stack:
        yield lambda limits: stack.enter_context(Server(engine, limits=limits, loop_factory=loop_factory))


def test_a_body_of_16_mb_is_accepted_and_one_byte_more_is_rejected(server: Server) -> None:
    most = 16 * 1024 * 1024
    with connected(server) as raw:
        raw.send(call("ListTables", b"{}".ljust(most)))
        assert raw.response().status == 200
        raw.send(call("ListTables", b"{}".ljust(most + 1)))  # all of it, and the answer is not lost
        rejected = raw.response()

        assert (rejected.status, rejected.body) == (413, b"<RequestEntityTooLargeException/>\n")
        assert raw.is_closed()


def test_a_chunked_body_is_limited_while_it_arrives(serving: Serving) -> None:
    server = serving(Limits(body_bytes=100))
    head = call("ListTables", b"", "Transfer-Encoding: chunked", length=False)
    with connected(server) as raw:
        raw.send(head + b"2\r\n{}\r\n" * 50 + b"0\r\n\r\n")
        assert raw.response().status == 400  # fifty documents are none
        raw.send(head + b"2\r\n{}\r\n" * 51)

        assert raw.response().status == 413
        assert raw.is_closed()


@pytest.mark.parametrize(
    "begin",
    [
        b"GET /",
        b"GET / HTTP/1.1\r\nX: ",
        b"GET / HTTP/1.1\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\nX: ",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;",
    ],
    ids=["target", "value", "name", "trailer", "extension"],
)
def test_a_large_head_is_rejected_before_its_end(server: Server, begin: bytes) -> None:
    with connected(server) as raw:
        with _not_minding_the_end():
            raw.send(begin)
            for _ in range(32):
                raw.send(b"a" * 65536)

        assert raw.response().status == 400
        assert raw.is_closed()


@pytest.mark.parametrize(("size", "status"), [(16_000, 200), (16_400, 400)])
@pytest.mark.parametrize("head", ["GET /ping?{} HTTP/1.1\r\n\r\n", "GET /ping HTTP/1.1\r\nX: {}\r\n\r\n"])
def test_a_request_line_or_headers_of_more_than_16_kb_are_rejected(
    server: Server, head: str, size: int, status: int
) -> None:
    assert exchange(server, head.format("a" * size).encode()).status == status


def test_a_head_within_the_limit_is_accepted_after_many_requests(serving: Serving) -> None:
    server = serving(Limits(head_bytes=256))
    with connected(server) as raw:
        raw.send(get("/ping") * 50 + get("/ping")[:-5])
        assert {raw.response().status for _ in range(50)} == {200}
        raw.send(get("/ping")[-5:])

        assert raw.response().status == 200


@pytest.mark.parametrize("begin", [b"GET / HT", call()[:-1], call()[:40]], ids=["line", "body", "headers"])
def test_an_incomplete_request_times_out_with_an_error(serving: Serving, begin: bytes) -> None:
    server = serving(Limits(request_seconds=SHORT))
    with connected(server) as raw:
        raw.send(begin)
        rejected = raw.response()

        assert (rejected.status, rejected.headers["connection"]) == (408, "close")
        assert raw.is_closed()


def test_sending_single_bytes_does_not_extend_the_timeout(serving: Serving) -> None:
    server = serving(Limits(request_seconds=SHORT))
    with connected(server) as raw, _not_minding_the_end():
        raw.send(b"GET / HTTP/1.1\r\n")
        raw.socket.settimeout(SHORT / 8)
        for _ in range(1000):
            try:
                assert raw.socket.recv(1000).startswith(b"HTTP/1.1 408")
                return
            except TimeoutError:
                raw.send(b"X: y\r\n")
        pytest.fail("it was never rejected")


def test_an_idle_connection_is_closed(serving: Serving) -> None:
    server = serving(Limits(idle_seconds=SHORT, request_seconds=SHORT))
    with connected(server) as silent, connected(server) as spoke:
        spoke.send(call())

        assert spoke.response().status == 200
        assert spoke.is_closed()
        assert silent.is_closed()


def test_the_request_timeout_does_not_limit_the_response(engine: Engine, serving: Serving) -> None:
    server = serving(Limits(request_seconds=SHORT, idle_seconds=SHORT))
    storage = engine._core.storage
    with connected(server) as raw:
        with storage.writing():  # the call below waits for this
            raw.send(call("CreateTable", orjson.dumps(TABLE)))
            raw.socket.settimeout(SHORT * 4)
            with pytest.raises(TimeoutError):
                raw.socket.recv(1)
            raw.socket.settimeout(SECONDS)

        assert raw.response().status == 200


def test_a_client_that_does_not_read_is_disconnected(serving: Serving) -> None:
    server = serving(Limits(write_seconds=SHORT))
    with connected(server, receive_bytes=4096) as raw:
        raw.send(get("/", "Accept: text/html") * 8000)
        ended = select.poll()
        ended.register(raw.socket, 0)

        assert ended.poll(SECONDS * 1000), "it was not closed"


def test_a_client_that_reads_slowly_gets_all_responses(serving: Serving) -> None:
    server = serving(Limits(write_seconds=SHORT))
    with connected(server, receive_bytes=4096) as raw:
        raw.send(get("/", "Accept: text/html") * 200)
        for _ in range(8):
            time.sleep(SHORT / 2)
            raw.socket.recv(4096)
        raw.send(get("/ping", "Connection: close"))
        last = b""
        while got := raw.socket.recv(1 << 20):
            last = got

        assert last.endswith(b"healthy: dynamodb.us-east-1.amazonaws.com ")


def test_a_slow_client_does_not_slow_others(serving: Serving) -> None:
    server = serving(Limits())
    with ExitStack() as stack:
        slow = [stack.enter_context(connected(server, receive_bytes=4096)) for _ in range(20)]
        for each in slow[:10]:
            each.send(call()[:-1])
        for each in slow[10:]:
            each.socket.setblocking(False)
            with _not_minding_the_end():
                for _ in range(100):
                    each.socket.send(get("/", "Accept: text/html") * 200)

        with connected(server) as quick:
            for _ in range(100):
                quick.send(call())
                assert quick.response().status == 200


def test_a_connection_above_the_limit_is_rejected_until_another_ends(serving: Serving) -> None:
    server = serving(Limits(connections=2))
    with connected(server) as one:
        one.send(call())
        assert one.response().status == 200
        with connected(server) as two:
            two.send(call())
            assert two.response().status == 200
            with connected(server) as three:
                three.send(call())
                assert three.response().status == 503
                assert three.is_closed()
        one.send(call())
        assert one.response().status == 200
        while exchange(server, call()).status != 200:  # the server hears of the end a moment later
            pass


@contextmanager
def _not_minding_the_end() -> Iterator[None]:
    """A block in which the other end may go away, or take nothing more for now."""
    try:
        yield
    except (ConnectionError, BlockingIOError):
        return
