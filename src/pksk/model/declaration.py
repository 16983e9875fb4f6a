"""What is known of an entity once its class is complete: fields, keys, and the way to items and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import ValidationError

from pksk.errors import InvalidValue, did_you_mean, quote
from pksk.model.attributes import Field
from pksk.model.entity_key import EntityKey
from pksk.model.storable import storable
from pksk.values import WireItem, item_from_wire, item_to_wire

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.schema import Table

__all__ = ["Declaration"]

E = TypeVar("E", bound="Entity")


@dataclass(frozen=True)
class Declaration(Generic[E]):
    """The design of one entity: what it is made of, where its items stand, and how large it grows."""

    entity: type[E]
    table: Table
    fields: Mapping[str, Field]
    keys: Mapping[str, EntityKey]
    items: int | None = None
    per_partition: int | None = None
    growth: Any = None
    name: str = field(default="")

    @cached_property
    def primary(self) -> EntityKey:
        """The key in the table itself."""
        return next(key for key in self.keys.values() if key.index is None)

    def key(self, name: str) -> EntityKey:
        """The key of this name."""
        return self.keys[name]

    @cached_property
    def key_attributes(self) -> frozenset[str]:
        """The attributes that keys write."""
        return frozenset(part.attribute for key in self.keys.values() for part in key.parts)

    def attribute(self, name: str) -> str:
        """The attribute under which a field is stored."""
        if name in self.fields:
            return self.fields[name].attribute
        near = did_you_mean(name, self.fields)
        raise InvalidValue(
            "entity-unknown-field",
            f"{self.name} has no field {name!r}.",
            expected=f"Fields are: {', '.join(self.fields)}.",
            fix=f"did you mean {near!r}?" if near else "use one of them.",
        )

    def values(self, entity: E) -> dict[str, Any]:
        """The values of all fields, computed ones included, as Python objects."""
        return {name: getattr(entity, name) for name in self.fields}

    def key_values(self, entity: E) -> dict[str, Any]:
        """Every key attribute of an item: of the table, and of each index that it is in."""
        values = self.values(entity)
        attributes: dict[str, Any] = {}
        for key in self.keys.values():
            if key.index is not None and (key.absent(values) or not self._wanted(key, entity)):
                continue
            attributes.update(key.render(values))
        return attributes

    def _wanted(self, key: EntityKey, entity: E) -> bool:
        if key.when is None:
            return True
        from pksk.expressions import evaluate
        from pksk.model.renamed import renamed

        return evaluate(renamed(key.when, self.attribute), item_to_wire(self.stored(entity)))

    def stored(self, entity: E) -> dict[str, Any]:
        """The fields as attributes, without keys: what DynamoDB can hold, absent where there is nothing."""
        stored = {}
        for name, each in self.fields.items():
            if each.computed:
                continue
            value = storable(getattr(entity, name), f"{self.name}.{name}")
            if self._absent(each, value):
                continue
            stored[each.attribute] = value
        stored.update(entity.__pydantic_extra__ or {})
        return stored

    def _absent(self, each: Field, value: Any) -> bool:
        """Nothing is stored for None where nothing reads back as None, and for an empty set."""
        if value is None:
            return not each.required and each.default is None
        return each.is_set and isinstance(value, (set, list)) and not value

    def to_item(self, entity: E) -> WireItem:
        """The item of an entity, with every key attribute and the discriminator, in DynamoDB's JSON."""
        stored = self.stored(entity)
        if self.table.discriminator:
            stored[self.table.discriminator] = self.name
        return item_to_wire({**stored, **self.key_values(entity)})

    def from_item(self, item: WireItem) -> E:
        """The entity that an item holds."""
        plain = item_from_wire({name: item[name] for name in self._attributes if name in item})
        values = {self._attributes[name]: value for name, value in plain.items()}
        for name, each in self.fields.items():
            if each.is_set and name not in values and not each.computed:
                values[name] = set()
        try:
            return self.entity.model_validate(values, by_alias=False, by_name=True)
        except ValidationError as error:
            raise self._unreadable(error) from error

    @cached_property
    def _attributes(self) -> dict[str, str]:
        return {each.attribute: name for name, each in self.fields.items() if not each.computed}

    def _unreadable(self, error: ValidationError) -> InvalidValue:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "item"
        return InvalidValue(
            "entity-unreadable",
            f"{self.name}.{where}: {first['msg']}; the item holds {quote(first['input'])}.",
            fix="check which version of the model wrote the item, or make the field accept what it holds.",
        )
