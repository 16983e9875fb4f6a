"""What an Update costs: the item, and each index by what happens to its entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pksk.capacity import get_cost
from pksk.errors import ExpressionError
from pksk.expressions import Remove, apply, parse_update
from pksk.model.cost.item_sizes import indexes_of, needed_attributes
from pksk.model.cost.marker_bill import EstimatedChange, charge_markers, marker_notes, marker_read_reason
from pksk.model.cost.request_cost import RequestCost, price_write
from pksk.model.cost.tally import EntryWrite, Tally
from pksk.model.cost.write_attempt import WriteAttempt, condition_holds, placeholders_of
from pksk.model.requests.update import Update
from pksk.schema import VectorIndex
from pksk.values.boto3_form import from_boto3

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity_key import EntityKey
    from pksk.model.fields.field_facts import KeySources
    from pksk.schema import Index
    from pksk.values import WireItem


def _estimate(update: Update[Any], tally: Tally, transactional: bool) -> None:
    """An item that is there: an index is written where its keys or what it projects change."""
    declaration = update.entity.__pksk__
    change = EstimatedChange("update", declaration, update.image.after, update.image.changed)
    guarded = charge_markers(change, tally)
    writes = entry_writes(update)
    tally.assumptions += [each.reason for each in writes if each.reason]
    tally.write_item(declaration, writes, transactional=transactional or guarded)
    if update.fields_to_read:
        reason = "the item is read before, since an index key needs fields that are not given"
    else:
        reason = marker_read_reason(change)
    if reason:
        tally.read_item(declaration, reason)
    if guarded and not transactional:
        tally.read_item(
            declaration,
            "the item is read afterwards, since a transaction does not tell what it made of it",
        )


def entry_writes(update: Update[Any]) -> list[EntryWrite]:
    """The writes in each index; the item is taken to be there, and in every index that it can be in."""
    found = [_entry_write(update, index) for index in indexes_of(update.declaration)]
    if update.is_upsert:
        new = "the item may be new, and then enters every index that it can be in"
        found = [each if each.times else EntryWrite(each.index, 1, new) for each in found]
    return [each for each in found if each.times]


def entry_write_count(
    declaration: Declaration[Any], index: Index, changed: Set[str], stamps: Set[str]
) -> int:
    """How many writes an entry takes where these fields of its item change, and its stamps; it stays in the index."""
    keys = [key for key in declaration.keys.values() if key.index == index.name]
    attributes = {declaration.attribute(name) for name in changed | stamps}
    if any(changes_key(declaration, key, changed) for key in keys) or needed_attributes(index) & attributes:
        return 2
    return int(any(index.projects(attribute) for attribute in attributes))


def changes_key(declaration: Declaration[Any], key: EntityKey, changed: Set[str]) -> bool:
    """Whether a key may change with these fields; a computed field may depend on any of them."""
    sources = {*key.fields, *((key.shard.of,) if key.shard and key.shard.of else ())}
    return bool(sources & changed) or any(declaration.fields[name].computed for name in sources)


def _entry_write(update: Update[Any], index: Index) -> EntryWrite:
    was, becomes = _index_membership(update, index)
    name = repr(index.name)
    if _touches(update, index) and was is False and becomes is False:
        return EntryWrite(index, 0)
    if _touches(update, index) and becomes is False:
        return EntryWrite(index, 1, f"the item leaves {name}: one write to remove its entry")
    if _touches(update, index) and was is False:
        return EntryWrite(index, 1, f"the item enters {name}: one write to add its entry")
    if _touches(update, index) and index.kind == "vector":
        return EntryWrite(index, 1)  # one write, even if the entry moves
    if _touches(update, index):
        reason = f"the entry in {name} moves: one write to remove it and one to add it"
        return EntryWrite(index, 2, reason)
    return EntryWrite(index, int(any(index.projects(attribute) for attribute in _changed(update))))


def _touches(update: Update[Any], index: Index) -> bool:
    """Whether the key of the entry may become another one."""
    sources = _sources(update, index)
    if sources is None:
        return bool(needed_attributes(index) & _written(update))
    filled = _is_only_for_new_items(sources, update.image.changed)
    if update.changed_index_keys.get(sources.key.name) and not filled:
        return True
    # No key writes the vector.
    return isinstance(index, VectorIndex) and index.attribute in _changed(update)


def _sources(update: Update[Any], index: Index) -> KeySources | None:
    """The key of the entity in an index, if it declares one."""
    return next((each for each in update.facts.keys if each.key.index == index.name), None)


def _is_only_for_new_items(sources: Any, changed: frozenset[str]) -> bool:
    """Whether an upsert writes the key only where the item is new."""
    return not sources.touched(changed) and not sources.computed


def _written(update: Update[Any]) -> set[str]:
    """The attributes that may change: of fields, and of keys."""
    return _changed(update).union(*update.changed_index_keys.values())


def _changed(update: Update[Any]) -> set[str]:
    """The attributes of the fields that change."""
    return {update.declaration.attribute(name) for name in update.changed_fields}


def _index_membership(update: Update[Any], index: Index) -> tuple[bool | None, bool | None]:
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


def _before(update: Update[Any]) -> dict[str, Any]:
    """The values of fields before, as far as they were read or stand in the key."""
    facts = update.facts
    read = {
        name: facts.value_when_absent(name) if wire is None else facts.values.read(name, wire)
        for name, wire in update.read_values.items()
    }
    return {name: update.parts[name] for name in facts.fields_whole_in_key if name in update.parts} | read


def _membership_by_fields(update: Update[Any], index: Index) -> tuple[bool | None, bool | None]:
    """The same by the fields that an entry needs: where no key is declared, all that it needs are fields."""
    needed = needed_attributes(index)
    gone = {each.action.path.elements[0] for each in update.changes if _removes(each.action)}
    absent = {update.declaration.attribute(name) for name, wire in update.read_values.items() if wire is None}
    return (False if needed & absent else None), (False if needed & gone else None)


def _removes(action: Any) -> bool:
    return isinstance(action, Remove) and len(action.path.elements) == 1


def _attempt(update: Update[Any], before: WireItem | None) -> WriteAttempt:
    if not update.fields_to_read:
        return _complete_attempt(update, before)
    table = update.declaration.table
    first = get_cost(table, before, consistent=True)
    if before is None and not update.is_upsert:
        # What is read to make the request is not there, and neither is the item that the write asks for.
        return WriteAttempt(table, None, None, holds=False, first=first)
    return replace(_complete_attempt(update.with_item(before or {}), before), first=first)


def _complete_attempt(update: Update[Any], before: WireItem | None) -> WriteAttempt:
    request = update.request
    holds = condition_holds(request, before)
    start = before or {name: from_boto3(wire) for name, wire in request["Key"].items()}
    try:
        after = _apply_update(request, start)
    except ExpressionError:
        # DynamoDB looks at the condition first, and at the item only where it holds.
        if holds:
            raise
        after = start
    return WriteAttempt(update.declaration.table, before, after, holds)


def _apply_update(request: Mapping[str, Any], item: WireItem) -> WireItem:
    text = request.get("UpdateExpression")
    return item if text is None else apply(parse_update(text, *placeholders_of(request)), item)


def _notes(update: Update[Any]) -> Iterator[str]:
    if update.fields_to_read:
        yield f"{', '.join(update.fields_to_read)} read first: an index key is made of them"


def _extra_items(update: Update[Any]) -> Iterator[str]:
    return marker_notes(update.declaration, "update", update.changed_fields)


UPDATE_COST: Final = RequestCost(
    _estimate, price_write(_attempt), _attempt, notes=_notes, extra_items=_extra_items
)
