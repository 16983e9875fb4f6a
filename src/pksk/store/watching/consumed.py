"""Reads what a request consumed from its answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pksk.capacity import Charge, Cost

__all__ = ["consumed"]

_READS: Final = frozenset(("GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"))
_INDEXES: Final = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")


def consumed(operation: str, answer: Mapping[str, Any]) -> Cost:
    """What the answer to an operation says that it consumed, by table and index.

    Example:
        >>> answer = {"ConsumedCapacity": {"TableName": "shop", "CapacityUnits": 1.5}}
        >>> print(consumed("Query", answer))
        1.5 read units
    """
    told = answer.get("ConsumedCapacity") or []
    tables = [told] if isinstance(told, Mapping) else told
    return Cost(charge for table in tables if "TableName" in table for charge in _charges(operation, table))


def _charges(operation: str, table: Mapping[str, Any]) -> Iterator[Charge]:
    # An ARN may stand for a name.
    name = table["TableName"].rpartition("/")[2]
    indexes = [(index, arm) for member in _INDEXES for index, arm in table.get(member, {}).items()]
    own = table.get("Table")
    if own is None:
        # Only the sum was told: it is the table's, as far as anybody knows.
        own, indexes = table, []
    for index, arm in [(None, own), *indexes]:
        yield _charge(operation, name, index, arm)


def _charge(operation: str, table: str, index: str | None, arm: Mapping[str, Any]) -> Charge:
    if "ReadCapacityUnits" in arm or "WriteCapacityUnits" in arm:
        read, write = arm.get("ReadCapacityUnits", 0.0), arm.get("WriteCapacityUnits", 0.0)
        return Charge(table, index, read, write)
    units = arm.get("CapacityUnits", 0.0)
    return Charge(table, index, read=units) if operation in _READS else Charge(table, index, write=units)
