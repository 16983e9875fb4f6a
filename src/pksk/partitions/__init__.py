"""Where items stand: places in the range of hashes, partitions of it, where these split, and what makes them hot."""

from __future__ import annotations

from .counts import initial_count, warm_count
from .placement import PLACE_BYTES, place, segment
from .ranges import Partition, Partitions
from .split_point import middle, split_point
from .top_keys import TopKeys

__all__ = [
    "PLACE_BYTES",
    "Partition",
    "Partitions",
    "TopKeys",
    "initial_count",
    "middle",
    "place",
    "segment",
    "split_point",
    "warm_count",
]
