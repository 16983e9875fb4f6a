"""A cache of answers about ranges of cells, for threads and tasks: each missing range is fetched once."""

from __future__ import annotations

from asyncio import wrap_future
from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from itertools import pairwise
from math import inf
from sys import getsizeof
from threading import Lock
from time import monotonic
from typing import Any, Final, Generic, NamedTuple, NoReturn, TypeAlias, TypeVar

from pksk.cells import GEOHASH, CellRange, Curve
from pksk.dataclass import dataclass, replace
from pksk.errors import InvalidValue, quote
from pksk.geo.answered_ranges import Answer, AnsweredRanges, Placed, Shelf, intersection, items_in, missing
from pksk.sending import Effect, Steps
from pksk.sending.async_driver import AsyncClosedClient, AsyncDriver
from pksk.sending.driver import ClosedClient, Driver

T = TypeVar("T")

_DEFAULT_BYTES: Final = 64_000_000
_MAX_DEPTH: Final = 8


@dataclass(frozen=True)
class CacheUse:
    """What a cache has answered so far: cells it had, cells it fetched, and what it holds now.

    Example:
        >>> CacheUse(found_cells=30, fetched_cells=10).hit_rate
        0.75
    """

    found_cells: int = 0
    fetched_cells: int = 0
    answers: int = 0
    size_bytes: int = 0

    @property
    def hit_rate(self) -> float:
        """The share of cells that were not fetched."""
        return self.found_cells / ((self.found_cells + self.fetched_cells) or 1)


class Fetched(NamedTuple, Generic[T]):
    """The items that a fetch has found, and ranges that it has read completely, perhaps more than were wanted."""

    items: Iterable[T]
    read: Sequence[CellRange] = ()


@dataclass(eq=False)
class _Fetch(Generic[T]):
    """A range that a caller is fetching; others wait for it, unless it was made invalid meanwhile.

    The result is None if it failed: then those who wait try themselves.
    """

    shelf: Shelf
    cells: range
    began: float
    result: Future[Sequence[Placed[T]] | None]
    is_valid: bool = True


class _Part(NamedTuple, Generic[T]):
    """Some of the wanted cells: items that were known, or a fetch to wait for."""

    cells: range
    items: Sequence[Placed[T]]
    fetch: _Fetch[T] | None


_Parts: TypeAlias = "list[tuple[Shelf, list[_Part[T]]]]"


class RangeCache(Generic[T]):
    """Keeps what was read from ranges of cells, so that a view reads only what an earlier one has not.

    `cell_of` returns the cell of an item. Answers are kept for `ttl_seconds`, one number or one for each level, and in
    at most `max_bytes`, where those that were not used for the longest time go first. Threads and tasks can share a
    cache, and a range that two of them miss at the same time is read once.

    Example:
        >>> from pksk.cells import CellRange
        >>> stored = {"gcpjf000": 3, "gcpjf00z": 4, "gcpjfzzz": 5}
        >>> def fetch(ranges):
        ...     print("read", [each[1:] for each in ranges])
        ...     return [cell for cell in stored for p, first, last in ranges if p + first <= cell <= p + last]
        >>> cache = RangeCache(cell_of=str, ttl_seconds={8: 60}, max_bytes=1_000_000)
        >>> cache.read([CellRange("gcpjf", "000", "00g")], fetch)
        read [('000', '00g')]
        ['gcpjf000']
        >>> cache.read([CellRange("gcpjf", "000", "010")], fetch)
        read [('00h', '010')]
        ['gcpjf000', 'gcpjf00z']
        >>> cache.invalidate("gcpjf000")
        >>> cache.read([CellRange("gcpjf", "000", "00z")], fetch)
        read [('000', '000')]
        ['gcpjf000', 'gcpjf00z']
    """

    def __init__(
        self,
        cell_of: Callable[[T], str],
        *,
        ttl_seconds: float | Mapping[int, float],
        max_bytes: int = _DEFAULT_BYTES,
        size_of: Callable[[T], int] | None = None,
        clock: Callable[[], float] = monotonic,
        curve: Curve = GEOHASH,
    ) -> None:
        _check_options(ttl_seconds, max_bytes)
        self._cell_of, self._ttl_seconds, self._clock, self._curve = cell_of, ttl_seconds, clock, curve
        self._size_of: Callable[[T], int] = size_of or estimated_bytes
        self._answers: AnsweredRanges[T] = AnsweredRanges(max_bytes)
        self._fetches: dict[Shelf, list[_Fetch[T]]] = {}
        self._found = self._fetched = 0
        # How often something was forgotten since it had changed.
        self._changes = 0
        self._lock = Lock()

    def read(
        self,
        ranges: Iterable[CellRange],
        fetch: Callable[[Sequence[CellRange]], Iterable[T]],
        *,
        identity: Hashable = "",
        gap: float = 0,
    ) -> list[T]:
        """The items in ranges, in the order of their cells; `fetch` reads the parts that are missing, all at once.

        `identity` says whose answers these are, for example a table with a tenant. Missing parts with at most `gap`
        cells between them are fetched as one, as that can cost less than another request.
        """
        return Driver(ClosedClient()).run(
            read_steps(self, ranges, _fetch_by(fetch), wait_in_thread, identity, gap)
        )

    async def read_async(
        self,
        ranges: Iterable[CellRange],
        fetch: Callable[[Sequence[CellRange]], Awaitable[Iterable[T]]],
        *,
        identity: Hashable = "",
        gap: float = 0,
    ) -> list[T]:
        """The same with a `fetch` that is awaited. A task must not use `read`, which would block its event loop."""
        steps = read_steps(self, ranges, _fetch_by(fetch), wrap_future, identity, gap)
        return await AsyncDriver(AsyncClosedClient()).run(steps)

    def invalidate(self, cell: str, *, identity: Hashable = "", suffix: int = 3) -> None:
        """Forget a cell, as it has changed; what is being read at this moment is not kept either."""
        with self._lock:
            self._forget_cell([Shelf(identity, cell[:-suffix], len(cell))], self._curve.number(cell))

    def invalidate_everywhere(self, cell: str) -> None:
        """Forget a cell in all answers, whosever they are."""
        number = self._curve.number(cell)
        with self._lock:
            shelves = {*self._answers.shelves, *self._fetches}
            having = [each for each in shelves if each.level == len(cell) and cell.startswith(each.prefix)]
            self._forget_cell(having, number)

    def _forget_cell(self, shelves: Iterable[Shelf], number: int) -> None:
        self._changes += 1
        for shelf in shelves:
            self._answers.discard(shelf, range(number, number + 1))
            for each in list(self._fetches.get(shelf, ())):
                if number in each.cells:
                    self._forget(each)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._changes += 1
            self._answers.clear()
            for each in [each for some in self._fetches.values() for each in some]:
                self._forget(each)

    @property
    def use(self) -> CacheUse:
        """What was answered so far, and what the cache holds now."""
        with self._lock:
            return CacheUse(self._found, self._fetched, len(self._answers), self._answers.size_bytes)

    def _claim(
        self, ranges: Iterable[CellRange], identity: Hashable, gap: float
    ) -> tuple[_Parts[T], list[_Fetch[T]], int]:
        """What is known about each range, and the fetches that this caller must make, which others can wait for.

        The number is that of the times that something was forgotten so far.
        """
        own: list[_Fetch[T]] = []
        parts: _Parts[T] = []
        numbered = [self._numbers(each, identity) for each in ranges]
        with self._lock:
            for shelf, cells in numbered:
                parts.append((shelf, self._parts(shelf, cells, gap, own)))
            return parts, own, self._changes

    def _parts(self, shelf: Shelf, cells: range, gap: float, own: list[_Fetch[T]]) -> list[_Part[T]]:
        now = self._clock()
        known = list(self._answers.find(shelf, cells, now))
        fetches = [each for each in self._fetches.get(shelf, ()) if intersection(each.cells, cells)]
        unknown = missing(cells, [each.cells for each in known] + [each.cells for each in fetches])
        mine = [_Fetch[T](shelf, each, now, Future()) for each in _joined(unknown, gap)]
        for each in mine:
            each.result.set_running_or_notify_cancel()  # so that a task that waits for it cannot cancel it
            self._fetches.setdefault(shelf, []).append(each)
        own += mine
        parts: list[_Part[T]] = [_Part(each.cells, (), each) for each in mine]
        # A cell is taken from one place only: a fetch of this caller, what is known, or a fetch of another one.
        for answer in known:
            parts += [_Part(each, answer.items, None) for each in _rest(answer.cells, parts)]
        self._found += sum(len(each.cells) for each in parts if each.fetch is None)
        self._fetched += sum(len(each.cells) for each in mine)
        for fetch in fetches:
            both = intersection(fetch.cells, cells)
            parts += [_Part(each, (), fetch) for each in _rest(both, parts)]
        return sorted(parts, key=lambda part: part.cells.start)

    def _finish(self, own: Sequence[_Fetch[T]], fetched: Fetched[T], changes: int) -> None:
        """Keep what was fetched, and pass it to those who wait."""
        placed: defaultdict[int, list[Placed[T]]] = defaultdict(list)
        for each in fetched.items:
            cell = self._cell_of(each)
            placed[len(cell)].append(Placed(self._curve.number(cell), each, self._size_of(each)))
        for some in placed.values():
            some.sort(key=lambda one: one.number)
        for fetch in own:
            inside = items_in(placed[fetch.shelf.level], fetch.cells)
            with self._lock:
                if fetch.is_valid:
                    self._forget(fetch)
                    self._answers.add(self._answer(fetch, fetch.cells, inside))
            fetch.result.set_result(inside)
        self._keep_more(own[0], fetched.read, placed, changes)

    def _keep_more(
        self,
        fetch: _Fetch[T],
        read: Sequence[CellRange],
        placed: Mapping[int, Sequence[Placed[T]]],
        changes: int,
    ) -> None:
        """Keep cells that were read beside the wanted ones, unless one of them may have changed meanwhile."""
        numbered = [self._numbers(each, fetch.shelf.identity) for each in read]
        with self._lock:
            for shelf, cells in numbered if self._changes == changes else ():
                inside = items_in(placed[shelf.level], cells)
                self._answers.add(self._answer(replace(fetch, shelf=shelf), cells, inside))

    def _answer(self, fetch: _Fetch[T], cells: range, items: Sequence[Placed[T]]) -> Answer[T]:
        return Answer(fetch.shelf, cells, items, fetch.began + self._ttl(fetch.shelf.level))

    def _abandon(self, own: Sequence[_Fetch[T]]) -> None:
        """Let those who wait for fetches that failed try themselves."""
        for each in own:
            if not each.result.done():
                with self._lock:
                    self._forget(each)
                each.result.set_result(None)

    def _forget(self, fetch: _Fetch[T]) -> None:
        """No longer let others wait for a fetch, nor keep its answer."""
        fetches = self._fetches.get(fetch.shelf, [])
        if fetch in fetches:
            fetches.remove(fetch)
            if not fetches:
                del self._fetches[fetch.shelf]
        fetch.is_valid = False

    def _numbers(self, cells: CellRange, identity: Hashable) -> tuple[Shelf, range]:
        prefix, first, last = cells
        shelf = Shelf(identity, prefix, len(prefix) + len(first))
        return shelf, range(self._curve.number(prefix + first), self._curve.number(prefix + last) + 1)

    def _key_range(self, shelf: Shelf, cells: range) -> CellRange:
        first, last = (self._curve.name(each, shelf.level) for each in (cells.start, cells.stop - 1))
        return CellRange(shelf.prefix, first[len(shelf.prefix) :], last[len(shelf.prefix) :])

    def _ttl(self, level: int) -> float:
        ttl = self._ttl_seconds
        return ttl.get(level, 0) if isinstance(ttl, Mapping) else ttl


def _rest(cells: range, parts: Sequence[_Part[T]]) -> list[range]:
    return missing(cells, [each.cells for each in parts])


def read_steps(
    cache: RangeCache[T],
    ranges: Iterable[CellRange],
    fetch: Callable[[Sequence[CellRange]], Steps[Fetched[T]]],
    wait: Callable[[Future[Any]], object],
    identity: Hashable = "",
    gap: float = 0,
) -> Steps[list[T]]:
    """What `RangeCache.read` and `read_async` do, as steps; `wait` waits for a fetch of another caller."""
    parts, own, changes = cache._claim(ranges, identity, gap)
    if own:
        try:
            fetched = yield from fetch([cache._key_range(each.shelf, each.cells) for each in own])
            cache._finish(own, fetched, changes)
        finally:
            cache._abandon(own)
    results: list[T] = []
    for shelf, some in parts:
        for part in some:
            items = part.items if part.fetch is None else (yield Effect(_waiting(wait, part.fetch)))
            if items is None:
                again = [cache._key_range(shelf, part.cells)]
                results += yield from read_steps(cache, again, fetch, wait, identity, gap)
            else:
                results += _inside(items, part.cells)
    return results


def wait_in_thread(fetch: Future[Any]) -> object:
    """Wait for a fetch of another thread."""
    return fetch.result()


def _waiting(wait: Callable[[Future[Any]], object], fetch: _Fetch[T]) -> Callable[[], object]:
    return lambda: wait(fetch.result)


def _fetch_by(
    fetch: Callable[[Sequence[CellRange]], object],
) -> Callable[[Sequence[CellRange]], Steps[Fetched[Any]]]:
    def steps(ranges: Sequence[CellRange]) -> Steps[Fetched[Any]]:
        return Fetched((yield Effect(lambda: fetch(ranges))))

    return steps


def _inside(items: Iterable[Placed[T]], cells: range) -> list[T]:
    return [each.item for each in items if each.number in cells]


def _joined(ranges: Sequence[range], gap: float) -> list[range]:
    """Fewer ranges: those with at most so many numbers between them become one."""
    if not ranges:
        return []
    breaks = [index for index, (one, other) in enumerate(pairwise(ranges), 1) if other.start - one.stop > gap]
    bounds = pairwise([0, *breaks, len(ranges)])
    return [range(ranges[first].start, ranges[last - 1].stop) for first, last in bounds]


def estimated_bytes(item: object, depth: int = 0) -> int:
    """About how much memory an item takes, with what it contains.

    Example:
        >>> estimated_bytes("gcpjfy6d") < estimated_bytes({"cell": "gcpjfy6d", "reports": 3}) < 1000
        True
    """
    size = getsizeof(item, 64)
    if depth == _MAX_DEPTH or isinstance(item, str | bytes | int | float):
        return size
    parts: list[Any] = [item.__dict__] if hasattr(item, "__dict__") else []
    if isinstance(item, Mapping):
        parts += [*item.keys(), *item.values()]
    elif isinstance(item, list | tuple | set | frozenset):
        parts += item
    return size + sum(estimated_bytes(each, depth + 1) for each in parts)


def _check_options(ttl_seconds: object, max_bytes: object) -> None:
    ttls = [*ttl_seconds.values()] if isinstance(ttl_seconds, Mapping) else [ttl_seconds]
    if not all(
        isinstance(each, int | float) and not isinstance(each, bool) and 0 <= each < inf for each in ttls
    ):
        _reject(
            f"ttl_seconds={quote(ttl_seconds)}",
            "a number of seconds, or one for each level: ttl_seconds={3: 3600, 8: 60}",
        )
    if isinstance(max_bytes, bool) or not isinstance(max_bytes, int) or max_bytes < 1:
        _reject(
            f"max_bytes={quote(max_bytes)}", f"a number of bytes; the default is max_bytes={_DEFAULT_BYTES:_}"
        )


def _reject(problem: str, fix: str) -> NoReturn:
    raise InvalidValue("cache-option", f"RangeCache({problem}) is not possible.", fix=f"pass {fix}.")
