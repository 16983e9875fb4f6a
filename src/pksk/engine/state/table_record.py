"""What is stored of a table: a typed record with a format version, and its changes over time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NotRequired, TypedDict, TypeVar, cast

import orjson

from pksk.client import ServiceError
from pksk.engine import texts
from pksk.engine.row_layout import KeyAttribute, RowLayout, stored_bytes
from pksk.engine.service_errors import service_error
from pksk.engine.vectors.vector_index import VectorIndex, read_vector_index
from pksk.errors import FileError, quote
from pksk.partitions import StoredPartitions

from .stream_record import Stream

# The version of these records. Raise it with every change that other versions would misread.
RECORD_FORMAT: Final = 1


class KeyElement(TypedDict):
    """An element of a KeySchema."""

    AttributeName: str
    KeyType: str


class AttributeDefinition(TypedDict):
    """An element of AttributeDefinitions."""

    AttributeName: str
    AttributeType: str


class ProvisionedUnits(TypedDict):
    """Capacity units, when they last changed, and how often they were lowered on one day."""

    ReadCapacityUnits: int
    WriteCapacityUnits: int
    LastIncreaseDateTime: NotRequired[float]
    LastDecreaseDateTime: NotRequired[float]
    decrease_day: NotRequired[str]
    decreases: NotRequired[int]


class PendingChanges(TypedDict, total=False):
    """The members that a table or an index gets when its update is done."""

    BillingMode: str
    ProvisionedThroughput: ProvisionedUnits
    OnDemandThroughput: dict[str, int]
    WarmThroughput: dict[str, int]
    TableClass: str
    class_since: float
    encryption: str | None
    on_demand_since: float
    switches: list[float]


class Phase(TypedDict):
    """A state other than ACTIVE, when it ends, and what changes then."""

    status: str
    until: float
    # When the backfill of a CREATING index begins.
    allocated: NotRequired[float]
    after: NotRequired[PendingChanges]


class _Stateful(TypedDict):
    phase: NotRequired[Phase]


class IndexRecord(_Stateful):
    """A global or local index. It has no space while it is DELETING."""

    IndexName: str
    KeySchema: list[KeyElement]
    Projection: dict[str, Any]
    ProvisionedThroughput: NotRequired[ProvisionedUnits]
    OnDemandThroughput: NotRequired[dict[str, int]]
    WarmThroughput: NotRequired[dict[str, int]]
    space: NotRequired[int]
    partitions: NotRequired[StoredPartitions]


class VectorIndexRecord(_Stateful):
    """A vector index. It has no space while it is DELETING."""

    IndexName: str
    Projection: dict[str, Any]
    VectorAttribute: dict[str, str]
    Dimensions: int
    DistanceFunction: str
    SearchSchema: NotRequired[list[dict[str, str]]]
    space: NotRequired[int]
    # When searches begin, if that is after the end of CREATING.
    served: NotRequired[float]


class TtlSetting(TypedDict):
    """Time to live: its attribute, and where keys are stored in the order of their expiry."""

    enabled: bool
    attribute: str
    changed: float
    until: float
    space: NotRequired[int]


class InsightsSetting(TypedDict):
    """Contributor insights of a table or an index."""

    enabled: bool
    mode: str
    changed: float
    until: float


class KinesisDestination(TypedDict):
    """A Kinesis streaming destination: its state before and after `until`."""

    status: list[str]
    until: NotRequired[float]
    precision: NotRequired[str]


class Policy(TypedDict):
    """A resource policy and its revision."""

    Policy: str
    RevisionId: str


class RecoverySetting(TypedDict):
    """Point-in-time recovery that is on."""

    days: int


class RestoreSource(TypedDict):
    """The table, and the backup if there is one, that a table was restored from."""

    table: str
    backup: NotRequired[str]
    at: NotRequired[float]


class TableDefinition(_Stateful):
    """What CreateTable and restores define, and what a backup keeps."""

    AttributeDefinitions: list[AttributeDefinition]
    KeySchema: list[KeyElement]
    BillingMode: str
    ProvisionedThroughput: ProvisionedUnits
    OnDemandThroughput: dict[str, int]
    WarmThroughput: NotRequired[dict[str, int]]
    DeletionProtectionEnabled: NotRequired[bool]
    TableClass: NotRequired[str]
    encryption: NotRequired[str | None]
    GlobalSecondaryIndexes: NotRequired[list[IndexRecord]]
    LocalSecondaryIndexes: NotRequired[list[IndexRecord]]
    VectorIndexes: NotRequired[list[VectorIndexRecord]]
    Tags: NotRequired[dict[str, str]]
    restored: NotRequired[RestoreSource]


class StreamOwner(_Stateful):
    """The table of a stream. All that is left of a deleted one."""

    TableName: str
    TableId: str
    KeySchema: list[KeyElement]
    streams: NotRequired[list[Stream]]


class TableRecord(TableDefinition):
    """A table as it is stored, in JSON.

    DynamoDB's members have their own names, ours are in lower case. There are no ARNs: they follow
    from the account and region that the engine is opened with.
    """

    format: int
    TableName: str
    TableId: str
    CreationDateTime: float
    space: int
    partitions: StoredPartitions
    collections: NotRequired[int]
    on_demand_since: NotRequired[float]
    switches: NotRequired[list[float]]
    class_since: NotRequired[float]
    streams: NotRequired[list[Stream]]
    ttl: NotRequired[TtlSetting]
    policies: NotRequired[dict[str, Policy]]
    insights: NotRequired[dict[str, InsightsSetting]]
    destinations: NotRequired[dict[str, KinesisDestination]]
    recovery: NotRequired[RecoverySetting]
    # Totals of a table that is DELETING, whose rows are gone.
    ItemCount: NotRequired[int]
    TableSizeBytes: NotRequired[int]


_S = TypeVar("_S", bound=_Stateful)
_Index = TypeVar("_Index", IndexRecord, VectorIndexRecord)


def record_bytes(record: TableRecord) -> bytes:
    """A record as it is stored."""
    return stored_bytes({**record, "format": RECORD_FORMAT})


def read_record(data: bytes) -> TableRecord:
    """Read a stored record; raises FileError for another format."""
    record: TableRecord = orjson.loads(data)
    stored = record.get("format")
    if stored != RECORD_FORMAT:
        is_newer = isinstance(stored, int) and stored > RECORD_FORMAT
        raise FileError(
            "storage-record-format",
            f"Table {quote(record['TableName'])} is stored in format {quote(stored)}, "
            f"and this pksk reads format {RECORD_FORMAT}.",
            expected=f"{'A newer' if is_newer else 'An older'} pksk wrote the file.",
            fix="upgrade pksk." if is_newer else "open it with that pksk, or begin with a new file.",
        )
    return record


def all_indexes(record: TableDefinition) -> list[IndexRecord | VectorIndexRecord]:
    """All indexes of a table."""
    return [*record.get("LocalSecondaryIndexes", ()), *changing_indexes(record)]


def changing_indexes(record: TableDefinition) -> list[IndexRecord | VectorIndexRecord]:
    """The indexes that UpdateTable can add and delete: global and vector indexes."""
    return [*record.get("GlobalSecondaryIndexes", ()), *record.get("VectorIndexes", ())]


def status_of(entry: _Stateful) -> str:
    """The state of a table or an index."""
    return entry["phase"]["status"] if "phase" in entry else "ACTIVE"


def open_stream(record: TableRecord) -> Stream | None:
    """The stream that is open, if there is one."""
    streams = record.get("streams", ())
    return streams[-1] if streams and "closed" not in streams[-1] else None


def table_layout(record: TableDefinition, space: int) -> RowLayout:
    """The layout of a table's own rows."""
    partition, sort = _keys(record, record["KeySchema"])
    return RowLayout(None, "table", space, partition, sort)


def index_layout(record: TableDefinition, entry: IndexRecord, kind: Literal["gsi", "lsi"]) -> RowLayout:
    """The layout of an index."""
    partition, sort = _keys(record, entry["KeySchema"])
    base = tuple(part for keys in _keys(record, record["KeySchema"]) for part in keys)
    projection = entry["Projection"]
    projected: frozenset[str] | None = None
    if projection["ProjectionType"] != "ALL":
        names = {key.name for key in (*partition, *sort, *base)}
        projected = frozenset(names.union(projection.get("NonKeyAttributes", ())))
    return RowLayout(entry["IndexName"], kind, entry["space"], partition, sort, base, projected)


def vector_index(record: TableDefinition, entry: VectorIndexRecord) -> VectorIndex:
    """A vector index of a table."""
    return read_vector_index(
        entry, attribute_types(record["AttributeDefinitions"]), key_names(record["KeySchema"])
    )


def _keys(
    record: TableDefinition, schema: Iterable[KeyElement]
) -> tuple[tuple[KeyAttribute, ...], tuple[KeyAttribute, ...]]:
    types = attribute_types(record["AttributeDefinitions"])
    parts: dict[str, list[KeyAttribute]] = {"HASH": [], "RANGE": []}
    for element in schema:
        name = element["AttributeName"]
        parts[element["KeyType"]].append(KeyAttribute(name, types[name]))
    return tuple(parts["HASH"]), tuple(parts["RANGE"])


def attribute_types(definitions: Iterable[AttributeDefinition]) -> dict[str, str]:
    """AttributeDefinitions as a dict."""
    return {each["AttributeName"]: each["AttributeType"] for each in definitions}


def key_names(schema: Iterable[Mapping[str, Any]]) -> list[str]:
    """The attributes of a KeySchema."""
    return [element["AttributeName"] for element in schema]


def done_at(now: float, delay: float) -> float:
    """When a change that takes `delay` seconds is done; without delay, it is done even if the clock goes back."""
    return now + delay if delay else min(now, 0.0)


def settle(record: TableRecord, now: float) -> TableRecord | None:
    """The record after all changes that are done by now; None once the table is deleted."""
    if status_of(record) == "DELETING":
        return None if now >= record["phase"]["until"] else record
    settled = _finish(record, now).copy()
    indexes = _settle_indexes(settled.pop("GlobalSecondaryIndexes", []), now)
    if indexes:
        settled["GlobalSecondaryIndexes"] = indexes
    vectors = _settle_indexes(settled.pop("VectorIndexes", []), now)
    if vectors:
        settled["VectorIndexes"] = vectors
    return settled


def _settle_indexes(entries: list[_Index], now: float) -> list[_Index]:
    return [
        _finish(entry, now)
        for entry in entries
        if status_of(entry) != "DELETING" or now < entry["phase"]["until"]
    ]


def _finish(entry: _S, now: float) -> _S:
    if "phase" not in entry or now < entry["phase"]["until"]:
        return entry
    return after_update(entry)


def after_update(entry: _S) -> _S:
    """The table or index as it will be when its update is done."""
    if "phase" not in entry:
        return entry
    updated: dict[str, Any] = {**entry, **entry["phase"].get("after", {})}
    del updated["phase"]
    return cast("_S", updated)


def due_times(record: TableRecord) -> Iterator[float]:
    """When the changes in progress will be done."""
    for entry in (record, *changing_indexes(record)):
        if "phase" in entry:
            yield entry["phase"]["until"]


def busy_indexes(record: TableDefinition) -> dict[str, str]:
    """The state of each index that is not active, by its name."""
    return {entry["IndexName"]: status_of(entry) for entry in changing_indexes(record) if "phase" in entry}


def require_active(record: TableRecord) -> TableRecord:
    """The record, if no other change of the table is under way; otherwise raises."""
    status = status_of(record)
    if status != "ACTIVE":
        raise resource_in_use(texts.table_busy(status, record["TableName"]))
    return record


def resource_in_use(message: str) -> ServiceError:
    """A ResourceInUseException."""
    return service_error("ResourceInUseException", message)


def to_milliseconds(now: float) -> float:
    """A time rounded to milliseconds, as descriptions show it."""
    return round(now, 3)
