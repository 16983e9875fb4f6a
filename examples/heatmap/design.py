"""The design of the heatmap: one table for cells, live markers, and the network addresses that report.

`pksk design examples/heatmap/design.py` prints it.
"""

from __future__ import annotations

from .cells import Cell, heatmap
from .markers import Marker
from .reports import Sender, count, touch

__all__ = ["Cell", "Marker", "Sender", "count", "heatmap", "touch"]
