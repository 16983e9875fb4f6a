"""The area of a cell as a region: exactly the smaller cells in it, and none beside it."""

from __future__ import annotations

from pksk.cells.box import Box
from pksk.cells.geohash import GEOHASH, decode, encode
from pksk.cells.region import Relation
from pksk.dataclass import dataclass


@dataclass(frozen=True)
class CellArea:
    """All positions of one cell: with its southern and western border, without the others.

    Its cover has the cells whose names begin with its own, which are one range.

    Example:
        >>> from pksk.cells import CellArea, cover
        >>> cover(CellArea("gcpj"), 5).key_ranges()
        [CellRange(prefix='gc', first='pj0', last='pjz')]
        >>> (51.6705, -1.2818) in CellArea("gcpj")
        True
    """

    cell: str

    def __post_init__(self) -> None:
        GEOHASH.number(self.cell)

    @property
    def box(self) -> Box:
        """The area with all borders."""
        return decode(self.cell)

    def __contains__(self, position: tuple[float, float]) -> bool:
        return encode(*position, len(self.cell)) == self.cell

    def relation(self, south: float, west: float, north: float, east: float) -> Relation:
        """Whether the cell is disjoint from a rectangle, covers it, or neither."""
        found = self.box.relation(south, west, north, east)
        on_a_border = found is Relation.COVERS and not all(
            corner in self for corner in ((south, west), (north, east))
        )
        return Relation.PARTIAL if on_a_border else found

    def within(self, south: float, west: float, north: float, east: float) -> CellArea:
        """The cell itself."""
        return self

    def numbers(self, level: int) -> range:
        """The numbers of the cells of a level in it, or of the one that it is in."""
        number, more = GEOHASH.number(self.cell), GEOHASH.bits * (level - len(self.cell))
        if more < 0:
            return range(number >> -more, (number >> -more) + 1)
        return range(number << more, number + 1 << more)
