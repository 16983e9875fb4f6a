"""ConsumedCapacity of responses: units of the table and of each index, and their sum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from pksk.engine.core import Answer, Request
from pksk.engine.state import Table

_INDEX_MEMBERS: Final = {"gsi": "GlobalSecondaryIndexes", "lsi": "LocalSecondaryIndexes"}
_NO_UNITS: Final[Mapping[str, float]] = {}


def wants_capacity(request: Request) -> bool:
    """Whether a request wants ConsumedCapacity."""
    level = request.get("ReturnConsumedCapacity")
    return level is not None and level != "NONE"


def consumed_capacity(
    request: Request,
    table: Table,
    units: float,
    index_units: Mapping[str, float] = _NO_UNITS,
    vector_bytes: Mapping[str, float] | None = None,
) -> Answer:
    """ConsumedCapacity of a request for one table, at the level of detail that it names."""
    return _table_capacity(request, request["TableName"], table, _Units(units, index_units, vector_bytes))


class CapacityByTable:
    """Units by table, under the name or ARN that the request uses, in the order of the request."""

    __slots__ = ("_tables",)

    def __init__(self) -> None:
        self._tables: dict[str, tuple[Table, _Units]] = {}

    def add(
        self,
        name: str,
        table: Table,
        units: float,
        index_units: Mapping[str, float] = _NO_UNITS,
        vector_bytes: Mapping[str, float] | None = None,
    ) -> None:
        """Add the units of one read or write. Adding 0 units lists the table."""
        if name in self._tables:
            self._tables[name][1].add(units, index_units, vector_bytes)
        else:
            self._tables[name] = table, _Units(units, index_units, vector_bytes)

    def response_members(self, request: Request, side: Literal["Read", "Write"] | None = None) -> Answer:
        """ConsumedCapacity by table, if the request wants it; transactions also list read or write units."""
        if not wants_capacity(request):
            return {}
        tables = self._tables.items()
        return {
            "ConsumedCapacity": [
                _table_capacity(request, name, table, units, side) for name, (table, units) in tables
            ]
        }


class _Units:
    """Units of one table and its indexes, and bytes of vector indexes, summed over several reads or writes."""

    __slots__ = ("indexes", "table", "vectors")

    def __init__(
        self, table: float, indexes: Mapping[str, float], vectors: Mapping[str, float] | None
    ) -> None:
        self.table = table
        self.indexes = dict(indexes)
        self.vectors = dict(vectors) if vectors else {}

    def add(self, table: float, indexes: Mapping[str, float], vectors: Mapping[str, float] | None) -> None:
        self.table += table
        for name, units in indexes.items():
            self.indexes[name] = self.indexes.get(name, 0.0) + units
        for name, byte_count in (vectors or _NO_UNITS).items():
            self.vectors[name] = self.vectors.get(name, 0.0) + byte_count


def _table_capacity(
    request: Request, name: str, table: Table, units: _Units, side: str | None = None
) -> Answer:
    """Capacity of one table, under the name or ARN that the request uses."""
    total = units.table + sum(units.indexes.values())
    capacity: Answer = {"TableName": name, **_capacity_units(total, side)}
    if request["ReturnConsumedCapacity"] == "INDEXES":
        capacity["Table"] = _capacity_units(units.table, side)
        for index_name, index_units in units.indexes.items():
            index = table.indexes.get(index_name)
            # An index that was deleted meanwhile can only be global.
            members = capacity.setdefault(_INDEX_MEMBERS["gsi" if index is None else index.kind], {})
            members[index_name] = _capacity_units(index_units, side)
        if units.vectors:
            capacity["VectorIndexes"] = {
                index_name: {"VectorWriteRequestBytes": byte_count}
                for index_name, byte_count in units.vectors.items()
            }
    return capacity


def _capacity_units(units: float, side: str | None) -> dict[str, float]:
    capacity = {"CapacityUnits": units}
    if side is not None:
        capacity[f"{side}CapacityUnits"] = units
    return capacity
