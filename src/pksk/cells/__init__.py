"""Cells of the map: geohashes, and the ranges of keys that hold the cells of a view, a circle or any other region."""

from __future__ import annotations

from pksk.cells.box import Box
from pksk.cells.cell_area import CellArea
from pksk.cells.cell_level import CellLevel
from pksk.cells.circle import Circle
from pksk.cells.coordinates import distance_m
from pksk.cells.cover import CellRange, Cover, cover
from pksk.cells.curve import Curve
from pksk.cells.geohash import (
    ALPHABET,
    GEOHASH,
    Geohash,
    children,
    decode,
    encode,
    layout,
    neighbours,
    parent,
)
from pksk.cells.levels import (
    cell_count,
    level_of_count,
    level_of_metres,
    level_of_region,
    level_of_zoom,
    view_of_screen,
)
from pksk.cells.line import Line
from pksk.cells.polygon import Polygon
from pksk.cells.query_plan import CellPlan, CellQuery, Way, plan_queries, plan_region
from pksk.cells.read_cost import ReadCost
from pksk.cells.region import Region, Relation, Union
from pksk.cells.statistics import CellStatistics

__all__ = [
    "ALPHABET",
    "GEOHASH",
    "Box",
    "CellArea",
    "CellLevel",
    "CellPlan",
    "CellQuery",
    "CellRange",
    "CellStatistics",
    "Circle",
    "Cover",
    "Curve",
    "Geohash",
    "Line",
    "Polygon",
    "ReadCost",
    "Region",
    "Relation",
    "Union",
    "Way",
    "cell_count",
    "children",
    "cover",
    "decode",
    "distance_m",
    "encode",
    "layout",
    "level_of_count",
    "level_of_metres",
    "level_of_region",
    "level_of_zoom",
    "neighbours",
    "parent",
    "plan_queries",
    "plan_region",
    "view_of_screen",
]
