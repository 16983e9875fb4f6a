"""Partitions: ranges of key hashes, what each can serve, how requests spread over keys, and the busiest keys."""

from __future__ import annotations

from pksk.partitions.ceilings import PARTITION_READ_UNITS, PARTITION_WRITE_UNITS, Ceiling, KeyLoad
from pksk.partitions.ranges import (
    HASH_BYTES,
    HASH_COUNT,
    Partition,
    Partitions,
    StoredPartitions,
    initial_count,
    key_hash,
    middle_hash,
    new_partitions,
    segment,
    split_point,
    warm_count,
)
from pksk.partitions.spread import Share, Spread
from pksk.partitions.top_keys import TopKeys

__all__ = [
    "HASH_BYTES",
    "HASH_COUNT",
    "PARTITION_READ_UNITS",
    "PARTITION_WRITE_UNITS",
    "Ceiling",
    "KeyLoad",
    "Partition",
    "Partitions",
    "Share",
    "Spread",
    "StoredPartitions",
    "TopKeys",
    "initial_count",
    "key_hash",
    "middle_hash",
    "new_partitions",
    "segment",
    "split_point",
    "warm_count",
]
