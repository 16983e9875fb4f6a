"""What transactions answer: units by table, doubled for the tables themselves, and collections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pksk.capacity.units import read_units
from pksk.engine.consumed import Units, consumed
from pksk.engine.core import Answer, Core
from pksk.engine.tables.table import Table
from pksk.engine.writes.collection import metrics
from pksk.engine.writes.write import Outcome, Write

from .actions import Action

__all__ = ["Spending", "replay_units", "replayed", "written"]


class Spending:
    """Units by table, under the name or ARN that a request gives it, in the order of the request."""

    __slots__ = ("_tables",)

    def __init__(self) -> None:
        self._tables: dict[str, tuple[Table, Units]] = {}

    def add(
        self, name: str, table: Table, units: float, index_units: Mapping[str, float] | None = None
    ) -> None:
        """Add the units of one read or write."""
        _, sum_so_far = self._tables.setdefault(name, (table, Units()))
        sum_so_far.add(units, index_units or {})

    def shown(self, request: Mapping[str, Any], side: Literal["Read", "Write"]) -> Answer:
        """ConsumedCapacity, as much of it as the request wants."""
        wanted = request.get("ReturnConsumedCapacity")
        capacities = [
            consumed(wanted, table, units.table, units.indexes, side=side, named=name)
            for name, (table, units) in self._tables.items()
        ]
        return {} if capacities[0] is None else {"ConsumedCapacity": capacities}


def written(request: Mapping[str, Any], done: Iterable[tuple[Action, Write, Outcome]]) -> Answer:
    """The answer to a transaction that was carried out."""
    spending = Spending()
    collections: dict[str, list[Any]] = {}
    for action, write, outcome in done:
        spending.add(action.table_name, action.table, 2 * outcome.table_units, outcome.index_units)
        if found := metrics(write, outcome):
            collections.setdefault(action.table_name, []).append(found)
    answer = spending.shown(request, "Write")
    if collections and request.get("ReturnItemCollectionMetrics") == "SIZE":
        answer["ItemCollectionMetrics"] = collections
    return answer


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
        spending.add(name, core.catalogue.table(name), units)
    return spending.shown(request, "Read")
