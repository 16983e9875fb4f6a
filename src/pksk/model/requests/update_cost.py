"""What an update does to the index entries of its item: each stays, changes, moves, is added or is removed."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING, Any

from pksk.dataclass import dataclass
from pksk.expressions import Remove
from pksk.model.cost.item_sizes import indexes_of, needed_attributes
from pksk.schema import VectorIndex

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity_key import EntityKey
    from pksk.model.fields.field_facts import KeySources
    from pksk.model.requests.kinds import Update
    from pksk.schema import Index

__all__ = ["EntryWrite", "changes_key", "entry_write_count", "entry_writes"]


@dataclass(frozen=True)
class EntryWrite:
    """How many writes of an entry an update makes in an index, and why, in words."""

    index: Index
    times: int
    reason: str = ""


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
    """Whether a key may become another one with these fields; what a computed field is made of nobody knows."""
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
        return EntryWrite(index, 1)  # there is no second write, wherever the entry comes to stand
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
    was, becomes = sources.standing(_before(update)), sources.standing(update.image.after)
    if index.kind != "vector":
        return was, becomes
    # Without its vector an item is not in the index, whatever its key says.
    vector_was, vector_becomes = _membership_by_fields(update, index)
    return (False if vector_was is False else was), (False if vector_becomes is False else becomes)


def _before(update: Update[Any]) -> dict[str, Any]:
    """The values of fields before, as far as they were read or stand in the key."""
    facts = update.facts
    read = {
        name: facts.when_absent(name) if wire is None else facts.values.read(name, wire)
        for name, wire in update.read.items()
    }
    return {name: update.given[name] for name in facts.whole if name in update.given} | read


def _membership_by_fields(update: Update[Any], index: Index) -> tuple[bool | None, bool | None]:
    """The same by the fields that an entry needs: where no key is declared, all that it needs are fields."""
    needed = needed_attributes(index)
    gone = {each.action.path.elements[0] for each in update.changes if _removes(each.action)}
    absent = {update.declaration.attribute(name) for name, wire in update.read.items() if wire is None}
    return (False if needed & absent else None), (False if needed & gone else None)


def _removes(action: Any) -> bool:
    return isinstance(action, Remove) and len(action.path.elements) == 1
