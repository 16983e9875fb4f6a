"""Measures calls on a design: what they consume, how the load spreads over keys, and which problems they show."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from math import isnan, nan
from typing import Any, Final

from pksk.capacity import Cost
from pksk.connection import connect
from pksk.dataclass import dataclass
from pksk.errors import DesignError
from pksk.model.entity import Entity
from pksk.review.measuring.problem_indicators import ProblemIndicators
from pksk.review.measuring.request_lines import request_lines
from pksk.schema import Table
from pksk.sending.hooks import RequestStarted
from pksk.store import Store

# The columns of `Measurement.row`.
FIGURES: Final = ("requests", "units", "hottest key", "skew", "plan")
# Requests with the same expressions are of one kind, whatever their values.
_EXPRESSIONS = ("KeyConditionExpression", "FilterExpression", "UpdateExpression", "ConditionExpression")
_PROGRESS_EVERY = 200
_STORED_AT_ONCE = 500


@dataclass(frozen=True)
class Measurement:
    """What some calls did to the tables of a design.

    `plan` is one request of each kind that was sent, `answer` what the calls returned, and `problems` the problem
    indicators. On the embedded engine `hottest` is the share of all units that the busiest partition key received, and
    `skew` the load of the busiest partition over the mean of all: one key on one of four partitions is a hottest of 1
    and a skew of 4; on other stores both are NaN. On an engine of its own, `stored` is the number of items afterwards.
    """

    plan: tuple[str, ...]
    requests: int
    consumed: Cost
    hottest: float
    skew: float
    answer: Any
    stored: int | None
    problems: ProblemIndicators

    @property
    def units(self) -> float:
        """All units consumed, reads and writes together."""
        return self.consumed.read + self.consumed.write

    @property
    def row(self) -> tuple[str, str, str, str, str]:
        """The figures as text, in the order of `FIGURES`; very few requests have no meaningful skew."""
        return (
            f"{self.requests:,}",
            f"{self.units:,g}",
            "?" if isnan(self.hottest) else f"{self.hottest:.0%}",
            f"{self.skew:.1f}" if self.skew >= 1 else "-",
            "; ".join(self.plan),
        )

    def data(self) -> dict[str, Any]:
        """The figures in JSON types."""
        return {
            "requests": self.requests,
            "consumed": self.consumed.data(),
            "hottest": None if isnan(self.hottest) else self.hottest,
            "skew": None if isnan(self.skew) else self.skew,
            "stored": self.stored,
            "plan": list(self.plan),
            "problems": self.problems.data(),
        }

    def __str__(self) -> str:
        rows = [
            *zip(FIGURES, self.row, strict=True),
            *(("problem", str(self.problems)),) * bool(self.problems.rows),
        ]
        return "\n".join(f"{name:<11}  {value}" for name, value in rows)


class _Requests:
    """A hook that counts requests, and keeps the first of each kind as a line of text."""

    def __init__(
        self, tables: Iterable[Table], before: int, on_progress: Callable[[int], None] | None
    ) -> None:
        self._keys = {table.name: table.key_attributes for table in tables}
        self._on_progress = on_progress
        self._done = before
        self.kinds: dict[Hashable, str] = {}

    def __call__(self, started: RequestStarted) -> None:
        expressions = (started.parameters.get(name) for name in _EXPRESSIONS)
        kind = (started.operation, *started.tables, *expressions)
        if kind not in self.kinds:
            self.kinds[kind] = next(request_lines(started.operation, started.parameters, self._keys))
        self._done += 1
        if self._on_progress is not None and self._done % _PROGRESS_EVERY == 0:
            self._on_progress(self._done)


def measure(
    tables: Iterable[Table],
    items: Iterable[Entity],
    calls: Callable[[Store], object],
    *,
    store: Store | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Measurement:
    """Store some items, make the calls, and measure only these: on a new engine in memory, or on your store.

    A store of yours must have the tables; if it is on an embedded engine, the engine's heat is reset. `on_progress` is
    called now and then with the number of items stored and requests sent.

    Example:
        >>> from pksk import Key
        >>> users = Table("users")
        >>> class User(Entity, table=users):
        ...     user_id: str
        ...     primary = Key("USER", "{user_id}")
        >>> found = measure([users], [], lambda db: [db.put(User(user_id=f"u{n}")) for n in range(9)])
        >>> found.requests, found.units, found.hottest
        (9, 9.0, 1.0)
    """
    declared = list(tables)
    with ExitStack() as stack:
        target = store
        if target is None:
            target = stack.enter_context(connect("memory:"))
            target.create_tables(*declared)
        before = _store_items(target, items, on_progress)
        heat = getattr(target.client, "heat", None)
        if heat is not None:
            heat(reset=True)
        requests, problems = _Requests(declared, before, on_progress), ProblemIndicators()
        with connect(target.client, hooks=[requests, problems]) as db, db.meter(everywhere=True) as meter:
            answer = calls(db)
        hottest, skew = (nan, nan) if heat is None else _spread(heat())
        stored = sum(_count(target, table) for table in declared) if store is None else None
        plan = tuple(requests.kinds.values())
        return Measurement(plan, meter.calls, meter.consumed, hottest, skew, answer, stored, problems)


def _store_items(db: Store, items: Iterable[Entity], on_progress: Callable[[int], None] | None) -> int:
    """Store items and return how many; in batches, unless references or unique values need conditions."""
    count, rest = 0, iter(items)
    while part := list(islice(rest, _STORED_AT_ONCE)):
        for entity in dict.fromkeys(map(type, part)):
            same = [each for each in part if type(each) is entity]
            try:
                db.batch_put(*same)
            except DesignError:
                for each in same:
                    db.put(each)
        count += len(part)
        if on_progress is not None:
            on_progress(count)
    return count


def sides_of(heat: Any) -> Iterator[tuple[str, str | None, str, Any]]:
    """The reads and writes of each table and index in the heat of an engine."""
    for name, table in heat.tables.items():
        for index, part in ((None, table), *table.indexes.items()):
            yield name, index, "read", part.reads
            yield name, index, "write", part.writes


def _spread(heat: Any) -> tuple[float, float]:
    """The share of the busiest key, and the skew of the busiest table or index, reads or writes."""
    sides = [side for *_, side in sides_of(heat)]
    units = sum(side.units for side in sides)
    if not units:
        return 0.0, 0.0
    top = max((key.units for side in sides for key in side.keys), default=0.0)
    return top / units, float(max(sides, key=lambda side: float(side.units)).skew)


def _count(db: Store, table: Table) -> int:
    """How many items a table has, of all entities."""
    counted = 0
    request: dict[str, Any] = {"TableName": table.name, "Select": "COUNT"}
    while True:
        answer = db.client.call("Scan", request)
        counted += int(answer["Count"])
        if "LastEvaluatedKey" not in answer:
            return counted
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
