"""ConsumedCapacity as answers show it: units of the table and of each index, and their sum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .tables.table import Table

__all__ = ["Units", "consumed"]

_KINDS: Final = {"gsi": "GlobalSecondaryIndexes", "lsi": "LocalSecondaryIndexes"}


def consumed(
    wanted: str | None,
    table: Table,
    table_units: float,
    index_units: Mapping[str, float] | None = None,
    *,
    side: str | None = None,
    named: str | None = None,
) -> dict[str, Any] | None:
    """The ConsumedCapacity of one table, as much of it as ReturnConsumedCapacity wants; None for nothing.

    `side` is "Read" or "Write" in transactions, whose answers name the units a second time. `named` is
    how the request names the table, perhaps by its ARN: the answer names it so too.
    """
    if wanted is None or wanted == "NONE":
        return None
    index_units = index_units or {}
    total = table_units + sum(index_units.values())
    answer: dict[str, Any] = {"TableName": named or table.name, **_units(total, side)}
    if wanted == "INDEXES":
        answer["Table"] = _units(table_units, side)
        for name, units in index_units.items():
            index = table.indexes.get(name)
            # One that was removed meanwhile can only have been global.
            arms = answer.setdefault(_KINDS["gsi" if index is None else index.kind], {})
            arms[name] = _units(units, side)
    return answer


def _units(units: float, side: str | None) -> dict[str, float]:
    shown = {"CapacityUnits": units}
    if side is not None:
        shown[f"{side}CapacityUnits"] = units
    return shown


class Units:
    """Units of one table and its indexes, added up over several writes or reads."""

    __slots__ = ("indexes", "table")

    def __init__(self) -> None:
        self.table = 0.0
        self.indexes: dict[str, float] = {}

    def add(self, table: float, indexes: Mapping[str, float]) -> None:
        """Add the units of one write or read."""
        self.table += table
        for name, units in indexes.items():
            self.indexes[name] = self.indexes.get(name, 0.0) + units
