"""Runs deletes, together with the guard items of the item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from pksk.model import Delete, Entity
from pksk.model.declaration import Declaration
from pksk.model.item_key import wire_key
from pksk.model.requests.put import declaration_to_put
from pksk.model.requests.request import Request
from pksk.model.write_rules.prepared_write import ItemAction, PreparedWrite, expectation_request
from pksk.model.write_rules.rules import ItemChange, marker_actions, marker_rules
from pksk.model.write_rules.stored_states import write_expectations
from pksk.model.writes.write_conditions import user_condition
from pksk.sending import Core, Steps
from pksk.store.arguments import E, check_request_kind, keyed_request
from pksk.store.writes.perform import perform, retry_while_stale, written_entity
from pksk.store.writes.read_current import current_item


def delete(
    core: Core, item: E | Delete[E] | type[E], parts: Mapping[str, Any] | None = None
) -> Steps[E | None]:
    """Delete an item by a Delete, by its entity, or by its class and key; returns the deleted entity, or None."""
    item = cast("E | Delete[E]", keyed_request("delete", Delete, item, parts or {}))
    if not isinstance(item, Delete) and not hasattr(type(item), "__pksk__"):
        check_request_kind("delete", item, "Delete")
    entity = None if isinstance(item, Delete) else item
    write = item if isinstance(item, Delete) else delete_of_entity(item)
    if core.meters:
        core.meters.used(write)

    def attempt() -> Steps[E | None]:
        prepared = yield from prepare(core, write, entity)
        answer = yield from perform(core, prepared)
        deleted = prepared.current if prepared.marker_actions else answer.get("Attributes")
        return cast("E | None", written_entity(prepared, deleted, core.clock()))

    return (yield from retry_while_stale(core, write, attempt))


def prepare(
    core: Core, delete: Delete, entity: Entity | None = None, transaction: Request | None = None
) -> Steps[PreparedWrite]:
    """Prepare to delete an item; with an `entity`, only if the item is still as it was read."""
    declaration, rules = delete.declaration, marker_rules(delete.declaration)
    change = ItemChange(
        "delete existing" if delete.requires_item else "delete",
        rules,
        core.clock(),
        expected={} if entity is None else rules.expected(entity),
    )
    expectations = write_expectations(change, user_condition(declaration, delete.condition))
    key, item = wire_key(delete.item_key), None
    if rules.deletes_guarded:
        current = yield from current_item(core, declaration, key, transaction or delete, whole=True)
        expectations = (*expectations, *current.unchanged)
        change, item = replace(change, before=current.state), current.item
    request = {"TableName": delete.table_name, "Key": key, **expectation_request(expectations)}
    return PreparedWrite(
        delete,
        (ItemAction("Delete", request, expectations),),
        marker_actions(change),
        current=item,
        has_read=rules.deletes_guarded,
        returned={"ReturnValues": "ALL_OLD"},
    )


def delete_of_entity(entity: E) -> Delete[E]:
    """The delete of the item that an entity was read from."""
    declaration = declaration_to_put(type(entity), entity)
    return Delete.for_item(declaration.entity, declaration.primary.name, key_parts(declaration, entity))


def key_parts(declaration: Declaration, entity: Entity) -> dict[str, Any]:
    """The parts of the primary key that an entity has."""
    primary = declaration.primary
    parts = {name: getattr(entity, name) for name in primary.fields}
    if primary.shard is not None and primary.shard.of is not None:
        parts[primary.shard.of] = getattr(entity, primary.shard.of)
    return parts
