"""Which cell contains which: the levels of a field that is a cell, with parents and children."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from pksk.cells import ALPHABET, CellLevel
from pksk.dataclass import dataclass


@runtime_checkable
class CellTree(Protocol):
    """Cells in levels, each but the largest in one parent.

    Names are taken as valid: they are values of a field that has checked them.
    """

    @property
    def levels(self) -> range:
        """The levels, from the largest cells to the smallest."""

    def level(self, cell: str) -> int:
        """The level of a cell."""

    def parent(self, cell: str) -> str:
        """The cell of the level before that contains a cell."""

    def children(self, cell: str) -> Sequence[str]:
        """The cells of the next level in a cell."""


@dataclass(frozen=True)
class GeohashTree:
    """Geohashes of some levels.

    Example:
        >>> tree = GeohashTree(range(3, 9))
        >>> tree.level("gcpj"), tree.parent("gcpj"), tree.children("gcp")[:3]
        (4, 'gcp', ('gcp0', 'gcp1', 'gcp2'))
    """

    levels: range

    def __repr__(self) -> str:
        return repr(CellLevel(self.levels[0], self.levels[-1] if len(self.levels) > 1 else None))

    def level(self, cell: str) -> int:
        return len(cell)

    def parent(self, cell: str) -> str:
        return cell[:-1]

    def children(self, cell: str) -> Sequence[str]:
        return tuple([cell + character for character in ALPHABET])


def tree_of(metadata: Sequence[object]) -> CellTree | None:
    """The tree of a field with this metadata; None if it is not a cell.

    Example:
        >>> tree_of([CellLevel(3, 8)]), tree_of([])
        (CellLevel(3, 8), None)
    """
    for each in metadata:
        if isinstance(each, CellLevel):
            return GeohashTree(each.cell_levels)
        if isinstance(each, CellTree):
            return each
    return None
