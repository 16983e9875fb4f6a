"""Describes partitions: their key ranges, sizes and consumed units."""

from __future__ import annotations

from pksk.dataclass import dataclass
from pksk.engine.core import Core
from pksk.engine.row_layout import RowLayout, read_item_key
from pksk.engine.state.shards import open_shards
from pksk.engine.state.table import Table
from pksk.engine.state.table_record import open_stream
from pksk.engine.state.tally import Traffic
from pksk.partitions import HASH_BYTES, Partition
from pksk.values import WireItem

from .split import partition_size, partitioned_rows, total_size


@dataclass(frozen=True, slots=True)
class PartitionInfo:
    """A partition of a table or a global index.

    It has the keys with a hash from `low` up to, but not including, `high`, both in hex; None is the end.
    If a bound lies within the items of one partition key, `low_key` or `high_key` is the key at the bound.
    `bytes` includes entries of local indexes. Units count from the creation of the partition. `shard` is
    the open shard for its changes, if the table has a stream.

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
    """All partitions of a table or a global index; reads all rows if there are several partitions."""
    core.meter.count_pending(table)
    rows, partitions = partitioned_rows(table, index_name)
    tally = core.meter.tally(table, rows)
    stream = open_stream(table.record) if index_name is None else None
    shards = {} if stream is None else open_shards(stream)
    described: list[PartitionInfo] = []
    with core.storage.reading() as reader:
        for part in partitions:
            size = (
                total_size(reader, table, rows)
                if len(partitions) == 1
                else partition_size(reader, table, rows, part)
            )
            described.append(
                PartitionInfo(
                    part.number,
                    part.parent,
                    part.low[:HASH_BYTES].ljust(HASH_BYTES, b"\x00").hex(),
                    None if part.high is None else part.high[:HASH_BYTES].hex(),
                    _key_at(rows, part.low),
                    _key_at(rows, part.high),
                    size.items,
                    size.size,
                    _units(tally.reads, part),
                    _units(tally.writes, part),
                    shards[part.number]["id"] if part.number in shards else None,
                )
            )
    return described


def _units(traffic: Traffic, part: Partition) -> float:
    return traffic.partitions.get(part.number, (0.0, 0))[0]


def _key_at(rows: RowLayout, bound: bytes | None) -> WireItem | None:
    return None if bound is None or len(bound) <= HASH_BYTES else read_item_key(rows, bound)
