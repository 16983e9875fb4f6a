"""States of tables and indexes: a change is stored with the time at which it is done, and done when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pksk.engine.faults import ServiceError, fault
from pksk.engine.texts import tables as texts

from .record import Record, status_of

__all__ = ["busy_indexes", "done_at", "dues", "in_use", "require_settled", "settled"]

# A `phase` in a record is the state of a table or an index, `until` when, and what is to be `after` it.
_INDEXES: Final = ("GlobalSecondaryIndexes", "VectorIndexes")


def done_at(now: float, delay: float) -> float:
    """When a change is done that takes so many seconds; without delay it is done also by a clock that is behind."""
    return now + delay if delay else min(now, 0.0)


def settled(record: Record, now: float) -> Record | None:
    """A record with the changes that are done by now; None once the table is gone."""
    phase = record.get("phase")
    if phase is not None and phase["status"] == "DELETING":
        return None if now >= phase["until"] else record
    record = _done(record, now)
    for member in _INDEXES:
        entries = record.get(member)
        if entries:
            kept = [_done(entry, now) for entry in entries if not _gone(entry, now)]
            record = {**record, member: kept}
            if not kept:
                del record[member]
    return record


def _gone(entry: Mapping[str, Any], now: float) -> bool:
    return status_of(entry) == "DELETING" and bool(now >= entry["phase"]["until"])


def _done(entry: Record, now: float) -> Record:
    phase = entry.get("phase")
    if phase is None or now < phase["until"]:
        return entry
    done = {**entry, **phase.get("after", {})}
    del done["phase"]
    return done


def dues(record: Record) -> Iterator[float]:
    """When the changes that are under way will be done."""
    for entry in (record, *(entry for member in _INDEXES for entry in record.get(member, ()))):
        if "phase" in entry:
            yield entry["phase"]["until"]


def busy_indexes(record: Record) -> Iterator[tuple[str, str]]:
    """The name and state of each index that is not active, though its table is."""
    for member in _INDEXES:
        for entry in record.get(member, ()):
            if "phase" in entry:
                yield entry["IndexName"], entry["phase"]["status"]


def require_settled(record: Record) -> None:
    """Refuse a change of a table while another is under way."""
    status = status_of(record)
    if status != "ACTIVE":
        raise in_use(texts.busy(status, record["TableName"]))


def in_use(message: str) -> ServiceError:
    """A ResourceInUseException."""
    return fault("ResourceInUseException", message)
