"""What a region is: an area of the map, and how it relates to rectangles."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Protocol

from pksk.dataclass import dataclass


class Relation(Enum):
    """How a region relates to a rectangle.

    Example:
        >>> from pksk.cells import Circle
        >>> Circle(51.5, 0, radius_m=1000).relation(51.499, -0.001, 51.501, 0.001)
        <Relation.COVERS: 'covers'>
    """

    DISJOINT = "disjoint"
    PARTIAL = "partial"
    COVERS = "covers"


class Region(Protocol):
    """An area of the map.

    Rectangles are in degrees, do not cross the 180th meridian, and include their borders. A region may answer
    `PARTIAL` if it does not know. It must answer `DISJOINT` only if it contains no position of the rectangle, and
    `COVERS` only if it contains all of them.

    Example:
        >>> class Tropics:
        ...     def __contains__(self, position):
        ...         return abs(position[0]) <= 23.44
        ...     def relation(self, south, west, north, east):
        ...         if south > 23.44 or north < -23.44:
        ...             return Relation.DISJOINT
        ...         return Relation.COVERS if -23.44 <= south and north <= 23.44 else Relation.PARTIAL
        ...     def within(self, south, west, north, east):
        ...         return self
        >>> from pksk.cells import cover
        >>> len(cover(Tropics(), 3))
        8704
    """

    def __contains__(self, position: tuple[float, float]) -> bool:
        """Whether it contains a position (latitude, longitude)."""

    def relation(self, south: float, west: float, north: float, east: float) -> Relation:
        """Whether the region is disjoint from a rectangle, covers it, or neither."""

    def within(self, south: float, west: float, north: float, east: float) -> Region:
        """The same region for rectangles inside this one, which may be less work; or the region itself."""


@dataclass(frozen=True)
class Union:
    """All positions that are in at least one of some regions, such as the polygons of a multipolygon.

    Example:
        >>> from pksk.cells import Circle, Polygon
        >>> both = Union([Polygon([(1, 0), (2, 0), (2, 1)]), Circle(-1.5, 0.1, radius_m=10_000)])
        >>> (1.5, 0.1) in both, (-1.5, 0.1) in both, (0, 0.1) in both
        (True, True, False)
    """

    parts: Sequence[Region]

    def __contains__(self, position: tuple[float, float]) -> bool:
        return any(position in part for part in self.parts)

    def relation(self, south: float, west: float, north: float, east: float) -> Relation:
        """Whether all parts are disjoint from a rectangle, one covers it, or neither."""
        found = Relation.DISJOINT
        for part in self.parts:
            relation = part.relation(south, west, north, east)
            if relation is Relation.COVERS:
                return relation
            if relation is Relation.PARTIAL:
                found = relation
        return found

    def within(self, south: float, west: float, north: float, east: float) -> Union:
        """The parts that touch a rectangle, as far as they matter there."""
        bounds = south, west, north, east
        touching = (part for part in self.parts if part.relation(*bounds) is not Relation.DISJOINT)
        return Union([part.within(*bounds) for part in touching])
