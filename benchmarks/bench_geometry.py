"""A boundary of 100,000 vertices: read, repaired, measured, simplified; beside shapely alone.

Shapely reads and writes GeoJSON and makes a shape valid; it does not check ranges, name positions, regroup rings, or
orient and split them at the antimeridian. Run it with ``python -m benchmarks.bench_geometry [--json] [--quick]``.
"""

from __future__ import annotations

import sys
from math import cos, pi, sin
from random import Random

import orjson
import shapely

from benchmarks.timing import Row, row
from pksk.geo import Position, read_geometry


def coastline(vertices: int) -> list[list[float]]:
    """A ring whose radius changes at every scale, as coasts do."""
    random = Random(1)
    waves = [(4**n, random.gauss(0, 0.3) / 3**n, random.uniform(0, 2 * pi)) for n in range(1, 9)]
    ring = []
    for index in range(vertices):
        angle = 2 * pi * index / vertices
        radius = 1 + sum(size * cos(times * angle + phase) for times, size, phase in waves)
        ring.append([round(-112 + 0.6 * radius * cos(angle), 7), round(36 + 0.5 * radius * sin(angle), 7)])
    return [*ring, ring[0]]


def run(quick: bool = False) -> list[Row]:
    """Each step on one ring, and reading of two areas written as rings of one polygon, clockwise."""
    ring = coastline(2_000 if quick else 100_000)
    text = orjson.dumps({"type": "Polygon", "coordinates": [ring]})
    moved = [[x + 3, y] for x, y in ring]
    broken = orjson.dumps({"type": "Polygon", "coordinates": [ring[::-1], moved[::-1]]})
    park = read_geometry(text)
    shape = shapely.from_geojson(text)

    def measures() -> None:
        again = type(park)(shape)
        _ = again.area_m2, again.centroid, again.envelope

    places = [Position(-112.5 + n / 1000, 36) for n in range(1000)]
    half = len(park.to_bytes()) // 2
    return [
        row(
            "read a valid one",
            lambda: read_geometry(text),
            "shapely",
            lambda: shapely.from_geojson(text),
            quick=quick,
        ),
        row(
            "read and repair two",
            lambda: read_geometry(broken),
            "shapely, make_valid",
            lambda: shapely.make_valid(shapely.from_geojson(broken)),
            quick=quick,
        ),
        row("write", park.to_bytes, "shapely", lambda: shapely.to_geojson(shape), quick=quick),
        row("area, centroid, envelope", measures, quick=quick),
        row(
            "simplify by 11 m",
            lambda: park.simplify(11),
            "shapely",
            lambda: shapely.simplify(shape, 1e-4),
            quick=quick,
        ),
        row("simplify to half the bytes", lambda: park.simplify_to(half), quick=quick),
        row("simplify to 50 KB", lambda: park.simplify_to(50_000), quick=quick),
        row("contains each of 1,000 positions", lambda: park.contains_each(places), quick=quick),
        row("contains a position", lambda: park.contains(Position(-112, 36)), quick=quick),
    ]


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["geometry", *sys.argv[1:]]))
