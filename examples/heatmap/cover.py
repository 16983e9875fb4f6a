"""Covers a view: its cells as ranges of sort keys, a few for each partition."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from .geohash import OffTheMap, cell_of, columns_bits, number_of, rows_bits
from .views import LENGTHS, Rectangle, View, length_of

SUFFIX: Final = 3
PARTITION: Final = 32**SUFFIX
BLOCK: Final = 32**2
# The default: at most four units more than the best gap if all cells exist, and two if few do.
GAP: Final = 128
# Some 32 partitions; a view of more is drawn from larger cells.
MOST_CELLS: Final = 32**4


class Run(NamedTuple):
    """Sort keys that follow each other in one partition, both ends included."""

    prefix: str
    first: str
    last: str


@dataclass(frozen=True)
class Cover:
    """The cells of one length that a view touches, as ranges of their numbers in ascending order.

    They may be in any number of partitions.
    """

    length: int
    ranges: tuple[range, ...]

    def __len__(self) -> int:
        return sum(map(len, self.ranges))

    def __contains__(self, cell: str) -> bool:
        if len(cell) != self.length:
            return False
        number = number_of(cell)
        place = bisect_right(self.ranges, number, key=lambda each: each.start)
        return place > 0 and number in self.ranges[place - 1]

    def cells(self) -> Iterator[str]:
        """Each cell."""
        return (cell_of(number, self.length) for each in self.ranges for number in each)

    def runs(self, gap: int = 0) -> list[Run]:
        """The ranges, split at partition borders; ranges with at most `gap` cells in between are joined."""
        return [self._run(each) for each in _joined(_cut(self.ranges, PARTITION), gap)]

    def blocks(self) -> list[Run]:
        """The whole blocks of 1,024 cells, those with the same two characters, that the view touches."""
        touched = (
            range(first * BLOCK, (first + 1) * BLOCK)
            for first in sorted({each.start // BLOCK for each in _cut(self.ranges, BLOCK)})
        )
        return [self._run(each) for each in touched]

    def partitions(self) -> list[str]:
        """The prefixes of the partitions of the cells."""
        return list(dict.fromkeys(run.prefix for run in self.runs()))

    def _run(self, numbers: range) -> Run:
        prefix = cell_of(numbers.start // PARTITION, self.length - SUFFIX)
        first, last = (cell_of(each % PARTITION, SUFFIX) for each in (numbers.start, numbers.stop - 1))
        return Run(prefix, first, last)


def worthwhile_gap(share: float, item_bytes: int = 95, request_units: float = 0.25) -> int:
    """The number of unwanted cells that is cheaper to read than to skip, if this share of all cells exists.

    Each request wastes a quarter of a unit on average, since units are rounded up, and costs something itself. A
    cell costs its bytes: half a unit buys 4,096 of them.

    Example:
        >>> [worthwhile_gap(share) for share in (1, 0.2, 0.02)]
        [43, 215, 2155]
    """
    return int((0.25 + request_units) * 8192 / (item_bytes * max(share, 0.001)))


def cover(view: View, length: int, *, or_larger: bool = True) -> Cover:
    """The cells of a length that a view touches; raises an error with a shorter length if there are too many.

    Example:
        >>> found = cover(View(41, -5, 60, 10), 3)
        >>> len(found), found.partitions()
        (168, [''])
        >>> for run in found.runs(gap=1024):
        ...     print(run.first, run.last)
        ezk ezz
        gbh gfx
        sp2 spz
        u00 u4x
    """
    if length not in LENGTHS:
        raise OffTheMap(f"Cells have {LENGTHS[0]} to {LENGTHS[-1]} characters, not {length}.")
    if (cells := view.cells(length)) > MOST_CELLS:
        instead = f", or cells of length {length_of(view)}" if or_larger else ""
        raise OffTheMap(
            f"The view has {cells:,} cells of length {length}, more than {MOST_CELLS:,}. "
            f"Fix: take a smaller view{instead}."
        )
    found = (each for rectangle in view.rectangles(length) for each in _ranges(rectangle, length))
    return Cover(length, tuple(_joined(sorted(found, key=lambda each: each.start), 0)))


def _ranges(wanted: Rectangle, length: int) -> Iterator[range]:
    """The numbers of the cells in a rectangle, in ascending order: halves of the map, and halves of these."""
    whole = (range(1 << columns_bits(length)), range(1 << rows_bits(length)))

    def within(columns: range, rows: range, start: int, *, across: bool) -> Iterator[range]:
        if not (_meet(columns, wanted[0]) and _meet(rows, wanted[1])):
            return
        if _inside(columns, wanted[0]) and _inside(rows, wanted[1]):
            yield range(start, start + len(columns) * len(rows))
            return
        for low in (True, False):
            half = (_half(columns, low=low), rows) if across else (columns, _half(rows, low=low))
            begin = start if low else start + len(columns) * len(rows) // 2
            yield from within(*half, begin, across=not across)

    return within(*whole, 0, across=True)


def _half(numbers: range, *, low: bool) -> range:
    middle = numbers.start + len(numbers) // 2
    return range(numbers.start, middle) if low else range(middle, numbers.stop)


def _meet(one: range, other: range) -> bool:
    return one.start < other.stop and other.start < one.stop


def _inside(one: range, other: range) -> bool:
    return other.start <= one.start and one.stop <= other.stop


def _cut(ranges: Iterable[range], size: int) -> Iterator[range]:
    """Ranges that do not cross a partition border."""
    for each in ranges:
        start = each.start
        while start < each.stop:
            stop = min((start // size + 1) * size, each.stop)
            yield range(start, stop)
            start = stop


def _joined(ranges: Iterable[range], gap: int) -> list[range]:
    """Fewer ranges: those that overlap, touch, or are at most `gap` apart within one partition are joined."""
    found: list[range] = []
    for each in ranges:
        if found and each.start - found[-1].stop <= gap and _one_partition(found[-1], each):
            found[-1] = range(found[-1].start, max(found[-1].stop, each.stop))
        else:
            found.append(each)
    return found


def _one_partition(one: range, other: range) -> bool:
    return one.start // PARTITION == (other.stop - 1) // PARTITION
