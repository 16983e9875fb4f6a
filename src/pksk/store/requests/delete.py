"""Runs deletes, with the guard items that go with the item."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pksk.model import Delete, Put
from pksk.model.writes.item_change import ItemChange, write_expectations
from pksk.model.writes.marker_rules import marker_actions, marker_rules
from pksk.model.writes.prepared_write import ItemAction, PreparedWrite, expectation_request, wire_key
from pksk.model.writes.write_conditions import user_condition
from pksk.store.argument_checks import check_request_kind
from pksk.store.sending.steps import Steps
from pksk.store.writes.perform import perform, retry_while_stale, written_entity
from pksk.store.writes.read_current import current_item

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.store.core import Core


def delete(core: Core, thing: Any) -> Steps[Any]:
    """Delete an item, given as a Delete or as the entity that it holds; gives what was there, or None."""
    is_request = isinstance(thing, Delete)
    if not is_request and not hasattr(type(thing), "__pksk__"):
        check_request_kind("delete", thing, "Delete")
    write: Delete[Any] = thing if is_request else delete_of_entity(thing)
    if core.meters:
        core.meters.used(write)

    def attempt() -> Steps[Any]:
        prepared = yield from prepare(core, write, None if is_request else thing)
        answer = yield from perform(core, prepared)
        item = prepared.current if prepared.marker_actions else answer.get("Attributes")
        return written_entity(prepared, item, core.clock())

    return (yield from retry_while_stale(core, write, attempt))


def prepare(core: Core, delete: Delete[Any], entity: Any = None, about: Any = None) -> Steps[PreparedWrite]:
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
        current = yield from current_item(core, declaration, key, about or delete, whole=True)
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


def delete_of_entity(entity: Any) -> Delete[Any]:
    """The delete of the item that an entity was read from."""
    declaration = Put(entity).declaration
    return Delete.for_item(declaration.entity, declaration.primary.name, key_parts(declaration, entity))


def key_parts(declaration: Declaration[Any], entity: Any) -> dict[str, Any]:
    """The parts of the primary key that an entity has."""
    primary = declaration.primary
    parts = {name: getattr(entity, name) for name in primary.fields}
    if primary.shard is not None and primary.shard.of is not None:
        parts[primary.shard.of] = getattr(entity, primary.shard.of)
    return parts
