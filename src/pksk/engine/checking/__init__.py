"""Verifies a file with tables: that all in it follows from its items, and nothing is missing or too much."""

from __future__ import annotations

from .check_file import check_file
from .report import FileReport, Progress

__all__ = ["FileReport", "Progress", "check_file"]
