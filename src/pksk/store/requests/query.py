"""Runs queries and scans: all results, the first one, or how many there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from pydantic import BaseModel

from pksk.errors import DesignError, InvalidValue, quote
from pksk.limits import BATCH_GET_ITEMS
from pksk.store.argument_checks import check_request_kind
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.reads.paginator import Group, Paginator, paginators_of, without_projection
from pksk.store.reads.results import Results
from pksk.store.reads.rows import Row, Rows
from pksk.store.reads.unreadable_items import UnreadableItems, check_unreadable_list
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps, Together

if TYPE_CHECKING:
    from pksk.model import Plan
    from pksk.model.requests.query import Query
    from pksk.model.requests.scan import Scan
    from pksk.store.core import Core

    R = TypeVar("R", Query[Any], Scan[Any])

# Items that are read from the table at a time: one request, and up to four for a program that takes all.
_FIRST_HYDRATED: Final = BATCH_GET_ITEMS
_MOST_HYDRATED: Final = 4 * BATCH_GET_ITEMS
# Told after each batch: items looked at, results so far, segments or partitions done, and how many there are.
Progress: TypeAlias = Callable[[int, int, int, int], None]


class ResultReader:
    """The results of a query or scan, batch by batch."""

    def __init__(
        self,
        core: Core,
        read: Any,
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
        # Rows whose items are read from the table: some at a time, to bound the memory.
        self._waiting: list[Row] = []
        self._at_once = _FIRST_HYDRATED if read.plan.reads_table else None
        self._results = Results(core, read, unreadable)
        self._left: int | None = getattr(read, "max_results", None)
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
        paginators = list(self._rows.paginators)
        looked_at, done = (
            sum(paginator.evaluated for paginator in paginators),
            sum(paginator.is_finished for paginator in paginators),
        )
        self._progress(looked_at, self._given, done, len(paginators))


def scan_reader(
    core: Core,
    scan: Any,
    segments: int,
    *,
    progress: Progress | None = None,
    unreadable: UnreadableItems = None,
) -> ResultReader:
    """The results of a scan in so many segments."""
    check_request_kind("scan", scan, "Scan")
    if progress is not None and not callable(progress):
        raise InvalidValue(
            "store-progress",
            f"scan: progress={quote(progress)} cannot be called.",
            expected="It is called after each batch with four numbers.",
            fix="give a function: lambda looked_at, found, done, segments: ...",
        )
    chosen = scan.segments(segments) if segments != 1 else scan
    return ResultReader(core, chosen, unreadable=unreadable, progress=progress)


def all_results(core: Core, read: Any, unreadable: UnreadableItems = None) -> Steps[list[Any]]:
    """All results of a query or scan in a list."""
    reading = ResultReader(core, read, unreadable=unreadable)
    found: list[Any] = []
    while (batch := (yield from reading.batch())) is not None:
        found += batch
    return found


def first(core: Core, read: Any, unreadable: UnreadableItems = None) -> Steps[Any]:
    """The first result of a query, or None; unreadable items are skipped."""
    check_request_kind("first", read, "Query")
    found = yield from all_results(core, read.limit(1), unreadable)
    return found[0] if found else None


def count(core: Core, read: Any, unreadable: UnreadableItems = None) -> Steps[int]:
    """How many results there are; counted by DynamoDB where it can tell, without sending them.

    DynamoDB cannot tell which of them can be read. Who gives a list for those that cannot has all of them read.
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
    """Whether every row that DynamoDB counts is a result."""
    expires = any(entity_reader(entity.__pksk__).expiry for entity in plan.entities)
    return not (plan.has_foreign_items or plan.filters_after_reading or expires or len(plan.entities) > 1)


def _count_pages(core: Core, paginator: Paginator, about: Any, most: int | None) -> Steps[int]:
    """The rows of one paginator, as DynamoDB counts them, up to the limit."""
    request = {**without_projection(paginator.request), "Select": "COUNT"}
    total: int = 0
    while True:
        answer = yield from send(core, paginator.operation, request, about)
        total += answer["Count"]
        start = answer.get("LastEvaluatedKey")
        if not start or (most is not None and total >= most):
            return total
        request = {**request, "ExclusiveStartKey": start}


class CountedItem(BaseModel, defer_build=True):
    """A result of which nothing is known but that it is one."""


def counting_read(read: R) -> R:
    """The read with as many results, of which no more is read than tells them; itself where that is all of them.

    So an index serves that does not project what an entity needs.

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
    narrow: R = read.replace(model=CountedItem)
    try:
        _ = narrow.plan
    except DesignError:
        # Such as filters on computed fields, for which whole items are read; or whatever is wrong with the read.
        return read
    return narrow
