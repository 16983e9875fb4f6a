"""Random regions of each kind: anywhere, at poles and the 180th meridian, of any size and of none."""

from __future__ import annotations

from collections.abc import Callable
from math import asin, atan2, cos, degrees, radians, sin
from random import Random
from typing import Final, TypeAlias

from pksk.cells import Box, Circle, Line, Polygon, Region, Union
from pksk.cells.coordinates import EARTH_RADIUS_M, wrap_longitude

Position: TypeAlias = tuple[float, float]


def random_position(random: Random) -> Position:
    """Often a pole, the 180th meridian, Greenwich, the equator, or a border of cells."""
    lat = random.choice([90.0, -90.0, 0.0, 45.0, 89.999, *(random.uniform(-90, 90) for _ in range(5))])
    lng = random.choice([180.0, -180.0, 0.0, 45.0, 179.999, *(random.uniform(-180, 180) for _ in range(5))])
    return lat, lng


def random_size(random: Random, most: float) -> float:
    """From nothing to the most, small sizes as often as large ones."""
    return random.choice([0.0, most, most * random.random(), most * 10 ** random.uniform(-6, 0)])


def random_box(random: Random) -> Box:
    """A view, with longitudes as a turned map gives them."""
    lat, lng = random_position(random)
    lng += 360 * random.choice([0, 0, -1, 2])
    return Box(lat, lng, min(90, lat + random_size(random, 180)), lng + random_size(random, 400))


def random_circle(random: Random) -> Circle:
    """From a position to the whole Earth."""
    return Circle(*random_position(random), radius_m=random_size(random, 21_000_000))


def random_fan(random: Random) -> tuple[Position, list[Position]]:
    """A centre, and positions around it in order: a ring that is not convex, and may cross the 180th meridian."""
    lat, lng = random.uniform(-70, 70), random.choice([180.0, -180.0, random.uniform(-180, 180)])
    size = random_size(random, min(60, 90 - abs(lat)))
    corners = random.randrange(4, 9)
    ring = []
    for corner in range(corners):
        angle, reach = (corner + random.random() * 0.9) * 2 * 3.14159 / corners, random.uniform(0.2, 1) * size
        ring.append((lat + reach * sin(angle), wrap_longitude(lng + reach * cos(angle))))
    return (lat, lng), ring


def random_polar_ring(random: Random) -> list[Position]:
    """Positions around the nearer pole, in either direction."""
    north = random.choice([1, -1])
    count = random.randrange(3, 12)
    step = 360 / count
    ring = [
        (north * random.uniform(10, 89), wrap_longitude(-180 + step * (corner + random.random() * 0.4)))
        for corner in range(count)
    ]
    return ring[:: random.choice([1, -1])]


def random_polygon(random: Random) -> Polygon:
    """Any ring, a ring around a pole, with or without a hole, or one that crosses itself."""
    kind = random.randrange(4)
    if kind == 0:
        return Polygon(random_polar_ring(random))
    if kind == 1:
        return Polygon([random_position(random) for _ in range(random.randrange(3, 7))])
    (lat, lng), ring = random_fan(random)
    hole = [(lat + (up - lat) / 3, wrap_longitude(lng + _turn(across - lng) / 3)) for up, across in ring]
    return Polygon(ring, [hole] if kind == 2 else [])


def random_line(random: Random) -> Line:
    """A path of one to four positions."""
    start = random_position(random)
    path = [start]
    for _ in range(random.randrange(4)):
        path.append(moved(path[-1], random.uniform(0, 360), random_size(random, 15_000_000)))
    return Line(path, width_m=random_size(random, 2_000_000))


def random_union(random: Random) -> Union:
    """Some regions of any kind."""
    return Union([random.choice(SHAPES)(random) for _ in range(random.randrange(4))])


SHAPES: Final[tuple[Callable[[Random], Region], ...]] = (
    random_box,
    random_circle,
    random_polygon,
    random_line,
)


def moved(start: Position, bearing: float, metres: float) -> Position:
    """The position so many metres from another in a direction."""
    lat, angle, course = radians(start[0]), metres / EARTH_RADIUS_M, radians(bearing)
    up = asin(max(-1.0, min(1.0, sin(lat) * cos(angle) + cos(lat) * sin(angle) * cos(course))))
    across = atan2(sin(course) * sin(angle) * cos(lat), cos(angle) - sin(lat) * sin(up))
    return max(-90.0, min(90.0, degrees(up))), wrap_longitude(start[1] + degrees(across))


def _turn(degrees: float) -> float:
    return (degrees + 180) % 360 - 180
