"""Checks files: that indexes, streams, partitions and sizes match the items."""

from __future__ import annotations

from .check_file import check_file
from .report import FileReport, Progress

__all__ = ["FileReport", "Progress", "check_file"]
