"""How many items cells have and how large they are, and where these figures are from."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from pksk.cells.coordinates import is_finite
from pksk.dataclass import dataclass, field
from pksk.errors import InvalidValue, quote


@dataclass(frozen=True)
class CellStatistics:
    """How many items a cell of one level has on average, and how large they are; None if that is not known.

    `partition_items` has the number of items of partitions that were counted. `source` says where the figures are
    from, such as "declared", "counted" or "seen in earlier answers", and `as_of` how old they are.

    Example:
        >>> dense = CellStatistics(items_per_cell=1, item_bytes=95, source="declared")
        >>> dense.bytes_per_cell("gcpjf", cells=32_768)
        95
        >>> CellStatistics(item_bytes=95).bytes_per_cell("gcpjf", cells=32_768) is None
        True
        >>> counted = CellStatistics(item_bytes=95, partition_items={"gcpjf": 8192}, source="counted")
        >>> counted.bytes_per_cell("gcpjf", cells=32_768)
        23.75
    """

    items_per_cell: float | None = None
    item_bytes: float | None = None
    source: str = "unknown"
    as_of: datetime | None = None
    partition_items: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("items_per_cell", "item_bytes"):
            value = getattr(self, name)
            if value is not None and not (is_finite(value) and value >= 0):
                raise InvalidValue(
                    "cell-statistics",
                    f"{name} is {quote(value)}, which is not a number from 0.",
                    fix="pass a finite number, or None if it is not known.",
                )

    @classmethod
    def seen(cls, items: int, cells: int, size_bytes: int, as_of: datetime | None = None) -> CellStatistics:
        """The statistics of an answer: so many items of so many bytes together, in a range of so many cells.

        Example:
            >>> CellStatistics.seen(items=20, cells=1000, size_bytes=1900).items_per_cell
            0.02
        """
        average = size_bytes / items if items else None
        return cls(items / max(cells, 1), average, "seen in an answer", as_of)

    def density(self, prefix: str, cells: int) -> float | None:
        """How many items a cell of a partition has on average; `cells` is how many cells the partition can have."""
        counted = self.partition_items.get(prefix)
        return self.items_per_cell if counted is None else counted / cells

    def bytes_per_cell(self, prefix: str, cells: int) -> float | None:
        """How many bytes a cell of a partition has on average; `cells` is how many cells the partition can have."""
        items = self.density(prefix, cells)
        if items == 0:
            return 0
        return None if items is None or self.item_bytes is None else items * self.item_bytes

    def __str__(self) -> str:
        items = "unknown" if self.items_per_cell is None else f"{self.items_per_cell:.3g}"
        size = "unknown" if self.item_bytes is None else f"{self.item_bytes:,.0f}"
        counted = f", {len(self.partition_items):,} partitions counted" if self.partition_items else ""
        as_of = f", as of {self.as_of:%Y-%m-%d %H:%M}" if self.as_of else ""
        return f"items per cell: {items}, bytes per item: {size}{counted} ({self.source}{as_of})"
