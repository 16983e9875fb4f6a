"""What a backup keeps of its table's definition: all that a restored table can have."""

from __future__ import annotations

from typing import Any, Final

from pksk.engine.tables.record import Record, status_of

__all__ = ["INDEXES", "backed_up_definition"]

INDEXES: Final = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes", "VectorIndexes")
_KEPT: Final = (
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "TableClass",
    "encryption",
)
_INDEX: Final = (
    "IndexName",
    "KeySchema",
    "Projection",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "VectorAttribute",
    "SearchSchema",
    "Dimensions",
    "DistanceFunction",
)


def backed_up_definition(record: Record) -> Record:
    """A table's definition without its places, its state, and the settings that a restored table has not."""
    definition = _members(record, _KEPT)
    for member in INDEXES:
        entries = [_members(each, _INDEX) for each in record.get(member, ()) if status_of(each) != "DELETING"]
        if entries:
            definition[member] = entries
    return definition


def _members(record: Record, members: tuple[str, ...]) -> dict[str, Any]:
    return {member: record[member] for member in members if member in record}
