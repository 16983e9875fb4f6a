"""Covers: the cells of a level that a region touches, as ranges of a curve and of keys."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final, NamedTuple

from pksk.cells.curve import Curve
from pksk.cells.geohash import GEOHASH
from pksk.cells.ranges import exact_ranges
from pksk.cells.region import Region
from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, quote

# The number of characters of a cell in the sort key: 32,768 cells in a partition.
SUFFIX: Final = 3
# More ranges than this take longer to compute than a caller waits for. No view and few shapes have a hundredth of it.
MOST_RANGES: Final = 10_000


class CellRange(NamedTuple):
    """Cells that follow each other in one partition: their prefix, and the first and last suffix, both included."""

    prefix: str
    first: str
    last: str


@dataclass(frozen=True)
class Cover:
    """The cells of one level that a region touches, as ranges of their numbers in ascending order.

    The cells can be in any number of partitions: a partition has the cells whose names differ only in their last
    `suffix` characters.

    Example:
        >>> from pksk.cells import Box
        >>> view = cover(Box(41, -5, 60, 10), 3)
        >>> len(view), view.partitions(), "gcp" in view, "sz0" in view
        (168, ('',), True, False)
        >>> len(view.ranges), view.key_ranges()[0]
        (15, CellRange(prefix='', first='ezk', last='ezm'))
    """

    level: int
    ranges: tuple[range, ...]
    suffix: int = SUFFIX
    curve: Curve = GEOHASH

    def __len__(self) -> int:
        return sum(map(len, self.ranges))

    def __contains__(self, cell: str) -> bool:
        if len(cell) != self.level:
            return False
        number = self.curve.number(cell)
        after = bisect_right(self.ranges, number, key=lambda each: each.start)
        return after > 0 and number < self.ranges[after - 1].stop

    def cells(self) -> Iterator[str]:
        """Each cell, in the order of their names."""
        return (self.curve.name(number, self.level) for each in self.ranges for number in each)

    @property
    def partition_count(self) -> int:
        """The number of partitions that have cells of this cover."""
        bits, found, last = self.suffix_bits, 0, -1
        for each in self.ranges:
            first = max(each.start >> bits, last + 1)
            last = each.stop - 1 >> bits
            found += last + 1 - first
        return found

    def partitions(self) -> tuple[str, ...]:
        """The prefixes of the partitions that have cells of this cover."""
        prefixes = (number for number, _ in self.by_partition())
        return tuple(self.curve.name(each, self.level - self.suffix) for each in prefixes)

    def by_partition(self) -> Iterator[tuple[int, list[range]]]:
        """The number of each partition, and the ranges in it, cut at its borders."""
        bits = self.suffix_bits
        for number, ranges in groupby(_cut(self.ranges, bits), lambda each: each.start >> bits):
            yield number, [*ranges]

    def key_ranges(self) -> list[CellRange]:
        """The ranges as keys, cut at partition borders; `plan` joins those that are near."""
        return [self.key_range(each) for each in _cut(self.ranges, self.suffix_bits)]

    def key_range(self, numbers: range) -> CellRange:
        """Numbers of one partition as keys."""
        prefix = self.curve.name(numbers.start >> self.suffix_bits, self.level - self.suffix)
        last = self.curve.name(numbers.stop - 1, self.suffix)
        return CellRange(prefix, self.curve.name(numbers.start, self.suffix), last)

    def after(self, cell: str) -> Cover:
        """The cells that come after a cell, which need not be in the cover: what is left to read."""
        number = self.curve.number(cell) + 1
        left = (range(max(each.start, number), each.stop) for each in self.ranges if each.stop > number)
        return Cover(self.level, tuple(left), self.suffix, self.curve)

    def without(self, read: Iterable[range]) -> Cover:
        """The cells that are not in ranges of numbers, in ascending order, which were read before.

        Example:
            >>> Cover(3, (range(5, 20), range(30, 40))).without([range(0, 7), range(10, 12), range(15, 35)]).ranges
            (range(7, 10), range(12, 15), range(35, 40))
        """
        left, waiting = [], deque(read)
        for each in self.ranges:
            start = each.start
            while waiting and waiting[0].stop <= start:
                waiting.popleft()
            for done in waiting:
                if done.start >= each.stop:
                    break
                left.append(range(start, done.start))
                start = done.stop
            left.append(range(start, each.stop))
        return Cover(self.level, tuple(each for each in left if each), self.suffix, self.curve)

    def at_level(self, level: int) -> Cover:
        """The same area in smaller cells: those whose names begin with the names of these."""
        more = self.curve.bits * (level - self.level)
        if more < 0 or level not in self.curve.levels:
            raise InvalidValue(
                "cell-level",
                f"A cover of level {self.level} has no cells of level {level}.",
                fix=f"pass a level from {self.level} to {self.curve.levels[-1]}.",
            )
        ranges = tuple(range(each.start << more, each.stop << more) for each in self.ranges)
        return Cover(level, ranges, self.suffix, self.curve)

    @property
    def suffix_bits(self) -> int:
        """The number of a cell without these bits is the number of its partition."""
        return self.curve.bits * self.suffix


def cover(
    region: Region, level: int, *, suffix: int = SUFFIX, curve: Curve = GEOHASH, most: int = MOST_RANGES
) -> Cover:
    """The cells of a level that a region touches; raises an error if they are in more than `most` ranges.

    A cell that only touches the border of a circle, a polygon or a line may be included.

    Example:
        >>> from pksk.cells import Box
        >>> found = cover(Box(51.4, -0.3, 51.6, 0.1), 6)
        >>> len(found), found.partitions(), len(found.key_ranges())
        (1406, ('gcp', 'u10'), 69)
    """
    _check_levels(level, suffix, curve)
    return Cover(level, tuple(exact_ranges(region, level, curve, most)), suffix, curve)


def _check_levels(level: int, suffix: int, curve: Curve) -> None:
    if level not in curve.levels:
        raise InvalidValue(
            "cell-level",
            f"There are no cells of level {quote(level)}.",
            expected=f"Levels are {curve.levels[0]} to {curve.levels[-1]}.",
            fix="pass one of these, as a whole number.",
        )
    if not 1 <= suffix <= level:
        raise InvalidValue(
            "cell-level",
            f"The sort key has {suffix} characters of a cell, and cells of level {level} have {level}.",
            fix="take smaller cells or a shorter suffix: sort keys of one partition must have one length.",
        )


def _cut(ranges: tuple[range, ...], bits: int) -> Iterator[range]:
    """Ranges that do not cross the border of a partition."""
    for each in ranges:
        start = each.start
        while start >> bits != each.stop - 1 >> bits:
            border = (start >> bits) + 1 << bits
            yield range(start, border)
            start = border
        yield range(start, each.stop)
