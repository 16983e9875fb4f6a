"""How many partitions tables and indexes begin with, and that they have enough when their throughput is raised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pksk.engine.settings import Settings
from pksk.engine.tables.billing import READ, WRITE
from pksk.engine.tables.quotas import TABLE_UNITS
from pksk.engine.tables.record import Record, status_of
from pksk.partitions import Partitions, initial_count, middle, warm_count

from .cut import cut, partitions_of

if TYPE_CHECKING:
    from pksk.engine.core import Core
    from pksk.engine.tables.catalogue import Change

__all__ = ["placed", "with_enough_partitions"]

_INDEXES: Final = "GlobalSecondaryIndexes"
_WARM: Final = ("ReadUnitsPerSecond", "WriteUnitsPerSecond")


def placed(record: Record, settings: Settings) -> Record:
    """The record of a new table, with the partitions that it and its global indexes begin with."""
    mode = record["BillingMode"]
    record = {**record, "partitions": _new(settings, mode, record)}
    if _INDEXES in record:
        record[_INDEXES] = [
            {**entry, "partitions": _new(settings, mode, entry)} for entry in record[_INDEXES]
        ]
    return record


def _new(settings: Settings, mode: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    return Partitions.even(settings.partitioning.partitions or _needed(mode, entry)).record()


def _needed(mode: str, entry: Mapping[str, Any]) -> int:
    units, warm = entry["ProvisionedThroughput"], entry["WarmThroughput"]
    # Nothing refuses warm throughput above what a table can ever have.
    reads, writes = (min(warm[member], TABLE_UNITS) for member in _WARM)
    return max(initial_count(mode, units[READ], units[WRITE]), warm_count(reads, writes))


def with_enough_partitions(core: Core, change: Change, before: Record, record: Record) -> Record:
    """The record of a table that is updated, with partitions for a new index and for throughput that was raised.

    Where throughput needs more than there are, every partition splits in two, as often as it takes. They
    never merge. Where it was told how many there are to be, throughput changes nothing.
    """
    known = {entry["IndexName"] for entry in before.get(_INDEXES, ())}
    later = _later(record)
    if _INDEXES in record:
        record = {
            **record,
            _INDEXES: [
                entry
                if entry["IndexName"] in known
                else {**entry, "partitions": _new(core.settings, later["BillingMode"], entry)}
                for entry in record[_INDEXES]
            ],
        }
    if core.settings.partitioning.partitions is not None:
        return record
    record = _raised(core, change, record, None, _needed(later["BillingMode"], later))
    for entry in record.get(_INDEXES, ()):
        if status_of(entry) != "DELETING":
            needed = _needed(later["BillingMode"], _later(entry))
            record = _raised(core, change, record, entry["IndexName"], needed)
    return record


def _later(entry: Record) -> Record:
    """What a table or an index will be once its update is done."""
    after: Record = entry.get("phase", {}).get("after", {})
    return {**entry, **after}


def _raised(core: Core, change: Change, record: Record, index_name: str | None, needed: int) -> Record:
    while len(partitions_of(record, index_name)) < needed:
        before = record
        for part in partitions_of(record, index_name):
            at = middle(part.low, part.high)
            if at is not None:
                record = cut(core, change.writer, change.now, record, index_name, part.number, at)
        if record is before:
            break
    return record
