"""The cost of requests that write or check one item: Put, Update, Delete, Check and a move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, Literal

from pksk.capacity import Cost, check_cost, get_cost, write_units
from pksk.errors import ExpressionError
from pksk.expressions import Action, Remove, apply, parse_update
from pksk.model.cost.item_sizes import indexes_of, needed_attributes
from pksk.model.cost.marker_bill import EstimatedChange, charge_markers, marker_notes, marker_read_reason
from pksk.model.cost.request_cost import RequestCost, WriteAttempt, condition_holds, placeholders
from pksk.model.cost.tally import EntryWrite, Tally
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.model.fields.facts import KeySources
from pksk.model.requests.check import Check
from pksk.model.requests.delete import Delete
from pksk.model.requests.keyed_request import Move, Refresh
from pksk.model.requests.put import Put
from pksk.model.requests.update import Update
from pksk.model.storing.origin import origin
from pksk.model.write_rules.rules import marker_rules
from pksk.schema import Index, VectorIndex
from pksk.values import WireItem
from pksk.values.wire import from_boto3


def _estimate_put(put: Put, tally: Tally, transactional: bool) -> None:
    """A new item: it enters every index that it can be in, and every marker has its price."""
    declaration = put.entity.__pksk__
    kind: Literal["put", "create"] = "create" if put.requires_absence else "put"
    values = declaration.values(put.value)
    guarded = charge_markers(EstimatedChange(kind, declaration, values, values.keys()), tally)
    entered = [EntryWrite(index) for index in indexes_of(declaration)]
    tally.write_item(declaration, entered, transactional=transactional or guarded)
    if entered:
        tally.assumptions.append(f"a new {declaration.name}, in every index that it can be in")


def _attempt_put(put: Put, before: WireItem | None) -> WriteAttempt:
    declaration, item, rules = put.declaration, put.item, marker_rules(put.declaration)
    if rules.store_managed:
        # With the version and the times that a store sets, which may be in keys of indexes.
        item = declaration.to_item(rules.stamp(declaration.from_item(item), datetime.now(UTC)))
    return WriteAttempt(declaration.table, before, item, condition_holds(put.request, before))


def _put_extra_items(put: Put) -> Iterator[str]:
    return marker_notes(put.declaration, "put", put.declaration.fields)


def _put_notes(put: Put) -> Iterator[str]:
    """What happens to the attributes of the stored item that the entity does not know."""
    name, item_origin = put.declaration.name, origin(put.value)
    unknown = [each for each in item_origin.unknown if each in put.item] if item_origin is not None else []
    if unknown:
        yield f"attributes that {name} does not know are written back: {', '.join(unknown)}"
    elif not put.requires_absence:
        yield f"it replaces the whole item, also attributes that {name} does not know"


def _estimate_update(update: Update, tally: Tally, transactional: bool) -> None:
    """An item that is there: an index is written where its keys or what it projects change."""
    update, declaration = update.stamped, update.entity.__pksk__
    change = EstimatedChange("update", declaration, update.image.after, update.image.changed)
    guarded = charge_markers(change, tally)
    writes = entry_writes(update)
    tally.assumptions += [each.reason for each in writes if each.reason]
    tally.write_item(declaration, writes, transactional=transactional or guarded)
    if update.fields_to_read:
        reason = "the item is read before, since an index key needs further fields"
    else:
        reason = marker_read_reason(change)
    if reason:
        tally.read_item(declaration, reason)
    if guarded and not transactional:
        tally.read_item(
            declaration,
            "the item is read afterwards, since a transaction does not return it",
        )


def entry_writes(update: Update) -> list[EntryWrite]:
    """The writes in each index; the item is taken to be there, and in every index that it can be in."""
    writes = [_entry_write(update, index) for index in indexes_of(update.declaration)]
    if update.is_upsert:
        new = "the item may be new, and then enters every index that it can be in"
        writes = [each if each.times else EntryWrite(each.index, 1, new) for each in writes]
    return [each for each in writes if each.times]


def entry_write_count(declaration: Declaration, index: Index, changed: Set[str], stamps: Set[str]) -> int:
    """How many writes an entry takes where these fields of its item change, and its stamps; it stays in the index."""
    keys = [key for key in declaration.keys.values() if key.index == index.name]
    attributes = {declaration.attribute(name) for name in changed | stamps}
    if (
        any(changes_key(declaration, key, changed | stamps) for key in keys)
        or needed_attributes(index) & attributes
    ):
        return 2
    return int(any(index.projects(attribute) for attribute in attributes))


def changes_key(declaration: Declaration, key: EntityKey, changed: Set[str]) -> bool:
    """Whether a key may change with these fields; a computed field may depend on any of them."""
    sources = {*key.fields, *((key.shard.of,) if key.shard and key.shard.of else ())}
    return bool(sources & changed) or any(declaration.fields[name].computed for name in sources)


def _entry_write(update: Update, index: Index) -> EntryWrite:
    was, becomes = _index_membership(update, index)
    name = repr(index.name)
    if _touches(update, index) and was is False and becomes is False:
        return EntryWrite(index, 0)
    if _touches(update, index) and becomes is False:
        return EntryWrite(index, 1, f"the item leaves {name}: one write to remove its entry")
    if _touches(update, index) and was is False:
        return EntryWrite(index, 1, f"the item enters {name}: one write to add its entry")
    stays = _decides_membership_alone(update, index)
    if _touches(update, index) and stays and was is None:
        return EntryWrite(index, 1, f"the item enters {name}, or its entry stays: one write")
    if _touches(update, index) and index.kind == "vector":
        return EntryWrite(index, 1)  # one write, even if the entry moves
    if _touches(update, index) and not stays:
        reason = f"the entry in {name} moves: one write to remove it and one to add it"
        return EntryWrite(index, 2, reason)
    return EntryWrite(index, int(any(index.projects(attribute) for attribute in _changed(update))))


def _touches(update: Update, index: Index) -> bool:
    """Whether the key of the entry may become another one."""
    sources = _sources(update, index)
    if sources is None:
        return bool(needed_attributes(index) & _written(update))
    filled = _is_only_for_new_items(sources, update.image.changed)
    if update.changed_index_keys.get(sources.key.name) and not filled:
        return True
    # No key writes the vector.
    return isinstance(index, VectorIndex) and index.attribute in _changed(update)


def _decides_membership_alone(update: Update, index: Index) -> bool:
    """Whether the changed fields are only in the condition of a sparse key, and not in the key itself."""
    sources = _sources(update, index)
    if sources is None or not update.image.changed & sources.membership_fields:
        return False
    fields = set(sources.field_attributes.values()).union(*sources.parts.values())
    return fields.isdisjoint(update.image.changed)


def _sources(update: Update, index: Index) -> KeySources | None:
    """The key of the entity in an index, if it declares one."""
    return next((each for each in update.facts.keys if each.key.index == index.name), None)


def _is_only_for_new_items(sources: KeySources, changed: frozenset[str]) -> bool:
    """Whether an upsert writes the key only where the item is new."""
    return not sources.touched(changed) and not sources.computed


def _written(update: Update) -> set[str]:
    """The attributes that may change: of fields, and of keys."""
    return _changed(update).union(*update.changed_index_keys.values())


def _changed(update: Update) -> set[str]:
    """The attributes of the fields that change."""
    return {update.declaration.attribute(name) for name in update.changed_fields}


def _index_membership(update: Update, index: Index) -> tuple[bool | None, bool | None]:
    """Whether the item was in the index, and whether it will be; None where that is not known."""
    sources = _sources(update, index)
    if sources is None:
        return _membership_by_fields(update, index)
    was, becomes = sources.is_in_index(_before(update)), sources.is_in_index(update.image.after)
    if index.kind != "vector":
        return was, becomes
    # Without its vector an item is not in the index, whatever its key says.
    vector_was, vector_becomes = _membership_by_fields(update, index)
    return (False if vector_was is False else was), (False if vector_becomes is False else becomes)


def _before(update: Update) -> dict[str, Any]:
    """The values of fields before, as far as they were read or are in the key."""
    facts = update.facts
    read = {
        name: facts.value_when_absent(name) if wire is None else facts.values.read(name, wire)
        for name, wire in update.read_values.items()
    }
    return {name: update.parts[name] for name in facts.fields_whole_in_key if name in update.parts} | read


def _membership_by_fields(update: Update, index: Index) -> tuple[bool | None, bool | None]:
    """The same by the fields that an entry needs: where no key is declared, all that it needs are fields."""
    required = needed_attributes(index)
    gone = {each.action.path.elements[0] for each in update.changes if _removes(each.action)}
    absent = {update.declaration.attribute(name) for name, wire in update.read_values.items() if wire is None}
    return (False if required & absent else None), (False if required & gone else None)


def _removes(action: Action) -> bool:
    return isinstance(action, Remove) and len(action.path.elements) == 1


def _attempt_update(update: Update, before: WireItem | None) -> WriteAttempt:
    update = update.stamped
    if not update.fields_to_read:
        return _complete_attempt(update, before)
    table = update.declaration.table
    first = get_cost(table, before, consistent=True)
    if before is None and not update.is_upsert:
        # There is no item to read, so the update finds none either.
        return WriteAttempt(table, None, None, holds=False, first=first)
    return replace(_complete_attempt(update.with_item(before or {}), before), first=first)


def _complete_attempt(update: Update, before: WireItem | None) -> WriteAttempt:
    request = update.request
    holds = condition_holds(request, before)
    start = before or {name: from_boto3(wire) for name, wire in request["Key"].items()}
    try:
        after = _apply_update(request, start, exists=before is not None)
    except ExpressionError:
        # DynamoDB looks at the condition first, and at the item only where it holds.
        if holds:
            raise
        after = start
    return WriteAttempt(update.declaration.table, before, after, holds)


def _apply_update(request: Mapping[str, Any], item: WireItem, *, exists: bool) -> WireItem:
    text = request.get("UpdateExpression")
    return item if text is None else apply(parse_update(text, *placeholders(request)), item, exists=exists)


def _update_notes(update: Update) -> Iterator[str]:
    if update.fields_to_read:
        yield f"{', '.join(update.fields_to_read)} read first: an index key is made of them"
    own, stamped = update.changed_index_keys, update.stamped
    if moved := [name for name in stamped.changed_index_keys if name not in own]:
        fields = [name for name in stamped.changed_fields if name not in update.changed_fields]
        yield f"a store sets {' and '.join(fields)} too, which changes the index key of {' and '.join(moved)}"


def _update_extra_items(update: Update) -> Iterator[str]:
    return marker_notes(update.declaration, "update", update.changed_fields)


def _estimate_delete(delete: Delete, tally: Tally, transactional: bool) -> None:
    """An item that is there: it leaves every index."""
    declaration = delete.entity.__pksk__
    change = EstimatedChange("delete", declaration)
    guarded = charge_markers(change, tally)
    if reason := marker_read_reason(change):
        tally.read_item(declaration, reason)
    removed = [EntryWrite(index) for index in indexes_of(declaration)]
    tally.write_item(declaration, removed, transactional=transactional or guarded)
    if removed:
        tally.assumptions.append(f"the {declaration.name} is in every index that it can be in")


def _attempt_delete(delete: Delete, before: WireItem | None) -> WriteAttempt:
    return WriteAttempt(delete.declaration.table, before, None, condition_holds(delete.request, before))


def _delete_extra_items(delete: Delete) -> Iterator[str]:
    return marker_notes(delete.declaration, "delete", delete.declaration.fields)


def _estimate_check(check: Check, tally: Tally, _: bool) -> None:
    """A condition on an item that is not written: charged as a write of a transaction."""
    declaration = check.entity.__pksk__
    size = tally.sizes(declaration).item
    tally.touch(declaration.table, None, "write")
    if size is not None:
        tally.charge(declaration.table, write=write_units(size, transactional=True))


class CheckAttempt(WriteAttempt):
    """A condition on an item that is not written."""

    def _success_cost(self, transactional: bool) -> Cost:
        return check_cost(self.table, self.before)

    def _failed(self, transactional: bool) -> Cost:
        return Cost(check_cost(self.table, self.before).charges, at_most=True)


def _attempt_check(check: Check, before: WireItem | None) -> WriteAttempt:
    return CheckAttempt(check.declaration.table, before, before, condition_holds(check.request, before))


def _check_notes(_: Check) -> Iterator[str]:
    yield "it is sent as a member of a transaction"


def _estimate_move(move: Move, tally: Tally, _: bool) -> None:
    """An item that is read, stored under its new key and deleted under its old one; every index entry goes along."""
    declaration, changed = move.declaration, move.changed
    elsewhere = changes_key(declaration, declaration.primary, changed)
    change = EstimatedChange("move", declaration, changed=changed, moves=elsewhere)
    guarded = charge_markers(change, tally)
    tally.read_item(declaration, "the item is read before, and written if it is still the same")
    stamps = {name for name, marker in change.marked if marker.changes_always}
    writes = [
        EntryWrite(index, 2 if elsewhere else entry_write_count(declaration, index, changed, stamps))
        for index in indexes_of(declaration)
    ]
    tally.write_item(declaration, [each for each in writes if each.times], transactional=elsewhere or guarded)
    size = tally.sizes(declaration).item
    if elsewhere and size is not None:
        tally.charge(declaration.table, write=write_units(size, transactional=True))
        tally.assumptions.append("two writes of a transaction: under the new key, and under the old one")
    if writes:
        tally.assumptions.append(f"the {declaration.name} is in every index that it can be in")


def _estimate_refresh(refresh: Refresh, tally: Tally, _: bool) -> None:
    """An item that was stored before the design had an index: it enters those whose keys it gets."""
    declaration, transactional = refresh.declaration, refresh.guards > 0
    indexes = [each for each in indexes_of(declaration) if needed_attributes(each) & refresh.changed]
    # An item that only lacks guards is checked, at the cost of a write.
    tally.write_item(declaration, [EntryWrite(index) for index in indexes], transactional=transactional)
    for size in (*[0] * refresh.guards, *[tally.sizes(declaration).item or 0] * refresh.checks):
        tally.charge_other_item(declaration.table, write_units(size, transactional=True))
    tally.assumptions += [f"the item enters {index.name!r}" for index in indexes]
    if transactional:
        tally.assumptions.append(
            f"guard items of unique values are written in a transaction: {refresh.guards}"
        )


# The cost of each kind of write, by its name.
WRITE_COSTS: Final[Mapping[str, RequestCost[Any]]] = {
    "put": RequestCost(_estimate_put, attempt=_attempt_put, notes=_put_notes, extra_items=_put_extra_items),
    "update": RequestCost(
        _estimate_update,
        attempt=_attempt_update,
        notes=_update_notes,
        extra_items=_update_extra_items,
    ),
    "delete": RequestCost(_estimate_delete, attempt=_attempt_delete, extra_items=_delete_extra_items),
    "check": RequestCost(_estimate_check, attempt=_attempt_check, notes=_check_notes),
    "move": RequestCost(_estimate_move),
    "refresh": RequestCost(_estimate_refresh),
}
