"""From a region to the ranges of a curve that are in it: no cell is missing, and no two ranges could be one."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Final, Protocol

from pksk.cells.box import Box
from pksk.cells.cell_area import CellArea
from pksk.cells.curve import Curve
from pksk.cells.geohash import GEOHASH, grid_index
from pksk.cells.region import Region, Relation, Union
from pksk.errors import InvalidValue

# Looking members up in their enum, for every block, would take a third of the time of a cover.
_DISJOINT, _PARTIAL, _COVERS = Relation.DISJOINT, Relation.PARTIAL, Relation.COVERS
# An end of a range takes at most two blocks for each bit of its number. More of them for each range that is allowed are
# cells side by side, as millions of small ones around a pole are.
_TESTED_A_RANGE: Final = 512


class _GridRegion(Protocol):
    """A region as columns and rows of a level."""

    def relation(self, column: int, row: int, right: int, top: int) -> Relation:
        """How it relates to columns and rows, without the last of each."""

    def within(self, column: int, row: int, right: int, top: int) -> _GridRegion:
        """The same for columns and rows inside these."""


def exact_ranges(region: Region, level: int, curve: Curve, most: int) -> list[range]:
    """The numbers of the cells of a level that a region touches, as the fewest ranges in ascending order.

    Blocks of cells are divided until the region covers them, is disjoint from them, or they are single cells. So the
    time depends on the border of the region and not on its area.

    Example:
        >>> from pksk.cells import GEOHASH
        >>> exact_ranges(Box(41, -5, 60, 10), 2, GEOHASH, most=100)
        [range(447, 448), range(490, 492), range(494, 495), range(789, 790), range(832, 834), range(836, 837)]
    """
    if isinstance(region, Box):
        boxes = [_GridBox(part, level, curve) for part in region.parts]
        found = (each for box in boxes for each in _ranges(box, level, curve, most))
        return joined(sorted(found, key=attrgetter("start")))
    areas = region.parts if isinstance(region, Union) else (region,)
    cells = [each for each in areas if isinstance(each, CellArea)]
    if curve is GEOHASH and cells and len(cells) == len(areas):
        return joined(sorted((each.numbers(level) for each in cells), key=attrgetter("start")))
    columns, rows = curve.grid(level)
    shape = _GridShape(region, 360 / (1 << columns), 180 / (1 << rows))
    return _ranges(shape, level, curve, most)


def joined(ranges: Iterable[range]) -> list[range]:
    """Fewer ranges: those that overlap or follow each other become one.

    Example:
        >>> joined([range(0, 3), range(3, 5), range(7, 9)])
        [range(0, 5), range(7, 9)]
    """
    found: list[range] = []
    stop = -1
    for each in ranges:
        if each.start <= stop:
            stop = max(stop, each.stop)
            found[-1] = range(found[-1].start, stop)
        else:
            stop = each.stop
            found.append(each)
    return found


def _ranges(region: _GridRegion, level: int, curve: Curve, most: int) -> list[range]:
    found: list[range] = []
    waiting = [(curve.world(level), region)]
    start = stop = -1
    tested = 0
    while waiting:
        block, part = waiting.pop()
        tested += 1
        if tested > _TESTED_A_RANGE * most:
            raise too_many(f"more than {tested - 1:,} blocks at its border", level)
        first, column, row, columns, rows, _ = block
        bounds = column, row, column + (1 << columns), row + (1 << rows)
        relation = part.relation(*bounds)
        if relation is _DISJOINT:
            continue
        if relation is _PARTIAL and columns + rows:
            low, high = curve.halves(block)
            part = part.within(*bounds)
            waiting += ((high, part), (low, part))
        elif first == stop:
            stop = first + (1 << columns + rows)
            found[-1] = range(start, stop)
        elif len(found) == most:
            raise too_many(f"more than {most:,} ranges", level)
        else:
            start, stop = first, first + (1 << columns + rows)
            found.append(range(start, stop))
    return found


def too_many(what: str, level: int) -> InvalidValue:
    """The error for a region that is too large, or whose border is too long, for the cells of a level."""
    return InvalidValue(
        "cell-too-many",
        f"The cells of level {level} in this region are in {what}.",
        fix="take larger cells, a smaller region, or a simpler one.",
    )


def too_many_queries(most: int, level: int) -> InvalidValue:
    """The error for a region whose cells take more queries than are allowed: a small one too, at a pole."""
    return InvalidValue(
        "cell-too-many",
        f"The cells of level {level} in this region are in more than {most:,} queries.",
        fix="allow more queries with most_queries=, or take larger cells, a smaller region, or a simpler one.",
    )


class _GridBox:
    """A box that does not cross the 180th meridian: exactly the cells that contain a position of it."""

    def __init__(self, box: Box, level: int, curve: Curve) -> None:
        columns, rows = curve.grid(level)
        self._west, self._right = grid_index(box.west, 180, columns), grid_index(box.east, 180, columns) + 1
        self._south, self._top = grid_index(box.south, 90, rows), grid_index(box.north, 90, rows) + 1

    def relation(self, column: int, row: int, right: int, top: int) -> Relation:
        if right <= self._west or column >= self._right or top <= self._south or row >= self._top:
            return _DISJOINT
        if self._west <= column and right <= self._right and self._south <= row and top <= self._top:
            return _COVERS
        return _PARTIAL

    def within(self, column: int, row: int, right: int, top: int) -> _GridBox:
        return self


class _GridShape:
    """Any other region, in degrees."""

    def __init__(self, region: Region, width: float, height: float) -> None:
        self._region, self._width, self._height = region, width, height

    def relation(self, column: int, row: int, right: int, top: int) -> Relation:
        return self._region.relation(*self._degrees(column, row, right, top))

    def within(self, column: int, row: int, right: int, top: int) -> _GridShape:
        part = self._region.within(*self._degrees(column, row, right, top))
        return self if part is self._region else _GridShape(part, self._width, self._height)

    def _degrees(self, column: int, row: int, right: int, top: int) -> tuple[float, float, float, float]:
        width, height = self._width, self._height
        return row * height - 90, column * width - 180, top * height - 90, right * width - 180
