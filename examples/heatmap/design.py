"""The design of the heatmap: one table of cells, and of the addresses that report.

`pksk design examples/heatmap/design.py` prints it.
"""

from __future__ import annotations

from .cells import Cell, heatmap
from .reports import Sender, begin_half_year, report

__all__ = ["Cell", "Sender", "begin_half_year", "heatmap", "report"]
