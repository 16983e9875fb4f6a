"""Describes partitions: which keys each holds, how large it is, and what it has consumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.dataclass import dataclass
from pksk.engine.row_layout import read_item_key
from pksk.engine.state.shards import open_shards
from pksk.engine.state.table_record import open_stream
from pksk.partitions import HASH_BYTES, Partition
from pksk.values import WireItem

from .split import partition_size, partitioned_rows, total_size

if TYPE_CHECKING:
    from pksk.engine.core import Core
    from pksk.engine.row_layout import RowLayout
    from pksk.engine.state.table import Table
    from pksk.engine.state.tally import Traffic

__all__ = ["PartitionInfo", "describe_partitions"]


@dataclass(frozen=True, slots=True)
class PartitionInfo:
    """A partition of a table or a global index.

    It holds the keys whose hash is `low` or more and less than `high`, both as hex; None is the end.
    Where a bound lies within the items of one partition key, `low_key` or `high_key` is the key at it.
    `bytes` are those of its items and of their entries in local indexes. Units are those since it is
    there. `shard` takes the changes of its items, where the table has a stream.

    Example:
        >>> from pksk.engine import Engine
        >>> engine = Engine.open()
        >>> created = engine.call("CreateTable", {
        ...     "TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
        ...     "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        ...     "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
        >>> [each.low for each in engine.partitions("orders")]
        ['0000000000000000', '4000000000000000', '8000000000000000', 'c000000000000000']
    """

    number: int
    parent: int | None
    low: str
    high: str | None
    low_key: WireItem | None
    high_key: WireItem | None
    items: int
    bytes: int
    read_units: float
    write_units: float
    shard: str | None


def describe_partitions(core: Core, table: Table, index_name: str | None) -> list[PartitionInfo]:
    """All partitions of a table or a global index; this reads all rows where there are several."""
    core.meter.count_pending(table)
    rows, partitions = partitioned_rows(table, index_name)
    tally = core.meter.tally(table, rows)
    stream = open_stream(table.record) if index_name is None else None
    shards = {} if stream is None else open_shards(stream)
    found: list[PartitionInfo] = []
    with core.storage.reading() as reader:
        for part in partitions:
            has = (
                total_size(reader, table, rows)
                if len(partitions) == 1
                else partition_size(reader, table, rows, part)
            )
            found.append(
                PartitionInfo(
                    part.number,
                    part.parent,
                    part.low[:HASH_BYTES].ljust(HASH_BYTES, b"\x00").hex(),
                    None if part.high is None else part.high[:HASH_BYTES].hex(),
                    _key_at(rows, part.low),
                    _key_at(rows, part.high),
                    has.items,
                    has.size,
                    _units(tally.reads, part),
                    _units(tally.writes, part),
                    shards[part.number]["id"] if part.number in shards else None,
                )
            )
    return found


def _units(side: Traffic, part: Partition) -> float:
    return side.partitions.get(part.number, (0.0, 0))[0]


def _key_at(rows: RowLayout, bound: bytes | None) -> WireItem | None:
    return None if bound is None or len(bound) <= HASH_BYTES else read_item_key(rows, bound)
