"""Workers, backfills and repairs of one index beside each other, one step at a time, with crashes and late effects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Any

from pydantic import Field

from pksk import Clock, Engine, Entity, Key, Partitioning, Put, Table
from pksk.changes import Changes
from pksk.changes.delivery import Delivery
from pksk.changes.rounds import Consumption, Rounds
from pksk.changes.worker import Settings, Worker
from pksk.client import NO_ANSWER, ServiceError
from pksk.errors import ConsumerStale, InvalidValue, PkskError
from pksk.search import (
    EmbeddedSink,
    ItemWrite,
    Keyword,
    Number,
    Outcome,
    SearchDocument,
    SearchIndex,
    SyncCounts,
)
from pksk.search.table_sync import FencingSignal, TableSync, follow
from pksk.search.verification import repair, verify
from pksk.sending import Call, Core, Pause, Steps
from pksk.sending.driver import Driver
from pksk.sending.operation import Effect
from pksk.sending.retry import Retry
from tests.changes.processes import Crash, Process, flat

table = Table("things", sk=None, stream=True)
KEYS = "abcdefghijkl"
LEASE_SECONDS = 10.0
HOUR = 3600.0
# Documents cannot be made of these values while there are faults.
POISON = 17


class Faults:
    """Whether computed fields fail."""

    active = True


def computed(thing: Any, element: Any) -> int:
    """A computed field that fails for some values."""
    if Faults.active and thing.value % POISON == 0:
        raise ValueError("no")
    return int(thing.value)


class Thing(Entity, table=table):
    """An item that has a document for each of its parts, and changes often."""

    id: str
    value: int
    parts: list[str] = Field(default_factory=list)
    primary = Key("{id}")
    search = SearchDocument(
        {"value": Number(of=computed), "part": Keyword(of=lambda _, part: part)}, each="parts"
    )


class FaultySink(EmbeddedSink):
    """A sink whose caller may die while it writes; then the write comes later, or never."""

    def __init__(self, trial: Simulation) -> None:
        super().__init__(trial.index, clock=trial.clock)
        self.trial = trial

    def apply(self, writes: Sequence[ItemWrite]) -> list[Outcome]:
        fate = self.trial.fate()
        if fate == "late":
            self.trial.later(lambda: self.write(writes))
        if fate:
            raise Crash
        return self.write(writes)

    def write(self, writes: Sequence[ItemWrite]) -> list[Outcome]:
        """Apply writes at once."""
        if self.trial.rules.forgets_tombstones:
            self.purge(float("inf"))
        return super().apply(writes)


class SeededChanges(Changes[Any]):
    """A consumer whose workers are those of the trial."""

    trial: Simulation

    def consumption(self, handler: Any, options: Any, readers: Any = None, *, follow: bool) -> Consumption:
        consumption = super().consumption(handler, options, readers, follow=follow)
        worker = self.trial.rules.worker(self._core, self._table, self._settings)
        worker.owner = f"{self.trial.random.getrandbits(64):016x}"
        consumption.rounds = Rounds(worker, follow=follow)
        consumption.deliverer.worker = worker
        return consumption


class Rules:
    """What a trial runs; tests replace one rule by its absence."""

    def __init__(
        self,
        *,
        worker: type[Worker] = Worker,
        sync: type[TableSync] = TableSync,
        forgets_tombstones: bool = False,
    ) -> None:
        self.worker, self.sync, self.forgets_tombstones = worker, sync, forgets_tombstones


class Simulation:
    """One trial: random actions, then a calm time in which a single worker catches up."""

    def __init__(self, number: int, rules: Rules) -> None:
        self.random, self.rules = Random(number), rules
        self.now = 0.0
        self.clock = Clock(1_790_000_000)
        self.engine = Engine.open(clock=self.clock, partitioning=Partitioning(partitions=2))
        self.engine.call("CreateTable", table.create_request())
        self.index = SearchIndex("things", Thing)
        self.faults = Faults.active = True
        self.sink = FaultySink(self)
        self.items: dict[str, Thing] = {}
        self.processes: list[Process] = []
        self.late: list[tuple[float, Callable[[], object]]] = []
        self.late_calls: list[tuple[float, Callable[[], object]]] = []
        self.value = 0
        # The loss of positions would hide that changes were missed.
        self.loses_state = self.random.random() < 0.5
        self.fenced = self.rebuilds = self.repairs = self.backfills = self.late_effects = self.losses = 0

    def run(self, actions: int) -> None:
        """Random actions, and then calm."""
        choices: list[tuple[float, Callable[[], None]]] = [
            (14, self.write), (1, self.roll), (1, self.split), (2, self.start), (1, self.crash), (3, self.wait),
            (0.3, self.start_backfill), (0.7, self.start_repair), (1, self.retry_dead_letters), (60, self.step),
            (0.2, self.lose_state if self.loses_state else self.disable_and_enable),
        ]  # fmt: skip
        weights, functions = zip(*choices, strict=True)
        for _ in range(actions):
            self.random.choices(functions, weights)[0]()
        self.calm()

    # Actions

    def write(self) -> None:
        """Change an item: its value, and how many documents it has."""
        key, self.value = self.random.choice(KEYS), self.value + 1
        if key in self.items and self.random.random() < 0.3:
            self.engine.call("DeleteItem", {"TableName": table.name, "Key": {"pk": {"S": key}}})
            del self.items[key]
        else:
            parts = [f"p{number}" for number in range(self.random.randrange(4))]
            self.items[key] = Thing(id=key, value=self.value, parts=parts)
            self.engine.call("PutItem", Put(self.items[key]).request)

    def roll(self) -> None:
        """Close the open shards."""
        self.engine.roll_shards(table.name)

    def split(self) -> None:
        """Split a partition."""
        with suppress(InvalidValue):
            self.engine.split(table.name, at=self.random.choice(KEYS))

    def start(self) -> None:
        """Start a worker, of at most three processes."""
        options = Delivery(batch_size=self.random.choice([1, 3, 100]), attempts=1, max_dead_letters=10_000)
        self._start(follow([self.sync()], lambda: False, options=options))

    def start_backfill(self) -> None:
        """Start a backfill beside the workers."""
        self.backfills += 1
        self._start(self.sync().backfill())

    def start_repair(self) -> None:
        """Start a verification and a repair of all items, whether they differ or not."""
        self.repairs += 1
        self._start(self._repair())

    def _repair(self) -> Steps[None]:
        sync = self.sync()
        version = yield from sync.next_version()
        for key in KEYS:
            write = yield from sync.read_item({"pk": {"S": key}})
            sync.apply([ItemWrite(write.item, version, write.error)])

    def _start(self, steps: Steps[Any]) -> None:
        if len(self.processes) < 4:
            self.processes.append(Process(steps, self.now))

    def crash(self) -> None:
        """Kill a process."""
        if self.processes:
            self._kill(self.random.choice(self.processes))

    def wait(self) -> None:
        """Let time pass."""
        self._pass(self.random.choice([0.1, 0.5, 2.0, LEASE_SECONDS / 2]))

    def lose_state(self) -> None:
        """Lose the table with leases, positions and the counter of epochs, while workers run."""
        with suppress(ServiceError):
            self.engine.call("DeleteTable", {"TableName": "pksk-changes"})
            self.losses += 1

    def disable_and_enable(self) -> None:
        """Disable the stream, change an item, and enable a new stream."""
        for enabled in (False, True):
            specification: dict[str, Any] = {"StreamEnabled": enabled}
            if enabled:
                specification["StreamViewType"] = "NEW_AND_OLD_IMAGES"
            self.engine.call("UpdateTable", {"TableName": table.name, "StreamSpecification": specification})
            self.write()
            self._pass(1)

    def retry_dead_letters(self) -> None:
        """Retry all dead letters, beside workers that run."""
        for letter in self.sink.dead_letters():
            with suppress(Crash):
                self._run(self.sync().retry(letter))

    def step(self) -> None:
        """One step of one process that is not waiting."""
        awake = [each for each in self.processes if each.wakes_at <= self.now]
        if awake:
            self._step(self.random.choice(awake))
        self._apply_late()

    def calm(self) -> None:
        """Kill all processes, and let one worker without faults catch up."""
        for each in list(self.processes):
            self._kill(each)
        self.faults = Faults.active = False
        self._catch_up()
        # What is late arrives after everything else.
        self._pass(4 * LEASE_SECONDS)
        self._apply_late()
        self._catch_up()
        self._catch_up()
        self.retry_dead_letters()

    def _catch_up(self) -> None:
        self.processes = [Process(follow([self.sync()], lambda: False, keep_running=False), self.now)]
        while self.processes:
            self._pass(max(0.0, self.processes[0].wakes_at - self.now))
            self._step(self.processes[0])

    # Processes

    def sync(self) -> TableSync:
        """A program that syncs the index."""
        settings = Settings(
            "search", sources="Thing", lease_seconds=LEASE_SECONDS, monotonic=lambda: self.now
        )
        core = Core(retry=Retry(), clock=self.clock, chance=self.random.random)
        changes = SeededChanges(core, Driver(self.engine, pause=self._pass), [Thing], settings)
        changes.trial = self
        return self.rules.sync(changes, table, self.index, self.sink, SyncCounts())

    def _step(self, each: Process) -> None:
        try:
            self._answer(each, each.advance())
        except StopIteration:
            self.processes.remove(each)
        except Crash:
            self._kill(each)
        except ConsumerStale:
            self.processes.remove(each)
            self._rebuild()
        except PkskError:
            assert self.faults
            self.processes.remove(each)

    def _answer(self, each: Process, step: Call | Pause | Effect) -> None:
        fault = self.random.random() if self.faults else 1.0
        if isinstance(step, Pause):
            each.wakes_at = self.now + step.seconds
        elif isinstance(step, Effect):
            try:
                each.answer = step.run()
            except FencingSignal as signal:
                self.fenced += 1
                each.error = signal
        elif fault < 0.01:
            raise Crash
        elif fault < 0.03:
            each.error = ServiceError("ThrottlingException", "Rate exceeded")
        elif fault < 0.05:
            each.error = ServiceError(NO_ANSWER, "No answer", 0)
            if fault < 0.037:
                self._call(step)
            elif fault < 0.044:
                self.late_calls.append((self._some_time(), lambda: self._call(step)))
        else:
            each.answer = self._call(step, each)

    def _call(self, step: Call, each: Process | None = None) -> Any:
        try:
            return self.engine.call(*step)
        except ServiceError as error:
            if each is not None:
                each.error = error
            return None

    def fate(self) -> str:
        """What becomes of a write: its caller may die, and it may come late or never."""
        chance = self.random.random() if self.faults else 1.0
        return "late" if chance < 0.1 else "lost" if chance < 0.12 else ""

    def later(self, effect: Callable[[], object]) -> None:
        """Have an effect after some time."""
        self.late.append((self._some_time(), effect))

    def _some_time(self) -> float:
        return self.now + self.random.uniform(0, 3 * LEASE_SECONDS)

    def _apply_late(self) -> None:
        ready = [each for each in (*self.late, *self.late_calls) if each[0] <= self.now]
        self.late = [each for each in self.late if each[0] > self.now]
        self.late_calls = [each for each in self.late_calls if each[0] > self.now]
        for _, effect in ready:
            effect()
            self.late_effects += 1

    def _kill(self, each: Process) -> None:
        self.processes.remove(each)
        each.kill()

    def _rebuild(self) -> None:
        """Make the index anew after missed changes, with crashes and beside other writers."""
        for each in list(self.processes):
            self._kill(each)
        self.rebuilds += 1
        while not self._rebuilt():
            pass

    def _rebuilt(self) -> bool:
        """One program that rebuilds; False if it was killed."""
        sync = self.sync()
        self._run(sync.prepare())
        steps = flat(sync.changes._rebuild(sync.write_rebuilt, Delivery(), self.random.choice([None, 0.5])))
        answer: Any = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as done:
                if done.value.complete:
                    sync.end_rebuild(done.value.version)
                return bool(done.value.complete)
            if self.faults and self.random.random() < 0.05:
                return False
            if self.faults and self.random.random() < 0.1:
                self.write()
            faults, self.faults = self.faults, False
            answer = step.run() if isinstance(step, Effect) else self._now(step)
            self.faults = faults

    def _run(self, steps: Steps[Any]) -> Any:
        return Driver(self.engine, pause=self._pass).run(steps)

    def _now(self, step: Call | Pause) -> Any:
        return self.engine.call(*step) if isinstance(step, Call) else self._pass(step.seconds)

    def _pass(self, seconds: float) -> None:
        self.now += seconds
        self.clock.advance(seconds)

    # What must hold at the end

    def violation(self) -> str:
        """How index and table differ at the end; empty if they agree, and a verification says the same."""
        expected = {
            item.id: item.digest
            for item in map(self.index.documents_of, self.items.values())
            if item.documents
        }
        found = {item.id: item.digest for number in self.sink.digests() for item in self.sink.bucket(number)}
        differing = sorted(name for name in {*expected, *found} if expected.get(name) != found.get(name))
        sync = self.sync()
        verified = self._run(verify(self.sink, [sync], 0))
        assert sorted(each.id for each in verified.differences) == differing
        if differing:
            self._run(repair({table.name: sync}, verified.differences))
            assert self._run(verify(self.sink, [sync], 0)).agrees
        self.sink.close()
        return ", ".join(differing)


def violation(number: int, rules: Rules | None = None, actions: int = 400) -> str:
    """What differs at the end of one trial."""
    trial = Simulation(number, rules or Rules())
    trial.run(actions)
    return trial.violation()
