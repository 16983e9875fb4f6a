"""Sums sizes and units over any number of items, and keeps the few or the many that will be shown."""

from __future__ import annotations

import heapq
import pickle
from collections import Counter
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import IO, NamedTuple, Self

from pksk.capacity import read_units, write_units
from pksk.cli.size.detect import Form
from pksk.limits import ITEM_BYTES

__all__ = ["MOST_SHOWN", "SizedItem", "Summary"]

MOST_SHOWN = 20

_IN_MEMORY_BYTES = 1 << 23


class SizedItem(NamedTuple):
    """The size of one item, and where it stands."""

    size_bytes: int
    source: str
    line: int
    number: int
    form: Form

    @property
    def too_large(self) -> bool:
        """Whether DynamoDB refuses it."""
        return self.size_bytes > ITEM_BYTES


def _spool() -> IO[bytes]:
    return SpooledTemporaryFile(_IN_MEMORY_BYTES)


class Summary:
    """What all items come to; memory does not grow with their number.

    Example:
        >>> with Summary(keeps_all=False) as summary:
        ...     for line, size in enumerate([100, 5000], 1):
        ...         summary.add(SizedItem(size, "orders.json", line, line, "plain JSON"))
        ...     summary.count, summary.total_bytes, summary.reads, summary.writes
        (2, 5100, 3.0, 6.0)
    """

    def __init__(self, *, keeps_all: bool) -> None:
        self.count = 0
        self.total_bytes = 0
        self.reads = self.writes = 0.0
        self.too_large = 0
        self.forms: Counter[Form] = Counter()
        self.sources: set[str] = set()
        self._first: list[SizedItem] = []
        self._largest: list[tuple[int, int, SizedItem]] = []
        self._all: IO[bytes] | None = _spool() if keeps_all else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._all is not None:
            self._all.close()

    def add(self, item: SizedItem) -> None:
        """Count one item more."""
        self.count += 1
        self.total_bytes += item.size_bytes
        self.reads += read_units(item.size_bytes)
        self.writes += write_units(item.size_bytes)
        self.too_large += item.too_large
        self.forms[item.form] += 1
        self.sources.add(item.source)
        self._keep(item)

    def _keep(self, item: SizedItem) -> None:
        if self._all is not None:
            pickle.dump(tuple(item), self._all)
        if self.count <= MOST_SHOWN:
            self._first.append(item)
        entry = (item.size_bytes, -self.count, item)
        if len(self._largest) < MOST_SHOWN:
            heapq.heappush(self._largest, entry)
        elif entry > self._largest[0]:
            heapq.heapreplace(self._largest, entry)

    @property
    def average_bytes(self) -> float:
        """The average size."""
        return round(self.total_bytes / self.count, 1)

    @property
    def largest(self) -> SizedItem:
        """The largest item; of several, the first."""
        return max(self._largest)[2]

    @property
    def shows_all(self) -> bool:
        """Whether `shown` gives every item."""
        return self._all is not None or self.count <= MOST_SHOWN

    def shown(self) -> Iterator[SizedItem]:
        """The items to show: all in their order, or the largest of many, largest first."""
        if self._all is not None:
            yield from self._read_back(self._all)
        elif self.shows_all:
            yield from self._first
        else:
            yield from (item for _, _, item in sorted(self._largest, reverse=True))

    def _read_back(self, kept: IO[bytes]) -> Iterator[SizedItem]:
        kept.seek(0)
        for _ in range(self.count):
            yield SizedItem(*pickle.load(kept))  # our own bytes, written above
