"""What transactions answer: units by table, doubled for the tables themselves, and collections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pksk.capacity.units import read_units
from pksk.engine.consumed import Units, consumed
from pksk.engine.core import Answer, Core
from pksk.engine.tables.table import Table
from pksk.engine.writes.collection import metrics
from pksk.engine.writes.write import Outcome, Write

__all__ = ["replay_units", "replayed", "written"]


def written(request: Mapping[str, Any], writes: Sequence[Write], outcomes: Sequence[Outcome]) -> Answer:
    """The answer to a transaction that was carried out."""
    tables: dict[str, tuple[Table, Units]] = {}
    collections: dict[str, list[Any]] = {}
    for write, outcome in zip(writes, outcomes, strict=True):
        _, units = tables.setdefault(write.table.name, (write.table, Units()))
        units.add(2 * outcome.table_units, outcome.index_units)
        if found := metrics(write, outcome):
            collections.setdefault(write.table.name, []).append(found)
    answer = _capacity(request, tables, "Write")
    if collections and request.get("ReturnItemCollectionMetrics") == "SIZE":
        answer["ItemCollectionMetrics"] = collections
    return answer


def replay_units(writes: Sequence[Write], outcomes: Sequence[Outcome]) -> dict[str, float]:
    """What the same transaction costs by table when it is sent again: a read of the larger images."""
    units: dict[str, float] = {}
    for write, outcome in zip(writes, outcomes, strict=True):
        size = max(outcome.new_size, 0 if outcome.old is None else outcome.old.size)
        name = write.table.name
        units[name] = units.get(name, 0.0) + read_units(size, transactional=True)
    return units


def replayed(core: Core, request: Mapping[str, Any], read: Mapping[str, float]) -> Answer:
    """The answer to a transaction that was carried out before, under the same token."""
    tables: dict[str, tuple[Table, Units]] = {}
    for name, amount in read.items():
        units = Units()
        units.add(amount, {})
        tables[name] = (core.catalogue.table(name), units)
    return _capacity(request, tables, "Read")


def _capacity(request: Mapping[str, Any], tables: Mapping[str, tuple[Table, Units]], side: str) -> Answer:
    wanted = request.get("ReturnConsumedCapacity")
    shown = [
        consumed(wanted, table, units.table, units.indexes, side=side) for table, units in tables.values()
    ]
    return {"ConsumedCapacity": shown} if shown and shown[0] is not None else {}
