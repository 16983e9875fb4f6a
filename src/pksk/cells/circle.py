"""Circles: all positions within a distance of one position."""

from __future__ import annotations

from math import atan2, cos, degrees, pi, radians, sin

from pksk.cells.coordinates import (
    EARTH_RADIUS_M,
    HALF_CIRCUMFERENCE_M,
    central_angle,
    check_position,
    is_finite,
    wrap_longitude,
)
from pksk.cells.region import Relation
from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, quote

# Computed angles are wrong by less than this: 64 micrometres on the ground.
ROUNDING = 1e-11


@dataclass(frozen=True)
class Circle:
    """All positions within a radius of a centre, on a sphere: also over a pole, or over the 180th meridian.

    Example:
        >>> from pksk.cells import cover
        >>> near = Circle(51.5, -0.12, radius_m=1000)
        >>> (51.505, -0.12) in near, (51.51, -0.12) in near
        (True, False)
        >>> len(cover(near, 7))
        251
    """

    lat: float
    lng: float
    radius_m: float

    def __post_init__(self) -> None:
        check_position(self.lat, self.lng)
        check_metres("circle", "radius_m", self.radius_m)

    def __contains__(self, position: tuple[float, float]) -> bool:
        return central_angle(self.lat, self.lng, *position) * EARTH_RADIUS_M <= self.radius_m

    def relation(self, south: float, west: float, north: float, east: float) -> Relation:
        """Whether the circle is disjoint from a rectangle, covers it, or neither."""
        # At the other end of the Earth, rounding would hide it.
        if self.radius_m >= HALF_CIRCUMFERENCE_M:
            return Relation.COVERS
        radius = self.radius_m / EARTH_RADIUS_M
        if angle_to_rectangle(self.lat, self.lng, south, west, north, east) > radius + ROUNDING:
            return Relation.DISJOINT
        if farthest_angle(self.lat, self.lng, south, west, north, east) <= radius - ROUNDING:
            return Relation.COVERS
        return Relation.PARTIAL

    def within(self, south: float, west: float, north: float, east: float) -> Circle:
        """The circle itself."""
        return self


def check_metres(what: str, name: str, metres: float) -> None:
    """Raise an error if this is not a number of metres from 0.

    Example:
        >>> check_metres("circle", "radius_m", 500)
    """
    if not (is_finite(metres) and metres >= 0):
        raise InvalidValue(
            "cell-metres",
            f"The {name} of a {what} is {quote(metres)}, which is not a number of metres.",
            fix="pass a finite number from 0.",
        )


def angle_to_rectangle(lat: float, lng: float, south: float, west: float, north: float, east: float) -> float:
    """The angle from a position to the nearest one of a rectangle; 0 inside.

    The nearest one is north or south of the position, or on one of the two meridians that bound the rectangle.

    Example:
        >>> round(degrees(angle_to_rectangle(0, 0, 10, -5, 20, 5)), 6)
        10.0
    """
    if (lng - west) % 360 <= east - west or lng == east:
        return radians(max(south - lat, lat - north, 0))
    return min(_angle_to_meridian(lat, lng, south, north, side) for side in (west, east))


def farthest_angle(lat: float, lng: float, south: float, west: float, north: float, east: float) -> float:
    """The angle from a position to the farthest one of a rectangle: it is the nearest to the other end of the Earth.

    Example:
        >>> round(degrees(farthest_angle(0, 0, 10, 0, 20, 0)), 6)
        20.0
    """
    return pi - angle_to_rectangle(-lat, wrap_longitude(lng + 180), south, west, north, east)


def _angle_to_meridian(lat: float, lng: float, south: float, north: float, meridian: float) -> float:
    """The angle from a position to the nearest one of a part of a meridian."""
    across = radians(meridian - lng)
    nearest = degrees(atan2(sin(radians(lat)), cos(radians(lat)) * cos(across)))
    if south <= nearest <= north:
        return central_angle(lat, lng, nearest, meridian)
    return min(central_angle(lat, lng, south, meridian), central_angle(lat, lng, north, meridian))
