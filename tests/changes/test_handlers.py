"""Delivering changes to a handler: its effect, its errors, dead letters, outages and signals."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import pytest

from pksk import Clock, Engine, ItemUnreadable, PkskError, Store, connect
from pksk.changes import DeadLetter, run_consumers
from pksk.errors import DesignError, StoreError
from pksk.sending.driver import Driver
from pksk.sending.operation import Core
from pksk.sending.retry import Retry
from tests.changes.shop import Order, fill, shop


@pytest.fixture(autouse=True)
def _tables(db: Store) -> None:
    db.create_tables(shop)


def patient(engine: Engine) -> tuple[Store, list[float]]:
    """A store whose pauses take no time."""
    pauses: list[float] = []
    store = Store(engine, Core(retry=Retry(), clock=Clock()))
    store._driver = Driver(engine, pause=pauses.append)
    return store, pauses


class Handler:
    """Collects the numbers of orders, and fails for some of them."""

    def __init__(self, *failing: int, error: type[Exception] = ValueError) -> None:
        self.failing, self.error = failing, error
        self.done: list[int] = []
        self.calls = 0

    def __call__(self, changes: list[Any]) -> None:
        self.calls += 1
        for change in changes:
            if change.new.number in self.failing:
                raise self.error(f"no {change.new.number}")
        self.done += [change.new.number for change in changes]


def letters(store: Any) -> list[DeadLetter]:
    found: list[DeadLetter] = store.changes(Order, consumer="audit").dead_letters()
    return found


def test_a_handler_gets_lists_of_changes(db: Store) -> None:
    fill(db, 30)
    handler = Handler()
    db.changes(Order, consumer="audit").run(handler, batch_size=7, follow=False)

    assert sorted(handler.done) == list(range(30))
    assert 5 <= handler.calls <= 10
    assert list(db.changes(Order, consumer="audit")) == []


def test_a_change_that_always_fails_becomes_a_dead_letter_and_the_others_pass(engine: Engine) -> None:
    db, _ = patient(engine)
    fill(db, 20)
    handler = Handler(3, 14)
    db.changes(Order, consumer="audit").run(handler, follow=False)
    found = letters(db)

    assert sorted(handler.done) == [number for number in range(20) if number not in (3, 14)]
    assert sorted(each.reason for each in found) == ["ValueError: no 14", "ValueError: no 3"]
    assert {each.key["pk"]["S"] for each in found} == {"CUST#c3", "CUST#c4"}


class Unprintable(Exception):
    """An error whose text cannot be had."""

    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("file b\udcff"), r"ValueError: file b\udcff"),
        (Unprintable(), "Unprintable: (its text raised RuntimeError)"),
        (ValueError("x" * 5000), "ValueError: " + "x" * 2000),
    ],
)
def test_an_error_whose_text_cannot_be_stored_does_not_hold_up_the_shard(
    engine: Engine, error: Exception, reason: str
) -> None:
    db, _ = patient(engine)
    fill(db, 1)

    def handler(changes: list[Any]) -> None:
        raise error

    db.changes(Order, consumer="audit").run(handler, follow=False, attempts=1)

    assert [each.reason for each in letters(db)] == [reason]
    assert list(db.changes(Order, consumer="audit")) == []


def test_an_error_that_passes_leaves_no_dead_letter(engine: Engine) -> None:
    db, pauses = patient(engine)
    fill(db, 4)
    handler = Handler(2)

    def recovering(changes: list[Any]) -> None:
        try:
            handler(changes)
        finally:
            handler.failing = ()

    db.changes(Order, consumer="audit").run(recovering, follow=False)

    assert sorted(handler.done) == [0, 1, 2, 3]
    assert letters(db) == []
    assert pauses


def test_an_outage_is_waited_for_without_a_dead_letter(engine: Engine) -> None:
    db, _ = patient(engine)
    fill(db, 4)
    handler = Handler(0, 1, 2, 3, error=ConnectionError)
    calls = iter(range(1000))

    def down_for_long(changes: list[Any]) -> None:
        if next(calls) == 50:
            handler.failing = ()
        handler(changes)

    db.changes(Order, consumer="audit").run(down_for_long, follow=False)

    assert sorted(handler.done) == [0, 1, 2, 3]
    assert letters(db) == []


def test_a_handler_that_fails_for_everything_stops_the_worker(engine: Engine) -> None:
    db, _ = patient(engine)
    fill(db, 20)
    handler = Handler(*range(20))
    with pytest.raises(StoreError, match="failed for 5 changes in a row, last with ValueError: 'no "):
        db.changes(Order, consumer="audit").run(handler, follow=False, max_dead_letters=5, attempts=1)

    buried = len(letters(db))
    working = Handler()
    db.changes(Order, consumer="audit").run(working, follow=False)

    assert buried == 5
    assert len(working.done) == 15


@pytest.mark.parametrize("result", [1, "done", [1], {"batchItemFailures": []}])
def test_a_handler_that_returns_something_is_an_error_and_nothing_is_acknowledged(
    db: Store, result: object
) -> None:
    fill(db, 2)

    def handler(changes: list[Any]) -> Any:
        return result

    with pytest.raises(DesignError, match="The handler returned"):
        db.changes(Order, consumer="audit").run(handler, follow=False)

    assert len(list(db.changes(Order, consumer="audit"))) == 2


def test_a_coroutine_function_is_an_error_of_a_synchronous_store(engine: Engine) -> None:
    async def handler(changes: list[Any]) -> None: ...

    with connect(engine) as db:
        fill(db, 1)
        with pytest.raises(DesignError, match="use connect_async"):
            db.changes(Order, consumer="audit").run(handler, follow=False)  # type: ignore[arg-type]


def test_an_item_that_does_not_fit_becomes_a_dead_letter(db: Store, engine: Engine) -> None:
    fill(db, 2)
    item = {
        "pk": {"S": "CUST#c0"},
        "sk": {"S": "ORDER#000009"},
        "customer": {"S": "c0"},
        "number": {"S": "?"},
    }
    engine.call("PutItem", {"TableName": "shop", "Item": item})
    handler = Handler()
    db.changes(Order, consumer="audit").run(handler, follow=False)
    in_a_loop = [each.new.number for each in db.changes(Order, consumer="loop") if each.new]

    assert sorted(handler.done) == sorted(in_a_loop) == [0, 1]
    assert ItemUnreadable.__name__ in letters(db)[0].reason
    assert len(db.changes(Order, consumer="loop").dead_letters()) == 1


def test_a_dead_letter_is_retried_with_the_present_item_and_dropped(engine: Engine) -> None:
    db, _ = patient(engine)
    fill(db, 3)
    changes = db.changes(Order, consumer="audit")
    changes.run(Handler(1), follow=False, attempts=1)
    db.put(Order(customer="c1", number=1, total=99))
    (letter,) = changes.dead_letters()
    seen: list[Any] = []
    changes.retry(letter, seen.extend)

    assert [(each.kind, each.new.total) for each in seen] == [("modify", 99)]
    assert seen[0].version >> 40 > 0
    assert changes.dead_letters() == []


def test_a_dead_letter_of_an_item_that_is_gone_is_a_removal(engine: Engine) -> None:
    db, _ = patient(engine)
    fill(db, 2)
    changes = db.changes(Order, consumer="audit")
    changes.run(Handler(1), follow=False, attempts=1)
    db.delete(Order, customer="c1", number=1)
    (letter,) = changes.dead_letters()
    seen: list[Any] = []
    changes.retry(letter, seen.extend)

    assert [(each.kind, each.new, each.key_values) for each in seen] == [
        ("remove", None, {"customer": "c1", "number": 1})
    ]


def test_a_dead_letter_whose_retry_fails_is_kept_and_can_be_dropped(engine: Engine) -> None:
    db, _ = patient(engine)
    fill(db, 2)
    changes = db.changes(Order, consumer="audit")
    changes.run(Handler(1), follow=False, attempts=1)
    (letter,) = changes.dead_letters()
    with pytest.raises(ValueError, match="no 1"):
        changes.retry(letter, Handler(1))

    assert changes.dead_letters() == [letter]
    changes.drop(letter)
    assert changes.dead_letters() == []


def test_a_signal_ends_a_worker_after_its_batch_and_releases_its_leases(engine: Engine) -> None:
    with connect(engine) as db:
        fill(db, 3)
        before = signal.getsignal(signal.SIGTERM)
        done: list[int] = []

        def handler(changes: list[Any]) -> None:
            os.kill(os.getpid(), signal.SIGTERM)
            done.extend(change.new.number for change in changes)

        db.changes(Order, consumer="audit").run(handler)
        status = db.changes(Order, consumer="audit").status()

        assert done
        assert {each.owner for each in status.shards} == {""}
        assert status.workers == 0
        assert signal.getsignal(signal.SIGTERM) is before
        rest = [each.new.number for each in db.changes(Order, consumer="audit") if each.new]
        assert sorted(done + rest) == [0, 1, 2]


def test_workers_in_threads_share_the_shards(engine: Engine) -> None:
    with connect(engine) as db:
        fill(db, 10)
        stop = threading.Event()
        done: list[list[int]] = [[], []]

        def work(mine: list[int]) -> None:
            db.changes(Order, consumer="audit", lease_seconds=1).run(
                lambda changes: mine.extend(each.new.number for each in changes if each.new), stop=stop
            )

        threads = [threading.Thread(target=work, args=[mine]) for mine in done]
        for thread in threads:
            thread.start()
        deadline = threading.Event()
        owners: set[str] = set()
        for attempt in range(200):
            deadline.wait(0.05)
            status = db.changes(Order, consumer="audit").status()
            owners = {each.owner for each in status.shards if not each.ended and each.owner}
            if len(owners) == 2:
                break
            fill(db, 1, first=10 + attempt)
        stop.set()
        for thread in threads:
            thread.join()

        assert len(owners) == 2
        assert set(done[0] + done[1]) >= set(range(10))


def test_an_error_of_the_program_is_not_an_error_of_a_change(db: Store) -> None:
    fill(db, 1)

    def handler(changes: list[Any]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        db.changes(Order, consumer="audit").run(handler, follow=False)
    assert len(list(db.changes(Order, consumer="audit"))) == 1
    assert not isinstance(PkskError, KeyboardInterrupt)


class Counting:
    """A client that counts the pages with records that were read from shards."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.pages = engine, 0

    def call(self, operation: str, request: Any) -> dict[str, Any]:
        answer = self.engine.call(operation, request)
        self.pages += operation == "GetRecords" and bool(answer["Records"])
        return answer


def test_consumers_of_one_worker_read_each_shard_once(engine: Engine) -> None:
    counting = Counting(engine)
    with connect(counting) as db:
        fill(db, 50)
        handlers = {name: Handler() for name in ("audit", "search", "counts")}
        consumers = {db.changes(Order, consumer=name): handler for name, handler in handlers.items()}
        run_consumers(consumers, follow=False)

        assert [sorted(handler.done) for handler in handlers.values()] == [list(range(50))] * 3
        assert counting.pages == 2  # one of each shard


def test_consumers_of_one_worker_go_on_by_themselves(engine: Engine) -> None:
    db, _ = patient(engine)
    fill(db, 10)
    good, bad = Handler(), Handler(3)
    consumers = {db.changes(Order, consumer="audit"): good, db.changes(Order, consumer="search"): bad}
    run_consumers(consumers, follow=False, attempts=1)
    fill(db, 2, first=10)
    run_consumers({db.changes(Order, consumer="audit"): good}, follow=False)
    run_consumers({}, follow=False)

    assert sorted(good.done) == list(range(12))
    assert sorted(bad.done) == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    assert letters(db) == []
    assert len(db.changes(Order, consumer="search").dead_letters()) == 1
