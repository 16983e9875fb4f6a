"""Makes the base map of `pksk map`: `python -m tests.project.base_map land-50m.json`, from npm's world-atlas 2.0.2.

Coastlines lose the vertices whose triangles with their neighbours are smallest on the ground, until the file is small.
"""

from __future__ import annotations

import heapq
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from math import cos, radians
from pathlib import Path
from typing import Any, Final, TypeAlias

from tests.project.tree import PACKAGE

Ring: TypeAlias = list[tuple[int, int]]

FILE: Final = PACKAGE / "geo" / "map_assets" / "land.txt"
STEPS_PER_DEGREE: Final = 100
HALF: Final = 180 * STEPS_PER_DEGREE
MOST_VERTICES: Final = 18_000
ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
# Antarctica has a tenth of all coasts, and is far from most data.
_FAR_SOUTH: Final = -60 * STEPS_PER_DEGREE
_FAR_SOUTH_WEIGHT: Final = 0.2


def main(source: Path) -> None:
    """Write the file, and print how large it is."""
    rings = simplified(list(_rings(json.loads(source.read_text("utf-8")))))
    FILE.write_text("".join(f"{encoded(ring)}\n" for ring in rings), encoding="ascii")
    print(f"{sum(map(len, rings)):,} vertices in {len(rings)} rings, {FILE.stat().st_size:,} bytes")


def _rings(topology: dict[str, Any]) -> Iterator[Ring]:
    scale, start = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs = [
        [
            tuple(round((at * scale[i] + start[i]) * STEPS_PER_DEGREE) for i, at in enumerate(position))
            for position in zip(*(accumulate(each) for each in zip(*arc, strict=True)), strict=True)
        ]
        for arc in topology["arcs"]
    ]
    for geometry in topology["objects"]["land"]["geometries"]:
        for polygon in geometry["arcs"]:
            for ring in polygon:
                joined = [at for each in ring for at in (arcs[each] if each >= 0 else arcs[~each][::-1])]
                yield unwrapped([at for i, at in enumerate(joined) if i == 0 or at != joined[i - 1]])


def unwrapped(ring: Ring) -> Ring:
    """A ring that goes on beyond the 180th meridian, instead of jumping to its other side.

    A ring around the South Pole is closed along the pole.

    Example:
        >>> unwrapped([(17900, 0), (-17900, 0), (-17900, 100), (17900, 0)])
        [(17900, 0), (18100, 0), (18100, 100), (17900, 0)]
    """
    found, turn = [ring[0]], 0
    for (before, _), (lng, lat) in pairwise(ring):
        turn += (before - lng > HALF) - (lng - before > HALF)
        found.append((lng + turn * 2 * HALF, lat))
    if turn:
        pole = -90 * STEPS_PER_DEGREE
        found += [(found[-1][0], pole), (found[0][0], pole), found[0]]
    return found


def simplified(rings: Sequence[Ring]) -> list[Ring]:
    """The rings with the fewest vertices that matter; those without an area are left out."""
    links = [[[i - 1, i + 1] for i in range(len(ring))] for ring in rings]
    heap = [
        (_area(ring, i - 1, i, i + 1), n, i) for n, ring in enumerate(rings) for i in range(1, len(ring) - 1)
    ]
    heapq.heapify(heap)
    current = {(n, i): area for area, n, i in heap}
    left = sum(map(len, rings))
    while left > MOST_VERTICES:
        area, n, i = heapq.heappop(heap)
        if current.get((n, i)) != area:
            continue
        del current[n, i]
        left -= 1
        before, after = links[n][i]
        links[n][before][1], links[n][after][0] = after, before
        for each in (before, after):
            if (n, each) in current:
                current[n, each] = max(area, _area(rings[n], links[n][each][0], each, links[n][each][1]))
                heapq.heappush(heap, (current[n, each], n, each))
    kept = (
        [at for i, at in enumerate(r) if i in (0, len(r) - 1) or (n, i) in current]
        for n, r in enumerate(rings)
    )
    return [ring for ring in kept if len(ring) > 3]


def _area(ring: Ring, before: int, at: int, after: int) -> float:
    (ax, ay), (bx, by), (cx, cy) = ring[before], ring[at], ring[after]
    weight = cos(radians(by / STEPS_PER_DEGREE)) * (_FAR_SOUTH_WEIGHT if by < _FAR_SOUTH else 1)
    return abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) * weight


def encoded(ring: Ring) -> str:
    """Differences of longitudes and latitudes, each zigzag-coded in characters of five bits and one for more.

    Example:
        >>> encoded([(0, 0), (1, -1), (-40, 5), (0, 0)])
        'AACBxCM'
    """
    text, x, y = [], 0, 0
    for lng, lat in ring[:-1]:
        text += [_number(lng - x), _number(lat - y)]
        x, y = lng, lat
    return "".join(text)


def _number(value: int) -> str:
    left, text = (value << 1) ^ (value >> 63), ""
    while left >= 32:
        text += ALPHABET[left & 31 | 32]
        left >>= 5
    return text + ALPHABET[left]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
