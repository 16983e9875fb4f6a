"""The design of an entity, complete once its class is: fields, keys, and conversion to items and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, did_you_mean, quote
from pksk.model.entity_key import EntityKey
from pksk.model.markers import Marker, Reference
from pksk.model.storing.attributes import Field
from pksk.model.storing.compiled_writer import Write, compiled_writer
from pksk.model.storing.entity_values import key_value
from pksk.model.storing.items import Items
from pksk.values import WireItem, item_to_wire

if TYPE_CHECKING:
    from pksk.expressions import Condition
    from pksk.model.entity import Entity
    from pksk.model.markers.reference import ResolvedReference
    from pksk.schema import Index, Table

E = TypeVar("E", bound="Entity")
M = TypeVar("M", bound=Marker)


@dataclass(frozen=True, eq=False)
class Declaration(Generic[E]):
    """The design of one entity: its fields, its keys, and how many items are expected."""

    entity: type[E]
    table: Table
    fields: Mapping[str, Field]
    keys: Mapping[str, EntityKey]
    items: int | None = None
    per_partition: int | None = None
    growth: Any = None
    discriminator: str | None = None
    name: str = field(default="")

    @property
    def tag(self) -> str:
        """The discriminator value of its items."""
        return self.discriminator or self.name

    def shares_key_with(self, other: Declaration[Any]) -> bool:
        """Whether both inherit their primary key from one class; the discriminator distinguishes their items."""
        return self.primary.source is other.primary.source

    def is_subclass_of(self, other: Declaration[Any]) -> bool:
        """Whether items of this entity are also items of the other: the same, or a subclass that shares its key."""
        return issubclass(self.entity, other.entity) and self.shares_key_with(other)

    @cached_property
    def primary(self) -> EntityKey:
        """The key in the table itself."""
        return next(key for key in self.keys.values() if key.index is None)

    def key(self, name: str) -> EntityKey:
        """The key of this name."""
        return self.keys[name]

    @cached_property
    def indexes(self) -> dict[str, Index]:
        """The index of the table that each key is in, by the name of the key."""
        return {key.name: self.table.index(key.index) for key in self.keys.values()}

    @cached_property
    def cache(self) -> dict[Any, Any]:
        """Results that are computed once for the entity."""
        return {}

    @cached_property
    def item_key_functions(self) -> dict[str, Any]:
        """The compiled function that makes an item key from its parts, by the name of the key."""
        return {}

    @cached_property
    def key_attributes(self) -> frozenset[str]:
        """The attributes that keys write."""
        return frozenset(part.attribute for key in self.keys.values() for part in key.parts)

    def attribute(self, name: str) -> str:
        """The attribute under which a field is stored."""
        is_text = isinstance(name, str)
        if is_text and name in self.fields:
            return self.fields[name].attribute
        near = did_you_mean(name, self.fields) if is_text else None
        raise InvalidValue(
            "entity-unknown-field",
            f"{self.name} has no field {quote(name)}.",
            expected=f"Fields are: {', '.join(self.fields)}.",
            fix=f"did you mean {near!r}?" if near else "use one of them.",
        )

    def values(self, entity: E) -> dict[str, Any]:
        """The values of all fields, computed ones included, as Python objects."""
        return {name: getattr(entity, name) for name in self.fields}

    def key_values(self, entity: E, stored: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Every key attribute of an item: of the table, and of each index that it is in."""
        values = {name: key_value(self, entity, name) for name in self.key_sources}
        values |= {name: rounded(values[name]) for name, rounded in self.rounded_sources.items()}
        attributes: dict[str, Any] = {}
        for key in self.keys.values():
            if key.index is not None and (key.absent(values) or not self._is_in_index(key, entity, stored)):
                continue
            for name, value in key.render(values).items():
                # The table's own key comes first: a random shard number would differ.
                attributes.setdefault(name, value)
        return attributes

    @cached_property
    def field_keys(self) -> tuple[str, ...]:
        """The attributes that a key writes and a field is stored under."""
        stored = {each.attribute for each in self.fields.values() if not each.computed}
        return tuple(self.key_attributes & stored)

    @cached_property
    def key_sources(self) -> tuple[str, ...]:
        """The fields that keys and their shards are made of."""
        shards = [key.shard.of for key in self.keys.values() if key.shard and key.shard.of is not None]
        return tuple(dict.fromkeys([name for key in self.keys.values() for name in key.fields] + shards))

    @cached_property
    def rounded_sources(self) -> dict[str, Callable[[Any], Any]]:
        """The key sources that are rounded when they are stored, such as a time in whole seconds."""
        forms = self._items.stored_forms
        return {name: forms[name].rounded for name in self.key_sources if name in forms}

    def _is_in_index(self, key: EntityKey, entity: E, stored: Mapping[str, Any] | None) -> bool:
        if key.when is None:
            return True
        return self.meets_condition(key, item_to_wire(self.stored(entity) if stored is None else stored))

    def meets_condition(self, key: EntityKey, item: WireItem) -> bool:
        """Whether the condition of a sparse key holds for the stored fields."""
        from pksk.expressions import evaluate

        return evaluate(self.sparse_condition(key), item)

    def sparse_condition(self, key: EntityKey) -> Condition:
        """The condition of a sparse key, on attributes and values as they are stored."""
        if ("when", key.name) not in self.cache:
            from pksk.model.fields.field_conditions import condition_on_attributes

            self.cache["when", key.name] = condition_on_attributes(self, key.when)
        found: Condition = self.cache["when", key.name]
        return found

    @cached_property
    def _items(self) -> Items:
        return Items(self)

    def stored(self, entity: E) -> dict[str, Any]:
        """The fields as attributes, without keys: what DynamoDB can hold, absent where there is nothing."""
        return self._items.stored(entity)

    def stored_value(self, name: str, value: Any) -> Any:
        """The value of a field as it is stored: text, numbers, bytes, lists, maps and sets."""
        return self._items.value(name, value)

    def is_absent(self, name: str, value: Any) -> bool:
        """Nothing is stored for None where nothing reads back as None, and for an empty set."""
        return self._items.is_absent(name, value)

    def check_value(self, name: str, value: Any, stored: Any) -> None:
        """Refuse a value, given as it is and as it is stored, that would not be read back as it is."""
        self._items.check_value(name, value, stored)

    def check_stored(self, name: str, value: Any) -> None:
        """Refuse a value, as it is stored, of a field that is a key of an index and cannot be that."""
        if name in self._items.keys:
            self._items.keys[name].check(value)

    def to_item(self, entity: E) -> WireItem:
        """The item of an entity, with every key attribute and the discriminator, in DynamoDB's JSON.

        A value that would not be read back as it is raises an error.
        """
        return self._write(entity)

    @cached_property
    def _write(self) -> Write:
        return compiled_writer(self, self._items)

    def to_item_carefully(self, entity: E) -> WireItem:
        """The same step by step, with the words for what is wrong."""
        stored = self._items.stored(entity)
        keys = self.key_values(entity, stored)
        if self.table.discriminator:
            stored[self.table.discriminator] = self.tag
        # A field that is a key attribute itself is stored once, as the key writes it.
        doubtful = any(
            name in keys and name in stored and stored[name] != keys[name] for name in self.field_keys
        )
        stored.update(keys)
        return self._items.to_item(entity, stored, doubtful=doubtful)

    @cached_property
    def from_item(self) -> Callable[[WireItem], E]:
        """The function that gives the entity that an item holds."""
        return self._items.from_item

    def marked(self, marker: type[M]) -> tuple[tuple[str, M], ...]:
        """The fields with a marker, by name, and the marker of each."""
        return tuple(
            (name, each)
            for name, field_ in self.fields.items()
            for each in field_.markers
            if isinstance(each, marker)
        )

    def reference(self, name: str) -> ResolvedReference:
        """Where the reference on a field leads: to which entity, and which field holds which part of its key."""
        if ("reference", name) not in self.cache:
            from pksk.model.markers.reference import resolve_reference

            marker = next(marker for marked, marker in self._references if marked == name)
            self.cache["reference", name] = resolve_reference(self, name, marker)
        found: ResolvedReference = self.cache["reference", name]
        return found

    @property
    def unresolved_references(self) -> tuple[tuple[str, Reference], ...]:
        """The references that are not resolved yet; the other entity may not be declared."""
        return tuple(each for each in self._references if ("reference", each[0]) not in self.cache)

    @cached_property
    def _references(self) -> tuple[tuple[str, Reference], ...]:
        return self.marked(Reference)
