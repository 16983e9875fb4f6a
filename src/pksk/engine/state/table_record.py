"""What is stored of a table, its states over time, and the table that it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

from pksk.engine.row_layout import KeyAttribute, RowLayout
from pksk.engine.service_errors import ServiceError, service_error
from pksk.engine.state.shards import shard_keys, with_shards
from pksk.engine.texts import tables as texts
from pksk.engine.vectors.vector_index import VectorIndex, read_vector_index
from pksk.partitions import Partitions

from .table import Expiry, Table

__all__ = [
    "Record",
    "attribute_types",
    "busy_indexes",
    "done_at",
    "due_times",
    "index_layout",
    "key_names",
    "load_table",
    "new_table",
    "open_stream",
    "require_active",
    "resource_in_use",
    "settle",
    "status_of",
    "stored_partitions",
    "table_layout",
    "to_milliseconds",
    "vector_index",
]

# What is stored of a table, as JSON has it: members of DynamoDB's descriptions under their own names, and
# ours in small letters (`space`, `phase`, `streams` ...). ARNs are never in it: they follow from the account
# and region that the engine was opened with.
Record: TypeAlias = dict[str, Any]
_KINDS: Final[tuple[tuple[str, Literal["gsi", "lsi"]], ...]] = (
    ("GlobalSecondaryIndexes", "gsi"),
    ("LocalSecondaryIndexes", "lsi"),
)


def new_table(arn: str, record: Record) -> Table:
    """The table that a record stands for."""
    table = Table(record["TableName"], arn, table_layout(record), {})
    load_table(table, record)
    return table


def load_table(table: Table, record: Record) -> None:
    """Make a table what its record says, each attribute at once."""
    indexes = dict(_indexes(record))
    record = _with_shards(record)
    stream = open_stream(record)
    table.settings = record
    table.alive = status_of(record) != "DELETING"
    table.rows = table_layout(record)
    table.backfilling = frozenset(
        entry["IndexName"]
        for member in ("GlobalSecondaryIndexes", "VectorIndexes")
        for entry in record.get(member, ())
        if status_of(entry) == "CREATING"
    )
    table.vectors = {
        entry["IndexName"]: vector_index(record, entry)
        for entry in record.get("VectorIndexes", ())
        if "space" in entry
    }
    table.vector_cache.keep_only({index.space for index in table.vectors.values()})
    table.collections = record.get("collections")
    table.changes, table.stream_view = (None, None) if stream is None else (stream["space"], stream["view"])
    table.shards = {} if stream is None else shard_keys(stream)
    table.expiry = _expiry(record)
    table.partitions = stored_partitions(record)
    table.index_partitions = {
        entry["IndexName"]: stored_partitions(entry) for entry in record.get("GlobalSecondaryIndexes", ())
    }
    table.indexes = indexes


def _expiry(record: Record) -> Expiry | None:
    setting = record.get("ttl", {})
    return Expiry(setting["attribute"], setting["space"]) if "space" in setting else None


def stored_partitions(entry: Mapping[str, Any]) -> Partitions:
    """The partitions of a table or a global index, from its record."""
    # Files that were made before there were partitions say nothing of them.
    return Partitions.from_record(entry["partitions"]) if "partitions" in entry else Partitions.even(1)


def _with_shards(record: Record) -> Record:
    # Files that were made before streams could be read say nothing of shards.
    streams = record.get("streams", ())
    if all("shards" in stream for stream in streams):
        return record
    numbers = [part.number for part in stored_partitions(record)]
    return {**record, "streams": [with_shards(stream, numbers) for stream in streams]}


def status_of(entry: Mapping[str, Any]) -> str:
    """The state of a table or an index by its own record."""
    phase = entry.get("phase")
    return "ACTIVE" if phase is None else str(phase["status"])


def open_stream(record: Record) -> dict[str, Any] | None:
    """The stream that takes changes now."""
    streams = record.get("streams", ())
    return streams[-1] if streams and "closed" not in streams[-1] else None


def _indexes(record: Record) -> Iterable[tuple[str, RowLayout]]:
    for member, kind in _KINDS:
        for entry in record.get(member, ()):
            if status_of(entry) != "DELETING":
                yield entry["IndexName"], index_layout(record, entry, kind)


def table_layout(record: Record) -> RowLayout:
    """The rows of a table itself."""
    partition, sort = _keys(record, record["KeySchema"])
    return RowLayout(None, "table", record["space"], partition, sort)


def index_layout(record: Record, entry: Mapping[str, Any], kind: Literal["gsi", "lsi"]) -> RowLayout:
    """The rows of an index, from the record of its table and its own."""
    partition, sort = _keys(record, entry["KeySchema"])
    base = tuple(part for keys in _keys(record, record["KeySchema"]) for part in keys)
    projection = entry["Projection"]
    projected: frozenset[str] | None = None
    if projection["ProjectionType"] != "ALL":
        names = {key.name for key in (*partition, *sort, *base)}
        projected = frozenset(names.union(projection.get("NonKeyAttributes", ())))
    return RowLayout(entry["IndexName"], kind, entry["space"], partition, sort, base, projected)


def vector_index(record: Record, entry: Mapping[str, Any]) -> VectorIndex:
    """A vector index, from the record of its table and its own."""
    return read_vector_index(
        entry, attribute_types(record["AttributeDefinitions"]), key_names(record["KeySchema"])
    )


def _keys(
    record: Record, schema: Iterable[Mapping[str, str]]
) -> tuple[tuple[KeyAttribute, ...], tuple[KeyAttribute, ...]]:
    types = attribute_types(record["AttributeDefinitions"])
    parts: dict[str, list[KeyAttribute]] = {"HASH": [], "RANGE": []}
    for element in schema:
        name = element["AttributeName"]
        parts[element["KeyType"]].append(KeyAttribute(name, types[name]))
    return tuple(parts["HASH"]), tuple(parts["RANGE"])


def attribute_types(definitions: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """AttributeDefinitions as a dict."""
    return {each["AttributeName"]: each["AttributeType"] for each in definitions}


def key_names(schema: Iterable[Mapping[str, str]]) -> list[str]:
    """The attributes of a KeySchema."""
    return [element["AttributeName"] for element in schema]


# A `phase` in a record is the state of a table or an index, `until` when, and what is to be `after` it.
_INDEXES: Final = ("GlobalSecondaryIndexes", "VectorIndexes")


def done_at(now: float, delay: float) -> float:
    """When a change is done that takes so many seconds; without delay it is done also by a clock that is behind."""
    return now + delay if delay else min(now, 0.0)


def settle(record: Record, now: float) -> Record | None:
    """A record with the changes that are done by now; None once the table is gone."""
    phase = record.get("phase")
    if phase is not None and phase["status"] == "DELETING":
        return None if now >= phase["until"] else record
    record = _finish(record, now)
    for member in _INDEXES:
        entries = record.get(member)
        if entries:
            kept = [_finish(entry, now) for entry in entries if not _is_gone(entry, now)]
            record = {**record, member: kept}
            if not kept:
                del record[member]
    return record


def _is_gone(entry: Mapping[str, Any], now: float) -> bool:
    return status_of(entry) == "DELETING" and bool(now >= entry["phase"]["until"])


def _finish(entry: Record, now: float) -> Record:
    phase = entry.get("phase")
    if phase is None or now < phase["until"]:
        return entry
    done = {**entry, **phase.get("after", {})}
    del done["phase"]
    return done


def due_times(record: Record) -> Iterator[float]:
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


def require_active(record: Record) -> None:
    """Refuse a change of a table while another is under way."""
    status = status_of(record)
    if status != "ACTIVE":
        raise resource_in_use(texts.table_busy(status, record["TableName"]))


def resource_in_use(message: str) -> ServiceError:
    """A ResourceInUseException."""
    return service_error("ResourceInUseException", message)


def to_milliseconds(now: float) -> float:
    """A time as descriptions show it."""
    return round(now, 3)
