"""The rows of a plan in order: pages of each request, merged by sort key, and no more than needed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cached_property, total_ordering
from heapq import heapify, heappop, heapreplace
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import BaseModel

from pksk.dataclass import dataclass
from pksk.expressions import Condition, evaluate
from pksk.model.requests.request import Request
from pksk.schema import Index
from pksk.sending import Core, Steps, Together, send
from pksk.store.reads.request_expressions import request_conditions, with_attributes
from pksk.values import WireItem, sortable_wire

if TYPE_CHECKING:
    from pksk.model import Plan, Query, Scan

Read: TypeAlias = "Query[BaseModel] | Scan"


@dataclass
class Paginator:
    """Reads one request of a plan page by page.

    `number` counts the paginators of a read in its forward order. `after_position` is where a resumed paginator starts:
    a sort key, and whether items with that key are included.
    """

    number: int
    operation: str
    request: dict[str, Any]
    plan: Plan
    index: Index
    start: WireItem | None = None
    after_position: tuple[tuple[bytes, ...], bool] | None = None
    rows: deque[WireItem] = field(default_factory=deque)
    is_started: bool = False
    is_finished: bool = False
    evaluated: int = 0

    @property
    def descending(self) -> bool:
        """Whether it reads in descending order of sort keys."""
        return self.request.get("ScanIndexForward") is False

    @cached_property
    def is_partial(self) -> bool:
        """Whether it reads index entries that may lack attributes of their items."""
        is_index = self.plan.index is not None and self.index.projection != "all"
        return is_index and not self.plan.reads_table and "Select" not in self.request

    @property
    def needs_more(self) -> bool:
        """Whether it must read a page before its next item is known."""
        return not self.rows and not self.is_finished

    def fill(self, core: Core, request: Request | None, *, until_found: bool = True) -> Steps[None]:
        """Read pages until there is an item or the end; only one page without `until_found`."""
        while self.needs_more:
            parameters = self.request
            if self.start is not None:
                parameters = {**parameters, "ExclusiveStartKey": self.start}
            answer = yield from send(core, self.operation, parameters, request)
            self.is_started = True
            self.start = answer.get("LastEvaluatedKey")
            self.is_finished = not self.start
            self.evaluated += answer.get("ScannedCount", 0)
            items = answer["Items"]
            self.rows.extend(items if self.after_position is None else filter(self._is_after_start, items))
            self._widen(answer, request)
            if not until_found:
                return

    def _widen(self, answer: Mapping[str, Any], request: Request | None) -> None:
        """Read larger pages from now on, if the limit and not the page size ended a page.

        The first limit is the number of results. If more pages are needed, some items were not results: expired,
        deleted or unreadable. There may be many, and each of them must not cost a request.
        """
        limit, size = self.request.get("Limit"), getattr(request, "page_size", None)
        if limit is not None and limit != size and answer.get("ScannedCount") == limit:
            self.request = {**self.request, "Limit": 2 * limit if size is None else min(2 * limit, size)}

    def current_item(self, item: WireItem | None) -> WireItem | None:
        """The item of an index entry, read from the table; None if it is deleted or no longer meets the conditions.

        A global index lags, so the item may have changed since and may now have another index key.
        """
        if item is None or any(name not in item for name in self.index.keys):
            return None
        return item if all(evaluate(each, item) for each in self._conditions) else None

    @cached_property
    def _conditions(self) -> tuple[Condition, ...]:
        return request_conditions(self.request)

    def sort_position(self, row: WireItem) -> tuple[bytes, ...]:
        """The sort key of an item as bytes in DynamoDB's order."""
        return tuple(sortable_wire(row[name]) for name in self.index.sort if name in row)

    def _is_after_start(self, row: WireItem) -> bool:
        assert self.after_position is not None
        position, included = self.after_position
        own = self.sort_position(row)
        if own == position:
            return included
        return own < position if self.descending else own > position


Group: TypeAlias = list[Paginator]


def paginators_of(plan: Plan, *, keyed: bool = False) -> list[Group]:
    """The paginators of a plan, in groups that run one after the other; those of a group are merged by sort key.

    `keyed` paginators keep the keys of all their items, for cursors.
    """
    groups: list[Group] = []
    number = 0
    for branch in plan.branches or (plan,):
        index = branch.entities[0].__pksk__.table.index(branch.index)
        requests = iter(branch.requests)
        for size in branch.group_sizes if branch.shared_requests else ():
            group = []
            for _ in range(size):
                request = next(requests)
                operation = "Query" if "KeyConditionExpression" in request else "Scan"
                if keyed or size > 1:
                    request = with_attributes(request, index.keys)
                group.append(Paginator(number, operation, request, branch, index))
                number += 1
            groups.append(group)
    return groups


# A paginator and one of its items. A plain tuple, as there is one for each result.
Row: TypeAlias = "tuple[Paginator, WireItem]"


class Rows:
    """The rows of all groups, in batches; memory holds one page of each active paginator.

    Later groups are read ahead in parallel: none at first, then one, three, and so on, so that a program that stops
    early does not pay for them. The number of active paginators is limited to the number of parallel requests.
    `ordered` is False for the segments of a scan, which are read in parallel and return items as they arrive.
    """

    def __init__(self, core: Core, groups: list[Group], read: Read, *, ordered: bool = True) -> None:
        self._core, self._groups, self._read, self._ordered = core, groups, read, ordered
        self._position = 0
        self._ahead = 1

    @property
    def paginators(self) -> Iterator[Paginator]:
        """All paginators, also of finished groups."""
        return (paginator for group in self._groups for paginator in group)

    @property
    def is_finished(self) -> bool:
        """Whether there are no more rows, as far as is known."""
        return all(
            paginator.is_finished and not paginator.rows
            for group in self._groups[self._position :]
            for paginator in group
        )

    @property
    def scan_position(self) -> tuple[Paginator, WireItem]:
        """The active paginator, and the key up to which DynamoDB has read."""
        (paginator,) = self._groups[self._position]
        assert paginator.start is not None
        return paginator, paginator.start

    def batch(self, *, until_found: bool = True) -> Steps[list[Row] | None]:
        """The next rows, at least one; None at the end.

        Without `until_found`, returns the rows of one request, possibly none. Merged paginators read until each has a
        row, because only then is it known which row comes first.
        """
        while self._position < len(self._groups):
            group = self._groups[self._position]
            once = not until_found and len(group) == 1
            if once:
                yield from group[0].fill(self._core, self._read, until_found=False)
            elif any(paginator.needs_more for paginator in group):
                yield from self._fill(group)
            rows = _merge_sorted(group) if self._ordered and len(group) > 1 else _take_all(group)
            if all(paginator.is_finished and not paginator.rows for paginator in group):
                self._position += 1
            elif once:
                return rows
            if rows:
                return rows
        return None

    def _fill(self, group: Group) -> Steps[None]:
        ahead = [] if any(paginator.is_started for paginator in group) else self._read_ahead(group)
        empty = [paginator for some in (group, *ahead) for paginator in some if paginator.needs_more]
        if len(empty) == 1:
            yield from empty[0].fill(self._core, self._read)
            return
        # A bounded number in parallel, to limit threads and connections.
        width = self._core.max_parallel
        for start in range(0, len(empty), width):
            some = empty[start : start + width]
            yield Together(tuple(paginator.fill(self._core, self._read) for paginator in some))

    def _read_ahead(self, group: Group) -> list[Group]:
        """The groups to read ahead: more each time, up to the limit of parallel requests."""
        ahead: list[Group] = []
        free = self._core.max_parallel - len(group)
        for following in self._groups[self._position + 1 : self._position + self._ahead]:
            free -= len(following)
            if free < 0:
                break
            ahead.append(following)
        self._ahead = min(self._ahead * 2, self._core.max_parallel)
        return ahead


def _take_all(group: Group) -> list[Row]:
    rows = [row for paginator in group for row in zip(repeat(paginator), paginator.rows)]
    for paginator in group:
        paginator.rows.clear()
    return rows


def _merge_sorted(group: Group) -> list[Row]:
    """Rows in order of sort keys, until a paginator must read its next page."""
    if any(paginator.needs_more for paginator in group):
        return []
    in_order: Callable[[Any], Any] = Descending if group[0].descending else lambda position: position
    heap = [
        (in_order(paginator.sort_position(paginator.rows[0])), in_order(paginator.number), paginator)
        for paginator in group
        if paginator.rows
    ]
    heapify(heap)
    merged: list[Row] = []
    while heap:
        paginator = heap[0][2]
        merged.append((paginator, paginator.rows.popleft()))
        if paginator.rows:
            heapreplace(
                heap,
                (in_order(paginator.sort_position(paginator.rows[0])), in_order(paginator.number), paginator),
            )
        elif paginator.is_finished:
            heappop(heap)
        else:
            break
    return merged


@total_ordering
class Descending:
    """A value with reversed order."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Descending) and self.value == other.value

    def __lt__(self, other: Descending) -> bool:
        return bool(other.value < self.value)

    __hash__ = None  # type: ignore[assignment]
