"""Runs queries and scans: all results, the first ones, or how many there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pksk.errors import InvalidValue, quote
from pksk.limits import BATCH_GET_ITEMS
from pksk.model.reads.counted import counted
from pksk.store.expect import expect
from pksk.store.reads.aside import Aside, check_aside
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.reads.lanes import Group, Lane, lanes_of, without_projection
from pksk.store.reads.results import Results
from pksk.store.reads.rows import Row, Rows
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps, Together

if TYPE_CHECKING:
    from pksk.model import Plan
    from pksk.store.core import Core

__all__ = ["Progress", "Reading", "count", "everything", "first", "scanning"]

# Items that are read from the table at a time: one request, and up to four for a program that takes all.
_FIRST_HYDRATED: Final = BATCH_GET_ITEMS
_MOST_HYDRATED: Final = 4 * BATCH_GET_ITEMS
# Told after each batch: items looked at, results so far, segments or partitions done, and how many there are.
Progress: TypeAlias = Callable[[int, int, int, int], None]


class Reading:
    """The results of a query or scan, batch by batch."""

    def __init__(
        self,
        core: Core,
        read: Any,
        *,
        aside: Aside = None,
        progress: Progress | None = None,
        groups: list[Group] | None = None,
    ) -> None:
        expect("iter", read, "query", "scan")
        check_aside("iter", aside)
        if core.meters:
            core.meters.used(read)
        is_scan = read.kind == "scan"
        chosen = lanes_of(read.plan) if groups is None else groups
        if is_scan:
            width = core.side_by_side
            lanes = [lane for group in chosen for lane in group]
            chosen = [lanes[start : start + width] for start in range(0, len(lanes), width)]
        self._rows = Rows(core, chosen, read, ordered=not is_scan)
        # Rows that are asked for in the table as well: some at a time, so that no more is in memory than is taken.
        self._waiting: list[Row] = []
        self._at_once = _FIRST_HYDRATED if read.plan.hydrates else None
        self._results = Results(core, read, aside)
        self._left: int | None = getattr(read, "most", None)
        self._progress, self._given = progress, 0

    def batch(self) -> Steps[list[Any] | None]:
        """The next results; None where there are no more."""
        while self._left is None or self._left > 0:
            rows = yield from self._next_rows()
            if rows is None:
                self._tell()
                return None
            found = yield from self._results.entities(rows, self._left)
            if self._left is not None:
                self._left -= len(found)
            self._given += len(found)
            self._tell()
            if found:
                return found
        return None

    def _next_rows(self) -> Steps[list[Row] | None]:
        if self._at_once is None:
            return (yield from self._rows.batch())
        if not self._waiting:
            self._waiting = (yield from self._rows.batch()) or []
        some, self._waiting = self._waiting[: self._at_once], self._waiting[self._at_once :]
        self._at_once = min(2 * self._at_once, _MOST_HYDRATED)
        return some or None

    def _tell(self) -> None:
        if self._progress is None:
            return
        lanes = list(self._rows.lanes)
        looked_at, done = sum(lane.evaluated for lane in lanes), sum(lane.done for lane in lanes)
        self._progress(looked_at, self._given, done, len(lanes))


def scanning(
    core: Core, scan: Any, segments: int, *, progress: Progress | None = None, aside: Aside = None
) -> Reading:
    """The results of a scan in so many segments."""
    expect("scan", scan, "scan")
    if progress is not None and not callable(progress):
        raise InvalidValue(
            "store-progress",
            f"scan: progress={quote(progress)} cannot be called.",
            expected="It is called after each batch with four numbers.",
            fix="give a function: lambda looked_at, found, done, segments: ...",
        )
    chosen = scan.segments(segments) if segments != 1 else scan
    return Reading(core, chosen, aside=aside, progress=progress)


def everything(core: Core, read: Any, aside: Aside = None) -> Steps[list[Any]]:
    """All results of a query or scan in a list."""
    reading = Reading(core, read, aside=aside)
    found: list[Any] = []
    while (batch := (yield from reading.batch())) is not None:
        found += batch
    return found


def first(core: Core, read: Any, aside: Aside = None) -> Steps[Any]:
    """The first result of a query, or None; what is put aside is none."""
    expect("first", read, "query")
    found = yield from everything(core, read.limit(1), aside)
    return found[0] if found else None


def count(core: Core, read: Any, aside: Aside = None) -> Steps[int]:
    """How many results there are; counted by DynamoDB where it can tell, without sending them.

    DynamoDB cannot tell which of them can be read. Who gives a list for those that cannot has all of them read.
    """
    expect("count", read, "query", "scan")
    check_aside("count", aside)
    if aside is not None:
        return len((yield from everything(core, read, aside)))
    read = counted(read)
    plan: Plan = read.plan
    if not _is_countable(plan):
        return len((yield from everything(core, read)))
    if core.meters:
        core.meters.used(read)
    most: int | None = getattr(read, "most", None)
    lanes = [lane for group in lanes_of(plan) for lane in group]
    total: int = 0
    width = core.side_by_side if most is None else 1
    for start in range(0, len(lanes), width):
        if most is not None and total >= most:
            break
        runs = [_counted(core, lane, read, most) for lane in lanes[start : start + width]]
        total += sum((yield Together(tuple(runs))) if len(runs) > 1 else [(yield from runs[0])])
    return total if most is None else min(most, total)


def _is_countable(plan: Plan) -> bool:
    """Whether every row that DynamoDB counts is a result."""
    expires = any(entity_reader(entity.__pksk__).expiry for entity in plan.entities)
    return not (plan.mixed or plan.leftover or expires or len(plan.entities) > 1)


def _counted(core: Core, lane: Lane, about: Any, most: int | None) -> Steps[int]:
    """The rows of one lane, as DynamoDB counts them; no further than is asked for."""
    request = {**without_projection(lane.request), "Select": "COUNT"}
    total: int = 0
    while True:
        answer = yield from send(core, lane.operation, request, about)
        total += answer["Count"]
        start = answer.get("LastEvaluatedKey")
        if not start or (most is not None and total >= most):
            return total
        request = {**request, "ExclusiveStartKey": start}
