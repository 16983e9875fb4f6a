"""Consumers as services: outages, the end, metrics, hooks, and several of them in one program."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from pksk import Clock, ConsumerStale, Engine, Store, connect, connect_async, trace_with
from pksk.changes import consumer_metrics, consumers, lambda_handler, run_consumers, run_consumers_async
from pksk.client import NO_ANSWER, ServiceError
from pksk.errors import InvalidValue, PkskError, ServiceUnreachable, StoreError
from tests.changes.shop import Order, fill, shop


@pytest.fixture(autouse=True)
def _tables(engine: Engine) -> None:
    engine.call("CreateTable", shop.create_request())


def until(stop: threading.Event, numbers: list[int], count: int) -> Callable[[list[Any]], None]:
    """A handler that collects numbers, and stops its worker when it has so many."""

    def handle(changes: list[Any]) -> None:
        numbers.extend(each.new.number for each in changes)
        if len(set(numbers)) >= count:
            stop.set()

    return handle


def test_a_worker_can_be_stopped_during_an_outage_of_what_its_handler_calls(engine: Engine) -> None:
    stop, calls = threading.Event(), []

    def handle(changes: list[Any]) -> None:
        calls.append(len(changes))
        if len(calls) == 3:
            stop.set()
        raise ConnectionError("down")

    with connect(engine) as db:
        fill(db, 10)
        db.changes(Order, consumer="audit").run(handle, stop=stop)
        status = db.changes(Order, consumer="audit").status()

        assert {each.owner for each in status.shards} == {""}
        assert len(list(db.changes(Order, consumer="audit"))) == 10


def test_a_worker_that_is_stopped_finishes_its_call_and_not_its_batch(engine: Engine) -> None:
    stop, numbers = threading.Event(), list[int]()
    with connect(engine) as db:
        for number in range(50):
            db.put(Order(customer="ann", number=number))
        db.changes(Order, consumer="audit").run(until(stop, numbers, 10), batch_size=5, stop=stop)

        assert numbers == list(range(10))
        assert [each.new.number for each in db.changes(Order, consumer="audit") if each.new] == list(
            range(10, 50)
        )


def test_an_outage_of_one_handler_does_not_hold_up_the_others(engine: Engine) -> None:
    stop, numbers = threading.Event(), list[int]()

    def down(changes: list[Any]) -> None:
        raise TimeoutError

    with connect(engine) as db:
        fill(db, 30)
        handlers = {
            db.changes(Order, consumer="search"): down,
            db.changes(Order, consumer="audit"): until(stop, numbers, 30),
        }
        run_consumers(handlers, stop=stop)

        assert sorted(numbers) == list(range(30))
        assert db.changes(Order, consumer="search").dead_letters() == []
        assert len(list(db.changes(Order, consumer="search"))) == 30


class Fails:
    """A client that loses its network for some requests."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.failing = engine, 0

    def call(self, operation: str, request: Any) -> dict[str, Any]:
        if self.failing:
            self.failing -= 1
            raise ServiceError(NO_ANSWER, "no answer", 0)
        return self.engine.call(operation, request)


def test_a_service_waits_while_dynamodb_cannot_be_reached(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    client, stop, numbers = Fails(engine), threading.Event(), list[int]()
    collect = until(stop, numbers, 10)

    def handle(changes: list[Any]) -> None:
        client.failing = 9 if not numbers else 0
        collect(changes)

    with connect(client) as db, caplog.at_level(logging.WARNING, "pksk.changes"):
        fill(db, 10)
        db.changes(Order, consumer="audit").run(handle, batch_size=2, stop=stop)

    assert sorted(set(numbers)) == list(range(10))


def test_a_service_that_never_reached_dynamodb_ends_with_the_error(engine: Engine) -> None:
    client = Fails(engine)
    client.failing = 10**6
    with connect(client) as db, pytest.raises((ServiceUnreachable, StoreError)):
        db.changes(Order, consumer="audit").run(lambda _: None)


def test_lists_of_changes_are_bounded_by_bytes(engine: Engine) -> None:
    sizes: list[int] = []
    with connect(engine) as db:
        for number in range(20):
            db.put(Order(customer="ann" * 100, number=number))
        db.changes(Order, consumer="audit").run(
            lambda changes: sizes.append(sum(each.size_bytes for each in changes)),
            follow=False,
            batch_bytes=3000,
        )

    assert sum(sizes) > 10_000
    assert max(sizes) <= 3000


def test_a_slow_handler_gets_fewer_changes_and_a_warning(
    engine: Engine, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    now = [0.0]
    with connect(engine) as db, caplog.at_level(logging.WARNING, "pksk.changes"):
        for number in range(400):
            db.put(Order(customer="ann", number=number))
        consumer = db.changes(Order, consumer="audit")
        settings = consumer._settings
        object.__setattr__(settings, "monotonic", lambda: now[0])

        def handle(changes: list[Any]) -> None:
            sizes.append(len(changes))
            now[0] += 40.0 if len(changes) > 60 else 1.0

        consumer.run(handle, follow=False)

    assert sizes[:2] == [100, 50]
    assert sum(sizes) == 400
    assert "took 40 s for 100 changes, and leases last 30 s" in caplog.text


@pytest.mark.parametrize("options", [{"batch_size": 0}, {"attempts": True}, {"batch_bytes": "1"}])
def test_numbers_that_cannot_be_meant_are_errors(engine: Engine, options: dict[str, Any]) -> None:
    with connect(engine) as db, pytest.raises(InvalidValue, match=next(iter(options))):
        db.changes(Order, consumer="audit").run(lambda _: None, follow=False, **options)


@pytest.mark.parametrize("options", [{"max_records": 0}, {"max_bytes": 10}])
def test_bounds_of_memory_that_cannot_be_meant_are_errors(engine: Engine, options: dict[str, Any]) -> None:
    with connect(engine) as db, pytest.raises(InvalidValue, match=next(iter(options))):
        db.changes(Order, consumer="audit", **options)


def test_a_handler_that_cannot_be_called_is_an_error_before_the_first_change(engine: Engine) -> None:
    with connect(engine) as db:
        fill(db, 1)
        consumer = db.changes(Order, consumer="audit")
        handler: Any = 5
        with pytest.raises(InvalidValue, match="The handler is 5 of type int"):
            consumer.run(handler, follow=False)
        with pytest.raises(InvalidValue, match="The handler is 5 of type int"):
            consumer.rebuild(handler)
        assert len(list(consumer)) == 1


@pytest.mark.parametrize("units", [0, "1", True, -1])
def test_a_budget_that_cannot_be_meant_is_an_error(engine: Engine, units: Any) -> None:
    with connect(engine) as db, pytest.raises(InvalidValue, match="max_read_units"):
        db.changes(Order, consumer="audit").rebuild(lambda _: None, max_read_units=units)


def test_two_consumers_of_one_name_in_one_worker_are_an_error(engine: Engine) -> None:
    with (
        connect(engine) as db,
        pytest.raises(InvalidValue, match="two consumers of one table have the name 'audit'"),
    ):
        run_consumers(
            {db.changes(Order, consumer="audit"): print, db.changes(Order, consumer="audit"): print}
        )


@pytest.mark.parametrize("event", [{}, {"Records": [{"eventName": "INSERT", "dynamodb": {}}]}])
def test_a_lambda_event_of_another_source_is_an_error(event: Any) -> None:
    with pytest.raises(InvalidValue, match="stream"):
        lambda_handler(lambda _: None, Order)(event, None)


def test_consumers_of_two_stores_are_an_error(engine: Engine) -> None:
    with connect(engine) as one, connect(engine) as two, pytest.raises(InvalidValue, match="several stores"):
        run_consumers({one.changes(Order, consumer="a"): print, two.changes(Order, consumer="b"): print})


def test_a_signal_ends_an_asynchronous_worker_and_the_program_hears_it_too(engine: Engine) -> None:
    heard: list[int] = []

    async def main() -> list[int]:
        numbers: list[int] = []
        async with connect_async(engine) as db:

            async def handle(changes: list[Any]) -> None:
                os.kill(os.getpid(), signal.SIGTERM)
                await asyncio.sleep(0)
                numbers.extend(each.new.number for each in changes)

            await db.changes(Order, consumer="audit").run(handle)
            status = await db.changes(Order, consumer="audit").status()
            assert {each.owner for each in status.shards} == {""}
        return numbers

    with connect(engine) as db:
        fill(db, 5)
        before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
        try:
            first = asyncio.run(main())
        finally:
            signal.signal(signal.SIGTERM, before)
        rest = [each.new.number for each in db.changes(Order, consumer="audit") if each.new]

    assert heard == [signal.SIGTERM]
    assert first
    assert sorted(first + rest) == list(range(5))


def test_asynchronous_consumers_share_their_readers(engine: Engine) -> None:
    numbers: dict[str, list[int]] = {"audit": [], "search": []}

    def collect(mine: list[int], changes: list[Any]) -> None:
        mine.extend(each.new.number for each in changes)

    async def main() -> None:
        async with connect_async(engine) as db:
            handlers = {
                db.changes(Order, consumer=name): partial(collect, mine) for name, mine in numbers.items()
            }
            await run_consumers_async(handlers, follow=False)

    with connect(engine) as db:
        fill(db, 20)
    asyncio.run(main())

    assert {name: sorted(mine) for name, mine in numbers.items()} == {
        "audit": list(range(20)),
        "search": list(range(20)),
    }


def test_a_worker_has_metrics_in_the_format_of_prometheus(engine: Engine) -> None:
    seen: list[str] = []

    def handle(changes: list[Any]) -> None:
        seen.append(consumer.metrics())
        if any(each.new.number == 3 for each in changes):
            raise ValueError("no 3")

    with connect(engine) as db:
        fill(db, 10)
        consumer = db.changes(Order, consumer="audit")
        before = consumer.metrics()
        consumer.run(handle, follow=False, attempts=1)
        after = consumer.metrics().splitlines()

    assert before == ""
    labels = '{consumer="audit",table="shop"}'
    assert f"pksk_consumer_delivered_total{labels} 9" in after
    assert f"pksk_consumer_dead_letters_total{labels} 1" in after
    assert f"pksk_consumer_buffered_changes{labels} 0" in after
    assert "# TYPE pksk_consumer_lag_seconds gauge" in seen[0]
    assert all(line.startswith("#") or len(line.rsplit(" ", 1)) == 2 for line in after)


def test_all_consumers_have_metrics_from_their_state(engine: Engine, clock: Clock) -> None:
    with connect(engine) as db:
        fill(db, 4)
        list(db.changes(Order, consumer="audit"))
        fill(db, 1, first=4)
        clock.advance(90)
        lines = consumer_metrics([db.changes(Order, consumer="audit").status()]).splitlines()
        names = [each.consumer for each in consumers(db.client)]

    lags = [line for line in lines if line.startswith("pksk_consumer_lag_seconds")]
    assert 'pksk_consumer_condition{consumer="audit",table="shop",condition="reading"} 1' in lines
    assert (len(lags), names) == (2, ["audit"])
    assert any(float(line.rsplit(" ", 1)[1]) > 80 for line in lags)


def test_hooks_see_requests_and_calls_of_the_handler(engine: Engine) -> None:
    seen: list[tuple[str, Any]] = []

    def hook(started: Any) -> Any:
        return lambda finished: seen.append((started.operation, type(finished.error).__name__))

    def handle(changes: list[Any]) -> None:
        if len(seen_calls := [each for each in seen if each[0] == "HandleChanges"]) == 0:
            raise ValueError(seen_calls)

    with connect(engine, hooks=[hook]) as db:
        db.put(Order(customer="ann", number=1))
        db.changes(Order, consumer="audit").run(handle, follow=False)

    assert [each for each in seen if each[0] == "HandleChanges"] == [
        ("HandleChanges", "ValueError"),
        ("HandleChanges", "NoneType"),
    ]
    assert {"GetRecords", "GetShardIterator", "DescribeStream"} <= {operation for operation, _ in seen}


def test_calls_of_the_handler_are_spans(engine: Engine) -> None:
    spans: list[tuple[str, Any]] = []

    class Span:
        def __getattr__(self, name: str) -> Any:
            return lambda *_: None

    class Tracer:
        def start_span(self, name: str, attributes: Any = None, **_: Any) -> Span:
            spans.append((name, attributes))
            return Span()

    with connect(engine, hooks=[trace_with(Tracer())]) as db:
        fill(db, 1)
        db.changes(Order, consumer="audit").run(lambda _: None, follow=False)

    (attributes,) = (each for name, each in spans if name == "pksk.HandleChanges")
    assert attributes == {
        "messaging.system": "aws.dynamodb_streams",
        "messaging.operation.type": "process",
        "messaging.destination.name": "shop",
        "messaging.consumer.group.name": "audit",
        "messaging.batch.message_count": 1,
    }


def event(db: Store, engine: Engine) -> dict[str, Any]:
    """The records of the stream, as Lambda passes them."""
    from pksk.changes import tail

    return {"Records": list(tail(engine, "shop", oldest=True, follow=False))}


def test_a_lambda_function_reports_the_first_change_that_failed(engine: Engine) -> None:
    done: list[int] = []

    def handle(change: Any) -> None:
        if change.new.number == 3:
            raise ValueError("no 3")
        done.append(change.new.number)

    with connect(engine) as db:
        for number in range(6):
            db.put(Order(customer="ann", number=number))
        records = event(db, engine)
        answer = lambda_handler(handle, Order)(records, None)
        failed = records["Records"][3]["dynamodb"]["SequenceNumber"]

    assert answer == {"batchItemFailures": [{"itemIdentifier": failed}]}
    assert done == [0, 1, 2]


def test_a_lambda_function_fails_for_what_it_cannot_read_and_for_results(engine: Engine) -> None:
    item = {"pk": {"S": "CUST#a"}, "sk": {"S": "ORDER#000009"}, "customer": {"S": "a"}, "number": {"S": "?"}}
    with connect(engine) as db:
        engine.call("PutItem", {"TableName": "shop", "Item": item})
        unreadable = event(db, engine)
        nothing = lambda_handler(lambda _: None, Order)(unreadable, None)
        engine.call("DeleteItem", {"TableName": "shop", "Key": {name: item[name] for name in ("pk", "sk")}})
        db.put(Order(customer="b", number=1))
        records = {"Records": event(db, engine)["Records"][-1:]}
        returned = lambda_handler(lambda _: False, Order)(records, None)  # type: ignore[arg-type]

    assert len(nothing["batchItemFailures"]) == len(returned["batchItemFailures"]) == 1


class Interrupted(PkskError):
    """The rebuild is interrupted in a test."""


def test_a_rebuild_that_another_program_has_resumed_stops(engine: Engine) -> None:
    with connect(engine) as db:
        fill(db, 4)
        consumer = db.changes(Order, consumer="audit")

        def handle(changes: list[Any]) -> None:
            if db.changes(Order, consumer="audit").status().condition == "rebuilding":
                db.changes(Order, consumer="audit").rebuild(lambda _: None)

        with pytest.raises(
            StoreError, match="Another program reads table 'shop' for consumer 'audit'"
        ) as caught:
            consumer.rebuild(handle)
        assert caught.value.code == "consumer-rebuild-taken"
        assert consumer.status().condition == "reading"


def test_a_rebuild_that_took_longer_than_a_day_does_not_hide_what_was_trimmed_meanwhile(
    engine: Engine, clock: Clock
) -> None:
    with connect(engine) as db:
        for number in range(30):
            db.put(Order(customer="x" * 1500, number=number))
        consumer = db.changes(Order, consumer="audit")
        assert not consumer.rebuild(lambda _: None, max_read_units=2).complete
        fill(db, 2, first=100)
        clock.advance(25 * 3600)
        assert consumer.rebuild(lambda _: None).complete

        with pytest.raises(ConsumerStale, match=r"are gone|were gone"):
            list(db.changes(Order, consumer="audit"))


def test_a_rebuild_stays_within_its_units(engine: Engine) -> None:
    with connect(engine) as db:
        for number in range(200):
            db.put(Order(customer="x" * 1500, number=number))
        results: list[Any] = []
        while not results or not results[-1].complete:
            results.append(db.changes(Order, consumer="audit").rebuild(lambda _: None, max_read_units=20))

    assert sum(each.items for each in results) == 200
    assert max(each.read_units for each in results) <= 21
