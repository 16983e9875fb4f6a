"""What transactions answer: units by table, doubled for the tables themselves, and collections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pksk.capacity.units import read_units
from pksk.engine.consumed import Spending
from pksk.engine.core import Answer, Core
from pksk.engine.writes.collection import Collections
from pksk.engine.writes.write import Outcome, Write

from .actions import Action

__all__ = ["replay_units", "replayed", "written"]


def written(request: Mapping[str, Any], done: Iterable[tuple[Action, Write, Outcome]]) -> Answer:
    """The answer to a transaction that was carried out."""
    spending, collections = Spending(), Collections()
    for action, write, outcome in done:
        units = 2 * outcome.table_units
        spending.add(action.table_name, action.table, units, outcome.index_units, outcome.vector_bytes)
        collections.add(action.table_name, write, outcome)
    return {**spending.shown(request, "Write"), **collections.shown(request)}


def replay_units(done: Iterable[tuple[Action, Write, Outcome]]) -> dict[str, float]:
    """What the same transaction costs by table when it is sent again: a read of the larger images."""
    units: dict[str, float] = {}
    for action, _, outcome in done:
        size = max(outcome.new_size, 0 if outcome.old is None else outcome.old.size)
        name = action.table_name
        units[name] = units.get(name, 0.0) + read_units(size, transactional=True)
    return units


def replayed(core: Core, request: Mapping[str, Any], read: Mapping[str, float]) -> Answer:
    """The answer to a transaction that was carried out before, under the same token."""
    spending = Spending()
    for name, units in read.items():
        table = core.catalogue.table(name)
        core.meter.replayed(table, units)
        spending.add(name, table, units)
    return spending.shown(request, "Read")
