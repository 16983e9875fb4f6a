"""Which rows fall on which partition, many at a time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Final

from pksk.partitions import PLACE_BYTES, Partition, Partitions

if TYPE_CHECKING:
    from pksk.engine.storage import Row

__all__ = ["in_partitions", "spread"]

_FIRST_BYTE: Final = itemgetter(0)
_KEY: Final = attrgetter("key")


def spread(partitions: Partitions, keys: Sequence[bytes]) -> dict[int, int]:
    """How many of these keys belong to each partition, by its number."""
    if len(partitions) == 1:
        return {next(iter(partitions)).number: len(keys)}
    numbers = [part.number for part in partitions]
    return {numbers[place - 1]: count for place, count in _places(partitions.lows, keys).items()}


def _places(lows: Sequence[bytes], keys: Sequence[bytes]) -> dict[int, int]:
    if any(any(low[1:]) or len(low) > PLACE_BYTES for low in lows):
        return Counter(map(partial(bisect_right, lows), keys))
    # Every bound is at a first byte, as it is until a partition splits: that is half the work.
    places: Counter[int] = Counter()
    for byte, count in Counter(map(_FIRST_BYTE, keys)).items():
        places[bisect_right(lows, bytes((byte,)).ljust(PLACE_BYTES, b"\x00"))] += count
    return places


def in_partitions(partitions: Partitions, rows: Sequence[Row]) -> Iterator[tuple[Partition, Sequence[Row]]]:
    """Rows in the order of their keys, cut where another partition begins."""
    start = 0
    while start < len(rows):
        part = partitions.find(rows[start].key)
        end = len(rows) if part.high is None else bisect_left(rows, part.high, start, key=_KEY)
        yield part, rows[start:end]
        start = end
