"""Requests about streams."""

from __future__ import annotations

from typing import Final

__all__ = ["OPERATIONS", "SHAPES"]

OPERATIONS: Final[dict[str, str]] = {}

SHAPES: Final[dict[str, str]] = {}
