"""Where generated places lie: a park somewhere in the region, and each of its places inside what it belongs to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, pi, radians, sin, sqrt
from random import Random

from ..described import Envelope, Point

__all__ = ["ASSET", "FACILITY", "PARK", "REGION", "ZONE", "Ground"]

# The middles of parks: degrees from west to east, and from south to north.
REGION = ((-138, -115), (48, 59))

# How far places reach from their middle: the least and the most kilometres.
PARK, ZONE, FACILITY, ASSET = (6, 20), (1, 3), (0.1, 0.4), (0.005, 0.02)

_KM_NORTH = 111.2  # for each degree
_DIGITS = 5  # of a degree: about a metre


@dataclass(frozen=True)
class Ground:
    """A circle around the middle of a place. A degree to the east is as long as in the middle of its park."""

    east: float
    north: float
    reach_km: float
    km_east: float

    @classmethod
    def of_park(cls, random: Random) -> Ground:
        """The ground of a park, anywhere in the region."""
        east, north = (random.uniform(*span) for span in REGION)
        return cls(east, north, random.uniform(*PARK), _KM_NORTH * cos(radians(north)))

    def within(self, random: Random, reach_km: tuple[float, float]) -> Ground:
        """The ground of a smaller place, all of it inside this one; no part of it is likelier than others."""
        reach = random.uniform(*reach_km)
        away, angle = (self.reach_km - reach) * sqrt(random.random()), random.uniform(0, 2 * pi)
        east, north = (
            self.east + away * sin(angle) / self.km_east,
            self.north + away * cos(angle) / _KM_NORTH,
        )
        return replace(self, east=east, north=north, reach_km=reach)

    @property
    def location(self) -> Point:
        """Its middle."""
        return Point(coordinates=_rounded(self.east, self.north))

    @property
    def envelope(self) -> Envelope:
        """The box around it."""
        east, north = self.reach_km / self.km_east, self.reach_km / _KM_NORTH
        north_west = _rounded(self.east - east, self.north + north)
        return Envelope(coordinates=(north_west, _rounded(self.east + east, self.north - north)))


def _rounded(east: float, north: float) -> tuple[float, float]:
    return round(east, _DIGITS), round(north, _DIGITS)
