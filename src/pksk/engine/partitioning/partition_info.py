"""Lists, describes and splits partitions, for `Engine.partitions` and `Engine.split`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pksk.client import ServiceError
from pksk.dataclass import dataclass
from pksk.engine.core import Core, as_service_errors
from pksk.engine.request import check_item
from pksk.engine.row_layout import RowLayout, read_item_key
from pksk.engine.state import Table, stream_record, table_record
from pksk.errors import InvalidValue, PkskError, did_you_mean, quote
from pksk.partitions import HASH_BYTES, Partition, middle_hash
from pksk.values import WireItem, sortable_wire

from .split import middle_key, partition_size, partitioned_rows, split_partition, total_size


@dataclass(frozen=True, slots=True)
class PartitionInfo:
    """A partition of a table or a global index.

    It has the keys with a hash from `low` up to, but not including, `high`, both in hex; None is the end.
    If a bound lies within the items of one partition key, `low_key` or `high_key` is the key at the bound.
    `bytes` includes entries of local indexes. Units count from the creation of the partition. `shard` is
    the open shard for its changes, if the table has a stream.

    Example:
        >>> from pksk import Engine, Table
        >>> engine = Engine.open()
        >>> created = engine.call("CreateTable", Table("orders", sk=None).create_request())
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
    stream = table_record.open_stream(table.record) if index_name is None else None
    shards = {} if stream is None else stream_record.open_shards(stream)
    described: list[PartitionInfo] = []
    with core.storage.reading() as reader:
        for part in partitions:
            is_only = len(partitions) == 1
            size = total_size(reader, table, rows) if is_only else partition_size(reader, table, rows, part)
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
                    tally.reads.partition_units(part.number),
                    tally.writes.partition_units(part.number),
                    shards[part.number]["id"] if part.number in shards else None,
                )
            )
    return described


def _key_at(rows: RowLayout, bound: bytes | None) -> WireItem | None:
    return None if bound is None or len(bound) <= HASH_BYTES else read_item_key(rows, bound)


_HEX_DIGITS: Final = 2 * HASH_BYTES
_HASH: Final = re.compile(f"[0-9A-Fa-f]{{1,{_HEX_DIGITS}}}")
_LIST_HINT: Final = "engine.partitions(table) lists them."


def list_partitions(core: Core, table_name: str, index_name: str | None) -> list[PartitionInfo]:
    """The partitions of a table or a global index."""
    with as_service_errors(core):
        return describe_partitions(core, _table(core, table_name, index_name), index_name)


def split_and_describe(
    core: Core, table_name: str, number: int | None, index_name: str | None, at: WireItem | str | None
) -> list[PartitionInfo]:
    """Split a partition; returns both halves."""
    if number is not None and type(number) is not int:
        raise _invalid_partition(
            f"{quote(number)} is not a partition.", "Give the number of a partition.", _LIST_HINT
        )
    with as_service_errors(core):
        halves = None
        # Repeat if another thread has split the chosen partition meanwhile.
        while halves is None:
            table = _table(core, table_name, index_name)
            part, bound = _choose_split(core, table, index_name, number, at)
            halves = split_partition(core, table, index_name, part.number, bound)
        return [each for each in describe_partitions(core, table, index_name) if each.number in halves]


def _table(core: Core, name: object, index_name: object) -> Table:
    if not isinstance(name, str):
        raise _invalid_partition(
            f"{quote(name)} is not a table.", "Give the name or the ARN of a table.", 'write "orders".'
        )
    table = core.catalogue.table(name)
    _check_index(table, index_name)
    return table


def _choose_split(
    core: Core, table: Table, index_name: str | None, number: int | None, at: object
) -> tuple[Partition, bytes]:
    """The partition to split, and the bound."""
    rows, _ = partitioned_rows(table, index_name)
    bound = None if at is None else _parse_bound(table, rows, at)
    part = _choose_partition(core, table, index_name, number, bound)
    if bound is None:
        return part, _default_bound(core, table, index_name, part)
    if bound <= max(part.low, bytes(HASH_BYTES)) or (part.high is not None and bound >= part.high):
        raise _invalid_partition(
            f"Partition {part.number} cannot be split at {quote(at)}.",
            "The key must lie within the partition, and not at its beginning.",
            "leave out `partition` to split the partition of that key.",
        )
    return part, bound


def _check_index(table: Table, index_name: object) -> None:
    rows = table.indexes.get(index_name) if isinstance(index_name, str) else None
    kind = None if rows is None else rows.kind
    if index_name is None or kind == "gsi":
        return
    if kind == "lsi":
        raise _invalid_partition(
            f"{quote(index_name)} is a local index of table {quote(table.name)}.",
            "A local index has no partitions of its own.",
            "leave `index` out.",
        )
    near = did_you_mean(str(index_name), table.index_partitions)
    raise _invalid_partition(
        f"Table {quote(table.name)} has no global index {quote(index_name)}.",
        f"Its global indexes are: {', '.join(table.index_partitions) or 'none'}.",
        f"write {quote(near)}." if near else "leave out `index` to use the table itself.",
    )


def _choose_partition(
    core: Core, table: Table, index_name: str | None, number: int | None, bound: bytes | None
) -> Partition:
    """The partition with the number, or that of the bound, or the largest one."""
    rows, partitions = partitioned_rows(table, index_name)
    if number is not None:
        part = partitions.get(number)
        if part is None:
            numbers = ", ".join(str(each.number) for each in partitions)
            raise _invalid_partition(
                f"Partition {quote(number)} does not exist.", f"The partitions are: {numbers}.", _LIST_HINT
            )
        return part
    if bound is not None:
        return partitions.find(bound)
    with core.storage.reading() as reader:
        return max(partitions, key=lambda part: partition_size(reader, table, rows, part).size)


def _default_bound(core: Core, table: Table, index_name: str | None, part: Partition) -> bytes:
    rows, _ = partitioned_rows(table, index_name)
    with core.storage.reading() as reader:
        bound = middle_key(reader, table, rows, part)
    if bound is not None:
        return bound
    if index_name is None and table.collection_space is not None:
        raise _invalid_partition(
            f"Partition {part.number} of table {quote(table.name)} has the items of one partition key.",
            "A table with local indexes keeps the items of a partition key together.",
            "split another partition, or give a hash to split at: at='8000000000000000'.",
        )
    bound = middle_hash(part.low, part.high)
    if bound is None:
        raise _invalid_partition(
            f"Partition {part.number} has a single item and a single hash.",
            "It cannot be split.",
            "split another partition.",
        )
    return bound


def _parse_bound(table: Table, rows: RowLayout, at: object) -> bytes:
    """The bound for a key, or for a hash in hex digits."""
    if isinstance(at, str):
        if not _HASH.fullmatch(at):
            raise _invalid_partition(
                f"{quote(at)} is not a hash.",
                f"A hash has up to {_HEX_DIGITS} hex digits.",
                "write at='8000000000000000'.",
            )
        return bytes.fromhex(at.ljust(_HEX_DIGITS, "0"))
    if not isinstance(at, Mapping):
        raise _bad_key(rows, at)
    names = [attribute.name for attribute in rows.partition]
    whole = [attribute.name for attribute in rows.keys]
    if set(at) not in (set(names), set(whole)):
        raise _bad_key(rows, at)
    key = _check_key(rows, at)
    if len(key) == len(names):
        return rows.partition_key_bytes(key)[:HASH_BYTES]
    if rows.name is None and table.collection_space is not None:
        raise _invalid_partition(
            f"Table {quote(table.name)} has local indexes, and {quote(at)} splits the items of a partition key.",
            "A table with local indexes keeps the items of a partition key together.",
            "give the partition key only.",
        )
    return rows.key_of(key)


def _check_key(rows: RowLayout, at: Mapping[str, Any]) -> WireItem:
    """A key with its values as they are stored; raises for invalid keys."""
    attributes = [attribute for attribute in rows.keys if attribute.name in at]
    for attribute in attributes:
        value = at[attribute.name]
        if not isinstance(value, Mapping) or list(value) != [attribute.type]:
            raise _bad_key(rows, at)
        if not isinstance(value[attribute.type], str):
            raise _bad_key(rows, at)
    try:
        key, _ = check_item({name: dict(value) for name, value in at.items()})
        fits = all(
            rows.accepts(attribute, key[attribute.name]) and sortable_wire(key[attribute.name])
            for attribute in attributes
        )
    except (ServiceError, PkskError):
        raise _bad_key(rows, at) from None
    if not fits:
        raise _bad_key(rows, at)
    return key


def _bad_key(rows: RowLayout, at: object) -> InvalidValue:
    partition = ", ".join(f"{each.name} ({each.type})" for each in rows.partition)
    sort = ", ".join(f"{each.name} ({each.type})" for each in rows.sort)
    return _invalid_partition(
        f"{quote(at)} is not a key to split at.",
        f"Give {partition}{' and optionally ' if sort else ''}{sort} in DynamoDB's JSON, or a hash in hex digits.",
        f"write at={{{rows.partition[0].name!r}: {{{rows.partition[0].type!r}: ...}}}}.",
    )


def _invalid_partition(problem: str, expected: str, fix: str) -> InvalidValue:
    return InvalidValue("engine-partition", problem, expected=expected, fix=fix)
