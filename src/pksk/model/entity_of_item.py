"""Decides which entity an item belongs to, and says what is wrong with an item that does not fit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from pksk.errors import ItemUnreadable, PkskError, quote
from pksk.keys import Template
from pksk.model.markers.guard_items import is_guard_item
from pksk.model.markers.marker import key_in_words
from pksk.schema import Table
from pksk.values import WireItem, item_from_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration, E_co
    from pksk.model.entity import Entity


def possible_entities(table: Table, item: WireItem) -> list[Declaration]:
    """The entities that an item may belong to: by its discriminator, else those that render its primary key.

    That is one entity, or several that share a key.
    """
    tag = discriminator_value(table, item)
    return [
        each
        for each in table.entities
        if (has_primary_key_of(each, item) if tag is None else each.tag == tag)
    ]


def discriminator_value(table: Table, item: WireItem) -> str | None:
    """The discriminator value of an item; None if it has none."""
    wire = item.get(table.discriminator or "")
    if wire is None:
        return None
    # Only a text can be the name of an entity.
    return str(wire["S"] if isinstance(wire, Mapping) and "S" in wire else wire)


def entities_sharing_key(declaration: Declaration) -> Mapping[str, Declaration]:
    """The entities that share a primary key, by discriminator value; usually one."""
    count = declaration.table.entity_count
    siblings = declaration.sharing_key.get(count)
    if siblings is None:
        sharing = (each for each in declaration.table.entities if each.shares_key_with(declaration))
        siblings = declaration.sharing_key[count] = {each.tag: each for each in (declaration, *sharing)}
    return siblings


def entity_and_subclasses(declaration: Declaration) -> list[Declaration]:
    """The entity and the subclasses that share its primary key, whose items reads of the entity return."""
    return [each for each in entities_sharing_key(declaration).values() if each.is_subclass_of(declaration)]


def entity_of_item(declaration: Declaration, item: WireItem) -> Declaration | None:
    """Which of the entities that share a key an item belongs to; None if its discriminator names another one.

    An item without a discriminator counts as one of the entity itself.
    """
    tag = discriminator_value(declaration.table, item)
    return declaration if tag is None else entities_sharing_key(declaration).get(tag)


def is_item_of(declaration: Declaration, item: WireItem) -> bool:
    """Whether an item belongs to this entity or a subclass: by its discriminator, else by its primary key."""
    if discriminator_value(declaration.table, item) is None:
        return has_primary_key_of(declaration, item)
    kind = entity_of_item(declaration, item)
    return kind is not None and kind.is_subclass_of(declaration)


def has_primary_key_of(declaration: Declaration, item: WireItem) -> bool:
    """Whether the entity can render the primary key of an item."""
    return match_primary_key(declaration, item) is not None


def primary_key_values(
    declaration: Declaration, key: WireItem, entity: Entity | None = None
) -> dict[str, Any] | None:
    """The fields that the primary key is made of; None if the key does not contain all of them.

    They are those of the entity, if it was read from the item.
    """
    names = declaration.primary.fields
    if entity is not None and declaration.primary.name in declaration.whole_keys:
        return {name: getattr(entity, name) for name in names}
    values = match_primary_key(declaration, key)
    if values is None or any(name not in values for name in names):
        return None
    declaration.whole_keys.add(declaration.primary.name)
    return {name: values[name] for name in names}


def match_primary_key(declaration: Declaration, item: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The fields that the templates of the primary key match in an item; None if they do not match."""
    names = [part.attribute for part in declaration.primary.parts]
    try:
        plain = item_from_wire({name: item[name] for name in names})
        return declaration.primary.pair.match(*(plain[name] for name in names))
    except (PkskError, KeyError):
        return None


def common_base(kinds: list[Declaration]) -> Declaration | None:
    """The entity that is a base of all others; None if there is none."""
    return next((each for each in kinds if all(other.is_subclass_of(each) for other in kinds)), None)


def common_class(kinds: list[Declaration]) -> type[Entity]:
    """The nearest class that all entities inherit from, which may be a base without a table."""
    first: type[Entity] = kinds[0].entity
    if len(kinds) == 1:
        return first
    shared = (kind for kind in first.__mro__ if all(issubclass(each.entity, kind) for each in kinds))
    return next(kind for kind in shared if hasattr(kind, "__pksk_options__"))


def requested_entity(
    requested: Sequence[Declaration], item: WireItem, *, has_foreign_items: bool
) -> Declaration | None:
    """The requested entity that an item belongs to; None for an item of another entity, which a read skips.

    `has_foreign_items` says that a read can meet items of other entities. If it cannot, an item with the discriminator
    of another entity is an error: skipped, it would never be noticed.
    """
    if len(requested) == 1 and not has_foreign_items:
        # An item without a discriminator can only be of this entity.
        own = entity_of_item(requested[0], item)
        if own is not None and own.is_subclass_of(requested[0]):
            return requested[0]
    else:
        entity = next((each for each in requested if is_item_of(each, item)), None)
        if entity is not None:
            return entity
    if _is_sibling_item(requested, item) or (has_foreign_items and _is_foreign_item(requested, item)):
        return None
    raise foreign_item_error(requested, item)


def _is_sibling_item(requested: Sequence[Declaration], item: WireItem) -> bool:
    """Whether an item is of an entity that shares its key with a requested one."""
    return any(entity_of_item(each, item) not in (None, each) for each in requested)


def _is_foreign_item(requested: Sequence[Declaration], item: WireItem) -> bool:
    """Whether an item has a key of another entity, or of none of the table."""
    table = requested[0].table
    if not any(has_primary_key_of(each, item) for each in requested) or is_guard_item(table, item, item):
        return True
    return any(has_primary_key_of(each, item) for each in possible_entities(table, item))


def foreign_item_error(requested: Sequence[Declaration], item: WireItem) -> ItemUnreadable:
    """The error for an item with a key of these entities and the discriminator of another one.

    Read as one of them and written again, it would lose the attributes that they do not know.
    """
    table = requested[0].table
    tag = discriminator_value(table, item)
    known = sorted(kind.tag for each in requested for kind in entity_and_subclasses(each))
    expected = " or ".join(map(quote, known))
    says = "the item has no discriminator" if tag is None else f"the item has {quote(tag)}"
    return unreadable_item(
        requested[0], item, None, {table.discriminator or "item": f"{says}, expected is {expected}"}
    )


def unreadable_item(
    declaration: Declaration,
    item: WireItem,
    error: PkskError | None,
    problems: Mapping[str, str] | None = None,
    *,
    key: WireItem | None = None,
) -> ItemUnreadable:
    """The error for an item: from the error that reading it raised, or from the problem of each field."""
    if key is None:
        key = {name: item[name] for name in declaration.table.key_attributes if name in item}
    fields = field_problems(error) if problems is None else dict(problems)
    fields |= _missing_attributes(declaration, item, fields) | _missing_in_key(declaration, item, fields)
    lines = "".join(f"\n  {name}: {what}" for name, what in fields.items())
    unreadable = ItemUnreadable(
        "item-unreadable",
        f"The item {key_in_words(key)} of table {declaration.table.name!r} does not fit {declaration.name}:"
        + (lines or f"\n  {error.problem if error else ''}"),
        fix="correct the item, let the model accept it, or collect such items: unreadable=[].",
    )
    unreadable.key, unreadable.fields, unreadable.item = key, fields, item
    return unreadable


def _missing_attributes(
    declaration: Declaration, item: Mapping[str, Any], fields: Mapping[str, str]
) -> dict[str, str]:
    """The attributes that the item lacks, for fields that are stored under another name than their own."""
    names = {name: declaration.attribute(name) for name in fields if name in declaration.fields}
    return {
        name: f"{fields[name]}; the item has no attribute {quote(attribute)}"
        for name, attribute in names.items()
        if attribute != name and attribute not in item
    }


def _missing_in_key(
    declaration: Declaration, item: Mapping[str, Any], fields: Mapping[str, str]
) -> dict[str, str]:
    """Why fields that are stored only in a raw primary key could not be read: a part of it that does not match."""
    templates = [
        (each.attribute, each.writer)
        for each in declaration.primary.parts
        if isinstance(each.writer, Template) and each.writer.codec == "raw"
    ]
    missing = [
        name
        for name in declaration.primary.fields
        if name in fields and declaration.attribute(name) not in item
    ]
    for attribute, template in templates if missing else ():
        text = item.get(attribute, {}).get("S")
        if text is not None and template.match(text) is None:
            reason = f"not stored, and {attribute} = {quote(text)} does not match {quote(template.text)}"
            return dict.fromkeys(missing, reason)
    return {}


def field_problems(error: PkskError | None) -> dict[str, str]:
    """The problem of each field, by name: values in another format, and what Pydantic says of others."""
    problems: dict[str, str] = dict(getattr(error, "problems", ()))
    known = {re.split(r"[.[]", path)[0] for path in problems}
    cause = error and error.__cause__
    if not isinstance(cause, ValidationError):
        return problems
    for each in cause.errors(include_url=False, include_context=False):
        if str(next(iter(each["loc"]), "")) not in known:
            holds = "" if each["type"] == "missing" else f"; the item holds {quote(each['input'])}"
            problems.setdefault(".".join(map(str, each["loc"])) or "item", each["msg"] + holds)
    return problems


def read_item(declaration: Declaration[E_co], key: WireItem, item: WireItem) -> E_co:
    """The entity of an item, or an error with the key of the item and its wrong fields."""
    try:
        return declaration.from_item(item)
    except PkskError as error:
        raise unreadable_item(declaration, item, error, key=key) from error
