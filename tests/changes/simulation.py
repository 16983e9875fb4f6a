"""Workers of one consumer beside each other, one step at a time, on a clock of the test, with crashes and faults.

The sink keeps for each item the image with the highest version, as an index does. Handlers whose worker dies while they
write may have their effect later.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from pksk import Clock, Engine, Entity, Key, Partitioning, Put, Table
from pksk.changes.consumer_state import ConsumerState
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
from pksk.sending import Call, Core, Pause, Steps, Together
from pksk.sending.driver import Driver
from pksk.sending.operation import Effect
from pksk.sending.retry import Retry

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
    delivered: dict[str, list[str]] = field(default_factory=dict)

    def apply(self, changes: list[Change[Any]]) -> None:
        """Write changes, but for those with a lower version than what is there."""
        self.note(changes)
        for change in changes:
            key = change.key["pk"]["S"]
            if change.version >= self.images.get(key, (0, None))[0]:
                self.images[key] = change.version, None if change.new is None else change.new.value

    def note(self, changes: list[Change[Any]]) -> None:
        """Note that changes were delivered."""
        for change in changes:
            self.delivered.setdefault(change.key["pk"]["S"], []).append(change.sequence_number)

    @property
    def items(self) -> dict[str, int]:
        """The items that exist."""
        return {key: value for key, (_, value) in self.images.items() if value is not None}


class Crash(BaseException):
    """A process was killed."""


def flat(steps: Steps[Any]) -> Generator[Call | Pause | Effect, Any, Any]:
    """Steps without parallel ones, which run one after the other."""
    answer: Any = None
    error: BaseException | None = None
    while True:
        try:
            step = steps.throw(error) if error is not None else steps.send(answer)
        except StopIteration as done:
            return done.value
        error = None
        try:
            if isinstance(step, Together):
                answer = []
                for each in step.runs:
                    answer.append((yield from flat(each)))
            else:
                answer = yield step
        except GeneratorExit:
            steps.close()
            raise
        except BaseException as raised:
            error = raised


class Process:
    """A worker process: the steps that it is at, and when it goes on."""

    def __init__(self, steps: Steps[Any], now: float) -> None:
        self.steps = flat(steps)
        self.answer: Any = None
        self.error: BaseException | None = None
        self.wakes_at = now

    def advance(self) -> Call | Pause | Effect:
        """Its next step."""
        error, self.error = self.error, None
        answer, self.answer = self.answer, None
        return self.steps.throw(error) if error is not None else self.steps.send(answer)

    def kill(self) -> None:
        """End it at once: what it would still send, such as the release of its leases, is not sent."""
        try:
            while True:
                self.steps.throw(Crash())
        except (Crash, StopIteration):
            pass


@dataclass(frozen=True)
class Rules:
    """The classes that a simulation runs; tests replace one by a version without one of its rules."""

    worker: type[Worker] = Worker
    deliverer: type[Deliverer] = Deliverer


class Poison(Exception):
    """A handler cannot process a change."""


@dataclass
class Consumer:
    """One consumer: its sink, what was written since it began, and whether it may have missed changes."""

    name: str
    sink: Sink = field(default_factory=Sink)
    written: dict[str, int] = field(default_factory=dict)
    may_be_stale: bool = False
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
        """Start a worker, of at most three: of one consumer, or of all, which then share their readers."""
        if len(self.processes) < 3:
            names = self.random.choice([[each] for each in self.consumers] + [list(self.consumers)])
            self.processes.append(Process(self._consume(names, follow=True), self.now))

    def crash(self) -> None:
        """Kill a worker."""
        if self.processes:
            self._kill(self.random.choice(self.processes))

    def wait(self) -> None:
        """Let time pass."""
        self._pass(self.random.choice([0.1, 0.5, 2.0, LEASE_SECONDS / 2]))

    def trim(self) -> None:
        """Let a day or less pass, in two parts, so that a part of a shard may be trimmed."""
        self.write()
        self._pass(self.random.choice([HOUR, 3 * HOUR, 12 * HOUR]))
        self.write()
        self._pass(self.random.choice([12 * HOUR, 22 * HOUR]))
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
            each.may_be_stale = True
            if not self._has_begun(each):
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
        return Core(retry=Retry(), clock=self.clock, chance=self.random.random)

    def _settings(self, name: str) -> Settings:
        return Settings(name, lease_seconds=LEASE_SECONDS, monotonic=lambda: self.now)

    def _state(self, name: str) -> ConsumerState:
        return ConsumerState(self._core(), Settings.state, name, table.name)

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
        except StopIteration:
            self.processes.remove(each)
        except Crash:
            self._kill(each)
        except ConsumerStale as stale:
            self.processes.remove(each)
            self._rebuild(stale)
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
        else:
            each.answer = self._call(step, each)

    def _call(self, step: Call, each: Process | None = None) -> Any:
        try:
            return self.engine.call(*step)
        except ServiceError as error:
            if each is not None:
                each.error = error
            return None

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

    def handle(self, consumer: Consumer, changes: list[Change[Any]]) -> None:
        """The handler of all workers."""
        if self.faults and any(each.new is not None and each.new.value % POISON == 0 for each in changes):
            self.dead_letters += len(changes) == 1
            consumer.sink.note(changes)
            raise Poison("no")
        if self.fate == "late":
            self._later(lambda: consumer.sink.apply(changes))
        if self.fate:
            raise Crash
        consumer.sink.apply(changes)

    def _later(self, effect: Callable[[], object]) -> None:
        self.late.append((self.now + self.random.uniform(0, 3 * LEASE_SECONDS), effect))

    def _kill(self, each: Process) -> None:
        self.processes.remove(each)
        each.kill()
        self.kills += 1

    def _rebuild(self, stale: ConsumerStale) -> None:
        """Fill the sink from the table, with crashes and beside other writers; what is only in the sink goes."""
        consumer = next(each for each in self.consumers.values() if f"'{each.name}'" in str(stale))
        assert consumer.may_be_stale or "has not finished" in str(stale)
        for each in list(self.processes):
            self._kill(each)
        self.late.clear()
        consumer.sink = Sink()
        consumer.may_be_stale = consumer.began_late = False
        self.rebuilds += 1
        while not self._rebuilt(consumer):
            pass
        # What was written meanwhile is in the stream or was scanned: the sink shows it.
        consumer.written = {}

    def _has_begun(self, consumer: Consumer) -> bool:
        record = self._run(self._state(consumer.name).read())
        return record is not None and record.begun

    def _rebuilt(self, consumer: Consumer) -> bool:
        """One program that rebuilds; False if it was killed."""
        self.fate = ""
        settings, handler = self._settings(consumer.name), partial(self.handle, consumer)
        steps = flat(
            Rebuild(self._core(), table, settings, FILTER, handler, Delivery()).run(
                self.random.choice([None, 0.5])
            )
        )
        answer: Any = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as done:
                return bool(done.value.complete)
            if self.faults and self.random.random() < 0.05:
                return False
            if self.faults and self.random.random() < 0.1:
                self.write()
            faults, self.faults = self.faults, False
            answer = step.run() if isinstance(step, Effect) else self._now(step)
            self.faults = faults

    def _run(self, steps: Steps[Any]) -> Any:
        """The result of steps, without faults."""
        self.fate = ""
        return Driver(self.engine, pause=self._pass).run(steps)

    def _now(self, step: Call | Pause) -> Any:
        return self.engine.call(*step) if isinstance(step, Call) else self._pass(step.seconds)

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
            first = list(dict.fromkeys(number for number in numbers if number.isdigit()))
            if first != sorted(first, key=int):
                return f"changes of {key} were reordered: {first}"
        for key, count in consumer.written.items():
            numbers = sink.delivered.get(key, [])
            if len({number for number in numbers if number.isdigit()}) < count:
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
