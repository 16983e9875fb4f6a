"""Lines with a width, such as a road or a river: all positions within a distance of a path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import asin, atan2, cos, degrees, hypot, pi, radians, sin
from typing import Final, TypeAlias

from pksk.cells.circle import (
    ROUNDING,
    Circle,
    angle_to_rectangle,
    check_metres,
    farthest_angle,
)
from pksk.cells.coordinates import EARTH_RADIUS_M, central_angle, check_position, wrap_longitude
from pksk.cells.region import Region, Relation, Union
from pksk.dataclass import dataclass, field
from pksk.errors import InvalidValue, quote

_Vector: TypeAlias = tuple[float, float, float]
_Position: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Line:
    """All positions within half a width of a path, which takes the shortest way between its positions.

    Example:
        >>> from pksk.cells import cover
        >>> thames = Line([(51.48, -0.18), (51.505, -0.12), (51.507, -0.07)], width_m=500)
        >>> (51.505, -0.12) in thames, (51.52, -0.12) in thames
        (True, False)
        >>> len(cover(thames, 7))
        414
    """

    positions: Sequence[_Position]
    width_m: float
    _parts: Union = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_metres("line", "width_m", self.width_m)
        if not self.positions:
            raise InvalidValue(
                "cell-line", "A line has no positions.", fix="pass at least one, as (latitude, longitude)."
            )
        for position in self.positions:
            check_position(*position)
        radius_m = self.width_m / 2
        parts: list[Region] = [
            _Arc(one, other, radius_m / EARTH_RADIUS_M)
            for pair in pairwise(self.positions)
            for one, other in _legs(*pair)
        ]
        object.__setattr__(self, "_parts", Union(parts or [Circle(*self.positions[0], radius_m)]))

    def __contains__(self, position: _Position) -> bool:
        return position in self._parts

    def relation(self, south: float, west: float, north: float, east: float) -> Relation:
        """Whether the line is disjoint from a rectangle, covers it, or neither."""
        return self._parts.relation(south, west, north, east)

    def within(self, south: float, west: float, north: float, east: float) -> Union:
        """The parts of the line that touch a rectangle."""
        return self._parts.within(south, west, north, east)


class _Arc:
    """All positions within an angle of a part of a great circle."""

    def __init__(self, start: _Position, end: _Position, radius: float) -> None:
        self.ends, self.radius = (start, end), radius
        one, other = _vector(*start), _vector(*end)
        normal = _cross(one, other)
        size = hypot(*normal)
        self._normal = (normal[0] / size, normal[1] / size, normal[2] / size)
        self._ahead, self._behind = _cross(self._normal, one), _cross(other, self._normal)
        self._tops = [each for each in self._extremes() if self._is_beside(_vector(*each))]

    def __contains__(self, position: _Position) -> bool:
        return self.angle(*position) <= self.radius

    def angle(self, lat: float, lng: float) -> float:
        """The angle from a position to the nearest one of the arc."""
        position = _vector(lat, lng)
        if self._is_beside(position):
            return asin(min(1.0, abs(_dot(position, self._normal))))
        return min(central_angle(lat, lng, *end) for end in self.ends)

    def relation(self, south: float, west: float, north: float, east: float) -> Relation:
        centre = (south + north) / 2, (west + east) / 2
        away, reach = self.angle(*centre), farthest_angle(*centre, south, west, north, east)
        if away + reach <= self.radius - ROUNDING:
            return Relation.COVERS
        if away - reach > self.radius + ROUNDING:
            return Relation.DISJOINT
        if self._crosses(south, west, north, east):
            return Relation.PARTIAL
        # The nearest positions are an end of the arc, its most northern or southern one, or a corner.
        corners = ((lat, lng) for lat in (south, north) for lng in (west, east))
        near = any(self.angle(*corner) <= self.radius + ROUNDING for corner in corners) or any(
            angle_to_rectangle(*each, south, west, north, east) <= self.radius + ROUNDING
            for each in (*self.ends, *self._tops)
        )
        return Relation.PARTIAL if near else Relation.DISJOINT

    def within(self, south: float, west: float, north: float, east: float) -> _Arc:
        return self

    def _is_beside(self, position: _Vector) -> bool:
        """Whether the nearest position of the great circle is on the arc."""
        return _dot(position, self._ahead) >= 0 and _dot(position, self._behind) >= 0

    def _extremes(self) -> list[_Position]:
        """The most northern and the most southern position of the great circle."""
        x, y, z = self._normal
        flat = hypot(x, y)
        if flat < ROUNDING:  # the equator
            return []
        lat, lng = degrees(atan2(flat, abs(z))), degrees(atan2(-y * z, -x * z))
        return [(lat, lng), (-lat, wrap_longitude(lng + 180))]

    def _crosses(self, south: float, west: float, north: float, east: float) -> bool:
        """Whether the arc has a position in a rectangle."""
        (_, start), (_, end) = self.ends
        across = (end - start + 180) % 360 - 180
        first, length = (start, across) if across >= 0 else (end, -across)
        for turn in (0, -360):
            low = max(0.0, (west - first) % 360 + turn)
            high = min(length, (west - first) % 360 + turn + east - west)
            if low <= high:
                lats = [*self._lats(first + low, first + high)]
                if min(lats) <= north and max(lats) >= south:
                    return True
        return False

    def _lats(self, west: float, east: float) -> Iterator[float]:
        """The latitudes at two longitudes of the arc, and the extreme ones in between."""
        if east - west < _MERIDIAN and abs(self._normal[2]) < _MERIDIAN:
            yield from (lat for lat, _ in self.ends)
            return
        x, y, z = self._normal
        for lng in (west, east):
            lat = degrees(
                atan2(-(x * cos(radians(lng)) + y * sin(radians(lng))) * (1 if z > 0 else -1), abs(z))
            )
            yield from (lat - _MERIDIAN, lat + _MERIDIAN)
        yield from (lat for lat, lng in self._tops if (lng - west) % 360 <= east - west)


# Longitudes that differ by less, in degrees, are one meridian: a tenth of a metre.
_MERIDIAN: Final = 1e-6
# Positions that are opposite each other within so many radians.
_OPPOSITE: Final = 1e-6


def _legs(one: _Position, other: _Position) -> Iterator[tuple[_Position, _Position]]:
    """A leg of a path without a pole in the middle; nothing if it has no length."""
    across = abs(other[1] - one[1]) % 360
    if central_angle(*one, *other) > pi - _OPPOSITE:
        raise InvalidValue(
            "cell-line",
            f"{quote(one)} and {quote(other)} are opposite each other, so no way between them is the shortest.",
            fix="add a position between them.",
        )
    if abs(one[0]) == 90 or abs(other[0]) == 90:
        lng = other[1] if abs(one[0]) == 90 else one[1]
        one, other = (one[0], lng), (other[0], lng)
    elif abs(across - 180) < _MERIDIAN:
        pole = 90.0 if one[0] + other[0] > 0 else -90.0
        yield from (((one[0], one[1]), (pole, one[1])), ((pole, other[1]), (other[0], other[1])))
        return
    if hypot(*_cross(_vector(*one), _vector(*other))) > 0:
        yield one, other


def _vector(lat: float, lng: float) -> _Vector:
    """A position as a unit vector from the middle of the Earth."""
    flat = cos(radians(lat))
    return flat * cos(radians(lng)), flat * sin(radians(lng)), sin(radians(lat))


def _cross(one: _Vector, other: _Vector) -> _Vector:
    return (
        one[1] * other[2] - one[2] * other[1],
        one[2] * other[0] - one[0] * other[2],
        one[0] * other[1] - one[1] * other[0],
    )


def _dot(one: _Vector, other: _Vector) -> float:
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
