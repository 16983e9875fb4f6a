"""The rows of a plan in order: the paginators of a group are merged by sort key, and read no further than needed."""

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

__all__ = ["Row", "Rows"]


# One item, behind the paginator that gave it. A plain pair, since there are as many as results.
Row: TypeAlias = "tuple[Paginator, WireItem]"


class Rows:
    """The rows of all groups, batch by batch; in memory are one page of each paginator that is being read.

    Groups that follow are read ahead, side by side: none at first, then one, three, and so on, for a program that takes
    all rows, and not for one that stops after the first. All of them have no more paginators than requests run at once.
    `ordered` is False for the segments of a scan, whose rows have no order: several are read at a time, and each batch
    is what came.
    """

    def __init__(self, core: Core, groups: list[Group], about: Any, *, ordered: bool = True) -> None:
        self._core, self._groups, self._about, self._ordered = core, groups, about, ordered
        self._place = 0
        self._ahead = 1

    @property
    def paginators(self) -> Iterator[Paginator]:
        """All paginators, of groups that are done too."""
        return (paginator for group in self._groups for paginator in group)

    @property
    def is_finished(self) -> bool:
        """Whether it is known that there are no more rows."""
        return all(
            paginator.is_finished and not paginator.rows
            for group in self._groups[self._place :]
            for paginator in group
        )

    @property
    def scan_position(self) -> tuple[Paginator, Mapping[str, Any]]:
        """The paginator that is being read, and the key up to which DynamoDB has looked in it."""
        (paginator,) = self._groups[self._place]
        assert paginator.start is not None
        return paginator, paginator.start

    def batch(self, *, until_found: bool = True) -> Steps[list[Row] | None]:
        """The next rows, one or more; None where there are no more.

        Without `until_found`, the rows of one request, which may be none. Merged paginators read until each has a row:
        only then is it known which one comes first.
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
        # So many at a time, that threads and connections stay bounded.
        width = self._core.max_parallel
        for start in range(0, len(empty), width):
            some = empty[start : start + width]
            yield Together(tuple(paginator.fill(self._core, self._about) for paginator in some))

    def _read_ahead(self, group: Group) -> list[Group]:
        """The groups to be read with one: more each time, but no more paginators than there may be requests at once."""
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
    """Rows in the order of their sort keys, as far as it is known: until a paginator has to be read first."""
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
    """A value that sorts before smaller ones."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Descending) and self.value == other.value

    def __lt__(self, other: Descending) -> bool:
        return bool(other.value < self.value)

    __hash__ = None  # type: ignore[assignment]
