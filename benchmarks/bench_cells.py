"""Geohashes of many positions beside libraries that encode one at a time, and the cover and plan of a view."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from itertools import cycle

import numpy as np

from benchmarks.bench_views import DENSE, SPARSE, ZOOMS, random_covers, random_views
from benchmarks.contestants import PEERS
from benchmarks.timing import Contestant, Row, row
from pksk.cells import Circle, Polygon, arrays, cover, encode, plan_queries

POSITIONS = 1_000_000
QUICK_POSITIONS = 2000
LEVEL = 8
VIEWS = 50

PEER_MODULES = {"geohashr": "geohashr", "python-geohash": "geohash", "pygeohash": "pygeohash"}

Encode = Callable[[float, float, int], object]


def run(quick: bool = False) -> list[Row]:
    """Encoding beside each peer that is there; then covers and plans."""
    return [*_encoding(QUICK_POSITIONS if quick else POSITIONS, quick), *_covers(quick)]


def _encoding(count: int, quick: bool) -> list[Row]:
    random = np.random.default_rng(1)
    lats, lngs = random.uniform(-90, 90, count), random.uniform(-180, 180, count)
    cells = arrays.encode(lats, lngs, LEVEL)
    places = [*zip(lats.tolist(), lngs.tolist(), strict=True)]
    ours = partial(arrays.encode, lats, lngs, LEVEL)
    rows = [
        row(f"encode {count:,} positions", ours, name, partial(_each, function, places), quick=quick)
        for name, function in _peers().items()
    ]
    return [
        *(rows or [row(f"encode {count:,} positions", ours, quick=quick)]),
        row(f"decode {count:,} cells", partial(arrays.decode, cells), quick=quick),
        row("encode one position", partial(encode, 51.6705, -1.2818, LEVEL), quick=quick),
    ]


def _peers() -> dict[str, Encode]:
    """The libraries that `make peers` has got, each with its function for one position."""
    found: dict[str, Encode] = {}
    sys.path.append(str(PEERS / "geohash"))
    for name, module in PEER_MODULES.items():
        try:
            found[name] = import_module(module).encode
        except ImportError:
            print(f"{name} is not there; `make peers` gets it", file=sys.stderr)
    sys.path.pop()
    return found


def _each(function: Encode, places: list[tuple[float, float]]) -> object:
    return [function(lat, lng, LEVEL) for lat, lng in places]


def _covers(quick: bool) -> list[Row]:
    every = [view for zoom in ZOOMS for view in random_views(zoom, VIEWS)]
    rows = [row("cover of a view, all zooms in turn", _in_turn(cover, every), quick=quick)]
    for zoom in ZOOMS:
        views, covers = random_views(zoom, VIEWS), random_covers(zoom, VIEWS)
        rows.append(row(f"cover of a view, zoom {zoom}", _in_turn(cover, views), quick=quick))
        for name, statistics in (("all exist", DENSE), ("2 % exist", SPARSE)):
            calls = _in_turn(plan_queries, [(each, statistics) for each in covers])
            rows.append(row(f"plan of it, {name}", calls, quick=quick))
    circle = Circle(49.28, -123.12, radius_m=5000)
    lake = Polygon([(46, -88), (48.5, -88.5), (47, -85), (46.4, -86)])
    for what, region, level in (("circle", circle, 6), ("polygon", lake, 5)):
        count = len(cover(region, level))
        rows.append(row(f"cover of a {what}, {count:,} cells", partial(cover, region, level), quick=quick))
    return rows


def _in_turn(function: Callable[..., object], arguments: Sequence[tuple[object, ...]]) -> Contestant:
    """A call with the next arguments each time."""
    following = cycle(arguments)
    return lambda: function(*next(following))


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["cells", *sys.argv[1:]]))
