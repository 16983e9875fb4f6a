"""The rows of a plan in order: merges the paginators of a group by sort key, and reads no more than needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import total_ordering
from heapq import heapify, heappop, heapreplace
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias

from pksk.store.reads.paginator import Group, Paginator
from pksk.store.sending.steps import Steps, Together

if TYPE_CHECKING:
    from pksk.store.core import Core
    from pksk.values import WireItem


# A paginator and one of its items. A plain tuple, as there is one for each result.
Row: TypeAlias = "tuple[Paginator, WireItem]"


class Rows:
    """The rows of all groups, in batches; memory holds one page of each active paginator.

    It reads later groups ahead in parallel: none at first, then one, three, and so on, so that a program that stops
    early pays nothing for them. Never are more paginators active than requests may run in parallel. `ordered` is False
    for the segments of a scan: it reads several in parallel, and returns items as they come.
    """

    def __init__(self, core: Core, groups: list[Group], about: Any, *, ordered: bool = True) -> None:
        self._core, self._groups, self._about, self._ordered = core, groups, about, ordered
        self._place = 0
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
            for group in self._groups[self._place :]
            for paginator in group
        )

    @property
    def scan_position(self) -> tuple[Paginator, Mapping[str, Any]]:
        """The active paginator, and the key up to which DynamoDB has read."""
        (paginator,) = self._groups[self._place]
        assert paginator.start is not None
        return paginator, paginator.start

    def batch(self, *, until_found: bool = True) -> Steps[list[Row] | None]:
        """The next rows, at least one; None at the end.

        Without `until_found`, the rows of one request, which may be none. Merged paginators read until each has a row,
        as only then it is known which comes first.
        """
        while self._place < len(self._groups):
            group = self._groups[self._place]
            once = not until_found and len(group) == 1
            if once:
                yield from group[0].fill(self._core, self._about, until_found=False)
            elif any(paginator.needs_more for paginator in group):
                yield from self._fill(group)
            found = _merge_sorted(group) if self._ordered and len(group) > 1 else _take_all(group)
            if all(paginator.is_finished and not paginator.rows for paginator in group):
                self._place += 1
            elif once:
                return found
            if found:
                return found
        return None

    def _fill(self, group: Group) -> Steps[None]:
        ahead = [] if any(paginator.is_started for paginator in group) else self._read_ahead(group)
        empty = [paginator for some in (group, *ahead) for paginator in some if paginator.needs_more]
        if len(empty) == 1:
            yield from empty[0].fill(self._core, self._about)
            return
        # A bounded number in parallel, to limit threads and connections.
        width = self._core.max_parallel
        for start in range(0, len(empty), width):
            some = empty[start : start + width]
            yield Together(tuple(paginator.fill(self._core, self._about) for paginator in some))

    def _read_ahead(self, group: Group) -> list[Group]:
        """The groups to read ahead: more each time, up to the limit of parallel requests."""
        ahead: list[Group] = []
        free = self._core.max_parallel - len(group)
        for following in self._groups[self._place + 1 : self._place + self._ahead]:
            free -= len(following)
            if free < 0:
                break
            ahead.append(following)
        self._ahead = min(self._ahead * 2, self._core.max_parallel)
        return ahead


def _take_all(group: Group) -> list[Row]:
    found = [row for paginator in group for row in zip(repeat(paginator), paginator.rows)]
    for paginator in group:
        paginator.rows.clear()
    return found


def _merge_sorted(group: Group) -> list[Row]:
    """Rows in order of sort keys, until a paginator must read its next page."""
    if any(paginator.needs_more for paginator in group):
        return []
    turned: Callable[[Any], Any] = Descending if group[0].descending else lambda place: place
    heap = [
        (turned(paginator.sort_position(paginator.rows[0])), turned(paginator.number), paginator)
        for paginator in group
        if paginator.rows
    ]
    heapify(heap)
    found: list[Row] = []
    while heap:
        paginator = heap[0][2]
        found.append((paginator, paginator.rows.popleft()))
        if paginator.rows:
            heapreplace(
                heap,
                (turned(paginator.sort_position(paginator.rows[0])), turned(paginator.number), paginator),
            )
        elif paginator.is_finished:
            heappop(heap)
        else:
            break
    return found


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
