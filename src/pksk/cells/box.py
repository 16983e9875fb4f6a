"""Boxes: the area of a cell, or the view of a map."""

from __future__ import annotations

from pksk.cells.coordinates import check_position, is_finite, wrap_longitude
from pksk.cells.region import Relation
from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, quote


@dataclass(frozen=True)
class Box:
    """A part of the map in degrees, borders included; if west is greater than east, it spans the 180th meridian.

    Maps that were turned around give longitudes beyond 180, which are wrapped. A view that extends beyond a pole ends
    there.

    Example:
        >>> Box(-20, 170, -10, 190)
        Box(south=-20, west=170, north=-10, east=-170)
        >>> Box(60, -400, 100, 400)
        Box(south=60, west=-180, north=90, east=180)
        >>> (-15, 179) in Box(-20, 170, -10, 190)
        True
    """

    south: float
    west: float
    north: float
    east: float

    def __post_init__(self) -> None:
        try:
            if (
                -90 <= self.south <= self.north <= 90
                and -180 <= self.west <= 180
                and -180 <= self.east <= 180
            ):
                return
        except TypeError:  # a text or None, which the next check rejects
            pass
        self._check()
        whole = self.east - self.west >= 360
        west, east = (-180, 180) if whole else (wrap_longitude(self.west), wrap_longitude(self.east))
        object.__setattr__(self, "west", west)
        object.__setattr__(self, "east", east)
        object.__setattr__(self, "south", max(-90, self.south))
        object.__setattr__(self, "north", min(90, self.north))

    def __contains__(self, position: tuple[float, float]) -> bool:
        lat, lng = position
        if self.west > self.east:
            return self.south <= lat <= self.north and (lng >= self.west or lng <= self.east)
        return self.south <= lat <= self.north and self.west <= lng <= self.east

    @property
    def centre(self) -> tuple[float, float]:
        """The latitude and longitude of its middle."""
        east = self.east + 360 if self.west > self.east else self.east
        return (self.south + self.north) / 2, wrap_longitude((self.west + east) / 2)

    @property
    def parts(self) -> tuple[Box, ...]:
        """The box itself, or its two parts on both sides of the 180th meridian."""
        if self.west <= self.east:
            return (self,)
        return Box(self.south, self.west, self.north, 180), Box(self.south, -180, self.north, self.east)

    def relation(self, south: float, west: float, north: float, east: float) -> Relation:
        """Whether the box is disjoint from a rectangle, covers it, or neither."""
        sides = [(part.west, part.east) for part in self.parts]
        apart = all(west > last or east < first for first, last in sides)
        if apart or south > self.north or north < self.south:
            return Relation.DISJOINT
        across = any(first <= west and east <= last for first, last in sides)
        covers = across and self.south <= south and north <= self.north
        return Relation.COVERS if covers else Relation.PARTIAL

    def within(self, south: float, west: float, north: float, east: float) -> Box:
        """The box itself."""
        return self

    def _check(self) -> None:
        if not (is_finite(self.west) and is_finite(self.east)):
            raise InvalidValue(
                "cell-box",
                f"The west of a box is {quote(self.west)}, and its east {quote(self.east)}: "
                "both must be finite numbers.",
                fix="pass the bounds of a view in degrees.",
            )
        for lat in (self.south, self.north):
            if not is_finite(lat):
                check_position(lat, 0)
        for lat, lng in ((self.south, self.west), (self.north, self.east)):
            if self.south > 90 or self.north < -90:
                check_position(lat, lng if -180 <= lng <= 180 else 180)
        if self.south > self.north:
            raise InvalidValue(
                "cell-box",
                f"The south of a box is {self.south}, which is north of its north, {self.north}.",
                fix="pass south, west, north, east in this order.",
            )
