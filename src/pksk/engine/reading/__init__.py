"""Reads of many items: from a request to a range of rows, a page of them, and what it costs."""

from __future__ import annotations

from .lag import Lag
from .returned import returned

__all__ = ["Lag", "returned"]
