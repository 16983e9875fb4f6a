"""Views: the length of the cells that a part of the map is drawn with, and these cells."""

from __future__ import annotations

from typing import Final

from pksk.cells import Box, Cover, cell_count, cover, level_of_count, level_of_zoom

from .errors import OffTheMap

LENGTHS: Final = range(3, 9)
# The characters of a cell in the sort key: 32,768 cells in a partition.
SUFFIX: Final = 3
WORLD: Final = Box(-90, -180, 90, 180)
# Four blocks of 32 by 32 cells, which should be enough for one screen.
MOST_SHOWN: Final = 4096
# Some 32 partitions; a view of more is drawn from larger cells.
MOST_CELLS: Final = 32**4


def length_at(zoom: int) -> int:
    """The greatest length of cells that are at least 32 pixels wide at a zoom of a web map.

    Example:
        >>> [length_at(zoom) for zoom in (5, 8, 11, 14, 16, 18)]
        [3, 4, 5, 6, 7, 8]
    """
    return level_of_zoom(zoom, pixels=32, levels=LENGTHS)


def length_of(view: Box, most: int = MOST_SHOWN) -> int:
    """The greatest length of which a view has at most so many cells; the world has 32,768 of the shortest.

    Example:
        >>> length_of(Box(51.4, -0.3, 51.6, 0.1)), length_of(WORLD)
        (6, 3)
    """
    return level_of_count(view, most, LENGTHS)


def cells_of(view: Box, length: int, *, or_larger: bool = True) -> Cover:
    """The cells of a length that a view touches; raises an error with a shorter length if there are too many.

    Example:
        >>> found = cells_of(Box(41, -5, 60, 10), 3)
        >>> len(found), found.partitions()
        (168, ('',))
    """
    if length not in LENGTHS:
        raise OffTheMap(f"Cells have {LENGTHS[0]} to {LENGTHS[-1]} characters, not {length}.")
    if (cells := cell_count(view, length)) > MOST_CELLS:
        instead = f", or cells of length {length_of(view)}" if or_larger else ""
        raise OffTheMap(
            f"The view has {cells:,} cells of length {length}, more than {MOST_CELLS:,}. "
            f"Fix: take a smaller view{instead}."
        )
    return cover(view, length, suffix=SUFFIX)
