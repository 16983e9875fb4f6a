"""Lists and splits partitions for `Engine.partitions` and `Engine.split`, and checks their arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pksk.engine.core import as_service_errors
from pksk.engine.request.attribute_values import check_item
from pksk.engine.service_errors import ServiceError
from pksk.errors import InvalidValue, PkskError, did_you_mean, quote
from pksk.partitions import HASH_BYTES, Partition, Partitions, middle_hash
from pksk.values import WireItem
from pksk.values.order import sortable_wire

from .partition_info import PartitionInfo, describe_partitions
from .split import middle_key, partition_size, partitioned_rows, split_partition

if TYPE_CHECKING:
    from pksk.engine.core import Core
    from pksk.engine.row_layout import RowLayout
    from pksk.engine.state.table import Table

__all__ = ["list_partitions", "split_and_describe"]

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
    """Split a partition, and show both halves."""
    if number is not None and type(number) is not int:
        raise _invalid_partition(
            f"{quote(number)} is no partition.", "A partition is named by its number.", _LIST_HINT
        )
    with as_service_errors(core):
        halves = None
        # Again where another has split that partition meanwhile, and none was named.
        while halves is None:
            table = _table(core, table_name, index_name)
            part, bound = _choose_split(core, table, index_name, number, at)
            halves = split_partition(core, table, index_name, part.number, bound)
        return [each for each in describe_partitions(core, table, index_name) if each.number in halves]


def _table(core: Core, name: object, index_name: object) -> Table:
    if not isinstance(name, str):
        raise _invalid_partition(
            f"{quote(name)} is no table.", "A table is named by its name or its ARN.", 'write "orders".'
        )
    table = core.catalogue.table(name)
    _check_index(table, index_name)
    return table


def _choose_split(
    core: Core, table: Table, index_name: str | None, number: int | None, at: object
) -> tuple[Partition, bytes]:
    """Which partition is split, and where."""
    rows, _ = partitioned_rows(table, index_name)
    bound = None if at is None else _parse_bound(table, rows, at)
    part = _choose_partition(core, table, index_name, number, bound)
    if bound is None:
        return part, _default_bound(core, table, index_name, part)
    if bound <= max(part.low, bytes(HASH_BYTES)) or (part.high is not None and bound >= part.high):
        raise _outside_partition(part, at)
    return part, bound


def _check_index(table: Table, index_name: object) -> None:
    rows = table.indexes.get(index_name) if isinstance(index_name, str) else None
    kind = None if rows is None else rows.kind
    if index_name is None or kind == "gsi":
        return
    if kind == "lsi":
        raise _invalid_partition(
            f"{quote(index_name)} is a local index of table {quote(table.name)}.",
            "A local index lies on the partitions of its table.",
            "leave `index` out.",
        )
    near = did_you_mean(str(index_name), table.index_partitions)
    raise _invalid_partition(
        f"Table {quote(table.name)} has no global index {quote(index_name)}.",
        f"Its global indexes are: {', '.join(table.index_partitions) or 'none'}.",
        f"write {quote(near)}." if near else "leave `index` out for the table itself.",
    )


def _choose_partition(
    core: Core, table: Table, index_name: str | None, number: int | None, bound: bytes | None
) -> Partition:
    """The partition that is meant: by its number, by the key, or the one that holds most."""
    rows, partitions = partitioned_rows(table, index_name)
    if number is not None:
        found = partitions.get(number)
        if found is None:
            raise _no_such_partition(number, partitions)
        return found
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
            f"Partition {part.number} of table {quote(table.name)} holds the items of one partition key.",
            "A table with local indexes keeps the items of a partition key together.",
            "split another partition, or name the hash to split at: at='8000000000000000'.",
        )
    bound = middle_hash(part.low, part.high)
    if bound is None:
        raise _invalid_partition(
            f"Partition {part.number} holds a single item and a single hash.",
            "There is nothing between which it could be split.",
            "split another partition.",
        )
    return bound


def _parse_bound(table: Table, rows: RowLayout, at: object) -> bytes:
    """The bytes that a key, or a hash as hex digits, stands for."""
    if isinstance(at, str):
        if not _HASH.fullmatch(at):
            raise _bad_hash(at)
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
            f"Table {quote(table.name)} has local indexes, and {quote(at)} lies within a partition key's items.",
            "A table with local indexes keeps the items of a partition key together.",
            "name the partition key only.",
        )
    return rows.key_of(key)


def _check_key(rows: RowLayout, at: Mapping[str, Any]) -> WireItem:
    """A key with values as they are stored; refuses those that no key can have."""
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


def _bad_hash(at: str) -> InvalidValue:
    return _invalid_partition(
        f"{quote(at)} is no hash.",
        f"A hash is up to {_HEX_DIGITS} hex digits.",
        "write at='8000000000000000'.",
    )


def _bad_key(rows: RowLayout, at: object) -> InvalidValue:
    partition = ", ".join(f"{each.name} ({each.type})" for each in rows.partition)
    sort = ", ".join(f"{each.name} ({each.type})" for each in rows.sort)
    return _invalid_partition(
        f"{quote(at)} is no key to split at.",
        f"It is {partition}{' and perhaps ' if sort else ''}{sort}, in DynamoDB's JSON; or a hash as hex digits.",
        f"write at={{{rows.partition[0].name!r}: {{{rows.partition[0].type!r}: ...}}}}.",
    )


def _outside_partition(part: Partition, at: object) -> InvalidValue:
    return _invalid_partition(
        f"Partition {part.number} does not reach over {quote(at)}.",
        "A partition is split at a key within it, and not at its own beginning.",
        "leave `partition` out, and the one that holds the key is split.",
    )


def _no_such_partition(number: object, partitions: Partitions) -> InvalidValue:
    shown = ", ".join(str(part.number) for part in partitions)
    return _invalid_partition(f"There is no partition {quote(number)}.", f"There are: {shown}.", _LIST_HINT)


def _invalid_partition(problem: str, expected: str, fix: str) -> InvalidValue:
    return InvalidValue("engine-partition", problem, expected=expected, fix=fix)
