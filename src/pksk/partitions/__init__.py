"""Where items stand: the hash of their partition key, and the part of its range that a segment covers."""

from __future__ import annotations

from .placement import PLACE_BYTES, place, segment
from .ranges import Partition, Partitions

__all__ = ["PLACE_BYTES", "Partition", "Partitions", "place", "segment"]
