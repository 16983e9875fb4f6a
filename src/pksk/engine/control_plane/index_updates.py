"""Indexes that UpdateTable creates, changes and deletes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

import orjson

from pksk.dataclass import dataclass
from pksk.engine.row_layout import RowLayout
from pksk.engine.service_errors import service_error, validation
from pksk.engine.settings import Settings
from pksk.engine.storage import Writer
from pksk.engine.texts import indexes as texts
from pksk.engine.vectors.vector_entries import fill_index, resize_items
from pksk.schema.quotas import GSI_COUNT
from pksk.values.size import item_size

from ..state.table_record import (
    IndexRecord,
    PendingChanges,
    Phase,
    TableRecord,
    VectorIndexRecord,
    all_indexes,
    attribute_types,
    busy_indexes,
    done_at,
    index_layout,
    key_names,
    resource_in_use,
    status_of,
    table_layout,
    to_milliseconds,
    vector_index,
)
from .schema_checks import (
    check_defined,
    check_definitions,
    check_global_key,
    check_projected_count,
    check_projection,
    check_vector_indexes,
    search_attributes,
)
from .table_definition import new_global_index
from .throughput import (
    ON_DEMAND,
    PROVISIONED,
    billing_mode,
    changed_units,
    check_bounds,
    check_decrease,
    check_index_throughput,
    check_units_differ,
    on_demand_limits,
    warm_throughput,
)


@dataclass(frozen=True, slots=True)
class TableUpdate:
    """One UpdateTable request, and the table that it changes."""

    request: Mapping[str, Any]
    before: TableRecord
    writer: Writer
    settings: Settings
    now: float

    @property
    def mode(self) -> str:
        """The billing mode that the table will have."""
        return billing_mode(self.request) or self.before["BillingMode"]

    @property
    def rate_limited(self) -> bool:
        """Whether throughput can change only as often as on AWS, which holds if changes take time."""
        return self.settings.delays.update_table > 0

    @property
    def done_at(self) -> float:
        """When the update is done."""
        return done_at(self.now, self.settings.delays.update_table)


def backfill(writer: Writer, table: RowLayout, index: RowLayout, *, with_vectors: bool = False) -> None:
    """Write the index rows of all items; items without a valid index key are left out, as on AWS.

    Index entries of items with vectors are larger than the table bills for the items.
    """
    for row in writer.rows(table.space, b"", None):
        item = orjson.loads(row.data)
        if index.includes(item):
            if with_vectors:
                row = row._replace(size=item_size(item))  # noqa: PLW2901
            writer.put(index.space, *index.row(item, row))


_Index = TypeVar("_Index", IndexRecord, VectorIndexRecord)


def check_actions(request: Mapping[str, Any]) -> None:
    """Raise for index updates without an action, with several actions, or for the same index."""
    names = []
    for update in request.get("GlobalSecondaryIndexUpdates", ()):
        if len(update) != 1:
            raise validation(texts.INDEX_WITHOUT_ACTION)
        names += [action["IndexName"] for action in update.values()]
    if any(len(update) != 1 for update in request.get("VectorIndexUpdates", ())):
        raise validation(texts.VECTOR_WITHOUT_ACTION)
    for name in names:
        if names.count(name) > 1:
            raise validation(texts.index_twice(name))
    created_or_deleted = [kind for kind, _ in _online_actions(request)]
    if len(created_or_deleted) > 1:
        raise service_error("LimitExceededException", texts.ONE_INDEX_AT_A_TIME)
    if created_or_deleted and "ProvisionedThroughput" in request:
        raise validation(texts.INDEX_AND_UNITS)
    if created_or_deleted and "StreamSpecification" in request:
        raise validation(texts.INDEX_AND_STREAM)


def _online_actions(request: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The indexes that are created or deleted while the table is in use, with the kind of action."""
    for member in ("GlobalSecondaryIndexUpdates", "VectorIndexUpdates"):
        for update in request.get(member, ()):
            for kind in ("Create", "Delete"):
                if kind in update:
                    yield kind, update[kind]["IndexName"]


def updated_indexes(update: TableUpdate, record: TableRecord) -> TableRecord:
    """The record with its new indexes, and the attribute definitions and insights that these need."""
    _check_online(update)
    actions = _actions(update.request, "GlobalSecondaryIndexUpdates")
    indexes = _with_new_throughput(update, actions["Update"])
    for action in actions["Delete"]:
        indexes = _delete_index(update, indexes, action["IndexName"])
    vectors = _vector_indexes(update)
    if actions["Create"] or vectors is not None:
        record = _with_definitions(update, record)
    for action in actions["Create"]:
        indexes = [*indexes, _create_index(update, record, action)]
    if indexes:
        record = {**record, "GlobalSecondaryIndexes": indexes}
    if vectors is not None:
        _check_vectors(update, record, vectors)
        record = {**record, "VectorIndexes": _with_entries(update, record, vectors)}
    return _without_unused(record)


def _actions(request: Mapping[str, Any], member: str) -> dict[str, list[Any]]:
    updates = request.get(member, ())
    return {
        kind: [update[kind] for update in updates if kind in update]
        for kind in ("Create", "Update", "Delete")
    }


def _check_online(update: TableUpdate) -> None:
    """Raise if another index is being created or deleted. An index that is being filled can be deleted."""
    table = update.before["TableName"]
    busy = {name: status for name, status in busy_indexes(update.before).items() if status != "UPDATING"}
    for kind, name in _online_actions(update.request):
        if kind == "Delete" and busy.get(name) == "CREATING":
            busy.pop(name)
        elif name in busy:
            raise resource_in_use(texts.index_busy(busy[name], table, name))
        if busy:
            raise service_error("LimitExceededException", texts.ONE_INDEX_AT_A_TIME)


def _with_new_throughput(update: TableUpdate, actions: Sequence[Mapping[str, Any]]) -> list[IndexRecord]:
    """The global indexes, with new throughput if the request or a change of billing mode sets it."""
    by_name = {action["IndexName"]: action for action in actions}
    indexes = update.before.get("GlobalSecondaryIndexes", [])
    for name in by_name:
        _find_index(indexes, name)
    switched = update.mode != update.before["BillingMode"]
    if switched and update.mode == PROVISIONED:
        missing = [
            entry["IndexName"]
            for entry in indexes
            if "ProvisionedThroughput" not in by_name.get(entry["IndexName"], {})
        ]
        if missing:
            raise validation(texts.index_units_needed(missing))
    return [
        _change_throughput(update, entry, by_name.get(entry["IndexName"], {}), switched=switched)
        if switched or entry["IndexName"] in by_name
        else entry
        for entry in indexes
    ]


def _change_throughput(
    update: TableUpdate, entry: IndexRecord, action: Mapping[str, Any], *, switched: bool
) -> IndexRecord:
    name, mode = entry["IndexName"], update.mode
    if "phase" in entry:
        raise resource_in_use(texts.index_busy(status_of(entry), update.before["TableName"], name))
    throughput = action.get("ProvisionedThroughput")
    units = entry["ProvisionedThroughput"]
    if throughput is not None:
        if mode == ON_DEMAND:
            raise validation(texts.index_units(name))
        check_bounds(update.before["TableName"], throughput, name)
        if not switched:
            check_units_differ(units, throughput, name)
            if update.rate_limited:
                check_decrease(units, throughput, update.now)
    if switched or throughput is not None:
        units = changed_units(units, throughput or {}, to_milliseconds(update.now))
    old_limits, old_warm = entry["OnDemandThroughput"], entry["WarmThroughput"]
    limits = on_demand_limits(
        mode, action.get("OnDemandThroughput"), index=name, before={} if switched else old_limits
    )
    warm = warm_throughput(mode, units, action.get("WarmThroughput"), index=name, before=old_warm)
    after: PendingChanges = {}
    if units != entry["ProvisionedThroughput"]:
        after["ProvisionedThroughput"] = units
    if limits != old_limits:
        after["OnDemandThroughput"] = limits
    if warm != old_warm:
        after["WarmThroughput"] = warm
    return {**entry, "phase": {"status": "UPDATING", "until": update.done_at, "after": after}}


def _find_index(indexes: Sequence[_Index], name: str) -> _Index:
    for entry in indexes:
        if entry["IndexName"] == name:
            return entry
    raise service_error("ResourceNotFoundException", texts.no_index_to_change(name))


def _delete_index(update: TableUpdate, indexes: list[IndexRecord], name: str) -> list[IndexRecord]:
    """The global indexes, one of which is DELETING; its rows are deleted at once."""
    entry = _find_index(indexes, name)
    deleted = entry.copy()
    update.writer.drop_space(deleted.pop("space"))
    deleted["phase"] = {"status": "DELETING", "until": update.done_at}
    return [deleted if each is entry else each for each in indexes]


def _create_index(update: TableUpdate, record: TableRecord, action: Mapping[str, Any]) -> IndexRecord:
    """A new global index with its rows. It can be read after the backfill time."""
    _check_added(update, record, action)
    entry = new_global_index(update.mode, action)
    entry["space"] = update.writer.make_space()
    entry["phase"] = _creating_phase(update)
    layout, table = index_layout(record, entry, "gsi"), table_layout(record, record["space"])
    backfill(update.writer, table, layout, with_vectors="VectorIndexes" in record)
    return entry


def _creating_phase(update: TableUpdate) -> Phase:
    delays = update.settings.delays
    return {
        "status": "CREATING",
        "allocated": update.done_at,
        "until": done_at(update.now, delays.update_table + delays.backfill),
    }


def _check_added(update: TableUpdate, record: TableRecord, action: Mapping[str, Any]) -> None:
    name = action["IndexName"]
    check_global_key(action["KeySchema"])
    check_defined(action["KeySchema"], update.request.get("AttributeDefinitions", ()))
    check_projection(action["Projection"])
    check_index_throughput(update.mode, action, created=False)
    check_bounds(record["TableName"], action.get("ProvisionedThroughput"), name)
    _check_new_name(record, name)
    others = [entry for entry in record.get("GlobalSecondaryIndexes", ()) if status_of(entry) != "DELETING"]
    if len(others) >= GSI_COUNT:
        raise validation(texts.too_many_global(GSI_COUNT))
    check_projected_count((*others, *record.get("LocalSecondaryIndexes", ()), action))
    for vector in record.get("VectorIndexes", ()):
        if vector["VectorAttribute"]["AttributeName"] in key_names(action["KeySchema"]):
            raise validation(texts.vector_is_key(vector["VectorAttribute"]["AttributeName"]))


def _check_new_name(record: TableRecord, name: str) -> None:
    if any(entry["IndexName"] == name for entry in all_indexes(record)):
        raise validation(texts.INDEX_EXISTS)


def _vector_indexes(update: TableUpdate) -> list[VectorIndexRecord] | None:
    """The vector indexes after the request; None if the request does not change them."""
    actions = _actions(update.request, "VectorIndexUpdates")
    before = update.before.get("VectorIndexes", [])
    if before and update.mode != ON_DEMAND:
        raise validation(texts.VECTOR_NEEDS_ON_DEMAND)
    for action in actions["Delete"]:
        entry = _find_index(before, action["IndexName"])
        deleted: VectorIndexRecord = {**entry, "phase": {"status": "DELETING", "until": update.done_at}}
        return [deleted if each is entry else each for each in before]
    for action in actions["Create"]:
        _check_new_name(update.before, action["IndexName"])
        created = cast("VectorIndexRecord", {**action, "phase": _creating_phase(update)})
        lag = update.settings.delays.global_index
        if lag:
            created["served"] = created["phase"]["until"] + lag
        return [*before, created]
    return None


def _with_entries(
    update: TableUpdate, record: TableRecord, vectors: list[VectorIndexRecord]
) -> list[VectorIndexRecord]:
    """The vector indexes; a new one is filled, and the rows of a deleted one are dropped."""
    layout = table_layout(record, record["space"])
    changed: str | None = None
    entries: list[VectorIndexRecord] = []
    for index in vectors:
        entry = index.copy()
        if status_of(entry) == "DELETING" and "space" in entry:
            changed = entry["VectorAttribute"]["AttributeName"]
            update.writer.drop_space(entry.pop("space"))
        elif "space" not in entry and status_of(entry) == "CREATING":
            changed = entry["VectorAttribute"]["AttributeName"]
            entry["space"] = update.writer.make_space()
            fill_index(update.writer, layout, vector_index(record, entry))
        entries.append(entry)
    if changed is not None:
        indexes = [vector_index(record, entry) for entry in entries if "space" in entry]
        resize_items(update.writer, layout, changed, indexes, record.get("collections"))
    return entries


def _check_vectors(update: TableUpdate, record: TableRecord, vectors: list[VectorIndexRecord]) -> None:
    remaining = [entry for entry in vectors if status_of(entry) != "DELETING"]
    check_vector_indexes(
        update.mode, remaining, attribute_types(record["AttributeDefinitions"]), _key_attributes(record)
    )


def _with_definitions(update: TableUpdate, record: TableRecord) -> TableRecord:
    """The record with the request's attribute definitions added; existing ones stay as they are."""
    definitions = update.request.get("AttributeDefinitions", [])
    check_definitions(definitions)
    # An attribute that only a deleted vector index used may get another type.
    record = _without_unused(record)
    known = attribute_types(record["AttributeDefinitions"])
    added = [each for each in definitions if each["AttributeName"] not in known]
    return {**record, "AttributeDefinitions": [*record["AttributeDefinitions"], *added]}


def _without_unused(record: TableRecord) -> TableRecord:
    """The record without definitions that no key or index uses, and without insights of deleted indexes."""
    used = {*_key_attributes(record), *search_attributes(record.get("VectorIndexes", ()))}
    definitions = [each for each in record["AttributeDefinitions"] if each["AttributeName"] in used]
    record = {**record, "AttributeDefinitions": definitions}
    if "insights" in record:
        # A new index with the name of a deleted one must not inherit its insights.
        indexes = record.get("GlobalSecondaryIndexes", ())
        deleted = {entry["IndexName"] for entry in indexes if status_of(entry) == "DELETING"}
        record["insights"] = {
            name: setting for name, setting in record["insights"].items() if name not in deleted
        }
    return record


def _key_attributes(record: TableRecord) -> list[str]:
    indexes = (*record.get("GlobalSecondaryIndexes", ()), *record.get("LocalSecondaryIndexes", ()))
    schemas = [record["KeySchema"], *(each["KeySchema"] for each in indexes if status_of(each) != "DELETING")]
    return [name for schema in schemas for name in key_names(schema)]
