"""From what was counted to the value that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from pksk.partitions import Partitions

from .heat import Heat, KeyHeat, PagesHeat, PartitionHeat, SideHeat, TableHeat, VectorHeat
from .row_keys import item_key, partition_key
from .tally import Side, Tally

if TYPE_CHECKING:
    from collections.abc import Callable

    from pksk.engine.layout import Rows
    from pksk.engine.tables.table import Table
    from pksk.partitions import TopKeys
    from pksk.values import WireItem

    from .meter import Meter

__all__ = ["SHOWN", "gathered", "skew"]

# So many keys of each list are shown.
SHOWN: Final = 100
# So many units for each partition are needed to compare them.
_ENOUGH: Final = 10


def gathered(meter: Meter, tables: Iterable[Table], *, reset: bool = False) -> Heat:
    """What was consumed of these tables so far; with `reset` it is counted from nothing afterwards."""
    found: dict[str, TableHeat] = {}
    for table in tables:
        with meter.lock:
            meter.fold_locked(table)
            found[table.name] = _table(table)
            if reset:
                for tally in (table.tally, *table.index_tallies.values()):
                    tally.clear()
    return Heat(dict(sorted(found.items())))


def _table(table: Table) -> TableHeat:
    indexes: dict[str, TableHeat] = {}
    for name, rows in table.indexes.items():
        tally = table.index_tallies.get(rows.space) or Tally()
        partitions = table.index_partitions.get(name) if rows.kind == "gsi" else None
        indexes[name] = _heat(name, rows, tally, partitions, {})
    heat = _heat(table.name, table.rows, table.tally, table.partitions, indexes)
    return replace(heat, vectors=dict(_vectors(table)))


def _vectors(table: Table) -> Iterator[tuple[str, VectorHeat]]:
    for name, index in table.vectors.items():
        use = table.tally.vectors.get(index.space)
        if use is not None:
            yield name, VectorHeat(use.searches, use.searched, use.writes, use.written)


def _heat(
    name: str, rows: Rows, tally: Tally, partitions: Partitions | None, indexes: dict[str, TableHeat]
) -> TableHeat:
    parts = [part.number for part in partitions or ()]
    reads, writes = tally.reads, tally.writes
    return TableHeat(
        name,
        _side(rows, reads, parts),
        _side(rows, writes, parts),
        tuple(PartitionHeat(each, _of(reads, each), _of(writes, each)) for each in parts),
        PagesHeat(tally.scans.calls, tally.scans.units),
        PagesHeat(tally.unbounded.calls, tally.unbounded.units, _partition_keys(rows, tally.unbounded)),
        indexes,
    )


def _of(side: Side, number: int) -> float:
    return side.partitions.get(number, (0.0, 0))[0]


def _side(rows: Rows, side: Side, parts: list[int]) -> SideHeat:
    keys = _partition_keys(rows, side)
    units = [side.recent.get(number, 0.0) for number in parts]
    return SideHeat(
        side.units,
        side.calls,
        keys,
        _hottest(side.items, side.units, partial(item_key, rows)),
        max(side.items.error, side.keys.error),
        keys[0].share if keys else 0.0,
        skew(units),
    )


def skew(units: list[float]) -> float:
    """What the busiest partition has had over the mean of all; 0 where there is too little to compare."""
    return max(units) * len(units) / sum(units) if sum(units) >= _ENOUGH * len(units) > 0 else 0.0


def _partition_keys(rows: Rows, side: Side) -> tuple[KeyHeat, ...]:
    if rows.name is None and not rows.sort:
        return _hottest(side.items, side.units, partial(partition_key, rows))
    return _hottest(side.keys, side.units, lambda place: partition_key(rows, side.names[place]))


def _hottest(top: TopKeys[bytes], whole: float, shown: Callable[[bytes], WireItem]) -> tuple[KeyHeat, ...]:
    return tuple(KeyHeat(shown(key), units, units / whole) for key, units in top.largest(SHOWN))
