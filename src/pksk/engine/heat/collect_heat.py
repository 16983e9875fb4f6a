"""Collects the heat of tables from their tallies, and merges the heat of several engines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Final, TypeVar

from pksk.engine.row_layout import RowLayout, read_item_key, read_partition_key
from pksk.engine.state import Table, Tally, Traffic
from pksk.partitions import Partitions, TopKeys
from pksk.values import WireItem

from .heat import Heat, KeyHeat, PageHeat, PartitionHeat, TableHeat, TrafficHeat, VectorHeat
from .meter import Meter

# The longest list of keys.
_TOP_KEYS: Final = 100
# Partitions are compared from so many units per partition on.
_LEAST_UNITS: Final = 10


def collect_heat(meter: Meter, tables: Iterable[Table], *, reset: bool = False) -> Heat:
    """The heat of these tables; with `reset`, it starts from zero afterwards."""
    heat: dict[str, TableHeat] = {}
    for table in tables:
        with meter.lock:
            meter.count_pending_locked(table)
            heat[table.name] = _collect_table(table)
            if reset:
                for tally in (table.tally, *table.index_tallies.values()):
                    tally.clear()
    return Heat(dict(sorted(heat.items())))


def _collect_table(table: Table) -> TableHeat:
    indexes: dict[str, TableHeat] = {}
    for name, rows in table.indexes.items():
        tally = table.index_tallies.get(rows.space) or Tally()
        partitions = table.index_partitions.get(name) if rows.kind == "gsi" else None
        indexes[name] = _collect_rows(name, rows, tally, partitions, {})
    heat = _collect_rows(table.name, table.layout, table.tally, table.partitions, indexes)
    return replace(heat, vectors=dict(_collect_vectors(table)))


def _collect_vectors(table: Table) -> Iterator[tuple[str, VectorHeat]]:
    for name, index in table.vectors.items():
        traffic = table.tally.vectors.get(index.space)
        if traffic is not None:
            yield (
                name,
                VectorHeat(traffic.searches, traffic.search_bytes, traffic.writes, traffic.write_bytes),
            )


def _collect_rows(
    name: str, rows: RowLayout, tally: Tally, partitions: Partitions | None, indexes: dict[str, TableHeat]
) -> TableHeat:
    numbers = [part.number for part in partitions or ()]
    reads, writes, full_pages = tally.reads, tally.writes, tally.full_pages
    return TableHeat(
        name,
        _collect_traffic(rows, reads, numbers),
        _collect_traffic(rows, writes, numbers),
        tuple(
            PartitionHeat(each, reads.partition_units(each), writes.partition_units(each)) for each in numbers
        ),
        PageHeat(tally.scans.calls, tally.scans.units),
        PageHeat(full_pages.calls, full_pages.units, _partition_keys(rows, full_pages)),
        indexes,
    )


def _collect_traffic(rows: RowLayout, traffic: Traffic, partitions: list[int]) -> TrafficHeat:
    keys = _partition_keys(rows, traffic)
    return TrafficHeat(
        traffic.units,
        traffic.calls,
        keys,
        _top_keys(traffic.items, traffic.units, partial(read_item_key, rows)),
        max(traffic.items.error, traffic.keys.error),
        keys[0].share if keys else 0.0,
        skew([traffic.recent.get(number, 0.0) for number in partitions]),
    )


def skew(units: list[float]) -> float:
    """The units of the busiest partition divided by the mean of all; 0 if there are too few to compare."""
    return max(units) * len(units) / sum(units) if sum(units) >= _LEAST_UNITS * len(units) > 0 else 0.0


def _partition_keys(rows: RowLayout, traffic: Traffic) -> tuple[KeyHeat, ...]:
    if rows.name is None and not rows.sort:
        return _top_keys(traffic.items, traffic.units, partial(read_partition_key, rows))
    samples = traffic.sample_keys
    return _top_keys(
        traffic.keys, traffic.units, lambda key_hash: read_partition_key(rows, samples[key_hash])
    )


def _top_keys(
    top: TopKeys[bytes], total: float, read_key: Callable[[bytes], WireItem]
) -> tuple[KeyHeat, ...]:
    return tuple(KeyHeat(read_key(key), units, units / total) for key, units in top.largest(_TOP_KEYS))


_Part = TypeVar("_Part")


def merge_heat(heats: Iterable[Heat], keys: int = _TOP_KEYS) -> Heat:
    """The heat of several engines as one, with so many keys in each list; tables of one name are added up."""
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
    partitions = _merge_partitions(tables)
    # Skew compares partitions, which is only possible if all tables have split in the same way.
    comparable = partitions if all(len(table.partitions) == len(partitions) for table in tables) else ()
    return TableHeat(
        tables[0].name,
        _merge_traffic([table.reads for table in tables], [each.read_units for each in comparable], keys),
        _merge_traffic([table.writes for table in tables], [each.write_units for each in comparable], keys),
        partitions,
        _merge_pages([table.scans for table in tables], keys),
        _merge_pages([table.full_pages for table in tables], keys),
        _merge_by_name([table.indexes for table in tables], lambda parts: _merge_tables(parts, keys)),
        _merge_by_name([table.vectors for table in tables], _merge_vectors),
    )


def _merge_partitions(tables: list[TableHeat]) -> tuple[PartitionHeat, ...]:
    reads: defaultdict[int, float] = defaultdict(float)
    writes: defaultdict[int, float] = defaultdict(float)
    for each in (each for table in tables for each in table.partitions):
        reads[each.number] += each.read_units
        writes[each.number] += each.write_units
    return tuple(PartitionHeat(number, reads[number], writes[number]) for number in sorted(reads))


def _merge_traffic(parts: list[TrafficHeat], partition_units: list[float], keys: int) -> TrafficHeat:
    units = sum(part.units for part in parts)
    hottest = _merge_keys([part.keys for part in parts], units, keys)
    return TrafficHeat(
        units,
        sum(part.calls for part in parts),
        hottest,
        _merge_keys([part.items for part in parts], units, keys),
        parts[0].error if len(parts) == 1 else sum(map(_error, parts)),
        hottest[0].share if hottest else 0.0,
        skew(partition_units),
    )


def _error(part: TrafficHeat) -> float:
    """The units of a key that its list may lack, also because the list was cut off."""
    return part.error + max(
        each[-1].units if len(each) >= _TOP_KEYS else 0.0 for each in (part.keys, part.items)
    )


def _merge_pages(pages: list[PageHeat], keys: int) -> PageHeat:
    units = sum(each.units for each in pages)
    return PageHeat(
        sum(each.calls for each in pages), units, _merge_keys([each.keys for each in pages], units, keys)
    )


def _merge_vectors(parts: list[VectorHeat]) -> VectorHeat:
    return VectorHeat(
        sum(part.searches for part in parts),
        sum(part.search_bytes for part in parts),
        sum(part.writes for part in parts),
        sum(part.write_bytes for part in parts),
    )


def _merge_keys(lists: Iterable[Sequence[KeyHeat]], total: float, keys: int) -> tuple[KeyHeat, ...]:
    units: dict[str, float] = {}
    key_of: dict[str, WireItem] = {}
    for each in chain.from_iterable(lists):
        name = repr(each.key)
        key_of[name] = each.key
        units[name] = units.get(name, 0.0) + each.units
    # Equal ones by name, so that reports are reproducible.
    order = sorted(units, key=lambda name: (-units[name], name))[:keys]
    return tuple(KeyHeat(key_of[name], units[name], units[name] / total if total else 0.0) for name in order)
