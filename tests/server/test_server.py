"""A server's beginning and end, and where it listens."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable
from threading import Thread
from time import monotonic

import orjson
import pytest

from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.errors import PkskError
from pksk.server import Limits, Server
from tests.server.raw_http import SECONDS, call, connected, exchange
from tests.server.test_connections import TABLE

LoopFactory = Callable[[], asyncio.AbstractEventLoop]


def test_a_stopping_server_answers_running_requests(engine: Engine, loop_factory: LoopFactory) -> None:
    server = Server(engine, loop_factory=loop_factory)
    server.start()
    closing = Thread(target=server.close)
    with connected(server) as raw, connected(server) as idle, connected(server) as amid:
        idle.send(call())
        assert idle.response().status == 200
        amid.send(call()[:-1])
        with engine._core.storage.writing():  # the first call below waits for this
            raw.send(call("CreateTable", orjson.dumps(TABLE)) + call())
            assert exchange(server, call("Nothing")).status == 400  # by then everything before it is read
            closing.start()
            assert idle.is_closed()
            assert amid.is_closed()

        assert [raw.response().status, raw.response().status] == [200, 200]
        assert raw.is_closed()
    closing.join()


def test_a_stopping_server_does_not_wait_for_ever(engine: Engine, loop_factory: LoopFactory) -> None:
    with (
        Server(engine, limits=Limits(stop_seconds=0.05), loop_factory=loop_factory) as server,
        connected(server, receive_bytes=4096) as slow,
    ):
        slow.send(b"GET / HTTP/1.1\r\nAccept: text/html\r\n\r\n" * 8000)
        assert exchange(server, call()).status == 200
        began = monotonic()
        server.close()

        assert monotonic() - began < SECONDS
        with pytest.raises(ConnectionResetError):
            list(iter(lambda: slow.socket.recv(1 << 16), b""))


def test_a_closed_server_accepts_no_connections_and_frees_its_port(
    engine: Engine, loop_factory: LoopFactory
) -> None:
    with Server(engine, loop_factory=loop_factory) as server:
        assert exchange(server, call()).status == 200
    server.close()  # again

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), timeout=5)
    with Server(engine, port=server.port, loop_factory=loop_factory) as second:
        assert second.port == server.port


def test_a_server_that_was_never_started_can_be_closed(engine: Engine) -> None:
    Server(engine).close()


def test_the_error_of_a_failed_start_has_the_reason(engine: Engine) -> None:
    def no_loop() -> asyncio.AbstractEventLoop:
        raise RuntimeError("no loop today")

    with pytest.raises(RuntimeError, match="no loop today"), Server(engine, loop_factory=no_loop):
        pass


def test_an_engine_outlives_its_server(engine: Engine) -> None:
    with Server(engine):
        pass

    assert engine.call("ListTables", {}) == {"TableNames": []}


def test_without_uvloop_the_default_loop_is_used(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    with Server(engine) as server:
        assert exchange(server, call()).status == 200
        assert type(server._loop).__module__.startswith("asyncio")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.2"])
def test_addresses_of_this_machine_need_no_credentials(engine: Engine, host: str) -> None:
    with Server(engine, host=host) as server:
        assert server.url == f"http://{host}:{server.port}"


@pytest.mark.parametrize("host", ["0.0.0.0", "", "::", "192.0.2.1"])
def test_other_addresses_need_credentials(engine: Engine, host: str) -> None:
    with pytest.raises(PkskError) as raised:
        Server(engine, host=host)

    assert raised.value.code in {"server-needs-credentials", "server-address"}  # there may be no IPv6 here
    assert host == "::" or raised.value.code == "server-needs-credentials"


def test_with_credentials_every_address_is_allowed(engine: Engine) -> None:
    with Server(engine, host="0.0.0.0", verify=lambda _: None) as server:
        assert server.url == f"http://127.0.0.1:{server.port}"
        assert exchange(server, call()).status == 200


@pytest.mark.parametrize(
    ("host", "port", "reason"),
    [
        ("127.0.0.1", -1, "there is no such port"),
        ("127.0.0.1", 65536, "there is no such port"),
        ("no.such.host.invalid", 0, "no.such.host.invalid"),
        ("x" * 300, 0, "xxx"),
    ],
)
def test_an_unusable_address_raises(engine: Engine, host: str, port: int, reason: str) -> None:
    with pytest.raises(PkskError, match=reason) as raised:
        Server(engine, host=host, port=port)

    assert raised.value.code == "server-address"


def test_a_port_in_use_raises(engine: Engine) -> None:
    with Server(engine) as server, pytest.raises(PkskError, match="in use") as raised:
        Server(engine, port=server.port)

    assert "--port 0" in raised.value.fix


def test_the_response_to_a_wrong_signature_has_its_error(engine: Engine) -> None:
    wrong = ServiceError("InvalidSignatureException", "wrong")
    with Server(engine, verify=lambda _: wrong) as server:
        known, unknown = exchange(server, call()), exchange(server, call("Nothing"))

    assert (known.status, known.json()["message"]) == (400, "wrong")
    assert unknown.json()["__type"].endswith("#UnknownOperationException")  # AWS looks for that first


def test_events_are_logged(engine: Engine) -> None:
    events: list[dict[str, object]] = []

    class Listed:
        requests = True

        def __call__(self, event: str, **members: object) -> None:
            events.append({"event": event, **members})

    with Server(engine, log=Listed(), limits=Limits(connections=1)) as server, connected(server) as raw:
        raw.send(call())
        answer = raw.response()
        assert exchange(server, call()).status == 503
    requests = [each for each in events if each["event"] == "request"]

    assert [each["event"] for each in events] == ["started", "request", "refused", "stopped"]
    assert requests[0] | {"ms": 0} == {
        "event": "request", "id": answer.headers["x-amzn-requestid"], "operation": "ListTables", "status": 200,
        "ms": 0, "bytes_in": 2, "bytes_out": 17,
    }  # fmt: skip
