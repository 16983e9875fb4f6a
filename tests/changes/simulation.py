"""Workers of one consumer beside each other, one step at a time, on a clock of the test, with crashes and faults.

The sink keeps for each item the image with the highest version, as an index does. Handlers whose worker dies while they
write may have their effect later.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from pksk import Clock, Engine, Entity, Key, Partitioning, Put, Table
from pksk.changes.consumer_state import ORDINAL_BITS, ConsumerState
from pksk.changes.dead_letters import list_dead_letters, retry_dead_letter
from pksk.changes.delivery import Deliverer, Delivery
from pksk.changes.rebuild import Rebuild
from pksk.changes.rounds import Consumption, Rounds, process
from pksk.changes.shards import SharedReaders
from pksk.changes.worker import Settings, Worker
from pksk.client import NO_ANSWER, ServiceError
from pksk.errors import ConsumerStale, InvalidValue, PkskError
from pksk.model.changes import Change
from pksk.model.changes.stream_changes import change_filter
from pksk.sending import Call, Core, Pause, Steps
from pksk.sending.driver import Driver
from pksk.sending.operation import Effect
from pksk.sending.retry import Retry
from tests.changes.processes import Crash, Process

table = Table("things", sk=None, stream="NEW_AND_OLD_IMAGES")
KEYS = "abcdef"
LEASE_SECONDS = 10.0
HOUR = 3600.0
# Handlers cannot process these values, and every multiple of them.
POISON = 13


class Thing(Entity, table=table):
    """An item that changes often."""

    id: str
    value: int
    primary = Key("{id}")


FILTER = change_filter([table])


@dataclass
class Sink:
    """What handlers wrote: the image of each item with its version, and every change that was delivered."""

    images: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    # Each item's changes with their versions, and those since the last rebuild.
    delivered: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    recent: dict[str, set[int]] = field(default_factory=dict)
    rebuilt: list[int] = field(default_factory=list)

    def apply(self, changes: list[Change[Any]]) -> None:
        """Write changes, but for those with a lower version than what is there."""
        self.note(changes)
        self.write(changes)

    def write(self, changes: list[Change[Any]]) -> None:
        """Write changes that were delivered before."""
        for change in changes:
            key = change.key["pk"]["S"]
            if change.version >= self.images.get(key, (0, None))[0]:
                self.images[key] = change.version, None if change.new is None else change.new.value

    def note(self, changes: list[Change[Any]]) -> None:
        """Note that changes were delivered."""
        for change in changes:
            key = change.key["pk"]["S"]
            if change.sequence_number.isdigit():  # those of a rebuild have none
                number = int(change.sequence_number)
                self.delivered.setdefault(key, []).append((change.version, number))
                self.recent.setdefault(key, set()).add(number)

    def keep(self, version: int) -> None:
        """Remove what was not written with this version or a larger one: it is no longer in the table."""
        self.images = {
            key: image if image[0] >= version else (version, None) for key, image in self.images.items()
        }
        self.recent.clear()
        self.rebuilt.append(version)

    def is_ordered(self, key: str) -> bool:
        """Whether the changes of an item came in order, apart from repetitions; each stream has numbers of its own."""
        parts: dict[int, list[int]] = {}
        for version, number in self.delivered[key]:
            parts.setdefault(bisect(self.rebuilt, version), []).append(number)
        firsts = (list(dict.fromkeys(numbers)) for numbers in parts.values())
        return all(numbers == sorted(numbers) for numbers in firsts)

    @property
    def items(self) -> dict[str, int]:
        """The items that exist."""
        return {key: value for key, (_, value) in self.images.items() if value is not None}


@dataclass(frozen=True)
class Rules:
    """The classes that a simulation runs; tests replace one by a version without one of its rules."""

    worker: type[Worker] = Worker
    state: type[ConsumerState] = ConsumerState
    deliverer: type[Deliverer] = Deliverer


class Poison(Exception):
    """A handler cannot process a change."""


@dataclass
class Consumer:
    """One consumer: its sink, what was written since it began, and when it may have missed changes."""

    name: str
    sink: Sink = field(default_factory=Sink)
    written: dict[str, int] = field(default_factory=dict)
    # The epochs at which changes may have been missed.
    hazards: list[int] = field(default_factory=list)
    # It began when older changes were gone, so that its sink lacks items which have not changed since.
    began_late: bool = False


class Simulation:
    """One trial: random actions, then a calm time in which a single worker catches up."""

    def __init__(self, seed: int, rules: Rules = Rules()) -> None:
        self.random, self.rules = Random(seed), rules
        self.now = 0.0
        self.clock = Clock(1_790_000_000)
        self.engine = Engine.open(clock=self.clock, partitioning=Partitioning(partitions=2))
        self.engine.call("CreateTable", table.create_request())
        self.items: dict[str, int] = {}
        self.consumers = {
            name: Consumer(name) for name in self.random.choice([("audit",), ("audit", "search")])
        }
        self.processes: list[Process] = []
        # How far the clocks of workers are from the engine's, and which shards are not listed yet.
        self.skew = 0.0
        self.listed_at: dict[str, float] = {}
        # What has its effect later: changes of a handler whose worker died, and calls that were not answered.
        self.late: list[tuple[float, Callable[[], object]]] = []
        self.faults, self.fate = True, ""
        self.value = 0
        self.rebuilds = self.kills = self.late_effects = self.dead_letters = self.trims = 0

    # Actions

    def run(self, actions: int) -> None:
        """Random actions, and then calm."""
        choices: list[tuple[int, Callable[[], None]]] = [
            (14, self.write),
            (1, self.roll),
            (1, self.split),
            (2, self.start),
            (1, self.crash),
            (3, self.wait),
            (1, self.retry_dead_letters),
            (1, self.jump),
            (60, self.step),
        ]
        weights, functions = zip(*choices, strict=True)
        for _ in range(actions):
            self.random.choices(functions, weights)[0]()
            if self.random.random() < 0.002:
                self.disable_and_enable()
            if self.random.random() < 0.002:
                self.trim()
        self.calm()

    def write(self) -> None:
        """Change an item."""
        key, self.value = self.random.choice(KEYS), self.value + 1
        if key in self.items and self.random.random() < 0.3:
            self.engine.call("DeleteItem", {"TableName": table.name, "Key": {"pk": {"S": key}}})
            del self.items[key]
        else:
            self.engine.call("PutItem", Put(Thing(id=key, value=self.value)).request)
            self.items[key] = self.value
        for each in self.consumers.values():
            each.written[key] = each.written.get(key, 0) + 1

    def roll(self) -> None:
        """Close the open shards, as happens every four hours."""
        self.engine.roll_shards(table.name)

    def split(self) -> None:
        """Split a partition, as happens under load."""
        with suppress(InvalidValue):  # an item alone in its partition
            self.engine.split(table.name, at=self.random.choice(KEYS))

    def start(self) -> None:
        """Start a worker, of at most four: of one consumer, or of all, which then share their readers."""
        if len(self.processes) < 4:
            names = self.random.choice([[each] for each in self.consumers] + [list(self.consumers)])
            self.processes.append(Process(self._consume(names, follow=True), self.now))

    def crash(self) -> None:
        """Kill a worker."""
        if self.processes:
            self._kill(self.random.choice(self.processes))

    def wait(self) -> None:
        """Let time pass."""
        self._pass(self.random.choice([0.1, 0.5, 2.0, LEASE_SECONDS / 2]))

    def jump(self) -> None:
        """Set the clock of the workers, which a machine may do at any time."""
        self.skew = self.random.choice([-HOUR, -60.0, 0.0, 60.0, 24 * HOUR])

    def trim(self) -> None:
        """Let a day or so pass, in two parts, so that a part of a shard may be trimmed.

        No sum of these is a little less than a day: what is trimmed is trimmed here.
        """
        self.write()
        self._pass(self.random.choice([1.0, 3.0, 11.0]) * HOUR)
        self.write()
        self._pass(self.random.choice([12.5, 22.3]) * HOUR)
        self.trims += 1
        self._may_miss_changes()

    def disable_and_enable(self) -> None:
        """Disable the stream, change an item, and enable a new stream."""
        for enabled in (False, True):
            specification: dict[str, Any] = {"StreamEnabled": enabled}
            if enabled:
                specification["StreamViewType"] = "NEW_AND_OLD_IMAGES"
            self.engine.call("UpdateTable", {"TableName": table.name, "StreamSpecification": specification})
            self.write()
            self._pass(1)
        self._may_miss_changes()

    def _may_miss_changes(self) -> None:
        """A consumer may be stale from now on; one that has not begun has not missed anything."""
        for each in self.consumers.values():
            record = self._run(self._state(each.name).read())
            each.hazards.append(0 if record is None else record.epoch)
            if record is None or not record.begun:
                each.written, each.began_late = {}, True

    def retry_dead_letters(self) -> None:
        """Retry all dead letters, beside workers that run."""
        for consumer in self.consumers.values():
            state = self._state(consumer.name)
            for letter in self._run(list_dead_letters(state)) if self._has_begun(consumer) else ():
                retry = retry_dead_letter(state, table, FILTER, letter, consumer.sink.apply)
                self._run(retry)

    def step(self) -> None:
        """One step of one worker that is not waiting."""
        awake = [each for each in self.processes if each.wakes_at <= self.now]
        if awake:
            self._step(self.random.choice(awake))
        self._apply_late()

    def calm(self) -> None:
        """Kill all workers, and let one without faults catch up; after missed changes it reads the whole table."""
        for each in list(self.processes):
            self._kill(each)
        self.faults, self.fate = False, ""
        self._pass(4 * LEASE_SECONDS)
        self._apply_late()
        for name in (name for name in self.consumers for _ in range(3)):
            self.processes = [Process(self._consume([name], follow=False), self.now)]
            while self.processes:
                self._pass(max(0.0, self.processes[0].wakes_at - self.now))
                self._step(self.processes[0])
        self.retry_dead_letters()

    # Processes

    def _core(self) -> Core:
        return Core(retry=Retry(), clock=lambda: self.clock() + self.skew, chance=self.random.random)

    def _settings(self, name: str) -> Settings:
        return Settings(name, lease_seconds=LEASE_SECONDS, monotonic=lambda: self.now)

    def _state(self, name: str) -> ConsumerState:
        return self.rules.state(self._core(), Settings.state, name, table.name)

    def _consume(self, names: list[str], *, follow: bool) -> Steps[None]:
        readers = SharedReaders("+".join(names), monotonic=lambda: self.now) if len(names) > 1 else None
        parts = []
        for name in names:
            worker = self.rules.worker(
                self._core(), table, self._settings(name), self._state(name),
                readers,
            )  # fmt: skip
            worker.owner = f"{self.random.getrandbits(64):016x}"
            options = Delivery(
                batch_size=self.random.choice([1, 3, 100]), attempts=1, max_dead_letters=10_000
            )
            handler = partial(self.handle, self.consumers[name])
            deliverer = self.rules.deliverer(worker, FILTER, handler, options)
            parts.append(Consumption(Rounds(worker, follow=follow), deliverer))
        return process(parts, lambda: False)

    def _step(self, each: Process) -> None:
        try:
            self._answer(each, each.advance())
        except StopIteration as done:
            self.processes.remove(each)
            if each.rebuilds and not done.value.complete:
                self._rebuild(self.consumers[each.rebuilds])
        except Crash:
            self._kill(each)
        except ConsumerStale as stale:
            self.processes.remove(each)
            self._rebuild_stale(stale)
        except PkskError:
            assert self.faults
            self.processes.remove(each)

    def _answer(self, each: Process, step: Call | Pause | Effect) -> None:
        fault = self.random.random() if self.faults else 1.0
        if isinstance(step, Pause):
            each.wakes_at = self.now + step.seconds
        elif isinstance(step, Effect):
            self._effect(each, step, fault)
        elif fault < 0.01:
            raise Crash
        elif fault < 0.03:
            each.error = ServiceError("ThrottlingException", "Rate exceeded")
        elif fault < 0.05:
            each.error = ServiceError(NO_ANSWER, "No answer", 0)
            if fault < 0.037:
                self._call(step)
            elif fault < 0.044:
                self._later(lambda: self._call(step))
        elif fault < 0.07 and step.operation == "GetRecords":
            each.error = ServiceError("ExpiredIteratorException", "Iterator expired")
        else:
            each.answer = self._call(step, each)

    def _call(self, step: Call, each: Process | None = None) -> Any:
        try:
            answer = self.engine.call(*step)
        except ServiceError as error:
            if each is not None:
                each.error = error
            return None
        if step.request.get("UpdateExpression", "").startswith("SET #condition = :reading"):
            self._end_rebuild(step.request)
        if self.faults and step.operation == "DescribeStream":
            description = answer["StreamDescription"]
            description["Shards"] = list(self._listed(description["Shards"]))
        return answer

    def _listed(self, shards: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The shards of an incomplete list: children may come later than their parents have ended."""
        names, hidden = {each["ShardId"] for each in shards}, set()
        for shard in shards:
            name, parent = shard["ShardId"], shard.get("ParentShardId")
            delay = self.random.choice([0.0, 0.0, self.random.uniform(0, 2 * LEASE_SECONDS)])
            late = delay if parent in names else 0.0
            if parent in hidden or self.listed_at.setdefault(name, self.now + late) > self.now:
                hidden.add(name)
            else:
                yield shard

    def _effect(self, each: Process, step: Effect, fault: float) -> None:
        """Run a handler; the effect of a worker that dies meanwhile may come later, or never."""
        self.fate = "late" if fault < 0.06 else "lost" if fault < 0.08 else ""
        if 0.08 <= fault < 0.1:
            each.error = ConnectionError("what the handler calls is down")
            return
        try:
            step.run()
        except Poison as error:
            each.error = error

    def handle(self, consumer: Consumer, changes: list[Change[Any]], *, poison: bool = True) -> None:
        """The handler of all workers."""
        if (
            poison
            and self.faults
            and any(each.new is not None and each.new.value % POISON == 0 for each in changes)
        ):
            self.dead_letters += len(changes) == 1
            consumer.sink.note(changes)
            raise Poison("no")
        if self.fate == "late":
            consumer.sink.note(changes)
            self._later(lambda: consumer.sink.write(changes))
        if self.fate:
            raise Crash
        consumer.sink.apply(changes)

    def _later(self, effect: Callable[[], object]) -> None:
        self.late.append((self.now + self.random.uniform(0, 3 * LEASE_SECONDS), effect))

    def _kill(self, each: Process) -> None:
        self.processes.remove(each)
        each.kill()
        self.kills += 1

    def _rebuild_stale(self, stale: ConsumerStale) -> None:
        """Start to rebuild a consumer, beside workers and other programs that do."""
        consumer = next(each for each in self.consumers.values() if f"'{each.name}'" in str(stale))
        assert consumer.hazards or "has not finished" in str(stale), stale
        self._rebuild(consumer)

    def _rebuild(self, consumer: Consumer) -> None:
        handler = partial(self.handle, consumer, poison=False)
        rebuild = Rebuild(self._core(), table, self._settings(consumer.name), FILTER, handler, Delivery())
        steps = rebuild.run(self.random.choice([None, 0.5]))
        self.processes.append(Process(steps, self.now, consumer.name))

    def _end_rebuild(self, request: Mapping[str, Any]) -> None:
        """What is only in the sink goes; what was written so far was scanned, or is in the stream."""
        consumer = self.consumers[request["Key"]["pk"]["S"].partition("#")[0]]
        epoch = int(request["ExpressionAttributeValues"][":rebuild"]["N"])
        consumer.sink.keep(epoch << ORDINAL_BITS)
        consumer.written = {}
        consumer.hazards = [each for each in consumer.hazards if each >= epoch]
        consumer.began_late = False
        self.rebuilds += 1

    def _has_begun(self, consumer: Consumer) -> bool:
        record = self._run(self._state(consumer.name).read())
        return record is not None and record.begun

    def _run(self, steps: Steps[Any]) -> Any:
        """The result of steps, without faults."""
        self.fate = ""
        return Driver(self.engine, pause=self._pass).run(steps)

    def _pass(self, seconds: float) -> None:
        self.now += seconds
        self.clock.advance(seconds)

    def _apply_late(self) -> None:
        ready = [each for each in self.late if each[0] <= self.now]
        self.late = [each for each in self.late if each[0] > self.now]
        for _, effect in ready:
            effect()
            self.late_effects += 1

    # What must hold at the end

    def violation(self) -> str:
        """What is wrong at the end; empty if nothing is."""
        return next(filter(None, map(self._violation_of, self.consumers.values())), "")

    def _violation_of(self, consumer: Consumer) -> str:
        sink = consumer.sink
        for key, numbers in sink.delivered.items():
            if not sink.is_ordered(key):
                return f"changes of {key} were reordered: {numbers}"
        for key, count in consumer.written.items():
            if len(sink.recent.get(key, ())) < count:
                return f"changes of {key} are missing"
        found, expected = (
            {key: value for key, value in each.items() if key in consumer.written or not consumer.began_late}
            for each in (sink.items, self.items)
        )
        if found != expected:
            return f"the sink has {found}, and the table {expected}"
        return ""


def violation(seed: int, rules: Rules | None = None, actions: int = 400) -> str:
    """What goes wrong in one trial."""
    trial = Simulation(seed, rules or Rules())
    trial.run(actions)
    return trial.violation()
