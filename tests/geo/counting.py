"""Cells to count, what their counts should be, and workers that take turns at every request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from random import Random
from typing import Annotated, Any

from pksk import TTL, Entity, Key, Store, Table, Version, connect
from pksk.cells import CellLevel
from pksk.client import Client, ServiceError
from pksk.geo import CellCounts
from pksk.geo.counts.count_plan import CellId
from pksk.sending import Call, Core, Steps, Together
from pksk.sending.retry import Retry

heat = Table("heat", stream=True, ttl="expires")
LEVELS = range(3, 6)


class Cell(Entity, table=heat):
    """A cell of the program's own, or one that is computed."""

    app: str = "a"
    cell: Annotated[str, CellLevel(3, 5)]
    reports: int = 0
    weight: float = 0.0
    first: int | None = None
    last: int | None = None
    note: str = ""
    version: Annotated[int, Version()] = 0
    primary = Key("{app}#CELL#{cell[:-3]}", "{cell[-3:]}")


class Pair(Entity, table=heat):
    """Two smallest cells and their parent: what goes wrong between workers goes wrong here first."""

    cell: Annotated[str, CellLevel(3, 4)]
    reports: int = 0
    version: Annotated[int, Version()] = 0
    primary = Key("PAIR#{cell[:-3]}", "{cell[-3:]}")


class Report(Entity, table=heat):
    """An item in a smallest cell, one of several there."""

    app: str = "a"
    cell: Annotated[str, CellLevel(5)]
    id: int
    weight: float = 1.0
    at: int = 0
    primary = Key("{app}#REPORT#{cell[:-3]}", "{cell[-3:]}#{id:03d}")


class Visit(Entity, table=heat):
    """An item that expires."""

    cell: Annotated[str, CellLevel(5)]
    id: int
    expires: Annotated[int, TTL()]
    primary = Key("VISIT#{cell[:-3]}", "{cell[-3:]}#{id:03d}")


class VisitedCell(Entity, table=heat):
    """A cell that expires with the last visit in it."""

    cell: Annotated[str, CellLevel(3, 5)]
    visits: int = 0
    expires: Annotated[int | None, TTL()] = None
    version: Annotated[int, Version()] = 0
    primary = Key("VISITED#{cell[:-3]}", "{cell[-3:]}")


OF_PAIR = CellCounts(Pair, add="reports")
OF_CELLS = CellCounts(Cell, add=["reports", "weight"], minimum="first", maximum="last")
OF_REPORTS = CellCounts(
    Cell, of=Report, count="reports", add="weight", minimum={"first": "at"}, maximum={"last": "at"}
)


def open_store() -> Store:
    """A store in memory with the table."""
    db = connect("memory:", retry=Retry(conflict_attempts=1_000))
    db.create_tables(heat)
    return db


def random_cell(random: Random) -> str:
    """A smallest cell; few of them, which share parents, also across partitions."""
    return random.choice(["gcp", "gcp", "u00"]) + "".join(random.choices("0z", k=2))


def expected_counts(db: Store, counts: CellCounts) -> dict[tuple[str, str], tuple[Any, ...]]:
    """What the computed cells should have, by brute force."""
    found: dict[tuple[str, str], list[tuple[int, float, int | None, int | None]]] = {}
    for item in smallest(db, counts):
        own = (
            (1, item.weight, item.at, item.at)
            if isinstance(item, Report)
            else (item.reports, item.weight, item.first, item.last)
        )
        for level in LEVELS if counts is OF_REPORTS else LEVELS[:-1]:
            found.setdefault((item.app, item.cell[:level]), []).append(own)
    return {key: _sum(parts) for key, parts in found.items()}


def smallest(db: Store, counts: CellCounts) -> Iterator[Cell | Report]:
    """The items that are counted."""
    if counts is OF_REPORTS:
        yield from db.scan(Report.scan())
    else:
        yield from (each for each in db.scan(Cell.scan()) if len(each.cell) == LEVELS[-1])


def _sum(parts: Sequence[tuple[int, float, int | None, int | None]]) -> tuple[Any, ...]:
    reports, weights, firsts, lasts = zip(*parts, strict=True)
    return (
        sum(reports),
        round(sum(weights), 6),
        min((each for each in firsts if each is not None), default=None),
        max((each for each in lasts if each is not None), default=None),
    )


def stored_counts(db: Store, counts: CellCounts) -> dict[tuple[str, str], tuple[Any, ...]]:
    """What the computed cells have; those with nothing in them are left out, as they may exist or not."""
    levels = LEVELS if counts is OF_REPORTS else LEVELS[:-1]
    found = {
        (each.app, each.cell): (each.reports, round(each.weight, 6), each.first, each.last)
        for each in db.scan(Cell.scan())
        if len(each.cell) in levels
    }
    return {key: value for key, value in found.items() if value != (0, 0.0, None, None)}


def change_something(db: Store, counts: CellCounts, random: Random) -> CellId:
    """Put, change or delete a counted item; returns the computed cell that it is in."""
    app, cell, at = random.choice("aaaab"), random_cell(random), random.randrange(3)
    weight = random.choice([0.0, 0.1, 0.5])
    if counts is OF_REPORTS:
        report = Report(app=app, cell=cell, id=random.randrange(2), at=at, weight=weight)
        _ = db.put(report) if random.random() < 0.6 else db.delete(report)
        return CellId((app,), cell)
    stored = db.get(Cell, app=app, cell=cell)
    if stored is not None and random.random() < 0.4:
        db.delete(stored)
    else:
        values = {"reports": 1, "weight": weight, "first": random.choice([None, at]), "last": at}
        db.put((stored or Cell(app=app, cell=cell)).model_copy(update=values))
    return CellId((app,), cell[:-1])


class Crash(BaseException):
    """A worker was killed."""


class Crashing:
    """A client whose writes kill the worker now and then, before or after their effect."""

    def __init__(self, client: Client, random: Random, share: float) -> None:
        self._client, self._random, self.share = client, random, share

    def call(self, operation: str, request: Any) -> dict[str, Any]:
        """Send a request, unless it is the last one of this worker."""
        dies = operation == "PutItem" and self._random.random() < self.share
        if dies and self._random.random() < 0.5:
            raise Crash
        answer = self._client.call(operation, request)
        if dies:
            raise Crash
        return answer


def take_turns(client: Client, starts: Sequence[Callable[[], Steps[Any]]], random: Random) -> None:
    """Run workers to their ends, one request at a time; some are slower than others.

    Each is killed and restarted sometimes, and then does its work again, as records of a stream are delivered again.
    What it had sent may take effect after its successor has begun.
    """
    runs = [(_flat(start()), start) for start in starts]
    steps: list[Any] = [None] * len(runs)
    alive = [*range(len(runs))]
    speeds = [random.choice([0.03, 0.3, 1]) for _ in runs]
    late: list[Call] = []
    while alive:
        (index,) = random.choices(alive, [speeds[each] for each in alive])
        run, start = runs[index]
        if random.random() < 0.01:
            late += [steps[index]] if steps[index] is not None else []
            runs[index], steps[index] = (_flat(start()), start), None
            continue
        if late and random.random() < 0.05:
            with suppress(ServiceError):
                client.call(*late.pop())
        steps[index] = _advance(client, run, steps[index])
        if steps[index] is None:
            alive.remove(index)


def _advance(client: Client, run: Steps[Any], step: Call | None) -> Call | None:
    """Send the request that a worker waits for, if there is one; returns its next one, or None at its end."""
    try:
        if step is None:
            return next(run)  # type: ignore[return-value]
        try:
            answer = client.call(*step)
        except ServiceError as error:
            return run.throw(error)  # type: ignore[return-value]
        return run.send(answer)  # type: ignore[return-value]
    except StopIteration:
        return None


def _flat(steps: Steps[Any]) -> Steps[Any]:
    """Only the calls: what could run in parallel comes one after the other, and nobody waits."""
    answer: Any = None
    error: BaseException | None = None
    while True:
        try:
            step = steps.send(answer) if error is None else steps.throw(error)
        except StopIteration as done:
            return done.value
        answer, error = None, None
        try:
            if isinstance(step, Together):
                answer = []
                for each in step.runs:
                    answer.append((yield from _flat(each)))
            elif isinstance(step, Call):
                answer = yield step
        except ServiceError as raised:
            error = raised


CORE = Core(retry=Retry(conflict_attempts=1_000))
