"""Requests that arrive together are answered in one batch, and every request is answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from threading import Event

import orjson
import pytest

from pksk.engine import Engine
from pksk.server import Server
from tests.server.raw_http import call, connected, exchange, get
from tests.server.test_connections import TABLE

KEY = {"pk": {"S": "7"}}
PUT = call("PutItem", orjson.dumps({"TableName": "orders", "Item": KEY}))
GET = call("GetItem", orjson.dumps({"TableName": "orders", "Key": KEY}))


@pytest.fixture
def engine(tmp_path: object) -> Iterator[Engine]:
    with Engine.open(f"{tmp_path}/tables.db", durable=False) as opened:
        opened.call("CreateTable", TABLE)
        yield opened


def test_requests_of_many_connections_share_a_batch(engine: Engine) -> None:
    with Server(engine) as server, ExitStack() as stack:
        clients = [stack.enter_context(connected(server)) for _ in range(8)]
        for _ in range(200):
            for each in clients:
                each.send(PUT)
            assert {each.response().status for each in clients} == {200}
        found = exchange(server, get("/metrics")).body.decode().splitlines()
    batches = next(int(line.split()[1]) for line in found if line.startswith("pksk_batches_total "))

    assert batches < 1600


def test_during_a_long_write_reads_are_answered_and_writes_wait(engine: Engine) -> None:
    with Server(engine) as server, connected(server) as reader, connected(server) as writer:
        with engine._core.storage.writing():
            writer.send(PUT)
            reader.send(GET)
            assert reader.response().json() == {}
            assert exchange(server, get("/ping")).status == 200

        assert writer.response().status == 200
        reader.send(GET)
        assert reader.response().json() == {"Item": KEY}


def test_a_long_operation_does_not_block_others(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, done = Event(), Event()
    answers = engine.answers

    def slowly(requests: Sequence[tuple[str, bytes]]) -> list[tuple[int, bytes]]:
        if requests[0][0] == "DescribeLimits":
            begun.set()
            done.wait(10)
        return answers(requests)

    monkeypatch.setattr(engine, "answers", slowly)
    with Server(engine) as server, connected(server) as slow:
        slow.send(call("DescribeLimits"))
        begun.wait(10)
        assert exchange(server, GET).status == 200
        done.set()

        assert slow.response().status == 200


@pytest.mark.parametrize("operation", ["GetItem", "DescribeLimits"])
def test_a_bug_in_the_engine_is_answered_with_an_error(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, operation: str, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(_requests: object) -> object:
        raise RecursionError("oh")

    monkeypatch.setattr(engine, "answers", fails)
    with Server(engine) as server, connected(server) as raw:
        raw.send(call(operation) * 3)
        answers = [raw.response() for _ in range(3)]

    assert [each.status for each in answers] == [500, 500, 500]
    assert answers[0].json()["__type"].endswith("#InternalServerError")
    assert "requests failed" in caplog.text


def test_a_defect_in_a_page_is_answered_too(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(engine, "is_free", None)
    with Server(engine) as server, connected(server) as raw:
        raw.send(get("/health") + get("/ping"))

        assert [raw.response().status, raw.response().status] == [500, 200]
    assert "a request failed" in caplog.text


def test_calls_after_the_engine_was_closed_are_answered_with_an_error(engine: Engine) -> None:
    with Server(engine) as server:
        engine.close()

        assert [exchange(server, each).status for each in (GET, PUT, call("DescribeLimits"))] == [
            500,
            500,
            500,
        ]
