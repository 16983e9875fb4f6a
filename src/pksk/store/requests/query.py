"""Runs queries and scans: all results, the first one, or their number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Generic, TypeAlias, cast

from pydantic import BaseModel

from pksk.errors import DesignError
from pksk.limits import BATCH_GET_ITEMS
from pksk.model.requests.request import Request
from pksk.sending import Core, Steps, Together, send
from pksk.store.arguments import (
    E,
    M,
    UnreadableItems,
    check_progress,
    check_request_kind,
    check_unreadable_list,
)
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.reads.request_expressions import without_projection
from pksk.store.reads.results import Results
from pksk.store.reads.rows import Group, Paginator, Read, Row, Rows, paginators_of

if TYPE_CHECKING:
    from pksk.model import Plan
    from pksk.model.requests.query import Query
    from pksk.model.requests.scan import Scan

# How many items are read from the table at once: one request at first, later up to four.
_FIRST_HYDRATED: Final = BATCH_GET_ITEMS
_MAX_HYDRATED: Final = 4 * BATCH_GET_ITEMS
# Called after each batch: evaluated items, results so far, finished segments or partitions, and their total.
Progress: TypeAlias = Callable[[int, int, int, int], None]


class ResultReader(Generic[M]):
    """The results of a query or scan, batch by batch."""

    def __init__(
        self,
        core: Core,
        read: Read,
        *,
        unreadable: UnreadableItems = None,
        progress: Progress | None = None,
        groups: list[Group] | None = None,
    ) -> None:
        check_request_kind("iter", read, "Query", "Scan")
        check_unreadable_list("iter", unreadable)
        if core.meters:
            core.meters.used(read)
        is_scan = read.kind == "scan"
        chosen = paginators_of(read.plan) if groups is None else groups
        if is_scan:
            width = core.max_parallel
            paginators = [paginator for group in chosen for paginator in group]
            chosen = [paginators[start : start + width] for start in range(0, len(paginators), width)]
        self._rows = Rows(core, chosen, read, ordered=not is_scan)
        # Rows whose items must be read from the table, a limited number at once to bound the memory.
        self._pending_rows: list[Row] = []
        self._hydrated_at_once = _FIRST_HYDRATED if read.plan.reads_table else None
        self._results = Results(core, read, unreadable)
        self._remaining: int | None = getattr(read, "max_results", None)
        self._progress, self._result_count = progress, 0

    def batch(self) -> Steps[Sequence[M] | None]:
        """The next results; None at the end."""
        while self._remaining is None or self._remaining > 0:
            rows = yield from self._next_rows()
            if rows is None:
                self._report_progress()
                return None
            results = yield from self._results.entities(rows, self._remaining)
            if self._remaining is not None:
                self._remaining -= len(results)
            self._result_count += len(results)
            self._report_progress()
            if results:
                return cast("Sequence[M]", results)
        return None

    def _next_rows(self) -> Steps[list[Row] | None]:
        if self._hydrated_at_once is None:
            return (yield from self._rows.batch())
        if not self._pending_rows:
            self._pending_rows = (yield from self._rows.batch()) or []
        size = self._hydrated_at_once
        rows, self._pending_rows = self._pending_rows[:size], self._pending_rows[size:]
        self._hydrated_at_once = min(2 * size, _MAX_HYDRATED)
        return rows or None

    def _report_progress(self) -> None:
        if self._progress is None:
            return
        paginators = list(self._rows.paginators)
        evaluated = sum(paginator.evaluated for paginator in paginators)
        finished = sum(paginator.is_finished for paginator in paginators)
        self._progress(evaluated, self._result_count, finished, len(paginators))


def scan_reader(
    core: Core,
    scan: Scan[E],
    segments: int,
    *,
    progress: Progress | None = None,
    unreadable: UnreadableItems = None,
) -> ResultReader[E]:
    """The results of a scan that is split into this number of segments."""
    check_request_kind("scan", scan, "Scan")
    check_progress(
        "scan", progress, "after each batch with four numbers", "evaluated, results, finished, segments: ..."
    )
    chosen = scan.segments(segments) if segments != 1 else scan
    return ResultReader(core, chosen, unreadable=unreadable, progress=progress)


def all_results(core: Core, read: Query[M] | Scan, unreadable: UnreadableItems = None) -> Steps[list[M]]:
    """All results of a query or scan in a list."""
    reading: ResultReader[M] = ResultReader(core, read, unreadable=unreadable)
    results: list[M] = []
    while (batch := (yield from reading.batch())) is not None:
        results += batch
    return results


def first(core: Core, read: Query[M], unreadable: UnreadableItems = None) -> Steps[M | None]:
    """The first result of a query, or None; unreadable items are skipped."""
    check_request_kind("first", read, "Query")
    results = yield from all_results(core, read.limit(1), unreadable)
    return results[0] if results else None


def count(core: Core, read: Read, unreadable: UnreadableItems = None) -> Steps[int]:
    """The number of results, counted by DynamoDB without returning items if that is possible.

    DynamoDB also counts unreadable items. With a list for `unreadable`, all items are read and these are left out.
    """
    check_request_kind("count", read, "Query", "Scan")
    check_unreadable_list("count", unreadable)
    if unreadable is not None:
        return len((yield from all_results(core, read, unreadable)))
    read = counting_read(read)
    plan: Plan = read.plan
    if not _is_countable(plan):
        return len((yield from all_results(core, read)))
    if core.meters:
        core.meters.used(read)
    most: int | None = getattr(read, "max_results", None)
    paginators = [paginator for group in paginators_of(plan) for paginator in group]
    total: int = 0
    width = core.max_parallel if most is None else 1
    for start in range(0, len(paginators), width):
        if most is not None and total >= most:
            break
        runs = [_count_pages(core, paginator, read, most) for paginator in paginators[start : start + width]]
        total += sum((yield Together(tuple(runs))) if len(runs) > 1 else [(yield from runs[0])])
    return total if most is None else min(most, total)


def _is_countable(plan: Plan) -> bool:
    """Whether each item that DynamoDB counts is a result."""
    expires = any(entity_reader(entity.__pksk__).expiry for entity in plan.entities)
    return not (plan.has_foreign_items or plan.filters_after_reading or expires or len(plan.entities) > 1)


def _count_pages(core: Core, paginator: Paginator, request: Request | None, most: int | None) -> Steps[int]:
    """The number of rows of one paginator, counted by DynamoDB; stops at the limit."""
    parameters = {**without_projection(paginator.request), "Select": "COUNT"}
    total: int = 0
    while True:
        answer = yield from send(core, paginator.operation, parameters, request)
        total += answer["Count"]
        start = answer.get("LastEvaluatedKey")
        if not start or (most is not None and total >= most):
            return total
        parameters = {**parameters, "ExclusiveStartKey": start}


class CountedItem(BaseModel, defer_build=True):
    """A result without fields, for counting."""


def counting_read(read: Read) -> Read:
    """The same read without the attributes that counting does not need; unchanged if it needs whole items.

    So an index can serve it even if it does not project all fields of the entity.

    Example:
        >>> from pksk import GSI, Entity, Key, Table
        >>> class Order(Entity, table=Table("orders", indexes=[GSI("by-day", pk="g1", projection="keys")])):
        ...     id: str
        ...     day: str
        ...     primary = Key("ORDER#{id}", "META")
        ...     by_day = Key("{day}", index="by-day")
        >>> counting_read(Order.by_day(day="2025-03-01")).plan.requests[0]["ProjectionExpression"]
        'pk, sk'
    """
    narrow: Read = read.replace(model=CountedItem)
    try:
        _ = narrow.plan
    except DesignError:
        # A filter on a computed field needs whole items; or the read is invalid, and raises its error later.
        return read
    return narrow
