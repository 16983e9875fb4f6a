"""Reads items as entities: finds their class, skips expired items, and checks that keys match the fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter, itemgetter
from typing import Any

from pksk.errors import ItemUnreadable, PkskError, quote
from pksk.keys import ScalarKey
from pksk.model import Entity, Get
from pksk.model.declaration import Declaration
from pksk.model.entity_key import SHARD_FIELD, KeyPart
from pksk.model.entity_of_item import (
    entities_sharing_key,
    entity_and_subclasses,
    entity_of_item,
    foreign_item_error,
    unreadable_item,
)
from pksk.model.markers.ttl import TTL, is_expired
from pksk.store.arguments import UnreadableItems, collect_unreadable
from pksk.values import WireItem, from_wire


def entity_reader(declaration: Declaration) -> EntityReader:
    """The reader of an entity's items, cached until another entity is declared."""
    return declaration.once(("reader", declaration.table.entity_count), lambda: EntityReader(declaration))


class EntityReader:
    """Reads items of one entity and of the subclasses that share its key."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        kinds = entity_and_subclasses(declaration)
        expiries = (each.fields[name].attribute for each in kinds for name, _ in each.marked(TTL))
        self.expiry: str | None = next(expiries, None)
        # The discriminator of most items: that of the entity itself.
        self._discriminator, self._own = declaration.table.discriminator or "", {"S": declaration.tag}
        self._alone = len(kinds) == len(entities_sharing_key(declaration))
        self._from_item: Callable[[WireItem], Entity] = declaration.from_item
        own = KeyCheck(declaration)
        self._own_key = own if own.is_checkable else None
        parts = declaration.primary.fields
        computed = any(declaration.fields[name].computed for name in parts)
        self._parts = itemgetter(*parts) if parts and not computed else None

    def is_plain(self, item: WireItem) -> bool:
        """Whether an item is of the entity itself, not of a subclass."""
        return item.get(self._discriminator) == self._own

    def declaration_of(self, item: WireItem) -> Declaration:
        """The entity of an item, which may be a subclass; raises for any other entity."""
        declaration = entity_of_item(self.declaration, item)
        if declaration is None:
            raise foreign_item_error((self.declaration,), item)
        return declaration

    def read(self, item: WireItem, requested_parts: Mapping[str, Any] | None = None) -> Entity:
        """The entity in an item, also if it has expired; raises `ItemUnreadable`.

        An entity whose key fields equal the `requested_parts` needs no key check.
        """
        own = self._own
        from_item = (
            self._from_item
            if item.get(self._discriminator, own) == own
            else self.declaration_of(item).from_item
        )
        try:
            entity = from_item(item)
        except PkskError as error:
            raise unreadable_item(self.declaration, item, error) from error
        key = self._own_key
        if key is not None and not (
            requested_parts is not None
            and self._parts
            and self._parts(entity.__dict__) == self._parts(requested_parts)
        ):
            self.check_key(key.values(entity), item)
        return entity

    def check_key(self, values: Mapping[str, Any], item: WireItem) -> None:
        """Reject an item whose fields do not match its key, as far as the values are known."""
        key = self._own_key
        if key is None or any(name not in values for name in key.names):
            return
        try:
            if key.matches(values, item):
                return
        except PkskError as error:
            raise unreadable_item(self.declaration, item, error) from error
        raise wrong_key_error(self.declaration, key, values, item)

    def read_all(self, items: Iterable[WireItem]) -> list[Entity]:
        """The entities of some items, as from `read`."""
        discriminator, own, from_item, key = self._discriminator, self._own, self._from_item, self._own_key
        if key is None:
            return [self.read(item) for item in items]
        values, matches = key.values, key.matches
        entities: list[Entity] = []
        for item in items:
            try:
                entity = from_item(item) if item.get(discriminator, own) == own else None
                entity = entity if entity is not None and matches(values(entity), item) else None
            except PkskError:
                entity = None
            entities.append(self.read(item) if entity is None else entity)
        return entities

    def live_entity(
        self, item: WireItem | None, now: float, requested_parts: Mapping[str, Any] | None = None
    ) -> Entity | None:
        """The entity; None if there is no item, or it has expired or belongs to a sibling entity."""
        if item is None or (self.expiry is not None and is_expired(item, self.expiry, now)):
            return None
        if not self._alone and not self.declaration_of(item).is_subclass_of(self.declaration):
            return None
        return self.read(item, requested_parts)


def read_entities(
    gets: Iterable[tuple[Get, WireItem | None]], now: float, unreadable: UnreadableItems = None
) -> list[Entity | None]:
    """The entity of each Get, or None; None too if its item is unreadable."""
    entities: list[Entity | None] = []
    for get, item in gets:
        try:
            entities.append(entity_reader(get.entity.__pksk__).live_entity(item, now))
        except ItemUnreadable as error:
            collect_unreadable(unreadable, error)
            entities.append(None)
    return entities


class KeyCheck:
    """Checks that the key of an item matches its fields.

    It skips key attributes that are fields themselves, and random shards, which are in no field.
    """

    def __init__(self, declaration: Declaration) -> None:
        key = self._key = declaration.primary
        self._parts = [part for part in key.parts if _is_checkable(declaration, part)]
        of = key.shard.of if key.shard else None
        self.names = key.fields if of is None else (*key.fields, of)
        # The source fields; computed fields are not in the object's values.
        is_plain = not any(declaration.fields[name].computed for name in self.names)
        self.values: Callable[[Entity], Mapping[str, Any]] = (
            attrgetter("__dict__") if is_plain else self._values
        )
        texts = [part for part in self._parts if not isinstance(part.writer, ScalarKey)]
        is_quick = key.shard is None and texts == self._parts != []
        self.matches: Callable[[Mapping[str, Any], WireItem], bool] = (
            _text_keys_match(texts) if is_quick else self._matches
        )

    @property
    def is_checkable(self) -> bool:
        """Whether there is anything to check."""
        return bool(self._parts)

    def _values(self, entity: Entity) -> Mapping[str, Any]:
        return {name: getattr(entity, name) for name in self.names}

    def expected_key(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The key attributes as rendered from the fields."""
        if self._key.shard is not None and self._key.shard.of is not None:
            values = {**values, SHARD_FIELD: self._key.shard.number(dict(values))}
        return {part.attribute: part.writer.render(values) for part in self._parts}

    def _matches(self, values: Mapping[str, Any], item: WireItem) -> bool:
        expected = self.expected_key(values)
        return all(from_wire(item[name]) == value for name, value in expected.items() if name in item)


def _is_checkable(declaration: Declaration, part: KeyPart) -> bool:
    """Whether a key attribute consists only of fields that are stored elsewhere too."""
    shard = declaration.primary.shard
    if not part.fields or (SHARD_FIELD in part.fields and shard is not None and shard.of is None):
        return False
    if not isinstance(part.writer, ScalarKey):
        return True
    field = declaration.fields.get(part.writer.field)
    return field is not None and not field.computed and field.attribute != part.attribute


def _text_keys_match(parts: list[KeyPart]) -> Callable[[Mapping[str, Any], WireItem], bool]:
    """The check for keys whose attributes are all strings, as in most tables."""
    first, last = parts[0], parts[-1]
    partition, sort = first.attribute, last.attribute if last is not first else None
    render_partition, render_sort = first.writer.render, last.writer.render
    sources = itemgetter(*first.fields)
    known: tuple[object, object] = (None, None)

    def matches(values: Mapping[str, Any], item: WireItem) -> bool:
        nonlocal known
        # Cached, as successive items often share a partition.
        if partition in item and (current := (item[partition], sources(values))) != known:
            if current[0].get("S") != render_partition(values):
                return False
            known = current
        return sort is None or sort not in item or item[sort].get("S") == render_sort(values)

    return matches


def wrong_key_error(
    declaration: Declaration, own: KeyCheck, values: Mapping[str, Any], item: WireItem
) -> ItemUnreadable:
    """The error for an entity whose fields make another key: a write would create another item."""
    try:
        key_text = "the key " + ", ".join(
            f"{name} = {quote(value)}" for name, value in own.expected_key(values).items()
        )
    except PkskError as error:
        key_text = error.problem
    names = ", ".join(declaration.primary.fields)
    return unreadable_item(declaration, item, None, {names: f"these fields make {key_text}"})
