"""What calls have consumed, as a value: units by table, index, partition and key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from pksk.values import WireItem

from .text import as_text

__all__ = ["Heat", "KeyHeat", "PagesHeat", "PartitionHeat", "SideHeat", "TableHeat", "VectorHeat"]


@dataclass(frozen=True, slots=True)
class KeyHeat:
    """A key that takes much: its units, and its share of all that its table or index has had."""

    key: WireItem
    units: float
    share: float


@dataclass(frozen=True, slots=True)
class SideHeat:
    """Reads or writes: units, calls, the hottest partition keys, and the hottest items that were called by key.

    A key's units are never too high, and too low by `error` at most; `error` is 0 until there are
    thousands of keys.
    """

    units: float = 0.0
    calls: int = 0
    keys: Sequence[KeyHeat] = ()
    items: Sequence[KeyHeat] = ()
    error: float = 0.0
    # The share of the hottest partition key; and what the busiest partition has had since the last split,
    # over the mean of all, 0 while that is too little to compare.
    top_share: float = 0.0
    skew: float = 0.0


@dataclass(frozen=True, slots=True)
class PagesHeat:
    """Pages of scans, or of queries that went on to 1 MB: how many, their units, and whose they were."""

    calls: int = 0
    units: float = 0.0
    keys: Sequence[KeyHeat] = ()


@dataclass(frozen=True, slots=True)
class PartitionHeat:
    """What one partition has had since it is there."""

    number: int
    read_units: float
    write_units: float


@dataclass(frozen=True, slots=True)
class VectorHeat:
    """What was consumed of a vector index: searches and writes, and the bytes that each are billed by."""

    searches: int
    search_bytes: float
    writes: int
    write_bytes: float


@dataclass(frozen=True, slots=True)
class TableHeat:
    """What was consumed of a table's own items, or of one of its indexes.

    A local index has no partitions: it lies on those of its table. Vector indexes, which AWS bills by
    bytes, stand with their table.
    """

    name: str
    reads: SideHeat
    writes: SideHeat
    partitions: Sequence[PartitionHeat]
    scans: PagesHeat
    unbounded: PagesHeat
    indexes: Mapping[str, TableHeat] = field(default_factory=dict)
    vectors: Mapping[str, VectorHeat] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Heat:
    """What calls have consumed of each table since the engine was opened, or the heat was last reset.

    Example:
        >>> from pksk.engine import Engine
        >>> engine = Engine.open()
        >>> created = engine.call("CreateTable", {
        ...     "TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
        ...     "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        ...     "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
        >>> for number in (7, 7, 7, 8):
        ...     put = engine.call("PutItem", {"TableName": "orders", "Item": {"pk": {"S": str(number)}}})
        >>> hottest = engine.heat().tables["orders"].writes.keys[0]
        >>> hottest.key, hottest.units, hottest.share
        ({'pk': {'S': '7'}}, 3.0, 0.75)
    """

    tables: Mapping[str, TableHeat]

    def text(self, keys: int = 5) -> str:
        """A short table of it, with so many keys of each kind.

        Example:
            >>> from pksk.engine import Engine
            >>> Engine.open().heat().text()
            'nothing was called'
        """
        return as_text(self.tables, keys)

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON has it.

        Example:
            >>> from pksk.engine import Engine
            >>> Engine.open().heat().to_dict()
            {'tables': {}}
        """
        return asdict(self)

    def __str__(self) -> str:
        return self.text()
