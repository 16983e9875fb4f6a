"""Collects the heat of tables from their tallies, and merges that of several engines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from pksk.partitions import Partitions
from pksk.values import WireItem

from ..row_layout import read_item_key, read_partition_key
from ..state.tally import Tally, Traffic
from .heat import Heat, KeyHeat, PageHeat, PartitionHeat, TableHeat, TrafficHeat, VectorHeat

if TYPE_CHECKING:
    from pksk.engine.row_layout import RowLayout
    from pksk.engine.state.table import Table
    from pksk.partitions import TopKeys

    from .meter import Meter

__all__ = ["TOP_KEYS", "collect_heat", "merge_heat", "skew"]

# So many keys of each list are shown.
TOP_KEYS: Final = 100
# So many units for each partition are needed to compare them.
_LEAST_UNITS: Final = 10


def collect_heat(meter: Meter, tables: Iterable[Table], *, reset: bool = False) -> Heat:
    """What was consumed of these tables so far; with `reset` it is counted from nothing afterwards."""
    found: dict[str, TableHeat] = {}
    for table in tables:
        with meter.lock:
            meter.fold_locked(table)
            found[table.name] = _collect_table(table)
            if reset:
                for tally in (table.tally, *table.index_tallies.values()):
                    tally.clear()
    return Heat(dict(sorted(found.items())))


def _collect_table(table: Table) -> TableHeat:
    indexes: dict[str, TableHeat] = {}
    for name, rows in table.indexes.items():
        tally = table.index_tallies.get(rows.space) or Tally()
        partitions = table.index_partitions.get(name) if rows.kind == "gsi" else None
        indexes[name] = _collect_rows(name, rows, tally, partitions, {})
    heat = _collect_rows(table.name, table.rows, table.tally, table.partitions, indexes)
    return replace(heat, vectors=dict(_collect_vectors(table)))


def _collect_vectors(table: Table) -> Iterator[tuple[str, VectorHeat]]:
    for name, index in table.vectors.items():
        use = table.tally.vectors.get(index.space)
        if use is not None:
            yield name, VectorHeat(use.searches, use.searched, use.writes, use.written)


def _collect_rows(
    name: str, rows: RowLayout, tally: Tally, partitions: Partitions | None, indexes: dict[str, TableHeat]
) -> TableHeat:
    parts = [part.number for part in partitions or ()]
    reads, writes = tally.reads, tally.writes
    return TableHeat(
        name,
        _collect_traffic(rows, reads, parts),
        _collect_traffic(rows, writes, parts),
        tuple(
            PartitionHeat(each, _partition_units(reads, each), _partition_units(writes, each))
            for each in parts
        ),
        PageHeat(tally.scans.calls, tally.scans.units),
        PageHeat(tally.unbounded.calls, tally.unbounded.units, _partition_keys(rows, tally.unbounded)),
        indexes,
    )


def _partition_units(side: Traffic, number: int) -> float:
    return side.partitions.get(number, (0.0, 0))[0]


def _collect_traffic(rows: RowLayout, side: Traffic, parts: list[int]) -> TrafficHeat:
    keys = _partition_keys(rows, side)
    units = [side.recent.get(number, 0.0) for number in parts]
    return TrafficHeat(
        side.units,
        side.calls,
        keys,
        _top_keys(side.items, side.units, partial(read_item_key, rows)),
        max(side.items.error, side.keys.error),
        keys[0].share if keys else 0.0,
        skew(units),
    )


def skew(units: list[float]) -> float:
    """What the busiest partition has had over the mean of all; 0 where there is too little to compare."""
    return max(units) * len(units) / sum(units) if sum(units) >= _LEAST_UNITS * len(units) > 0 else 0.0


def _partition_keys(rows: RowLayout, side: Traffic) -> tuple[KeyHeat, ...]:
    if rows.name is None and not rows.sort:
        return _top_keys(side.items, side.units, partial(read_partition_key, rows))
    return _top_keys(side.keys, side.units, lambda place: read_partition_key(rows, side.names[place]))


def _top_keys(top: TopKeys[bytes], whole: float, shown: Callable[[bytes], WireItem]) -> tuple[KeyHeat, ...]:
    return tuple(KeyHeat(shown(key), units, units / whole) for key, units in top.largest(TOP_KEYS))


_Part = TypeVar("_Part")


def merge_heat(heats: Iterable[Heat], keys: int = TOP_KEYS) -> Heat:
    """All of these as one, with so many keys in each list; tables of the same name are one table.

    Example:
        >>> from pksk.engine import Engine
        >>> def heat_of_a_test() -> Heat:
        ...     engine = Engine.open()
        ...     created = engine.call("CreateTable", {
        ...         "TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
        ...         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        ...         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
        ...     got = engine.call("GetItem", {"TableName": "orders", "Key": {"pk": {"S": "7"}}})
        ...     return engine.heat()
        >>> print(merge_heat([heat_of_a_test(), heat_of_a_test()]))
        orders
          read      1 units in 2 calls
            keys    pk=7         1  100.0%
    """
    return Heat(_merge_by_name([heat.tables for heat in heats], lambda parts: _merge_tables(parts, keys)))


def _merge_by_name(
    mappings: Iterable[Mapping[str, _Part]], merge: Callable[[list[_Part]], _Part]
) -> dict[str, _Part]:
    parts: defaultdict[str, list[_Part]] = defaultdict(list)
    for mapping in mappings:
        for name, part in mapping.items():
            parts[name].append(part)
    return {name: merge(parts[name]) for name in sorted(parts)}


def _merge_tables(tables: list[TableHeat], keys: int) -> TableHeat:
    partitions, even = _merge_partitions(tables)
    return TableHeat(
        tables[0].name,
        _merge_traffic([table.reads for table in tables], [each.read_units for each in even], keys),
        _merge_traffic([table.writes for table in tables], [each.write_units for each in even], keys),
        partitions,
        _merge_pages([table.scans for table in tables], keys),
        _merge_pages([table.unbounded for table in tables], keys),
        _merge_by_name([table.indexes for table in tables], lambda parts: _merge_tables(parts, keys)),
        _merge_by_name([table.vectors for table in tables], _merge_vectors),
    )


def _merge_partitions(tables: list[TableHeat]) -> tuple[tuple[PartitionHeat, ...], tuple[PartitionHeat, ...]]:
    """All partitions; and the same to compare, or none where tables have split in different ways."""
    reads: defaultdict[int, float] = defaultdict(float)
    writes: defaultdict[int, float] = defaultdict(float)
    for each in (each for table in tables for each in table.partitions):
        reads[each.number] += each.read_units
        writes[each.number] += each.write_units
    found = tuple(PartitionHeat(number, reads[number], writes[number]) for number in sorted(reads))
    return found, found if all(len(table.partitions) == len(found) for table in tables) else ()


def _merge_traffic(sides: list[TrafficHeat], partitions: list[float], keys: int) -> TrafficHeat:
    units = sum(side.units for side in sides)
    hottest = _merge_keys([side.keys for side in sides], units, keys)
    return TrafficHeat(
        units,
        sum(side.calls for side in sides),
        hottest,
        _merge_keys([side.items for side in sides], units, keys),
        sides[0].error if len(sides) == 1 else sum(map(_error, sides)),
        hottest[0].share if hottest else 0.0,
        skew(partitions),
    )


def _error(side: TrafficHeat) -> float:
    """What a key may have had beyond what is told; one that stands in another list may be cut off here."""
    return side.error + max(
        each[-1].units if len(each) >= TOP_KEYS else 0.0 for each in (side.keys, side.items)
    )


def _merge_pages(pages: list[PageHeat], keys: int) -> PageHeat:
    units = sum(each.units for each in pages)
    return PageHeat(
        sum(each.calls for each in pages), units, _merge_keys([each.keys for each in pages], units, keys)
    )


def _merge_vectors(uses: list[VectorHeat]) -> VectorHeat:
    return VectorHeat(
        sum(use.searches for use in uses),
        sum(use.search_bytes for use in uses),
        sum(use.writes for use in uses),
        sum(use.write_bytes for use in uses),
    )


def _merge_keys(lists: Iterable[Sequence[KeyHeat]], whole: float, keys: int) -> tuple[KeyHeat, ...]:
    units: dict[tuple[object, ...], float] = {}
    named: dict[tuple[object, ...], WireItem] = {}
    for each in (each for hottest in lists for each in hottest):
        name = tuple((attribute, *value.items()) for attribute, value in each.key.items())
        named.setdefault(name, each.key)
        units[name] = units.get(name, 0.0) + each.units
    # Equal ones in the order of their names, so that a report is the same each time.
    order = sorted(units, key=lambda name: (-units[name], repr(name)))[:keys]
    return tuple(KeyHeat(named[name], units[name], units[name] / whole if whole else 0.0) for name in order)
