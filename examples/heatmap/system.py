"""The heatmap as a system: its tables, its data and its tour."""

from __future__ import annotations

from ..tour import System
from .cautions import loose
from .cells import heatmap
from .data import generate
from .tour import tour

__all__ = ["system"]

system = System(
    "heatmap",
    "how safe people felt, counted in cells of a geohash at six sizes",
    tables=(heatmap, loose),
    generate=generate,
    tour=tour,
    items=5000,
)
