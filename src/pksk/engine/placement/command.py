"""Partitions asked for and split by command: what is told is checked, and said of what cannot be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pksk.engine.dispatch import as_calls_fail
from pksk.engine.faults import ServiceError
from pksk.engine.values import check_item
from pksk.errors import InvalidValue, PkskError, did_you_mean, quote
from pksk.partitions import PLACE_BYTES, Partition, Partitions, middle
from pksk.values import WireItem
from pksk.values.order import sortable_wire

from .info import PartitionInfo, described
from .measure import held, middle_of, placed_rows
from .split import split_partition

if TYPE_CHECKING:
    from pksk.engine.core import Core
    from pksk.engine.layout import Rows
    from pksk.engine.tables.table import Table

__all__ = ["list_partitions", "split_by_command"]

_HEX_DIGITS: Final = 2 * PLACE_BYTES
_HASH: Final = re.compile(f"[0-9A-Fa-f]{{1,{_HEX_DIGITS}}}")
_LIST: Final = "engine.partitions(table) lists them."


def list_partitions(core: Core, table_name: str, index_name: str | None) -> list[PartitionInfo]:
    """The partitions of a table or a global index."""
    with as_calls_fail(core):
        return described(core, _table(core, table_name, index_name), index_name)


def split_by_command(
    core: Core, table_name: str, number: int | None, index_name: str | None, at: WireItem | str | None
) -> list[PartitionInfo]:
    """Split a partition, and show both halves."""
    if number is not None and type(number) is not int:
        raise _refused(f"{quote(number)} is no partition.", "A partition is named by its number.", _LIST)
    with as_calls_fail(core):
        halves = None
        # Again where another has split that partition meanwhile, and none was named.
        while halves is None:
            table = _table(core, table_name, index_name)
            part, bound = _where(core, table, index_name, number, at)
            halves = split_partition(core, table, index_name, part.number, bound)
        return [each for each in described(core, table, index_name) if each.number in halves]


def _table(core: Core, name: object, index_name: object) -> Table:
    if not isinstance(name, str):
        raise _refused(
            f"{quote(name)} is no table.", "A table is named by its name or its ARN.", 'write "orders".'
        )
    table = core.catalogue.table(name)
    _check_index(table, index_name)
    return table


def _where(
    core: Core, table: Table, index_name: str | None, number: int | None, at: object
) -> tuple[Partition, bytes]:
    """Which partition is split, and where."""
    rows, _ = placed_rows(table, index_name)
    bound = None if at is None else _bound(table, rows, at)
    part = _chosen(core, table, index_name, number, bound)
    if bound is None:
        return part, _default(core, table, index_name, part)
    if bound <= max(part.low, bytes(PLACE_BYTES)) or (part.high is not None and bound >= part.high):
        raise _outside(part, at)
    return part, bound


def _check_index(table: Table, index_name: object) -> None:
    rows = table.indexes.get(index_name) if isinstance(index_name, str) else None
    kind = None if rows is None else rows.kind
    if index_name is None or kind == "gsi":
        return
    if kind == "lsi":
        raise _refused(
            f"{quote(index_name)} is a local index of table {quote(table.name)}.",
            "A local index lies on the partitions of its table.",
            "leave `index` out.",
        )
    near = did_you_mean(str(index_name), table.index_partitions)
    raise _refused(
        f"Table {quote(table.name)} has no global index {quote(index_name)}.",
        f"Its global indexes are: {', '.join(table.index_partitions) or 'none'}.",
        f"write {quote(near)}." if near else "leave `index` out for the table itself.",
    )


def _chosen(
    core: Core, table: Table, index_name: str | None, number: int | None, bound: bytes | None
) -> Partition:
    """The partition that is meant: by its number, by the key, or the one that holds most."""
    rows, partitions = placed_rows(table, index_name)
    if number is not None:
        found = partitions.get(number)
        if found is None:
            raise _gone(number, partitions)
        return found
    if bound is not None:
        return partitions.find(bound)
    with core.storage.reading() as reader:
        return max(partitions, key=lambda part: held(reader, table, rows, part).size)


def _default(core: Core, table: Table, index_name: str | None, part: Partition) -> bytes:
    rows, _ = placed_rows(table, index_name)
    with core.storage.reading() as reader:
        bound = middle_of(reader, table, rows, part)
    if bound is not None:
        return bound
    if index_name is None and table.collections is not None:
        raise _refused(
            f"Partition {part.number} of table {quote(table.name)} holds the items of one partition key.",
            "A table with local indexes keeps the items of a partition key together.",
            "split another partition, or name the hash to split at: at='8000000000000000'.",
        )
    bound = middle(part.low, part.high)
    if bound is None:
        raise _refused(
            f"Partition {part.number} holds a single item and a single hash.",
            "There is nothing between which it could be split.",
            "split another partition.",
        )
    return bound


def _bound(table: Table, rows: Rows, at: object) -> bytes:
    """The bytes that a key, or a hash as hex digits, stands for."""
    if isinstance(at, str):
        if not _HASH.fullmatch(at):
            raise _no_hash(at)
        return bytes.fromhex(at.ljust(_HEX_DIGITS, "0"))
    if not isinstance(at, Mapping):
        raise _bad_key(rows, at)
    names = [attribute.name for attribute in rows.partition]
    whole = [attribute.name for attribute in rows.keys]
    if set(at) not in (set(names), set(whole)):
        raise _bad_key(rows, at)
    key = _checked(rows, at)
    if len(key) == len(names):
        return rows.partition_bytes(key)[:PLACE_BYTES]
    if rows.name is None and table.collections is not None:
        raise _refused(
            f"Table {quote(table.name)} has local indexes, and {quote(at)} lies within a partition key's items.",
            "A table with local indexes keeps the items of a partition key together.",
            "name the partition key only.",
        )
    return rows.own_key(key)


def _checked(rows: Rows, at: Mapping[str, Any]) -> WireItem:
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
            rows.takes(attribute, key[attribute.name]) and sortable_wire(key[attribute.name])
            for attribute in attributes
        )
    except (ServiceError, PkskError):
        raise _bad_key(rows, at) from None
    if not fits:
        raise _bad_key(rows, at)
    return key


def _no_hash(at: str) -> InvalidValue:
    return _refused(
        f"{quote(at)} is no hash.",
        f"A hash is up to {_HEX_DIGITS} hex digits.",
        "write at='8000000000000000'.",
    )


def _bad_key(rows: Rows, at: object) -> InvalidValue:
    partition = ", ".join(f"{each.name} ({each.type})" for each in rows.partition)
    sort = ", ".join(f"{each.name} ({each.type})" for each in rows.sort)
    return _refused(
        f"{quote(at)} is no key to split at.",
        f"It is {partition}{' and perhaps ' if sort else ''}{sort}, in DynamoDB's JSON; or a hash as hex digits.",
        f"write at={{{rows.partition[0].name!r}: {{{rows.partition[0].type!r}: ...}}}}.",
    )


def _outside(part: Partition, at: object) -> InvalidValue:
    return _refused(
        f"Partition {part.number} does not reach over {quote(at)}.",
        "A partition is split at a key within it, and not at its own beginning.",
        "leave `partition` out, and the one that holds the key is split.",
    )


def _gone(number: object, partitions: Partitions) -> InvalidValue:
    shown = ", ".join(str(part.number) for part in partitions)
    return _refused(f"There is no partition {quote(number)}.", f"There are: {shown}.", _LIST)


def _refused(problem: str, expected: str, fix: str) -> InvalidValue:
    return InvalidValue("engine-partition", problem, expected=expected, fix=fix)
