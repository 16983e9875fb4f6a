"""Indexes that UpdateTable adds, changes and removes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pksk.engine.faults import fault, validation
from pksk.engine.texts import indexes as texts
from pksk.engine.vectors.filling import fill_index, resize_items
from pksk.schema.quotas import GSI_COUNT

from .backfill import backfill
from .billing import (
    ON_DEMAND,
    PROVISIONED,
    changed_units,
    check_index_throughput,
    limited,
    same_units,
    warmed,
)
from .creation import to_milliseconds
from .definition import new_global_index
from .key_schema import check_defined, check_definitions, check_global_key
from .projection import check_projected, check_projection
from .quotas import check_bounds, check_decrease
from .record import Record, attribute_types, index_rows, key_names, status_of, table_rows, vector_index
from .states import busy_indexes, done_at, in_use
from .update import Update
from .vector_indexes import check_vector_indexes, search_names

__all__ = ["check_actions", "updated_indexes"]

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
    created_or_deleted = [kind for kind, _ in _online(request)]
    if len(created_or_deleted) > 1:
        raise fault("LimitExceededException", texts.ONE_INDEX_AT_A_TIME)
    if created_or_deleted and "ProvisionedThroughput" in request:
        raise validation(texts.INDEX_AND_UNITS)
    if created_or_deleted and "StreamSpecification" in request:
        raise validation(texts.INDEX_AND_STREAM)


def _online(request: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is created or deleted while the table is in use: the kind of action, and the index."""
    for member in ("GlobalSecondaryIndexUpdates", "VectorIndexUpdates"):
        for update in request.get(member, ()):
            for kind in ("Create", "Delete"):
                if kind in update:
                    yield kind, update[kind]["IndexName"]


def updated_indexes(update: Update) -> Record:
    """The members of a table's record that change with its indexes: those of the indexes, and the definitions."""
    _check_online(update)
    actions = _actions(update.request, "GlobalSecondaryIndexUpdates")
    indexes = _changed(update, actions["Update"])
    for entry in actions["Delete"]:
        indexes = _without(update, indexes, entry["IndexName"])
    record = {**update.before, _GLOBAL: indexes}
    vectors = _vector_indexes(update)
    if actions["Create"] or vectors is not None:
        record = _with_definitions(update, record)
    for entry in actions["Create"]:
        record = {**record, _GLOBAL: [*indexes, _added(update, record, entry)]}
    if vectors is not None:
        _check_vectors(update, record, vectors)
        record[_VECTOR] = _with_entries(update, record, vectors)
    return _pruned(record)


def _actions(request: Mapping[str, Any], member: str) -> dict[str, list[Any]]:
    updates = request.get(member, ())
    return {
        kind: [update[kind] for update in updates if kind in update]
        for kind in ("Create", "Update", "Delete")
    }


def _check_online(update: Update) -> None:
    """Only one index of a table may be created or deleted at a time; one that is filling may be deleted."""
    table = update.before["TableName"]
    busy = {name: status for name, status in busy_indexes(update.before) if status != "UPDATING"}
    for kind, name in _online(update.request):
        if kind == "Delete" and busy.get(name) == "CREATING":
            busy.pop(name)
        elif name in busy:
            raise in_use(texts.index_busy(busy[name], table, name))
        if busy:
            raise fault("LimitExceededException", texts.ONE_INDEX_AT_A_TIME)


def _changed(update: Update, actions: Sequence[Mapping[str, Any]]) -> list[Record]:
    """The global indexes with new throughput, where they are given some or the table's mode changes."""
    wanted = {action["IndexName"]: action for action in actions}
    indexes: list[Record] = update.before.get(_GLOBAL, [])
    for name in wanted:
        _existing(indexes, name)
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
        _change(update, entry, wanted.get(entry["IndexName"], {}), switched=switched)
        if switched or entry["IndexName"] in wanted
        else entry
        for entry in indexes
    ]


def _change(update: Update, entry: Record, wanted: Mapping[str, Any], *, switched: bool) -> Record:
    name, mode = entry["IndexName"], update.mode
    if "phase" in entry:
        raise in_use(texts.index_busy(status_of(entry), update.before["TableName"], name))
    throughput = wanted.get("ProvisionedThroughput")
    units = entry["ProvisionedThroughput"]
    if throughput is not None:
        if mode == ON_DEMAND:
            raise validation(texts.index_units(name))
        check_bounds(update.before["TableName"], throughput, name)
        if not switched:
            same_units(units, throughput, name)
            if update.paced:
                check_decrease(units, throughput, update.now)
    if switched or throughput is not None:
        units = changed_units(units, throughput or {}, to_milliseconds(update.now))
    limits = {} if switched else entry["OnDemandThroughput"]
    after = {
        "ProvisionedThroughput": units,
        "OnDemandThroughput": limited(mode, wanted.get("OnDemandThroughput"), index=name, before=limits),
        "WarmThroughput": warmed(
            mode, units, wanted.get("WarmThroughput"), index=name, before=entry["WarmThroughput"]
        ),
    }
    changed = {member: value for member, value in after.items() if value != entry[member]}
    return {**entry, "phase": {"status": "UPDATING", "until": update.until, "after": changed}}


def _existing(indexes: Sequence[Record], name: str) -> Record:
    for entry in indexes:
        if entry["IndexName"] == name:
            return entry
    raise fault("ResourceNotFoundException", texts.no_index_to_change(name))


def _without(update: Update, indexes: list[Record], name: str) -> list[Record]:
    """The global indexes with one that is on its way out; its rows are gone at once."""
    entry = _existing(indexes, name)
    update.writer.drop_space(entry["space"])
    leaving = {key: value for key, value in entry.items() if key != "space"}
    leaving["phase"] = {"status": "DELETING", "until": update.until}
    return [leaving if each is entry else each for each in indexes]


def _added(update: Update, record: Record, action: Mapping[str, Any]) -> Record:
    """A new global index with its rows, to be read once it has had its time to fill."""
    _check_added(update, record, action)
    entry = new_global_index(update.mode, action)
    entry["space"] = update.writer.make_space()
    entry["phase"] = _creating(update)
    rows = index_rows(record, entry, "gsi")
    backfill(update.writer, table_rows(record), rows, with_vectors=_VECTOR in record)
    return entry


def _creating(update: Update) -> Record:
    delays = update.settings.delays
    return {
        "status": "CREATING",
        "allocated": update.until,
        "until": done_at(update.now, delays.update_table + delays.backfill),
    }


def _check_added(update: Update, record: Record, action: Mapping[str, Any]) -> None:
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
    check_projected((*others, *record.get("LocalSecondaryIndexes", ()), action))
    for vector in record.get(_VECTOR, ()):
        if vector["VectorAttribute"]["AttributeName"] in key_names(action["KeySchema"]):
            raise validation(texts.vector_is_key(vector["VectorAttribute"]["AttributeName"]))


def _check_new_name(record: Record, name: str) -> None:
    for member in (_GLOBAL, _VECTOR, "LocalSecondaryIndexes"):
        if any(entry["IndexName"] == name for entry in record.get(member, ())):
            raise validation(texts.INDEX_EXISTS)


def _vector_indexes(update: Update) -> list[Record] | None:
    """The vector indexes after the request; None where it says nothing of them."""
    actions = _actions(update.request, "VectorIndexUpdates")
    before: list[Record] = update.before.get(_VECTOR, [])
    if before and update.mode != ON_DEMAND:
        raise validation(texts.VECTOR_NEEDS_ON_DEMAND)
    for action in actions["Delete"]:
        leaving = _existing(before, action["IndexName"])
        gone = {**leaving, "phase": {"status": "DELETING", "until": update.until}}
        return [gone if entry is leaving else entry for entry in before]
    for action in actions["Create"]:
        _check_new_name(update.before, action["IndexName"])
        phase, lag = _creating(update), update.settings.delays.global_index
        later = {"served": phase["until"] + lag} if lag else {}
        return [*before, {**action, **later, "phase": phase}]
    return None


def _with_entries(update: Update, record: Record, vectors: list[Record]) -> list[Record]:
    """The vector indexes, one that is new with its entries, one that is on its way out without."""
    rows, kept = table_rows(record), []
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


def _check_vectors(update: Update, record: Record, vectors: list[Record]) -> None:
    kept = [entry for entry in vectors if status_of(entry) != "DELETING"]
    check_vector_indexes(
        update.mode, kept, attribute_types(record["AttributeDefinitions"]), _keys_used(record)
    )


def _with_definitions(update: Update, record: Record) -> Record:
    """The record with what the request defines beside it; what is defined already stays as it is."""
    definitions = update.request.get("AttributeDefinitions", [])
    check_definitions(definitions)
    # What only a vector index used that has gone since may be of another type from now on.
    used = {*_keys_used(record), *search_names(record.get(_VECTOR, ()))}
    kept = [each for each in record["AttributeDefinitions"] if each["AttributeName"] in used]
    known = attribute_types(kept)
    new = [each for each in definitions if each["AttributeName"] not in known]
    return {**record, "AttributeDefinitions": [*kept, *new]}


def _pruned(record: Record) -> Record:
    """What changes in the record: its indexes, their insights, and the definitions that they and the table use."""
    used = {*_keys_used(record), *search_names(record.get(_VECTOR, ()))}
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


def _keys_used(record: Record) -> list[str]:
    entries = [record]
    for member in (_GLOBAL, "LocalSecondaryIndexes"):
        entries += [entry for entry in record.get(member, ()) if status_of(entry) != "DELETING"]
    return [name for entry in entries for name in key_names(entry["KeySchema"])]
