"""Counts in cells of several sizes, each computed from the cells in it."""

from pksk.geo.counts.cell_counts import CellCounts
from pksk.geo.counts.verification import CountReport, Difference

__all__ = ["CellCounts", "CountReport", "Difference"]
