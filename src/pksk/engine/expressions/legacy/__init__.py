"""Parameters of the time before expressions, turned into the same trees."""

from __future__ import annotations

from .legacy import read_legacy

__all__ = ["read_legacy"]
