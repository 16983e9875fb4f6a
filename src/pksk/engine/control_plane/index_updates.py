"""Indexes that UpdateTable creates, changes and deletes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

import orjson

from pksk.dataclass import dataclass
from pksk.engine import texts
from pksk.engine.request import Request
from pksk.engine.row_layout import RowLayout
from pksk.engine.service_errors import invalid_parameter, resource_not_found, service_error, validation
from pksk.engine.settings import Settings
from pksk.engine.state import IndexRecord, TableRecord, VectorIndexRecord, table_record
from pksk.engine.storage import Writer
from pksk.engine.vectors.vector_index import fill_index, resize_items
from pksk.schema.quotas import GSI_COUNT
from pksk.values import item_size

from . import billing, table_definition


@dataclass(frozen=True, slots=True)
class TableUpdate:
    """One UpdateTable request, and the table that it changes."""

    request: Request
    before: TableRecord
    writer: Writer
    settings: Settings
    now: float

    @property
    def mode(self) -> str:
        """The billing mode that the table will have."""
        return billing.billing_mode(self.request) or self.before["BillingMode"]

    @property
    def is_switch(self) -> bool:
        """Whether the billing mode changes."""
        return self.mode != self.before["BillingMode"]

    @property
    def rate_limited(self) -> bool:
        """Whether throughput can change only as often as on AWS, which holds if changes take time."""
        return self.settings.delays.update_table > 0

    @property
    def done_at(self) -> float:
        """When the update is done."""
        return table_record.done_at(self.now, self.settings.delays.update_table)


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


def check_actions(request: Request) -> None:
    """Raise for index updates without an action, with several actions, or for the same index."""
    names = []
    for update in request.get("GlobalSecondaryIndexUpdates", ()):
        if len(update) != 1:
            raise invalid_parameter(
                "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object"
                if update
                else "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                "GlobalSecondaryIndexUpdate.Delete must not be null"
            )
        names += [action["IndexName"] for action in update.values()]
        if "Create" in update:
            table_definition.check_projection(update["Create"]["Projection"])
    for update in request.get("VectorIndexUpdates", ()):
        if len(update) != 1:
            raise invalid_parameter(
                "Only one vector index action is allowed per VectorIndexUpdate object"
                if update
                else "One of VectorIndexUpdate.Create, VectorIndexUpdate.Delete must not be null"
            )
    for name in names:
        if names.count(name) > 1:
            raise invalid_parameter(
                f"Only one global secondary index update per index is allowed simultaneously. Index: {name}"
            )
    created_or_deleted = [kind for kind, _ in _online_actions(request)]
    if len(created_or_deleted) > 1:
        raise service_error("LimitExceededException", texts.ONE_INDEX_AT_A_TIME)
    if created_or_deleted and "ProvisionedThroughput" in request:
        raise invalid_parameter("You cannot create or delete index while updating table IOPS")
    if created_or_deleted and "StreamSpecification" in request:
        raise invalid_parameter("You cannot create or delete index while changing stream status")


def _online_actions(request: Request) -> Iterator[tuple[str, str]]:
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


def _actions(request: Request, member: str) -> dict[str, list[Any]]:
    updates = request.get(member, ())
    return {
        kind: [update[kind] for update in updates if kind in update]
        for kind in ("Create", "Update", "Delete")
    }


def _check_online(update: TableUpdate) -> None:
    """Raise if another index is being created or deleted. An index that is being filled can be deleted."""
    table = update.before["TableName"]
    busy = {
        name: status
        for name, status in table_record.busy_indexes(update.before).items()
        if status != "UPDATING"
    }
    for kind, name in _online_actions(update.request):
        if kind == "Delete" and busy.get(name) == "CREATING":
            busy.pop(name)
        elif name in busy:
            raise table_record.resource_in_use(texts.index_busy(busy[name], table, name))
        if busy:
            raise service_error("LimitExceededException", texts.ONE_INDEX_AT_A_TIME)


def _with_new_throughput(update: TableUpdate, actions: Sequence[Mapping[str, Any]]) -> list[IndexRecord]:
    """The global indexes, with new throughput if the request or a change of billing mode sets it."""
    by_name = {action["IndexName"]: action for action in actions}
    indexes = update.before.get("GlobalSecondaryIndexes", [])
    for name in by_name:
        _find_index(indexes, name)
    switched = update.is_switch
    if switched and update.mode == billing.PROVISIONED:
        missing = [
            entry["IndexName"]
            for entry in indexes
            if "ProvisionedThroughput" not in by_name.get(entry["IndexName"], {})
        ]
        if missing:
            raise invalid_parameter(f"ProvisionedThroughput must be specified for index: {','.join(missing)}")
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
        raise table_record.resource_in_use(
            texts.index_busy(table_record.status_of(entry), update.before["TableName"], name)
        )
    throughput = action.get("ProvisionedThroughput")
    units = entry["ProvisionedThroughput"]
    if throughput is not None:
        if mode == billing.ON_DEMAND:
            raise validation(texts.index_units(name))
        billing.check_bounds(update.before["TableName"], throughput, name)
        if not switched:
            billing.check_units_differ(units, throughput, name)
            if update.rate_limited:
                billing.check_decrease(units, throughput, update.now)
    if switched or throughput is not None:
        units = billing.changed_units(units, throughput or {}, table_record.to_milliseconds(update.now))
    old_limits, old_warm = entry["OnDemandThroughput"], entry["WarmThroughput"]
    limits = billing.on_demand_limits(
        mode, action.get("OnDemandThroughput"), index=name, before={} if switched else old_limits
    )
    warm = billing.warm_throughput(mode, units, action.get("WarmThroughput"), index=name, before=old_warm)
    after: table_record.PendingChanges = {}
    if switched:
        entry = {**entry, "ProvisionedThroughput": units}
    elif units != entry["ProvisionedThroughput"]:
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
    raise resource_not_found(f"Index: {name}")


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
    entry = table_definition.new_global_index(update.mode, action)
    entry["space"] = update.writer.make_space()
    entry["phase"] = _creating_phase(update)
    layout, table = (
        table_record.index_layout(record, entry, "gsi"),
        table_record.table_layout(record, record["space"]),
    )
    backfill(update.writer, table, layout, with_vectors="VectorIndexes" in record)
    return entry


def _creating_phase(update: TableUpdate) -> table_record.Phase:
    delays = update.settings.delays
    return {
        "status": "CREATING",
        "allocated": update.done_at,
        "until": table_record.done_at(update.now, delays.update_table + delays.backfill),
    }


def _check_added(update: TableUpdate, record: TableRecord, action: Mapping[str, Any]) -> None:
    name = action["IndexName"]
    table_definition.check_defined(action["KeySchema"], update.request.get("AttributeDefinitions", ()))
    table_definition.check_global_key(action["KeySchema"])
    _check_types(update, record, action["KeySchema"])
    table_definition.check_projection(action["Projection"])
    billing.check_index_throughput(update.mode, action, created=False)
    billing.check_bounds(record["TableName"], action.get("ProvisionedThroughput"), name)
    _check_new_name(record, name)
    others = [
        entry
        for entry in record.get("GlobalSecondaryIndexes", ())
        if table_record.status_of(entry) != "DELETING"
    ]
    if len(others) >= GSI_COUNT:
        raise validation(texts.TOO_MANY_GLOBAL)
    table_definition.check_projected_count((*others, *record.get("LocalSecondaryIndexes", ()), action))


def _check_types(update: TableUpdate, record: TableRecord, new: table_definition.Schema) -> None:
    """Raise if an attribute of a new index is part of another key, with another type, or is a vector."""
    before = table_record.attribute_types(record["AttributeDefinitions"])
    types = table_record.attribute_types(update.request["AttributeDefinitions"])
    names = table_record.key_names(new)
    changed = {name for name in names if before[name] != types[name]}
    for schema in _key_schemas(record):
        if not changed.isdisjoint(table_record.key_names(schema)):
            raise validation(texts.redefined(_printed(schema, before), _printed(new, types)))
    for index in record.get("VectorIndexes", ()):
        attribute = index["VectorAttribute"]["AttributeName"]
        if attribute in names and table_record.status_of(index) != "DELETING":
            vectors = texts.printed_vector_schema(attribute, index["Dimensions"])
            raise validation(texts.redefined(vectors, _printed(new, types)))


def _printed(schema: table_definition.Schema, types: Mapping[str, str]) -> str:
    """A key schema as the service prints it: the name, type and kind of each attribute."""
    names = [(each["AttributeName"], types[each["AttributeName"]], each["KeyType"]) for each in schema]
    return f"Schema:[{', '.join('SchemaElement: key{' + ':'.join(element) + '}' for element in names)}]"


def _check_new_name(record: TableRecord, name: str) -> None:
    if any(entry["IndexName"] == name for entry in table_record.all_indexes(record)):
        raise validation("Attempting to create an index which already exists")


def _vector_indexes(update: TableUpdate) -> list[VectorIndexRecord] | None:
    """The vector indexes after the request; None if the request does not change them."""
    actions = _actions(update.request, "VectorIndexUpdates")
    before = update.before.get("VectorIndexes", [])
    if before and update.mode != billing.ON_DEMAND:
        raise validation(texts.VECTOR_STAYS_ON_DEMAND)
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
    layout = table_record.table_layout(record, record["space"])
    changed: str | None = None
    entries: list[VectorIndexRecord] = []
    for index in vectors:
        entry = index.copy()
        if table_record.status_of(entry) == "DELETING" and "space" in entry:
            changed = entry["VectorAttribute"]["AttributeName"]
            update.writer.drop_space(entry.pop("space"))
        elif "space" not in entry and table_record.status_of(entry) == "CREATING":
            changed = entry["VectorAttribute"]["AttributeName"]
            entry["space"] = update.writer.make_space()
            fill_index(update.writer, layout, table_record.vector_index(record, entry))
        entries.append(entry)
    if changed is not None:
        indexes = [table_record.vector_index(record, entry) for entry in entries if "space" in entry]
        resize_items(update.writer, layout, changed, indexes, record.get("collections"))
    return entries


def _check_vectors(update: TableUpdate, record: TableRecord, vectors: list[VectorIndexRecord]) -> None:
    remaining = [entry for entry in vectors if table_record.status_of(entry) != "DELETING"]
    defined = frozenset(table_record.key_names(record["AttributeDefinitions"]))
    table_definition.check_vector_indexes(update.mode, remaining, defined)
    for entry in remaining:
        if "space" not in entry:
            _check_vector_type(record, entry, remaining)
    table_definition.check_vectors(remaining, defined)


def _check_vector_type(
    record: TableRecord, new: VectorIndexRecord, indexes: Iterable[VectorIndexRecord]
) -> None:
    """Raise if the attribute of a new vector index is part of a key, or has other dimensions in another index."""
    attribute = new["VectorAttribute"]["AttributeName"]
    types = table_record.attribute_types(record["AttributeDefinitions"])
    schemas = [each for each in _key_schemas(record) if attribute in table_record.key_names(each)]
    others = [
        index["Dimensions"]
        for index in indexes
        if index["VectorAttribute"]["AttributeName"] == attribute and index["Dimensions"] != new["Dimensions"]
    ]
    existing = [_printed(schema, types) for schema in schemas]
    existing += [texts.printed_vector_schema(attribute, dimensions) for dimensions in others]
    if existing:
        printed = texts.printed_vector_schema(attribute, new["Dimensions"])
        raise validation(texts.redefined(existing[0], printed))


def _with_definitions(update: TableUpdate, record: TableRecord) -> TableRecord:
    """The record with the request's attribute definitions added; existing ones stay as they are."""
    definitions = update.request.get("AttributeDefinitions", [])
    table_definition.check_definitions(definitions)
    # An attribute that only a deleted vector index used may get another type.
    record = _without_unused(record)
    known = table_record.attribute_types(record["AttributeDefinitions"])
    added = [each for each in definitions if each["AttributeName"] not in known]
    return {**record, "AttributeDefinitions": [*record["AttributeDefinitions"], *added]}


def _without_unused(record: TableRecord) -> TableRecord:
    """The record without definitions that no key or index uses, and without insights of deleted indexes."""
    used = {name for schema in _key_schemas(record) for name in table_record.key_names(schema)}
    used |= set(table_definition.search_attributes(record.get("VectorIndexes", ())))
    definitions = [each for each in record["AttributeDefinitions"] if each["AttributeName"] in used]
    record = {**record, "AttributeDefinitions": definitions}
    if "insights" in record:
        # A new index with the name of a deleted one must not inherit its insights.
        indexes = record.get("GlobalSecondaryIndexes", ())
        deleted = {entry["IndexName"] for entry in indexes if table_record.status_of(entry) == "DELETING"}
        record["insights"] = {
            name: setting for name, setting in record["insights"].items() if name not in deleted
        }
    return record


def _key_schemas(record: TableRecord) -> list[table_definition.Schema]:
    """The key of the table, and those of its local and its global indexes."""
    indexes = (*record.get("LocalSecondaryIndexes", ()), *record.get("GlobalSecondaryIndexes", ()))
    return [
        record["KeySchema"],
        *(each["KeySchema"] for each in indexes if table_record.status_of(each) != "DELETING"),
    ]
