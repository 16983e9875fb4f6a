"""Polygons: areas within rings of positions, with holes, over the 180th meridian, and over a pole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from pksk.cells.coordinates import check_position
from pksk.cells.region import Relation
from pksk.dataclass import dataclass, field
from pksk.errors import InvalidValue, quote

# Positions as (latitude, longitude). The last one may repeat the first.
Ring: TypeAlias = Sequence[tuple[float, float]]

_LEAST_POSITIONS: Final = 3
# Computed positions on a side are wrong by less than this, in degrees: half a micrometre.
_ROUNDING: Final = 4e-12


class _Side(NamedTuple):
    """A side of a ring, from its western to its eastern end; either may be beyond the 180th meridian."""

    west: float
    west_lat: float
    east: float
    east_lat: float

    def meets(self, south: float, west: float, north: float, east: float) -> bool:
        """Whether it shares a position with a rectangle."""
        if self.west > east or self.east < west:
            return False
        if min(self.west_lat, self.east_lat) > north or max(self.west_lat, self.east_lat) < south:
            return False
        # All corners of the rectangle on one side of the line?
        up, across = self.east_lat - self.west_lat, self.east - self.west
        corners = [
            across * (lat - self.west_lat) - up * (lng - self.west)
            for lat in (south, north)
            for lng in (west, east)
        ]
        error = _ROUNDING * (abs(up) + across)
        return min(corners) <= error and max(corners) >= -error

    def is_north_of(self, lat: float, lng: float) -> bool:
        """Whether the meridian from a position to the north pole crosses it."""
        if not self.west <= lng < self.east:
            return False
        share = (lng - self.west) / (self.east - self.west)
        return self.west_lat + share * (self.east_lat - self.west_lat) > lat


@dataclass(frozen=True)
class Polygon:
    """The area within a ring of positions (latitude, longitude), without its holes.

    Sides are straight lines on a map of degrees, as in GeoJSON. A side of more than 180 degrees goes the shorter way,
    across the 180th meridian; one of exactly 360 degrees goes all around. A ring around the Earth contains the pole
    that is nearer to it. The direction of rings does not matter. Where rings overlap or cross themselves, positions
    that are in two of them are outside.

    Example:
        >>> from pksk.cells import cover
        >>> fiji = Polygon([(-16, 177), (-16, -179), (-19, -179), (-19, 177)])
        >>> (-17, 179.9) in fiji, (-17, -179.9) in fiji, (-17, 0) in fiji
        (True, True, False)
        >>> cover(fiji, 5).partitions()
        ('2h', '2j', 'ru', 'rv')
    """

    exterior: Ring
    holes: Sequence[Ring] = ()
    _sides: _Sides = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rings = [_unwrapped(ring) for ring in (self.exterior, *self.holes)]
        sides = [side for ring in rings for side in _sides(ring)]
        pole = sum(_contains_north_pole(ring) for ring in rings) % 2 == 1
        object.__setattr__(self, "_sides", _Sides(sides, pole))

    def __contains__(self, position: tuple[float, float]) -> bool:
        return self._sides.contains(*position)

    def relation(self, south: float, west: float, north: float, east: float) -> Relation:
        """Whether the polygon is disjoint from a rectangle, covers it, or neither."""
        return self._sides.relation(south, west, north, east)

    def within(self, south: float, west: float, north: float, east: float) -> _Sides:
        """The sides of the polygon that matter in a rectangle."""
        return self._sides.within(south, west, north, east)


@dataclass(frozen=True)
class _Sides:
    """The sides that touch a rectangle or are north of it: all that its positions depend on."""

    sides: Sequence[_Side]
    contains_north_pole: bool

    def __contains__(self, position: tuple[float, float]) -> bool:
        return self.contains(*position)

    def contains(self, lat: float, lng: float) -> bool:
        crossed = sum([side.is_north_of(lat, lng) for side in self.sides])
        return (crossed + self.contains_north_pole) % 2 == 1

    def relation(self, south: float, west: float, north: float, east: float) -> Relation:
        if any(side.meets(south, west, north, east) for side in self.sides):
            return Relation.PARTIAL
        inside = self.contains((south + north) / 2, (west + east) / 2)
        return Relation.COVERS if inside else Relation.DISJOINT

    def within(self, south: float, west: float, north: float, east: float) -> _Sides:
        left = [
            side
            for side in self.sides
            if side.west <= east and side.east >= west and (side.west_lat >= south or side.east_lat >= south)
        ]
        return _Sides(left, self.contains_north_pole)


class _Corner(NamedTuple):
    """A position of a ring, and how many turns around the Earth its longitude is away from it.

    Turns are kept apart, so that equal longitudes stay equal: a sum would be rounded.
    """

    lat: float
    lng: float
    turns: int = 0

    @property
    def across(self) -> float:
        """The longitude with its turns."""
        return self.lng + 360 * self.turns if self.turns else self.lng

    def turned(self, turns: int) -> float:
        """The longitude after so many more turns."""
        return self._replace(turns=self.turns + turns).across


def _unwrapped(ring: Ring) -> list[_Corner]:
    """The positions of a closed ring, with longitudes beyond 180 where it crosses the 180th meridian."""
    positions = [*ring[:-1]] if len(ring) > _LEAST_POSITIONS and ring[0] == ring[-1] else [*ring]
    if len(positions) < _LEAST_POSITIONS:
        raise InvalidValue(
            "cell-ring",
            f"A ring has {len(positions)} positions: {quote(positions)}.",
            fix="pass at least three, as (latitude, longitude).",
        )
    for position in positions:
        try:
            lat, lng = position
        except (TypeError, ValueError):
            raise InvalidValue(
                "cell-ring",
                f"{quote(position)} in a ring is not a position.",
                fix="pass positions as (latitude, longitude).",
            ) from None
        check_position(lat, lng)
    turns, found = 0, [_Corner(*positions[0])]
    for (_, before), (lat, lng) in pairwise((*positions, positions[0])):
        if 180 < abs(lng - before) < 360:
            turns += 1 if lng < before else -1
        found.append(_Corner(lat, lng, turns))
    return found


def _sides(ring: Sequence[_Corner]) -> Iterator[_Side]:
    """The sides of a ring wherever they are on a map from -180 to 180, once or twice."""
    for pair in pairwise(ring):
        one, other = sorted(pair, key=lambda corner: corner.across)
        turns = -int((one.across + 180) // 360)
        for shift in (turns - 1, turns, turns + 1):
            west, east = one.turned(shift), other.turned(shift)
            if west <= 180 and east >= -180:
                yield _Side(west, one.lat, east, other.lat)


def _contains_north_pole(ring: Sequence[_Corner]) -> bool:
    """Whether a ring goes around the Earth, and is nearer to the north pole on average."""
    around = ring[-1].across - ring[0].across
    weighted = sum((one.lat + other.lat) * (other.across - one.across) for one, other in pairwise(ring))
    return around % 720 == 360 and weighted * around >= 0
