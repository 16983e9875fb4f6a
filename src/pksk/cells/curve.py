"""What a curve through the cells of a map is: the order of cells, and their names."""

from __future__ import annotations

from typing import Protocol, TypeAlias

# Cells whose numbers follow each other and that form a rectangle: the first number, the column and the row of the
# south-western cell, the number of columns and of rows as powers of two, and what the curve knows about its direction.
Block: TypeAlias = tuple[int, int, int, int, int, int]


class Curve(Protocol):
    """A curve through all cells of a level, which numbers and names them so that near cells mostly have near numbers.

    The name of a cell begins with the names of the larger cells around it, and names of one level sort like their
    numbers. `Geohash` is the one that pksk has. Another one must pass the tests in
    `tests/cells/test_curves.py`, as Hilbert's curve does there.

    Example:
        >>> from pksk.cells import GEOHASH
        >>> GEOHASH.number("gcp"), GEOHASH.name(15733, 3), GEOHASH.position("gcp")
        (15733, 'gcp', (127, 100))
        >>> GEOHASH.halves(GEOHASH.world(1))
        ((0, 0, 0, 2, 2, 0), (16, 4, 0, 2, 2, 0))
    """

    @property
    def levels(self) -> range:
        """The lengths of names."""

    @property
    def bits(self) -> int:
        """How many bits of the number a character of a name is."""

    def grid(self, level: int) -> tuple[int, int]:
        """The number of columns and of rows at a level, as powers of two; the first row is the southern one."""

    def world(self, level: int) -> Block:
        """All cells of a level."""

    def halves(self, block: Block) -> tuple[Block, Block]:
        """The first and the second half of a block of at least two cells; both are rectangles."""

    def number(self, cell: str) -> int:
        """The number of a cell among those of its level; raises an error if this is not a cell."""

    def name(self, number: int, level: int) -> str:
        """The cell with a number; an empty text for the number 0 of level 0, which is the world."""

    def position(self, cell: str) -> tuple[int, int]:
        """The column and the row of a cell."""

    def at(self, column: int, row: int, level: int) -> str:
        """The cell in a column and a row."""
