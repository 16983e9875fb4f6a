"""What is stored of a table, and the table that it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, TypeAlias

from pksk.engine.layout import KeyAttribute, Rows
from pksk.engine.streams.lineage import shard_keys, with_shards
from pksk.engine.vectors.vector_index import VectorIndex, declared_index
from pksk.partitions import Partitions

from .table import Expiry, Table

__all__ = [
    "Record",
    "attribute_types",
    "index_rows",
    "key_names",
    "load",
    "new_table",
    "open_stream",
    "status_of",
    "stored_partitions",
    "table_rows",
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
    table = Table(record["TableName"], arn, table_rows(record), {})
    load(table, record)
    return table


def load(table: Table, record: Record) -> None:
    """Make a table what its record says, each attribute at once."""
    indexes = dict(_indexes(record))
    record = _with_shards(record)
    stream = open_stream(record)
    table.settings = record
    table.alive = status_of(record) != "DELETING"
    table.rows = table_rows(record)
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
    table.searched.keep({index.space for index in table.vectors.values()})
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
    return Partitions.of(entry["partitions"]) if "partitions" in entry else Partitions.even(1)


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


def _indexes(record: Record) -> Iterable[tuple[str, Rows]]:
    for member, kind in _KINDS:
        for entry in record.get(member, ()):
            if status_of(entry) != "DELETING":
                yield entry["IndexName"], index_rows(record, entry, kind)


def table_rows(record: Record) -> Rows:
    """The rows of a table itself."""
    partition, sort = _keys(record, record["KeySchema"])
    return Rows(None, "table", record["space"], partition, sort)


def index_rows(record: Record, entry: Mapping[str, Any], kind: Literal["gsi", "lsi"]) -> Rows:
    """The rows of an index, from the record of its table and its own."""
    partition, sort = _keys(record, entry["KeySchema"])
    base = tuple(part for keys in _keys(record, record["KeySchema"]) for part in keys)
    projection = entry["Projection"]
    projected: frozenset[str] | None = None
    if projection["ProjectionType"] != "ALL":
        names = {key.name for key in (*partition, *sort, *base)}
        projected = frozenset(names.union(projection.get("NonKeyAttributes", ())))
    return Rows(entry["IndexName"], kind, entry["space"], partition, sort, base, projected)


def vector_index(record: Record, entry: Mapping[str, Any]) -> VectorIndex:
    """A vector index, from the record of its table and its own."""
    return declared_index(
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
