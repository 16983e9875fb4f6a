"""Concurrent writes: whatever the order of their requests, the result equals that of running them one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from random import Random
from typing import Any

from hypothesis import HealthCheck, event, given, note, settings
from hypothesis import strategies as st

from pksk import Clock, Engine, Entity, Put, Store
from pksk.engine import Delays
from pksk.errors import DesignError, OutcomeUnknown, TransactionFailed
from pksk.model import BoundKey, transaction
from pksk.store import Core
from pksk.store.requests.move import move
from pksk.store.requests.runners import run_request
from tests.conftest import LONG
from tests.store.faults.interleaved import Run, interleaved
from tests.store.machine.checks import check_raw, check_typed
from tests.store.machine.model import KEEP_SECONDS, Model, Problem, Verdict
from tests.store.machine.park import park
from tests.store.machine.random_operations import RandomOperations
from tests.store.machine.writes import Address, Change, Entry, Write, address_of

START = 1_800_000_000.25
SEEDS = st.binary(min_size=8, max_size=8)
MANY = settings(max_examples=10_000 if LONG else 30, suppress_health_check=[HealthCheck.too_slow])


@dataclass(frozen=True)
class Action:
    """An operation of a program: its steps, and its expected results. `update` is set for a single update."""

    words: str
    steps: Callable[[Core], Run]
    judge: Callable[[Model], list[Verdict] | None]
    update: Change | None = None

    def done_by(self, model: Model) -> tuple[Problem, ...]:
        """The possible errors, one of which must be raised; the model then has the expected state."""
        verdicts = self.judge(model)
        if verdicts is None:
            return (DesignError, TransactionFailed)
        problems = [each for verdict in verdicts for each in verdict.problems]
        if problems and len(verdicts) > 1:
            # Writes that would fail can conflict with each other, too.
            return (DesignError, TransactionFailed)
        if not problems:
            model.commit(*verdicts)
        return tuple(problems)


def write(write: Write) -> Action:
    return Action(
        repr(write),
        lambda core: run_request(core, write.value),
        lambda model: [model.judge(write)],
        write if isinstance(write, Change) else None,
    )


def together(writes: list[Write]) -> Action:
    once = list({each.address: each for each in writes}.values())
    if len(once) == 1:
        return write(once[0])
    values = [each.value for each in once]
    return Action(
        repr(once),
        lambda core: run_request(core, transaction(*values)),
        lambda model: model.judge_together(once),
    )


def moving(kind: type[Entity], parts: dict[str, Any], changes: dict[str, Any]) -> Action:
    get = BoundKey(kind, "primary").get(**parts)
    address: Address = address_of(get.request["Key"])
    return Action(
        f"{get}: {changes}",
        lambda core: move(core, get, changes),
        lambda model: [model.moved(kind, address, None, changes)],
    )


def random_action(operations: RandomOperations) -> Action:
    """An action on an item that other actions change as well."""
    choice = operations.random.random()
    if choice < 0.55:
        return write(operations.write("put", "create", "update", "update", "delete"))
    if choice < 0.8:
        kind, parts = operations.item_key()
        return moving(kind, parts, operations.move(kind))
    return together([operations.write("put", "create", "update", "delete") for _ in range(3)])


@MANY
@given(SEEDS, st.integers(1, 6), st.integers(2, 3), st.data())
def test_interleaved_writes_are_serializable(seed: bytes, count: int, many: int, data: st.DataObject) -> None:
    clock, model = Clock(START), Model(START)
    engine = Engine.open(clock=clock, delays=Delays(expiry=KEEP_SECONDS))
    db = Store(engine, Core(clock=clock))
    db.create_tables(park)
    # An upsert deletes an expired item even if it fails: no client can see it, but a model of rows does.
    operations = RandomOperations(Random(seed), model, known=0.9, lasting=True)
    for _ in range(count):
        entity = operations.new_entity()
        verdict = model.judge(Entry(entity, absent=True))
        if not verdict.problems:
            db.create(entity)
            model.commit(verdict)
    actions = [random_action(operations) for _ in range(many)]
    note("\n".join(repr(Put(row).item) for row in model.rows.values()))
    note("\n".join(each.words for each in actions))

    core = Core(clock=clock)
    runs = [each.steps(core) for each in actions]
    endings = interleaved(engine, runs, lambda most: data.draw(st.integers(0, most - 1)))
    note(repr(endings))

    orders = [_serial(model.copy(), actions, order) for order in permutations(range(many))]
    matching = [serial.model for serial in orders if serial.has(endings)]
    event(f"{sum(isinstance(each, Exception) for each in endings)} of {many} failed")
    assert matching
    assert any(_is(engine, db, after) for after in matching)


@dataclass(frozen=True)
class Serial:
    """The model after the actions in one order, and how each of them may end.

    `gone` are the updates whose item another action has deleted or replaced afterwards: their result may be unknown.
    """

    model: Model
    problems: dict[int, tuple[Problem, ...]]
    gone: frozenset[int]

    def has(self, endings: list[Any]) -> bool:
        """Whether the actions may have ended so in this order."""
        return all(self._ends_as(number, ending) for number, ending in enumerate(endings))

    def _ends_as(self, number: int, ending: Any) -> bool:
        problems = self.problems[number]
        if isinstance(ending, OutcomeUnknown) and "the update was applied" in str(ending):
            return not problems and number in self.gone
        return type(ending) in problems if isinstance(ending, Exception) else not problems


def _serial(model: Model, actions: list[Action], order: tuple[int, ...]) -> Serial:
    problems: dict[int, tuple[Problem, ...]] = {}
    gone: set[int] = set()
    for number in order:
        problems[number] = actions[number].done_by(model)
        updates = ((each, actions[each].update) for each in problems)
        gone |= {
            each
            for each, update in updates
            if update is not None and model.live(update.address, update.kind) is None
        }
    return Serial(model, problems, frozenset(gone))


def _is(engine: Engine, db: Store, model: Model) -> bool:
    try:
        check_raw(engine, model)
    except AssertionError:
        return False
    check_typed(db, model)
    return True
