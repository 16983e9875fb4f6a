"""Requests and over-read of 300 random views of 1920 by 1080 pixels a zoom: cells read over cells needed."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random
from statistics import fmean

from benchmarks.timing import Row
from pksk.cells import Box, CellStatistics, Cover, cover, level_of_zoom, plan_queries, view_of_screen
from pksk.cells.read_cost import joined_near, touched_blocks

ZOOMS = (5, 8, 10, 11, 12, 13, 14, 15, 16, 17)
LEVELS = range(3, 9)
VIEWS = 300
QUICK_VIEWS = 5
SEED = 1
BLOCK = 1024
PARTITION = 32_768
# All cells exist and have 100 bytes; and one in fifty does.
DENSE = CellStatistics(items_per_cell=1, item_bytes=100, source="declared")
SPARSE = CellStatistics(items_per_cell=0.02, item_bytes=100, source="declared")

Join = Callable[[Sequence[range]], Sequence[range]]
WAYS: dict[str, Join] = {
    "whole": lambda ranges: touched_blocks(ranges, PARTITION),
    "blocks": lambda ranges: touched_blocks(ranges, BLOCK),
    "min-max": lambda ranges: [range(ranges[0].start, ranges[-1].stop)],
    "exact": lambda ranges: ranges,
    "gap 16": lambda ranges: joined_near(ranges, 16),
    "gap 64": lambda ranges: joined_near(ranges, 64),
    "at most 8": lambda ranges: joined_near(ranges, _gap_of_at_most(ranges, 8)),
}


def run(quick: bool = False) -> list[Row]:
    """A row for each zoom; each way has its requests and, after x, its over-read."""
    return [row_of(zoom, QUICK_VIEWS if quick else VIEWS) for zoom in ZOOMS]


def row_of(zoom: int, views: int) -> Row:
    """The averages of one zoom."""
    covers = random_covers(zoom, views)
    row: Row = {
        "name": f"zoom {zoom}, level {covers[0].level}",
        "needed": round(fmean(map(len, covers))),
        "partitions": f"{fmean(each.partition_count for each in covers):.2f}/"
        f"{max(each.partition_count for each in covers)}",
    }
    for name, join in WAYS.items():
        requests, over_read = figures(covers, join)
        row[name] = f"{requests:.1f} x{over_read:.2f}"
    for name, statistics in (("plan, all exist", DENSE), ("plan, 2 % exist", SPARSE)):
        plans = [plan_queries(each, statistics) for each in covers]
        units = fmean(plan.units or 0 for plan in plans)
        row[name] = f"{fmean(len(plan.queries) for plan in plans):.1f} {units:.1f} units"
    return row


def random_covers(zoom: int, views: int) -> list[Cover]:
    """The covers of random views."""
    return [cover(*each) for each in random_views(zoom, views)]


def random_views(zoom: int, views: int) -> list[tuple[Box, int]]:
    """Views around random places between 60 degrees south and north, the same in every run; with their level."""
    random, level = Random(SEED), level_of_zoom(zoom, levels=LEVELS)
    places = [(random.uniform(-60, 60), random.uniform(-180, 180)) for _ in range(views)]
    return [(view_of_screen(*place, zoom), level) for place in places]


def figures(covers: Sequence[Cover], join: Join) -> tuple[float, float]:
    """The requests of a view on average, and cells read over cells needed."""
    counted = Counter[str]()
    for each in covers:
        for _, ranges in each.by_partition():
            read = join(ranges)
            counted["requests"] += len(read)
            counted["read"] += sum(map(len, read))
    needed = sum(map(len, covers))
    return counted["requests"] / len(covers), counted["read"] / needed


def _gap_of_at_most(ranges: Sequence[range], most: int) -> float:
    """The gap that leaves so many ranges: all but the widest gaps are read."""
    gaps = sorted(other.start - one.stop for one, other in pairwise(ranges))
    return gaps[-most] if len(gaps) >= most else 0


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["views", *sys.argv[1:]]))
