"""The design of an entity, complete once its class is: fields, keys, and conversion to items and back."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pksk.dataclass import dataclass, field
from pksk.errors import InvalidValue, did_you_mean, quote
from pksk.keys.parts.part_types import field_type
from pksk.model.entity_key import EntityKey
from pksk.model.markers import Marker, Reference
from pksk.model.markers.reference import ResolvedReference, resolve_reference
from pksk.model.storing.attributes import Field
from pksk.model.storing.compiled_writer import Write, compiled_writer
from pksk.model.storing.entity_values import key_value
from pksk.model.storing.items import Items
from pksk.model.storing.origin import Origins, origin
from pksk.schema import Index, Table
from pksk.values import WireItem, item_to_wire

if TYPE_CHECKING:
    import typing_extensions

    from pksk.expressions import Condition
    from pksk.model.entity import Entity
    from pksk.model.item_key import ResolvedKey
    from pksk.model.planning import Plan

    # Its default lets authors write plain `Get`, and us plain `Declaration`, for any entity.
    E_co = typing_extensions.TypeVar("E_co", bound=Entity, covariant=True, default=Entity)
else:
    E_co = TypeVar("E_co", covariant=True)

M = TypeVar("M", bound=Marker)
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Declaration(Generic[E_co]):
    """The design of one entity: its fields, its keys, and how many items are expected."""

    entity: type[E_co]
    table: Table
    fields: Mapping[str, Field]
    keys: Mapping[str, EntityKey]
    items: int | None = None
    per_partition: int | None = None
    growth: object = None
    discriminator: str | None = None
    unknown: str | None = None
    name: str = field(default="")

    @property
    def tag(self) -> str:
        """The discriminator value of its items."""
        return self.discriminator or self.name

    @property
    def item_count(self) -> int | None:
        """How many items there are: as declared, or one under the key of a single item."""
        return 1 if self.items is None and self.primary.source.single_item else self.items

    def shares_key_with(self, other: Declaration) -> bool:
        """Whether both inherit their primary key from one class; the discriminator distinguishes their items."""
        return self.primary.source is other.primary.source

    def is_subclass_of(self, other: Declaration) -> bool:
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
    def _results(self) -> dict[Hashable, Any]:
        """Results of `once` and `derived`."""
        return {}

    def once(self, name: Hashable, compute: Callable[[], T]) -> T:
        """A result that is computed at the first call with this name."""
        results = self._results
        if name not in results:
            results[name] = compute()
        result: T = results[name]
        return result

    def derived(self, make: Callable[[Declaration], T]) -> T:
        """What a class or a function makes of the declaration, computed at the first call."""
        results = self._results
        if make not in results:
            results[make] = make(self)
        result: T = results[make]
        return result

    @cached_property
    def plans(self) -> dict[tuple[object, ...], Plan]:
        """The plans of queries, by what they depend on besides key values and limit."""
        return {}

    @cached_property
    def whole_keys(self) -> set[str]:
        """The names of keys that matched with all of their fields, as they then always do."""
        return set()

    @cached_property
    def sharing_key(self) -> dict[int, Mapping[str, Declaration]]:
        """The entities that share its primary key, by discriminator, for each number of entities in the table."""
        return {}

    @cached_property
    def item_key_functions(self) -> dict[str, Callable[[Mapping[str, Any]], ResolvedKey]]:
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

    @cached_property
    def known_attributes(self) -> frozenset[str]:
        """The attributes that the entity knows: fields, its keys, those of the table, and the discriminator."""
        fields = {each.attribute for each in self.fields.values() if not each.computed}
        own = fields | self.key_attributes | set(self.table.key_attributes)
        return frozenset(own | {self.table.discriminator} if self.table.discriminator else own)

    def values(self, entity: Entity) -> dict[str, Any]:
        """The values of all fields, computed ones included, as Python objects."""
        return {name: getattr(entity, name) for name in self.fields}

    def key_values(self, entity: Entity, stored: Mapping[str, Any] | None = None) -> dict[str, Any]:
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
        """The key sources that are rounded when they are stored, such as a time in whole seconds.

        Those that are declared at such a precision are checked instead.
        """
        forms = ((name, self.fields[name].stored_form) for name in self.key_sources)
        rounding = ((name, form.rounded) for name, form in forms if form is not None)
        return {name: self._rounded(name, rounded) for name, rounded in rounding if rounded is not None}

    def _rounded(self, name: str, rounded: Callable[[Any], Any]) -> Callable[[Any], Any]:
        precision = field_type(self.fields[name].annotation).precision
        if precision is None or precision.unit == "millisecond":
            return rounded
        return partial(precision.check, where=f"{self.name}.{name}: ")

    def _is_in_index(self, key: EntityKey, entity: Entity, stored: Mapping[str, Any] | None) -> bool:
        if key.when is None:
            return True
        return self.meets_condition(key, item_to_wire(self.stored(entity) if stored is None else stored))

    def meets_condition(self, key: EntityKey, item: WireItem) -> bool:
        """Whether the condition of a sparse key holds for the stored fields."""
        from pksk.expressions import evaluate

        return evaluate(self.sparse_condition(key), item)

    def sparse_condition(self, key: EntityKey) -> Condition:
        """The condition of a sparse key, on attributes and values as they are stored."""
        from pksk.model.fields.field_conditions import condition_on_attributes

        return self.once(("when", key.name), lambda: condition_on_attributes(self, key.when))

    @cached_property
    def _items(self) -> Items:
        return Items(self)

    def stored(self, entity: Entity) -> dict[str, Any]:
        """The fields as attributes without keys, in values that DynamoDB can hold; absent fields are left out."""
        return self._items.stored(entity)

    def stored_value(self, name: str, value: Any) -> Any:
        """The value of a field as it is stored: text, numbers, bytes, lists, maps and sets."""
        return self._items.value(name, value)

    def is_absent(self, name: str, value: Any) -> bool:
        """Whether nothing is stored for a value: an empty set, or None if a missing attribute is read as None."""
        return self._items.is_absent(name, value)

    def check_value(self, name: str, value: Any, stored: Any) -> None:
        """Reject a value that would not be read back unchanged from its stored form."""
        self._items.check_value(name, value, stored)

    def check_stored(self, name: str, value: Any) -> None:
        """Reject a stored value that cannot be a key of an index, for a field that is one."""
        if name in self._items.keys:
            self._items.keys[name].check(value)

    def to_item(self, entity: Entity) -> WireItem:
        """The item of an entity, with every key attribute and the discriminator, in DynamoDB's JSON.

        An entity that was read has the attributes that it does not know too, if its key is the one it was read under.
        Raises for a value that would not be read back unchanged.
        """
        return self._write(entity)

    @cached_property
    def _write(self) -> Write:
        return compiled_writer(self, self._items)

    def to_item_uncompiled(self, entity: Entity) -> WireItem:
        """The item of an entity, made field by field, with a precise error for an invalid value."""
        stored = self._items.stored(entity)
        keys = self.key_values(entity, stored)
        if self.table.discriminator:
            stored[self.table.discriminator] = self.tag
        # A field that is a key attribute itself is stored once, as the key writes it.
        doubtful = any(
            name in keys and name in stored and stored[name] != keys[name] for name in self.field_keys
        )
        stored.update(keys)
        item = self._items.to_item(entity, stored, doubtful=doubtful)
        item_origin = origin(entity)
        return item if item_origin is None else self.origins.complete(item_origin, item)

    @property
    def origins(self) -> Origins:
        """Lets entities carry what of their items their fields do not hold."""
        return self._items.origins

    @cached_property
    def from_item(self) -> Callable[[WireItem], E_co]:
        """The function that reads an entity from an item."""
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
        """The entity that the reference on a field means, and which field holds which part of its key."""
        if name not in self.resolved_references:
            self.resolved_references[name] = resolve_reference(self, name, dict(self._references)[name])
        return self.resolved_references[name]

    @cached_property
    def resolved_references(self) -> dict[str, ResolvedReference]:
        """The references that are resolved, by field."""
        return {}

    @property
    def unresolved_references(self) -> tuple[tuple[str, Reference], ...]:
        """The references that are not resolved yet; the other entity may not be declared."""
        return tuple(each for each in self._references if each[0] not in self.resolved_references)

    @cached_property
    def _references(self) -> tuple[tuple[str, Reference], ...]:
        return self.marked(Reference)
