"""A table in memory, derived from its record, and a write of one of its items with its outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from threading import Lock
from typing import NamedTuple, TypeAlias

from pksk.dataclass import dataclass
from pksk.engine import texts
from pksk.engine.row_layout import RowLayout
from pksk.engine.service_errors import validation
from pksk.engine.storage import Row
from pksk.engine.vectors.vector_cache import VectorCache
from pksk.engine.vectors.vector_index import VectorIndex
from pksk.partitions import Partitions
from pksk.values import WireItem

from . import table_record
from .stream_record import shard_keys
from .table_record import TableRecord
from .tally import Tally


class PartitionHeadroom:
    """How many bytes a table and its global indexes can grow before a partition may have to split.

    The table is measured only when `bytes_left` falls below zero, and its partitions only if it is larger
    than one partition may be. `sizes` has their bytes by space and number, and each write updates them. A
    partition that cannot be split is tried again when it has more bytes than `retry_at` has for it.
    """

    __slots__ = ("bytes_left", "counting", "is_measured", "measuring", "retry_at", "sizes")

    def __init__(self) -> None:
        self.bytes_left: float = 0
        self.is_measured = False
        self.sizes: dict[int, dict[int, int]] = {}
        self.retry_at: dict[tuple[int, int], float] = {}
        # Held while `sizes` change, and while one thread measures.
        self.counting, self.measuring = Lock(), Lock()


class Expiry(NamedTuple):
    """The TTL attribute, and the space with keys in the order of their expiry."""

    attribute: str
    space: int


@dataclass
class Table:
    """A table, as operations use it.

    There is one object for each table. A change replaces each attribute whole, inside a writing block, so
    that a write which has the table already sees it too.
    """

    name: str
    arn: str
    record: TableRecord
    layout: RowLayout
    # The layout of each global and local index, also while it is backfilled.
    indexes: dict[str, RowLayout] = field(default_factory=dict)
    # The attributes of their keys.
    index_attributes: frozenset[str] = frozenset()
    # With local indexes: the space with the sizes of item collections.
    collection_space: int | None = None
    # With a stream: the space of its change records, and the images they have.
    change_space: int | None = None
    stream_view: str | None = None
    # With a stream: the first bytes of the keys of change records, by partition number.
    shards: dict[int, bytes] = field(default_factory=dict)
    # With TTL.
    expiry: Expiry | None = None
    # Indexes that writes update but that cannot be read yet.
    backfilling: frozenset[str] = frozenset()
    # The vector indexes, and what searches of them have in memory.
    vectors: dict[str, VectorIndex] = field(default_factory=dict)
    vector_cache: VectorCache = field(default_factory=VectorCache, repr=False, compare=False)
    # The partitions of the table and of each global index.
    partitions: Partitions = field(default_factory=lambda: Partitions.even(1))
    index_partitions: dict[str, Partitions] = field(default_factory=dict)
    # How much they can grow before one must split.
    headroom: PartitionHeadroom = field(default_factory=PartitionHeadroom, repr=False, compare=False)
    # What calls consume of the table, and of its indexes by their spaces.
    tally: Tally = field(default_factory=Tally, repr=False, compare=False)
    index_tallies: dict[int, Tally] = field(default_factory=dict, repr=False, compare=False)
    # False as soon as the table is deleted.
    exists: bool = True

    @classmethod
    def of(cls, arn: str, record: TableRecord) -> Table:
        """The table of a record."""
        table = cls(record["TableName"], arn, record, table_record.table_layout(record, record["space"]))
        table.load(record)
        return table

    def load(self, record: TableRecord) -> None:
        """Take over a record, each attribute at once."""
        stream = table_record.open_stream(record)
        self.record = record
        self.exists = table_record.status_of(record) != "DELETING"
        self.layout = table_record.table_layout(record, record["space"])
        self.backfilling = frozenset(
            name for name, status in table_record.busy_indexes(record).items() if status == "CREATING"
        )
        self.vectors = {
            entry["IndexName"]: table_record.vector_index(record, entry)
            for entry in record.get("VectorIndexes", ())
            if "space" in entry
        }
        self.vector_cache.keep_only({index.space for index in self.vectors.values()})
        self.collection_space = record.get("collections")
        self.change_space, self.stream_view = (
            (None, None) if stream is None else (stream["space"], stream["view"])
        )
        self.shards = {} if stream is None else shard_keys(stream)
        self.expiry = _expiry(record)
        self.partitions = Partitions.from_record(record["partitions"])
        self.index_partitions = {
            entry["IndexName"]: Partitions.from_record(entry["partitions"])
            for entry in record.get("GlobalSecondaryIndexes", ())
        }
        self.indexes = _index_layouts(record)
        self.index_attributes = frozenset(
            attribute.name for layout in self.indexes.values() for attribute in layout.keys
        )

    def index(self, name: str) -> RowLayout:
        """The layout of an index that can be read now."""
        layout = self.indexes.get(name)
        if layout is None:
            raise validation(texts.no_index(name))
        if name in self.backfilling:
            raise validation(f"Cannot read from backfilling global secondary index: {name}")
        return layout

    def partitions_of(self, rows: RowLayout) -> Partitions:
        """The partitions of the table or of an index: a global one has its own."""
        if rows.kind == "gsi":
            return self.index_partitions.get(rows.name or "") or Partitions.even(1)
        return self.partitions

    def vector_spaces(self, names: Iterable[str]) -> list[int]:
        """The spaces of these vector indexes, as far as they exist."""
        vectors = self.vectors
        return [vectors[name].space for name in names if name in vectors]


def _expiry(record: TableRecord) -> Expiry | None:
    setting = record.get("ttl")
    if setting is None or "space" not in setting:
        return None
    return Expiry(setting["attribute"], setting["space"])


def _index_layouts(record: TableRecord) -> dict[str, RowLayout]:
    layouts = {
        entry["IndexName"]: table_record.index_layout(record, entry, "gsi")
        for entry in record.get("GlobalSecondaryIndexes", ())
        if table_record.status_of(entry) != "DELETING"
    }
    for entry in record.get("LocalSecondaryIndexes", ()):
        layouts[entry["IndexName"]] = table_record.index_layout(record, entry, "lsi")
    return layouts


# Tests the current item, or an empty one if there is none.
Test: TypeAlias = Callable[[WireItem], bool]
# Maps the current item, or None, to the new item and its size; None and 0 delete it.
Change: TypeAlias = Callable[[WireItem | None], tuple[WireItem | None, int]]


@dataclass(slots=True)
class Write:
    """A put, an update or a delete of a row; without a change, it is a condition check."""

    table: Table
    key: bytes
    # The key attributes; for a put, the whole item.
    key_item: WireItem
    change: Change | None
    condition: Test | None = None
    # Whether the change needs the current item.
    reads_old: bool = False
    # The service that made the change, as change records name it. Such a write consumes no units.
    principal: str | None = None

    def known_size(self) -> int:
        """The size of the new item if it does not depend on the current one, else 0."""
        return 0 if self.change is None or self.reads_old else self.change(None)[1]


class IndexEntryWrite(NamedTuple):
    """An index row that a write has put or removed: its key, its units, and its size before and after."""

    layout: RowLayout
    key: bytes
    units: float
    before: int
    after: int


@dataclass(slots=True)
class Outcome:
    """The result of a write: both images, and the units of the table and of each index."""

    old: Row | None
    old_item: WireItem | None
    new_item: WireItem | None
    new_size: int
    table_units: float
    index_units: dict[str, float] = field(default_factory=dict)
    collection_bytes: int | None = None
    # The billed bytes of each vector index whose entry changes.
    vector_bytes: dict[str, float] | None = None
    # The rows of indexes that the units belong to.
    entries: Sequence[IndexEntryWrite] = ()
