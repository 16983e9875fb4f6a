"""Indexes that UpdateTable adds, changes and removes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import orjson

from pksk.engine.row_layout import RowLayout
from pksk.engine.service_errors import service_error, validation
from pksk.engine.storage import Writer
from pksk.engine.texts import indexes as texts
from pksk.engine.vectors.vector_entries import fill_index, resize_items
from pksk.schema.quotas import GSI_COUNT
from pksk.values.size import item_size

from ..state.table_record import (
    Record,
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
from .table_update import TableUpdate
from .throughput import (
    ON_DEMAND,
    PROVISIONED,
    changed_units,
    check_bounds,
    check_decrease,
    check_index_throughput,
    check_units_differ,
    on_demand_limits,
    warm_throughput,
)

__all__ = ["backfill", "check_actions", "updated_indexes"]


def backfill(writer: Writer, table: RowLayout, index: RowLayout, *, with_vectors: bool = False) -> None:
    """Write the index row of every item that fits the index's keys; others are left out, as on AWS.

    Items with vectors are billed as less than what an entry of them is.
    """
    for row in writer.rows(table.space, b"", None):
        item = orjson.loads(row.data)
        if index.holds(item):
            if with_vectors:
                row = row._replace(size=item_size(item))  # noqa: PLW2901
            writer.put(index.space, *index.row(item, row))


_GLOBAL: Final = "GlobalSecondaryIndexes"
_VECTOR: Final = "VectorIndexes"


def check_actions(request: Mapping[str, Any]) -> None:
    """Refuse updates of indexes that say nothing, too much, or the same index twice."""
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
    """What is created or deleted while the table is in use: the kind of action, and the index."""
    for member in ("GlobalSecondaryIndexUpdates", "VectorIndexUpdates"):
        for update in request.get(member, ()):
            for kind in ("Create", "Delete"):
                if kind in update:
                    yield kind, update[kind]["IndexName"]


def updated_indexes(update: TableUpdate) -> Record:
    """The members of a table's record that change with its indexes: those of the indexes, and the definitions."""
    _check_online(update)
    actions = _actions(update.request, "GlobalSecondaryIndexUpdates")
    indexes = _with_new_throughput(update, actions["Update"])
    for entry in actions["Delete"]:
        indexes = _delete_index(update, indexes, entry["IndexName"])
    record = {**update.before, _GLOBAL: indexes}
    vectors = _vector_indexes(update)
    if actions["Create"] or vectors is not None:
        record = _with_definitions(update, record)
    for entry in actions["Create"]:
        record = {**record, _GLOBAL: [*indexes, _create_index(update, record, entry)]}
    if vectors is not None:
        _check_vectors(update, record, vectors)
        record[_VECTOR] = _with_entries(update, record, vectors)
    return _changed_members(record)


def _actions(request: Mapping[str, Any], member: str) -> dict[str, list[Any]]:
    updates = request.get(member, ())
    return {
        kind: [update[kind] for update in updates if kind in update]
        for kind in ("Create", "Update", "Delete")
    }


def _check_online(update: TableUpdate) -> None:
    """Only one index of a table may be created or deleted at a time; one that is filling may be deleted."""
    table = update.before["TableName"]
    busy = {name: status for name, status in busy_indexes(update.before) if status != "UPDATING"}
    for kind, name in _online_actions(update.request):
        if kind == "Delete" and busy.get(name) == "CREATING":
            busy.pop(name)
        elif name in busy:
            raise resource_in_use(texts.index_busy(busy[name], table, name))
        if busy:
            raise service_error("LimitExceededException", texts.ONE_INDEX_AT_A_TIME)


def _with_new_throughput(update: TableUpdate, actions: Sequence[Mapping[str, Any]]) -> list[Record]:
    """The global indexes with new throughput, where they are given some or the table's mode changes."""
    wanted = {action["IndexName"]: action for action in actions}
    indexes: list[Record] = update.before.get(_GLOBAL, [])
    for name in wanted:
        _find_index(indexes, name)
    switched = update.mode != update.before["BillingMode"]
    if switched and update.mode == PROVISIONED:
        missing = [
            entry["IndexName"]
            for entry in indexes
            if "ProvisionedThroughput" not in wanted.get(entry["IndexName"], {})
        ]
        if missing:
            raise validation(texts.index_units_needed(missing))
    return [
        _change_throughput(update, entry, wanted.get(entry["IndexName"], {}), switched=switched)
        if switched or entry["IndexName"] in wanted
        else entry
        for entry in indexes
    ]


def _change_throughput(
    update: TableUpdate, entry: Record, wanted: Mapping[str, Any], *, switched: bool
) -> Record:
    name, mode = entry["IndexName"], update.mode
    if "phase" in entry:
        raise resource_in_use(texts.index_busy(status_of(entry), update.before["TableName"], name))
    throughput = wanted.get("ProvisionedThroughput")
    units = entry["ProvisionedThroughput"]
    if throughput is not None:
        if mode == ON_DEMAND:
            raise validation(texts.index_units(name))
        check_bounds(update.before["TableName"], throughput, name)
        if not switched:
            check_units_differ(units, throughput, name)
            if update.paced:
                check_decrease(units, throughput, update.now)
    if switched or throughput is not None:
        units = changed_units(units, throughput or {}, to_milliseconds(update.now))
    limits = {} if switched else entry["OnDemandThroughput"]
    after = {
        "ProvisionedThroughput": units,
        "OnDemandThroughput": on_demand_limits(
            mode, wanted.get("OnDemandThroughput"), index=name, before=limits
        ),
        "WarmThroughput": warm_throughput(
            mode, units, wanted.get("WarmThroughput"), index=name, before=entry["WarmThroughput"]
        ),
    }
    changed = {member: value for member, value in after.items() if value != entry[member]}
    return {**entry, "phase": {"status": "UPDATING", "until": update.until, "after": changed}}


def _find_index(indexes: Sequence[Record], name: str) -> Record:
    for entry in indexes:
        if entry["IndexName"] == name:
            return entry
    raise service_error("ResourceNotFoundException", texts.no_index_to_change(name))


def _delete_index(update: TableUpdate, indexes: list[Record], name: str) -> list[Record]:
    """The global indexes with one that is on its way out; its rows are gone at once."""
    entry = _find_index(indexes, name)
    update.writer.drop_space(entry["space"])
    leaving = {key: value for key, value in entry.items() if key != "space"}
    leaving["phase"] = {"status": "DELETING", "until": update.until}
    return [leaving if each is entry else each for each in indexes]


def _create_index(update: TableUpdate, record: Record, action: Mapping[str, Any]) -> Record:
    """A new global index with its rows, to be read once it has had its time to fill."""
    _check_added(update, record, action)
    entry = new_global_index(update.mode, action)
    entry["space"] = update.writer.make_space()
    entry["phase"] = _creating_phase(update)
    rows = index_layout(record, entry, "gsi")
    backfill(update.writer, table_layout(record), rows, with_vectors=_VECTOR in record)
    return entry


def _creating_phase(update: TableUpdate) -> Record:
    delays = update.settings.delays
    return {
        "status": "CREATING",
        "allocated": update.until,
        "until": done_at(update.now, delays.update_table + delays.backfill),
    }


def _check_added(update: TableUpdate, record: Record, action: Mapping[str, Any]) -> None:
    name = action["IndexName"]
    check_global_key(action["KeySchema"])
    check_defined(action["KeySchema"], update.request.get("AttributeDefinitions", ()))
    check_projection(action["Projection"])
    check_index_throughput(update.mode, action, created=False)
    check_bounds(record["TableName"], action.get("ProvisionedThroughput"), name)
    _check_new_name(record, name)
    others = [entry for entry in record[_GLOBAL] if status_of(entry) != "DELETING"]
    if len(others) >= GSI_COUNT:
        raise validation(texts.too_many_global(GSI_COUNT))
    check_projected_count((*others, *record.get("LocalSecondaryIndexes", ()), action))
    for vector in record.get(_VECTOR, ()):
        if vector["VectorAttribute"]["AttributeName"] in key_names(action["KeySchema"]):
            raise validation(texts.vector_is_key(vector["VectorAttribute"]["AttributeName"]))


def _check_new_name(record: Record, name: str) -> None:
    for member in (_GLOBAL, _VECTOR, "LocalSecondaryIndexes"):
        if any(entry["IndexName"] == name for entry in record.get(member, ())):
            raise validation(texts.INDEX_EXISTS)


def _vector_indexes(update: TableUpdate) -> list[Record] | None:
    """The vector indexes after the request; None where it says nothing of them."""
    actions = _actions(update.request, "VectorIndexUpdates")
    before: list[Record] = update.before.get(_VECTOR, [])
    if before and update.mode != ON_DEMAND:
        raise validation(texts.VECTOR_NEEDS_ON_DEMAND)
    for action in actions["Delete"]:
        leaving = _find_index(before, action["IndexName"])
        gone = {**leaving, "phase": {"status": "DELETING", "until": update.until}}
        return [gone if entry is leaving else entry for entry in before]
    for action in actions["Create"]:
        _check_new_name(update.before, action["IndexName"])
        phase, lag = _creating_phase(update), update.settings.delays.global_index
        later = {"served": phase["until"] + lag} if lag else {}
        return [*before, {**action, **later, "phase": phase}]
    return None


def _with_entries(update: TableUpdate, record: Record, vectors: list[Record]) -> list[Record]:
    """The vector indexes, one that is new with its entries, one that is on its way out without."""
    rows, kept = table_layout(record), []
    changed: str | None = None
    for entry in vectors:
        if status_of(entry) == "DELETING" and "space" in entry:
            changed = entry["VectorAttribute"]["AttributeName"]
            update.writer.drop_space(entry["space"])
            entry = {name: value for name, value in entry.items() if name != "space"}  # noqa: PLW2901
        elif "space" not in entry and status_of(entry) == "CREATING":
            changed = entry["VectorAttribute"]["AttributeName"]
            entry = {**entry, "space": update.writer.make_space()}  # noqa: PLW2901
            fill_index(update.writer, rows, vector_index(record, entry))
        kept.append(entry)
    if changed is not None:
        indexes = [vector_index(record, entry) for entry in kept if "space" in entry]
        resize_items(update.writer, rows, changed, indexes, record.get("collections"))
    return kept


def _check_vectors(update: TableUpdate, record: Record, vectors: list[Record]) -> None:
    kept = [entry for entry in vectors if status_of(entry) != "DELETING"]
    check_vector_indexes(
        update.mode, kept, attribute_types(record["AttributeDefinitions"]), _key_attributes(record)
    )


def _with_definitions(update: TableUpdate, record: Record) -> Record:
    """The record with what the request defines beside it; what is defined already stays as it is."""
    definitions = update.request.get("AttributeDefinitions", [])
    check_definitions(definitions)
    # What only a vector index used that has gone since may be of another type from now on.
    used = {*_key_attributes(record), *search_attributes(record.get(_VECTOR, ()))}
    kept = [each for each in record["AttributeDefinitions"] if each["AttributeName"] in used]
    known = attribute_types(kept)
    new = [each for each in definitions if each["AttributeName"] not in known]
    return {**record, "AttributeDefinitions": [*kept, *new]}


def _changed_members(record: Record) -> Record:
    """What changes in the record: its indexes, their insights, and the definitions that they and the table use."""
    used = {*_key_attributes(record), *search_attributes(record.get(_VECTOR, ()))}
    changed: Record = {
        "AttributeDefinitions": [
            each for each in record["AttributeDefinitions"] if each["AttributeName"] in used
        ]
    }
    for member in (_GLOBAL, _VECTOR):
        if record.get(member):
            changed[member] = record[member]
    if "insights" in record:
        # Lest an index that is made under the name of one that was deleted inherits its insights.
        leaving = {entry["IndexName"] for entry in record[_GLOBAL] if status_of(entry) == "DELETING"}
        changed["insights"] = {
            name: setting for name, setting in record["insights"].items() if name not in leaving
        }
    return changed


def _key_attributes(record: Record) -> list[str]:
    entries = [record]
    for member in (_GLOBAL, "LocalSecondaryIndexes"):
        entries += [entry for entry in record.get(member, ()) if status_of(entry) != "DELETING"]
    return [name for entry in entries for name in key_names(entry["KeySchema"])]
