"""Measures calls on a design: what they consume, and how the load spreads over keys and partitions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from pksk import Engine, Entity, RequestStarted, Store, Table, connect
from pksk.capacity import Cost

from ..tour import load
from ..tour.request_lines import request_lines

FIGURES = ("requests", "units", "hottest key", "skew", "plan")
# Requests with the same expressions are of one kind, whatever their values.
_EXPRESSIONS = ("KeyConditionExpression", "FilterExpression", "UpdateExpression", "ConditionExpression")
_PROGRESS_EVERY = 200


@dataclass(frozen=True)
class Measurement:
    """What some calls did to the tables of a design, as the engine counted it.

    `plan` is one request of each kind that was sent. `hottest` is the share of all units that the busiest partition key
    took. `skew` is the load of the busiest partition over the mean of all: one key on one of four partitions is a
    hottest of 1 and a skew of 4. `answer` is what the calls returned, `stored` how many items there are after them.
    """

    plan: tuple[str, ...]
    requests: int
    consumed: Cost
    hottest: float
    skew: float
    answer: Any
    stored: int

    @property
    def units(self) -> float:
        """All units consumed, reads and writes together."""
        return self.consumed.read + self.consumed.write

    @property
    def row(self) -> tuple[str, str, str, str, str]:
        """The figures as text; very few requests have no meaningful skew."""
        return (
            f"{self.requests:,}",
            f"{self.units:,g}",
            f"{self.hottest:.0%}",
            f"{self.skew:.1f}" if self.skew >= 1 else "-",
            "; ".join(self.plan),
        )


class _Requests:
    """A hook that counts requests, and keeps the first of each kind as a line of text."""

    def __init__(
        self, tables: Iterable[Table], before: int, on_progress: Callable[[int], None] | None
    ) -> None:
        self._keys = {table.name: table.key_attributes for table in tables}
        self._on_progress = on_progress
        self._done = before
        self.kinds: dict[Hashable, str] = {}

    def __call__(self, sending: RequestStarted) -> None:
        expressions = (sending.request.get(name) for name in _EXPRESSIONS)
        kind = (sending.operation, *sending.tables, *expressions)
        if kind not in self.kinds:
            self.kinds[kind] = next(request_lines(sending.operation, sending.request, self._keys))
        self._done += 1
        if self._on_progress is not None and self._done % _PROGRESS_EVERY == 0:
            self._on_progress(self._done)


def measure(
    tables: Iterable[Table],
    stored: Iterable[Entity],
    calls: Callable[[Store], object],
    on_progress: Callable[[int], None] | None = None,
) -> Measurement:
    """Store some items on a new engine, make the calls, and measure only these.

    `on_progress` is called now and then with the number of items stored and requests sent.
    """
    declared = list(tables)
    with Engine.open() as engine, connect(engine) as filling:
        filling.create_tables(*declared)
        before = load(filling, stored, on_progress)
        engine.heat(reset=True)
        requests = _Requests(declared, before, on_progress)
        with connect(engine, hooks=[requests]) as db, db.meter(everywhere=True) as meter:
            answer = calls(db)
        hottest, skew = _spread(engine)
        stored_after = sum(_count(filling, table) for table in declared)
        plan = tuple(requests.kinds.values())
        return Measurement(plan, meter.calls, meter.consumed, hottest, skew, answer, stored_after)


def _spread(engine: Engine) -> tuple[float, float]:
    """The share of the busiest key, and the skew of the busiest table, reads or writes."""
    sides = [variant for table in engine.heat().tables.values() for variant in (table.reads, table.writes)]
    units = sum(variant.units for variant in sides)
    if not units:
        return 0.0, 0.0
    top = max((key.units for side in sides for key in side.keys), default=0.0)
    return top / units, max(sides, key=lambda side: side.units).skew


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
