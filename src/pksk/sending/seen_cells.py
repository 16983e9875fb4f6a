"""How dense the cells of each partition were in earlier answers: remembered for a while, for a bounded number."""

from __future__ import annotations

from collections import OrderedDict
from datetime import UTC, datetime
from threading import Lock
from typing import Final, NamedTuple, TypeAlias

from pksk.cells import CellStatistics

# Table, index, partition key, and the beginning of sort keys.
CellPlace: TypeAlias = tuple[object, ...]

SEEN: Final = "seen in earlier answers"
_MOST_PARTITIONS: Final = 10_000
_MOST_AGE_SECONDS: Final = 3600.0
# Older answers count less once the answers of a partition had so many cells together.
_MOST_CELLS: Final = 100_000


class _Seen(NamedTuple):
    items: float
    cells: float
    size_bytes: float
    at: float


class SeenCells:
    """The density of cells in answers, by partition; safe for threads.

    Example:
        >>> seen = SeenCells()
        >>> seen.add(("heat", None, "ShCe#gcp"), items=20, cells=1000, size_bytes=1900, now=60.0)
        >>> seen.find(("heat", None, "ShCe#gcp"), now=90.0)
        _Seen(items=20.0, cells=1000.0, size_bytes=1900.0, at=60.0)
        >>> seen.find(("heat", None, "ShCe#gcp"), now=9000.0)
    """

    def __init__(self, most: int = _MOST_PARTITIONS, most_age_seconds: float = _MOST_AGE_SECONDS) -> None:
        self._most, self._most_age = most, most_age_seconds
        self._partitions: OrderedDict[CellPlace, _Seen] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._partitions)

    def add(self, place: CellPlace, *, items: int, cells: int, size_bytes: float, now: float) -> None:
        """Remember what an answer showed of a partition."""
        with self._lock:
            before = self._partitions.pop(place, None)
            known = (
                _Seen(0.0, 0.0, 0.0, now) if before is None or now - before.at > self._most_age else before
            )
            share = min(1.0, _MOST_CELLS / (known.cells + cells))
            self._partitions[place] = _Seen(
                known.items * share + items,
                known.cells * share + cells,
                known.size_bytes * share + size_bytes,
                now,
            )
            if len(self._partitions) > self._most:
                self._partitions.popitem(last=False)

    def find(self, place: CellPlace, now: float) -> _Seen | None:
        """What answers showed of a partition; None if there was none, or the last one is too old."""
        with self._lock:
            found = self._partitions.get(place)
        return None if found is None or now - found.at > self._most_age else found

    def statistics(
        self, places: dict[str, CellPlace], partition_cells: int, item_bytes: float | None, now: float
    ) -> CellStatistics:
        """The statistics of some partitions by the prefix of their cells, as far as answers showed them."""
        found = {prefix: seen for prefix, place in places.items() if (seen := self.find(place, now))}
        if not found:
            return CellStatistics(item_bytes=item_bytes, source="not seen yet")
        items = sum(each.items for each in found.values())
        size = sum(each.size_bytes for each in found.values())
        return CellStatistics(
            item_bytes=size / items if items else item_bytes,
            source=SEEN,
            as_of=datetime.fromtimestamp(min(each.at for each in found.values()), UTC),
            partition_items={
                prefix: round(seen.items * partition_cells / seen.cells) for prefix, seen in found.items()
            },
        )
