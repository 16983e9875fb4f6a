"""Rebuilds beside workers and other rebuilds: what is late is older, and none takes the place of another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from pksk import Clock, ConsumerStale, Engine, Partitioning, Store, connect
from pksk.changes import Rebuilt
from pksk.changes.delivery import Delivery
from pksk.changes.rebuild import Rebuild
from pksk.changes.worker import Settings
from pksk.client import ServiceError
from pksk.errors import StoreError
from pksk.model.changes.stream_changes import change_filter
from pksk.sending import Call, Core, Pause, Steps
from tests.changes.processes import flat
from tests.changes.shop import Order, fill, shop
from tests.changes.test_workers import LEASE_SECONDS, Fleet


@pytest.fixture
def fleet(clock: Clock) -> Iterator[Fleet]:
    """A fleet on a table with two shards."""
    with Engine.open(clock=clock, partitioning=Partitioning(partitions=2)) as engine:
        engine.call("CreateTable", shop.create_request())
        yield Fleet(engine, clock)


@pytest.fixture
def db(fleet: Fleet) -> Iterator[Store]:
    """A store on the engine of the fleet."""
    with connect(fleet.engine) as store:
        yield store


def rebuild(fleet: Fleet, seen: list[Any]) -> Steps[Rebuilt]:
    settings = Settings("audit", sources="the whole table", lease_seconds=LEASE_SECONDS)
    core = Core(clock=fleet.clock)
    return Rebuild(core, shop, settings, change_filter([shop]), seen.extend, Delivery()).run(None)


def test_items_of_a_rebuild_are_newer_than_all_before_and_older_than_all_after(db: Store) -> None:
    consumer = db.changes(Order, consumer="audit")
    fill(db, 4)
    before = [each.version for each in consumer]
    seen: list[Any] = []
    rebuilt = consumer.rebuild(seen.extend)
    fill(db, 4, first=4)
    after = [each.version for each in consumer]

    assert {each.version for each in seen} == {rebuilt.version}
    assert max(before) < rebuilt.version < min(after)


def test_a_worker_that_did_not_notice_a_rebuild_can_neither_read_on_nor_be_newer(
    fleet: Fleet, db: Store
) -> None:
    worker = fleet.worker()
    fleet.balance(worker)
    fill(db, 20)
    batches = fleet.driver.run(worker.round())
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        fleet.pass_seconds(seconds)

    fleet.driver._pause = wait
    rebuilt: Any = fleet.driver.run(rebuild(fleet, []))

    assert all(batch.version(999) < rebuilt.version for batch in batches)
    assert waits == [LEASE_SECONDS]
    assert not any(fleet.driver.run(worker.confirm(batch.held)) for batch in batches)
    assert not any(fleet.driver.run(worker.acknowledge(batch, 1)) for batch in batches)


def test_no_epoch_is_drawn_for_leases_from_before_a_rebuild(fleet: Fleet, db: Store) -> None:
    worker = fleet.worker()
    fleet.balance(worker)
    record, lease = worker.record, next(iter(worker.held.values())).lease
    fleet.driver.run(worker.stop())
    fleet.driver.run(rebuild(fleet, []))
    again = fleet.driver.run(fleet.state().acquire(record, lease, "late"))
    now: Any = fleet.driver.run(fleet.state().read())

    assert again is None
    assert now.epoch == now.rebuild == record.epoch + 3


def test_a_stale_worker_of_before_a_rebuild_does_not_make_the_consumer_stale_again(
    fleet: Fleet, db: Store
) -> None:
    worker = fleet.worker()
    fleet.balance(worker)
    fleet.driver.run(worker.stop())
    fleet.driver.run(rebuild(fleet, []))
    stored = fleet.driver.run(fleet.state().become_stale(worker.record, "records are gone"))

    assert stored is False
    assert fleet.driver.run(fleet.state().read()).condition == "reading"  # type: ignore[union-attr]
    fleet.balance(worker, times=2)
    assert worker.held


class Program:
    """A program that rebuilds, and can be held up."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet, self.steps = fleet, flat(rebuild(fleet, []))
        self.answer: Any = None

    def run(self, until: str = "") -> None:
        """Go on until it has sent an operation, or to its end."""
        error: Exception | None = None
        with suppress(StopIteration):
            while True:
                step = self.steps.throw(error) if error else self.steps.send(self.answer)
                error = self.answer = None
                try:
                    self.answer = self._result(step)
                except ServiceError as raised:
                    error = raised
                if isinstance(step, Call) and step.operation == until:
                    return

    def _result(self, step: Any) -> Any:
        if isinstance(step, Call):
            return self.fleet.engine.call(*step)
        return self.fleet.pass_seconds(step.seconds) if isinstance(step, Pause) else step.run()


def test_of_two_rebuilds_that_begin_together_the_second_one_wins_with_its_own_position(
    fleet: Fleet, db: Store
) -> None:
    fill(db, 8)
    fleet.balance(fleet.worker())
    first, second = Program(fleet), Program(fleet)
    first.run(until="DeleteItem")
    second.run(until="Scan")
    # The first one would record these shards as ended, as a scan that comes later shows what they have.
    fill(db, 4, first=8)
    fleet.engine.roll_shards("shop")
    with pytest.raises(StoreError, match="Another program reads table 'shop'"):
        first.run()
    second.run()
    worker = fleet.worker()
    fleet.balance(worker, times=4)

    assert set(range(8, 12)) <= set(fleet.numbers())


def test_a_rebuild_that_died_before_its_position_was_stored_waits_for_workers_again(
    fleet: Fleet, db: Store
) -> None:
    fleet.balance(fleet.worker())
    Program(fleet).run(until="DeleteItem")
    waits: list[float] = []
    fleet.driver._pause = waits.append

    fleet.driver.run(rebuild(fleet, []))

    assert waits == [LEASE_SECONDS]


def test_while_a_consumer_is_rebuilt_its_workers_say_so(fleet: Fleet, db: Store) -> None:
    fill(db, 2)
    Program(fleet).run(until="Scan")

    with pytest.raises(ConsumerStale, match="has not finished reading the whole table"):
        fleet.balance(fleet.worker())
