"""What queries of cells cost, and the ranges of one partition that cost the least."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, inf
from typing import Final

from pksk.cells.coordinates import is_finite
from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, quote
from pksk.limits import PAGE_BYTES, READ_UNIT_BYTES

# What a request costs besides its units, in read units: its share of a connection, and of the time to answer.
REQUEST_UNITS: Final = 0.25
_LEAST_BYTES_PER_CELL: Final = 1e-9


@dataclass(frozen=True)
class ReadCost:
    """What a query costs: half a read unit for each 4 KB that it reads, rounded up, and a constant for the request.

    A consistent query costs a whole unit for each 4 KB.

    Example:
        >>> ReadCost().units(9000), ReadCost(consistent=True).units(9000)
        (1.5, 3.0)
        >>> ReadCost().total([9000, 100])
        2.5
    """

    request_units: float = REQUEST_UNITS
    consistent: bool = False

    def __post_init__(self) -> None:
        if not (is_finite(self.request_units) and self.request_units >= 0):
            raise InvalidValue(
                "cell-cost",
                f"request_units is {quote(self.request_units)}, which is not a number from 0.",
                fix="pass what a request costs besides its read units, such as 0.25.",
            )

    @property
    def step(self) -> float:
        """The read units for each 4 KB."""
        return 1.0 if self.consistent else 0.5

    def units(self, size_bytes: float) -> float:
        """The read units of a query that reads so many bytes."""
        return self.step * (ceil(size_bytes / READ_UNIT_BYTES) or 1)

    def requests(self, size_bytes: float) -> int:
        """The number of pages of a query that reads so many bytes."""
        return ceil(size_bytes / PAGE_BYTES) or 1

    def total(self, sizes: Iterable[float]) -> float:
        """The cost of queries that read so many bytes each, with that of requests, in read units."""
        return sum([self.units(size) + self.request_units * self.requests(size) for size in sizes])

    def worthwhile_gap(self, bytes_per_cell: float, rounding: float = 0.5) -> float:
        """How many unwanted cells cost as much to read as another request does.

        Another request costs its constant, and a part of a step because it is rounded up: half of it on average.

        Example:
            >>> [int(ReadCost().worthwhile_gap(95 * share)) for share in (1, 0.2, 0.02)]
            [43, 215, 2155]
        """
        extra = rounding + self.request_units / self.step
        return extra * READ_UNIT_BYTES / max(bytes_per_cell, _LEAST_BYTES_PER_CELL)


READ_COST: Final = ReadCost()


def cheapest_ranges(
    ranges: Sequence[range], bytes_per_cell: float, cost: ReadCost, block: int
) -> list[range]:
    """Ranges of one partition that contain the given ones and cost the least to read.

    Candidates are the exact ranges, those that result from joining where a gap costs less than a request, whole
    blocks of cells, and one range from the first cell to the last. A whole partition is never cheaper than that one.

    Example:
        >>> exact = [range(0, 8), range(40, 44), range(4000, 4100)]
        >>> cheapest_ranges(exact, 95, ReadCost(), block=1024)
        [range(0, 44), range(4000, 4100)]
        >>> cheapest_ranges(exact, 0.1, ReadCost(), block=1024)
        [range(0, 4100)]
    """
    one = [range(ranges[0].start, ranges[-1].stop)]
    if len(ranges) == 1 or len(one[0]) * bytes_per_cell <= READ_UNIT_BYTES:
        return one
    gaps = [cost.worthwhile_gap(bytes_per_cell, rounding) for rounding in (0.5, 0.0, 1.0)]
    # Cells before the first one and after the last one are never worth reading.
    ends = one[0]
    blocks = [
        range(max(each.start, ends.start), min(each.stop, ends.stop))
        for each in touched_blocks(ranges, block)
    ]
    candidates = [*(joined_near(ranges, gap) for gap in gaps), one, [*ranges], blocks]
    best, least = one, inf
    for candidate in candidates:
        total = cost.total([len(each) * bytes_per_cell for each in candidate])
        if total < least:
            best, least = candidate, total
    return best


def joined_near(ranges: Sequence[range], gap: float) -> list[range]:
    """Fewer ranges: those that are at most `gap` apart become one.

    Example:
        >>> joined_near([range(0, 3), range(5, 7), range(12, 13)], gap=2)
        [range(0, 7), range(12, 13)]
    """
    found = []
    start, stop = ranges[0].start, ranges[0].stop
    for each in ranges:
        if each.start - stop > gap:
            found.append(range(start, stop))
            start = each.start
        stop = each.stop
    found.append(range(start, stop))
    return found


def touched_blocks(ranges: Sequence[range], size: int) -> list[range]:
    """The whole blocks of so many numbers that ranges touch; those that follow each other are one.

    Example:
        >>> touched_blocks([range(5, 7), range(30, 40), range(70, 72)], 32)
        [range(0, 96)]
    """
    blocks = [range(each.start // size * size, -(-each.stop // size) * size) for each in ranges]
    return joined_near(blocks, 0)
