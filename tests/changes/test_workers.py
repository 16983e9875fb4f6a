"""Workers beside each other: their shares, what they leave behind, and the positions they begin with."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from pksk import Clock, ConsumerStale, Engine, Partitioning, connect
from pksk.changes.consumer_state import ConsumerState
from pksk.changes.delivery import Deliverer, Delivery
from pksk.changes.rounds import Consumption, Rounds, process
from pksk.changes.shards import SharedReaders
from pksk.changes.worker import Batch, Settings, Worker
from pksk.dataclass import replace
from pksk.model.changes.stream_changes import change_filter
from pksk.sending import Core
from pksk.sending.driver import Driver
from tests.changes.shop import Order, fill, shop
from tests.changes.test_missed_changes import NeverCloses, stream

DAY, HOUR, LEASE_SECONDS = 24 * 3600.0, 3600.0, 30.0


class Fleet:
    """Workers on one engine whose clocks a test moves."""

    def __init__(self, engine: Engine, clock: Clock, client: Any = None) -> None:
        self.engine, self.clock, self.now = engine, clock, 0.0
        self.driver = Driver(client or engine)
        self.read: list[str] = []

    def worker(self, consumer: str = "audit", **options: Any) -> Worker:
        readers = options.pop("readers", None)
        settings = Settings(
            consumer,
            sources="the whole table",
            lease_seconds=LEASE_SECONDS,
            monotonic=lambda: self.now,
            **options,
        )
        return Worker(Core(clock=self.clock), shop, settings, readers=readers)

    def round(self, worker: Worker) -> list[Batch]:
        """Read once and acknowledge everything."""
        batches = self.driver.run(worker.round())
        for batch in batches:
            self.read += [each["dynamodb"]["Keys"]["sk"]["S"] for each in batch.records]
            self.driver.run(worker.acknowledge(batch, len(batch.records)))
        return batches

    def balance(self, *workers: Worker, times: int = 1) -> None:
        for _ in range(times):
            self.pass_seconds(LEASE_SECONDS / 2)
            for each in workers:
                self.round(each)

    def pass_seconds(self, seconds: float) -> None:
        self.now += seconds
        self.clock.advance(seconds)

    def state(self, consumer: str = "audit") -> ConsumerState:
        return ConsumerState(Core(clock=self.clock), "pksk-changes", consumer, "shop")

    def consumption(self, worker: Worker, handler: Any, **options: Any) -> Consumption:
        deliverer = Deliverer(worker, change_filter([shop]), handler, Delivery(**options))
        return Consumption(Rounds(worker, follow=True), deliverer)

    def numbers(self) -> list[int]:
        return sorted(int(each.partition("#")[2]) for each in self.read)


@pytest.fixture
def fleet(clock: Clock) -> Iterator[Fleet]:
    """A fleet on a table with four shards."""
    with Engine.open(clock=clock, partitioning=Partitioning(partitions=4)) as engine:
        engine.call("CreateTable", shop.create_request())
        yield Fleet(engine, clock)


@pytest.mark.parametrize(("workers", "shares"), [(1, [4]), (2, [2, 2]), (3, [1, 1, 2]), (5, [0, 1, 1, 1, 1])])
def test_shares_differ_by_one_at_most(fleet: Fleet, workers: int, shares: list[int]) -> None:
    all_workers = [fleet.worker() for _ in range(workers)]
    fleet.balance(*all_workers, times=5)

    assert sorted(len(each.held) for each in all_workers) == shares
    assert len({shard for each in all_workers for shard in each.held}) == 4


def test_a_worker_that_ended_without_a_word_is_taken_over_and_forgotten(fleet: Fleet) -> None:
    dead, alive = fleet.worker(), fleet.worker()
    fleet.balance(dead, alive, times=3)
    fleet.balance(alive, times=4)

    assert len(alive.held) == 4
    assert [each.owner for each in fleet.driver.run(fleet.state().workers())] == [alive.owner]
    batch = next(iter(dead.held.values()))
    assert fleet.driver.run(dead.confirm(batch)) is False
    assert dead.owner != alive.owner


def test_a_worker_with_a_slow_handler_keeps_all_its_leases(fleet: Fleet) -> None:
    slow, other = fleet.worker(), fleet.worker()
    fleet.balance(slow, other, times=4)
    delivered: list[int] = []

    def handle(changes: list[Any]) -> None:
        delivered.append(len(changes))
        fleet.pass_seconds(5)
        fleet.driver.run(other.round())

    with connect(fleet.engine) as db:
        fill(db, 3000)
    fleet.driver.run(fleet.consumption(slow, handle).round(lambda: False))

    assert sum(delivered) * 5 / 100 > 2 * LEASE_SECONDS
    assert len(slow.held) == len(other.held) == 2
    assert len(fleet.driver.run(fleet.state().workers())) == 2


def test_a_slow_handler_does_not_cost_the_other_consumers_of_its_program_their_leases(fleet: Fleet) -> None:
    slow, quick, rival = fleet.worker("slow"), fleet.worker("quick"), fleet.worker("quick")
    fleet.balance(slow, quick, times=2)
    stopped: list[bool] = []

    def handle(changes: list[Any]) -> None:
        fleet.pass_seconds(10)
        fleet.driver.run(rival.round())
        stopped.append(True)

    with connect(fleet.engine) as db:
        fill(db, 100)
    consumers = [fleet.consumption(slow, handle, batch_size=5), fleet.consumption(quick, lambda _: None)]
    fleet.driver.run(process(consumers[:2], lambda: len(stopped) > 15))

    rival_epochs = [held.lease.epoch for held in rival.held.values()]
    assert len(stopped) * 10 > 2 * LEASE_SECONDS
    assert rival_epochs == []


def test_a_takeover_is_logged_with_what_may_be_wrong(fleet: Fleet, caplog: pytest.LogCaptureFixture) -> None:
    blocked, alive = fleet.worker(), fleet.worker()
    fleet.balance(blocked, alive, times=3)
    with caplog.at_level(logging.WARNING, "pksk.changes"):
        fleet.balance(alive, times=4)

    assert f"worker {blocked.owner} has not renewed its lease for 30 s" in caplog.messages[0]
    assert len(caplog.messages) == 2


def test_a_reader_that_is_to_end_looks_often_for_leases_that_others_release(fleet: Fleet) -> None:
    other, reader = fleet.worker(), fleet.worker()
    fleet.balance(other, times=2)
    rounds = Rounds(reader, follow=False)
    seconds: list[float] = []
    while fleet.driver.run(rounds.poll()) is not None:
        seconds.append(rounds.pause)
        fleet.pass_seconds(rounds.pause)
        if len(seconds) == 3:
            fleet.driver.run(other.stop())

    assert sum(seconds) < 2


class ForgetsStream:
    """A client of a service whose DescribeTable returns once what was true before."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.lags = engine, False

    def call(self, operation: str, request: Any) -> dict[str, Any]:
        answer = self.engine.call(operation, request)
        if operation == "DescribeTable" and request["TableName"] == "shop" and self.lags:
            self.lags = False
            del answer["Table"]["LatestStreamArn"], answer["Table"]["StreamSpecification"]
        return answer


def test_one_old_answer_about_the_table_does_not_make_a_consumer_stale(fleet: Fleet) -> None:
    client = ForgetsStream(fleet.engine)
    fleet.driver = Driver(client)
    worker = fleet.worker()
    fleet.balance(worker, times=2)
    client.lags = True
    fleet.balance(worker, times=4)

    assert not client.lags
    assert fleet.driver.run(fleet.state().read()).condition == "reading"  # type: ignore[union-attr]


def test_consumers_of_two_programs_share_their_shards_in_the_same_way(fleet: Fleet) -> None:
    programs = [SharedReaders("audit+search", monotonic=lambda: fleet.now) for _ in range(2)]
    workers = {
        (number, consumer): fleet.worker(consumer, readers=readers)
        for number, readers in enumerate(programs)
        for consumer in ("audit", "search")
    }
    for number in range(2):
        fleet.balance(*(each for (program, _), each in workers.items() if program <= number), times=4)

    for number in range(2):
        assert workers[number, "audit"].held.keys() == workers[number, "search"].held.keys()
        assert len(workers[number, "audit"].held) == 2


def test_leases_of_shards_that_are_gone_are_removed(fleet: Fleet) -> None:
    worker = fleet.worker()
    with connect(fleet.engine) as db:
        for number in range(8):
            fill(db, 4, first=4 * number)
            fleet.engine.roll_shards("shop")
            fleet.pass_seconds(10 * HOUR)
            fleet.balance(worker, times=6)
        leases = fleet.driver.run(fleet.state().leases(worker.record.leases))

    assert fleet.numbers() == list(range(32))
    assert len(leases) <= 4 * 7  # of 68 shards: those that are listed, and the parents of the oldest


@pytest.mark.parametrize("start", ["", "@1"])
def test_a_shard_whose_first_records_were_trimmed_before_they_were_read_makes_the_consumer_stale(
    fleet: Fleet, start: str
) -> None:
    worker = fleet.worker(start=start and f"@{fleet.clock():.0f}")
    fleet.balance(worker)
    fleet.driver.run(worker.stop())
    with connect(fleet.engine) as db:
        fleet.pass_seconds(HOUR)
        fill(db, 10)
        fleet.pass_seconds(2 * HOUR)
        fill(db, 10, first=10)
    fleet.pass_seconds(22.5 * HOUR)

    with pytest.raises(ConsumerStale, match="TrimmedDataAccessException"):
        fleet.balance(fleet.worker(), times=2)


class HidesClosed:
    """A client of a service one of whose lists of shards lacks those that are closed."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.hides = engine, False

    def call(self, operation: str, request: Any) -> dict[str, Any]:
        answer = self.engine.call(operation, request)
        if operation == "DescribeStream" and self.hides:
            self.hides = False
            description = answer["StreamDescription"]
            description["Shards"] = [
                each
                for each in description["Shards"]
                if "EndingSequenceNumber" not in each["SequenceNumberRange"]
            ]
        return answer


def test_a_shard_that_one_list_lacked_is_not_read_again(fleet: Fleet) -> None:
    client = HidesClosed(fleet.engine)
    fleet.driver = Driver(client)
    worker = fleet.worker()
    with connect(fleet.engine) as db:
        for number in range(3):
            fill(db, 4, first=4 * number)
            fleet.balance(worker, times=3)
            fleet.engine.roll_shards("shop")
            fleet.balance(worker, times=3)
        client.hides = True
        fleet.balance(worker, times=6)

    assert not client.hides
    assert fleet.numbers() == list(range(12))


class HidesChildren:
    """A client of a service whose list of shards is incomplete for a while."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.hides = engine, True

    def call(self, operation: str, request: Any) -> dict[str, Any]:
        answer = self.engine.call(operation, request)
        if operation == "DescribeStream" and self.hides:
            description = answer["StreamDescription"]
            description["Shards"] = [each for each in description["Shards"] if "ParentShardId" not in each]
        return answer


def test_children_that_are_listed_late_are_read(fleet: Fleet) -> None:
    client = HidesChildren(fleet.engine)
    fleet.driver = Driver(client)
    worker = fleet.worker()
    with connect(fleet.engine) as db:
        fill(db, 10)
        fleet.engine.roll_shards("shop")
        fill(db, 10, first=10)
    fleet.balance(worker, times=4)
    before = fleet.numbers()
    client.hides = False
    fleet.balance(worker, times=3)

    assert before == list(range(10))
    assert fleet.numbers() == list(range(20))


def test_a_shard_that_follows_shards_which_were_gone_makes_the_consumer_stale(fleet: Fleet) -> None:
    client = HidesChildren(fleet.engine)
    fleet.driver = Driver(client)
    worker = fleet.worker()
    with connect(fleet.engine) as db:
        fill(db, 10)
        fleet.engine.roll_shards("shop")
        fill(db, 10, first=10)
        fleet.balance(worker, times=3)
        fleet.driver.run(worker.stop())
        fleet.engine.roll_shards("shop")
        fleet.pass_seconds(DAY + HOUR)
        fill(db, 10, first=20)
    client.hides = False

    with pytest.raises(ConsumerStale, match="follows shards that were gone before they were read"):
        fleet.balance(fleet.worker(), times=3)


class ForgetsNumbers:
    """A client of a server whose sequence numbers begin again, under the same ARN."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def call(self, operation: str, request: Any) -> dict[str, Any]:
        if request.get("ShardIteratorType") == "AFTER_SEQUENCE_NUMBER":
            request = {**request, "SequenceNumber": "999999999999999999999"}
        return self.engine.call(operation, request)


def test_a_position_that_the_shard_does_not_know_makes_the_consumer_stale(fleet: Fleet) -> None:
    worker = fleet.worker()
    with connect(fleet.engine) as db:
        fill(db, 10)
        fleet.balance(worker)
        fleet.driver.run(worker.stop())
        fleet.driver = Driver(ForgetsNumbers(fleet.engine))

        with pytest.raises(ConsumerStale, match="Invalid SequenceNumber"):
            fleet.balance(fleet.worker(), times=2)


def test_records_in_memory_are_bounded(fleet: Fleet) -> None:
    with connect(fleet.engine) as db:
        fill(db, 100)
    few = fleet.worker("few", max_records=8)
    small = fleet.worker("small", max_bytes=1_000_000)
    fleet.driver.run(few.round())
    batches = fleet.driver.run(few.round())
    one = fleet.driver.run(small.round())

    assert 0 < sum(len(each.records) for each in batches) <= 8
    assert len(one) == 1  # of four shards, each of which may answer with a megabyte


def test_a_shared_reader_reads_on_though_the_clock_of_the_machine_was_set_back(fleet: Fleet) -> None:
    readers = SharedReaders("audit", monotonic=lambda: fleet.now)
    worker = fleet.worker(readers=readers)
    fleet.balance(worker, times=2)
    worker.core.clock.advance(-10 * HOUR)  # type: ignore[attr-defined]
    with connect(fleet.engine) as db:
        fill(db, 10)
    fleet.now += 1
    fleet.round(worker)

    assert fleet.numbers() == list(range(10))


def test_a_third_reader_is_warned_about_once(fleet: Fleet, caplog: pytest.LogCaptureFixture) -> None:
    workers = [fleet.worker(name) for name in ("audit", "search", "counts")]
    with caplog.at_level(logging.WARNING, "pksk.changes"):
        fleet.balance(*workers[:2], times=4)
        with_two = list(caplog.messages)
        fleet.balance(*workers, times=4)

    assert with_two == []
    assert len(caplog.messages) == 3  # each worker says it
    assert "consumers audit, counts, search" in caplog.messages[0]


def test_consumers_that_share_their_readers_count_as_one(
    fleet: Fleet, caplog: pytest.LogCaptureFixture
) -> None:
    readers = SharedReaders("audit+counts+search", monotonic=lambda: fleet.now)
    workers = [fleet.worker(name, readers=readers) for name in ("audit", "search", "counts")]
    with caplog.at_level(logging.WARNING, "pksk.changes"):
        fleet.balance(*workers, times=4)

    assert caplog.messages == []


def test_a_change_after_a_retry_is_newer_than_the_retry(fleet: Fleet) -> None:
    from pksk.changes.dead_letters import add_dead_letter

    worker = fleet.worker()
    with connect(fleet.engine) as db:
        db.put(Order(customer="ann", number=1))
        fleet.pass_seconds(LEASE_SECONDS)
        (batch,) = fleet.driver.run(worker.round())
        version = batch.version(0)
        fleet.driver.run(add_dead_letter(worker.state, batch.records[0], "shard", ValueError("no"), version))
        fleet.driver.run(worker.acknowledge(batch, 1))
        db.put(Order(customer="ann", number=1, total=5))
        consumer, seen = db.changes(shop, consumer="audit"), list[Any]()
        (letter,) = consumer.dead_letters()
        consumer.retry(letter, seen.extend)
        (later,) = fleet.driver.run(worker.round())

    assert seen[0].new.total == 5
    assert version == seen[0].version < later.version(0)


def test_a_position_that_arrives_late_after_its_repetition_does_not_move_the_lease_back(fleet: Fleet) -> None:
    worker = fleet.worker()
    fleet.balance(worker)
    lease = next(iter(worker.held.values())).lease
    first = replace(lease, position="5")
    saved = fleet.driver.run(worker.state.save(worker.record.leases, first))
    assert saved is not None
    fleet.driver.run(worker.state.save(worker.record.leases, replace(saved, position="7", ended=True)))
    late = fleet.driver.run(worker.state.save(worker.record.leases, first))
    leases = fleet.driver.run(worker.state.leases(worker.record.leases))

    assert late is None
    assert (leases[lease.shard].position, leases[lease.shard].ended) == ("7", True)


def test_workers_together_notice_a_new_stream_though_the_old_one_never_ends(fleet: Fleet) -> None:
    fleet.driver = Driver(NeverCloses(fleet.engine))
    workers = [fleet.worker(), fleet.worker()]
    with connect(fleet.engine) as db:
        fill(db, 20)
        fleet.balance(*workers, times=3)
        for enabled in (False, True):
            stream(fleet.engine, enabled=enabled)
            fleet.pass_seconds(1)

    assert fleet.numbers() == list(range(20))
    assert all(each.held for each in workers)
    with pytest.raises(ConsumerStale, match="another stream now"):
        fleet.balance(*workers, times=4)
