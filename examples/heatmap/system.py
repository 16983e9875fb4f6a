"""The heatmap as a system: its tables, its data and its tour."""

from __future__ import annotations

from ..tour import System
from .cells import Cell, heatmap
from .comparisons import loose
from .data import generate
from .markers import Marker
from .reports import Sender
from .tour import run_tour

system = System(
    "heatmap",
    "how safe people felt, counted in cells of a geohash at six sizes",
    tables=(heatmap, loose),
    generate=generate,
    run_tour=run_tour,
    items=5000,
    keys=(Cell.primary, Marker.primary, Sender.primary),
    commands=(
        ("load", "5,000 items in heatmap.db"),
        ("measure", "the same comparison, on other screens too"),
    ),
)
