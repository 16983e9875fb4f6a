"""Answers about ranges of cells, kept for a time and in a limited number of bytes; no I/O and no clock."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

from pksk.dataclass import dataclass

T = TypeVar("T")

# What an answer takes beside its items.
ANSWER_BYTES: Final = 250


class Shelf(NamedTuple):
    """Where answers belong that can be joined: whose they are, their partition, and the level of their cells."""

    identity: Hashable
    prefix: str
    level: int


class Placed(NamedTuple, Generic[T]):
    """An item with the number of its cell, and its size."""

    number: int
    item: T
    size_bytes: int


@dataclass(eq=False)
class Answer(Generic[T]):
    """Everything that is in a range of cells, in the order of their numbers; it may be nothing."""

    shelf: Shelf
    cells: range
    items: Sequence[Placed[T]]
    expires: float

    @property
    def size_bytes(self) -> int:
        """The size of its items, and of what it takes itself."""
        return ANSWER_BYTES + sum(each.size_bytes for each in self.items)

    def within(self, cells: range) -> Answer[T]:
        """The part of it in other cells."""
        both = intersection(self.cells, cells)
        return Answer(self.shelf, both, items_in(self.items, both), self.expires)


class AnsweredRanges(Generic[T]):
    """Answers that do not overlap; the least recently used ones go if they exceed `max_bytes`.

    Example:
        >>> answers = AnsweredRanges(max_bytes=10_000)
        >>> shelf = Shelf("heat", "gcpjf", 8)
        >>> answers.add(Answer(shelf, range(10, 20), [Placed(12, "a", 1)], expires=60.0))
        >>> [found.cells for found in answers.find(shelf, range(15, 25), now=5.0)]
        [range(15, 20)]
        >>> answers.discard(shelf, range(16, 17))
        >>> missing(range(15, 25), [each.cells for each in answers.find(shelf, range(15, 25), now=5.0)])
        [range(16, 17), range(20, 25)]
        >>> list(answers.find(shelf, range(15, 25), now=60.0))
        []
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._shelves: dict[Shelf, list[Answer[T]]] = {}
        self._by_use: OrderedDict[Answer[T], int] = OrderedDict()
        self.size_bytes = 0

    def __len__(self) -> int:
        return len(self._by_use)

    @property
    def shelves(self) -> Iterable[Shelf]:
        """Where there are answers now."""
        return self._shelves.keys()

    def find(self, shelf: Shelf, cells: range, now: float) -> Iterator[Answer[T]]:
        """The parts of answers in a range, in order; expired ones are dropped."""
        for each in self._overlapping(shelf, cells):
            if each.expires <= now:
                self._remove(each)
            else:
                self._by_use.move_to_end(each)
                yield each.within(cells)

    def add(self, answer: Answer[T]) -> None:
        """Keep an answer in place of older ones about the same cells."""
        self.discard(answer.shelf, answer.cells)
        self._insert(answer)
        self._make_room()

    def discard(self, shelf: Shelf, cells: range) -> None:
        """Forget what is known about a range."""
        for each in self._overlapping(shelf, cells):
            self._remove(each)
            for rest in missing(each.cells, [cells]):
                self._insert(each.within(rest))
        self._make_room()  # two parts take more than one answer

    def clear(self) -> None:
        """Forget everything."""
        self._shelves.clear()
        self._by_use.clear()
        self.size_bytes = 0

    def _overlapping(self, shelf: Shelf, cells: range) -> list[Answer[T]]:
        answers = self._shelves.get(shelf, [])
        first = max(bisect_right(answers, cells.start, key=_start) - 1, 0)
        last = bisect_right(answers, cells.stop - 1, key=_start)
        return [each for each in answers[first:last] if intersection(each.cells, cells)]

    def _insert(self, answer: Answer[T]) -> None:
        insort(self._shelves.setdefault(answer.shelf, []), answer, key=_start)
        self._by_use[answer] = answer.size_bytes
        self.size_bytes += answer.size_bytes

    def _make_room(self) -> None:
        while self.size_bytes > self._max_bytes:
            self._remove(next(iter(self._by_use)))

    def _remove(self, answer: Answer[T]) -> None:
        answers = self._shelves[answer.shelf]
        del answers[bisect_right(answers, answer.cells.start, key=_start) - 1]
        if not answers:
            del self._shelves[answer.shelf]
        self.size_bytes -= self._by_use.pop(answer)


def _start(answer: Answer[T]) -> int:
    return answer.cells.start


def items_in(items: Sequence[Placed[T]], cells: range) -> Sequence[Placed[T]]:
    """Those of some items in the order of their numbers that are in a range.

    Example:
        >>> [found.item for found in items_in([Placed(3, "a", 1), Placed(5, "b", 1), Placed(9, "c", 1)], range(4, 9))]
        ['b']
    """
    first = bisect_left(items, cells.start, key=_number)
    return items[first : bisect_left(items, cells.stop, lo=first, key=_number)] if cells else ()


def _number(item: Placed[T]) -> int:
    return item.number


def intersection(one: range, other: range) -> range:
    """The numbers that are in both ranges.

    Example:
        >>> intersection(range(3, 9), range(5, 12)), len(intersection(range(3, 5), range(7, 9)))
        (range(5, 9), 0)
    """
    return range(max(one.start, other.start), min(one.stop, other.stop))


def missing(wanted: range, known: Iterable[range]) -> list[range]:
    """The parts of a range that are in none of the others.

    Example:
        >>> missing(range(0, 10), [range(5, 7), range(2, 3), range(9, 12)])
        [range(0, 2), range(3, 5), range(7, 9)]
    """
    found, start = [], wanted.start
    for each in sorted(known, key=lambda known: known.start):
        if each.start > start:
            found.append(range(start, min(each.start, wanted.stop)))
        start = max(start, each.stop)
        if start >= wanted.stop:
            break
    found.append(range(start, wanted.stop))
    return [each for each in found if each]
