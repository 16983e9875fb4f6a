"""Storage in memory: sorted rows behind one lock."""

from __future__ import annotations

from .storage import MemoryStorage

__all__ = ["MemoryStorage"]
