"""Random polygons, and ways to damage them that leave their area as it was."""

from __future__ import annotations

from math import cos, pi, sin
from random import Random
from typing import Any

from hypothesis import strategies as st

from pksk.geo import Geometry, read_geometry

Ring = list[list[float]]


def polygon(*rings: Ring) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": list(rings)}


def point(longitude: float, latitude: float) -> dict[str, Any]:
    return {"type": "Point", "coordinates": [longitude, latitude]}


def line(*positions: list[float]) -> dict[str, Any]:
    return {"type": "LineString", "coordinates": list(positions)}


def square(west: float, south: float, size: float) -> Ring:
    """A counterclockwise square."""
    east, north = west + size, south + size
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def moved(ring: Ring, degrees: float) -> Ring:
    """A ring further east, with longitudes from -180 to 180."""
    return [[round((x + degrees + 180) % 360 - 180, 7), y] for x, y in ring]


def read(data: Any) -> Geometry:
    return read_geometry(data)


def star(random: Random, longitude: float, latitude: float, radius: float, corners: int) -> Ring:
    """A counterclockwise ring around a position, never crossing itself."""
    angles = [2 * pi * (index + random.uniform(0.1, 0.9)) / corners for index in range(corners)]
    radii = [random.uniform(0.5, 1) * radius for _ in angles]
    ring = [
        [round(longitude + r * cos(a), 7), round(latitude + r * sin(a), 7)]
        for r, a in zip(radii, angles, strict=True)
    ]
    return [*ring, ring[0]]


@st.composite
def parks(draw: st.DrawFn) -> list[list[Ring]]:
    """Polygons apart from each other, each a ring and its holes, with correct orientations."""
    random = draw(st.randoms(use_true_random=False))
    longitude, latitude = random.uniform(-170, 160), random.uniform(-80, 75)
    return [
        _park(random, longitude + 2 * index, latitude, draw(st.integers(0, 2)))
        for index in range(draw(st.integers(1, 3)))
    ]


def _park(random: Random, longitude: float, latitude: float, holes: int) -> list[Ring]:
    # The holes lie side by side within the smallest circle that the ring leaves free.
    outer = star(random, longitude, latitude, 0.9, random.randint(8, 60))
    at = [longitude - 0.1, longitude + 0.1][:holes]
    return [outer, *(star(random, x, latitude, 0.09, random.randint(5, 20))[::-1] for x in at)]


def damaged(random: Random, polygons: list[list[Ring]]) -> dict[str, Any]:
    """All rings in one Polygon, each with faults that are common in real files."""
    rings = [_damaged_ring(random, ring) for polygon in polygons for ring in polygon]
    return {"type": "Polygon", "coordinates": rings}


def _damaged_ring(random: Random, ring: Ring) -> Ring:
    ring = ring[::-1] if random.random() < 0.5 else list(ring)
    turn = random.randrange(len(ring) - 1)
    ring = ring[:-1][turn:] + ring[:-1][: turn + 1]
    faults = [_repeated, _with_spike, _with_loop, _open]
    for fault in random.sample(faults, random.randint(0, len(faults))):
        ring = fault(random, ring)
    return ring


def _repeated(random: Random, ring: Ring) -> Ring:
    at = random.randrange(len(ring) - 1)
    return [*ring[:at], ring[at], ring[at], *ring[at + 1 :]]


def _with_spike(random: Random, ring: Ring) -> Ring:
    """There and back along one line: no area, but an invalid ring."""
    at = random.randrange(len(ring) - 1)
    x, y = ring[at]
    return [*ring[: at + 1], [round(x + 0.001, 7), y], *ring[at:]]


def _with_loop(random: Random, ring: Ring) -> Ring:
    """A bow tie as large as a metre, in the middle of an edge."""
    at = random.randrange(len(ring) - 1)
    (x1, y1), (x2, y2) = ring[at : at + 2]
    x, y, step = (x1 + x2) / 2, (y1 + y2) / 2, 1e-5
    loop = [[round(x + dx * step, 7), round(y + dy * step, 7)] for dx, dy in ((0, 0), (1, 1), (1, 0), (0, 1))]
    return [*ring[: at + 1], *loop, *ring[at + 1 :]]


def _open(random: Random, ring: Ring) -> Ring:
    return ring[:-1] if ring[0] == ring[-1] else ring
