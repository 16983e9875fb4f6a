"""What writes need to know of an entity, found out once and kept with its declaration."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from pksk.keys import ScalarKey, Template
from pksk.model.entity_key import whole_fields
from pksk.model.storing.expiry import whole_second
from pksk.model.writes.field_values import FieldValues
from pksk.model.writes.key_sources import KeySources, key_sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pksk.model.declaration import Declaration

__all__ = ["WriteFacts", "write_facts"]


def write_facts(declaration: Declaration[Any]) -> WriteFacts:
    """The facts about an entity."""
    found = declaration.remembered.get("writes")
    if found is None:
        found = declaration.remembered["writes"] = WriteFacts(declaration)
    facts: WriteFacts = found
    return facts


class WriteFacts:
    """The fields of an entity as values to be checked, and its index keys as results of them."""

    def __init__(self, declaration: Declaration[Any]) -> None:
        self.declaration = declaration
        self.values: FieldValues = FieldValues(declaration)

    @cached_property
    def stored(self) -> tuple[str, ...]:
        """The fields that are stored: all but computed ones."""
        return tuple(name for name, each in self.declaration.fields.items() if not each.computed)

    @cached_property
    def field_of(self) -> dict[str, str]:
        """The field that an attribute holds."""
        return {self.declaration.attribute(name): name for name in self.stored}

    @cached_property
    def primary(self) -> frozenset[str]:
        """The fields that the primary key is made of, that of its shard included."""
        key = self.declaration.primary
        of = key.shard.of if key.shard else None
        return frozenset(key.fields) | ({of} if of is not None else frozenset())

    @cached_property
    def whole(self) -> frozenset[str]:
        """The fields whose value the primary key tells entirely; of others it holds a piece, such as the year."""
        return frozenset(whole_fields(self.declaration.primary.parts)) & frozenset(self.stored)

    @cached_property
    def keys(self) -> tuple[KeySources, ...]:
        """The keys of the entity in indexes."""
        return tuple(
            key_sources(self.declaration, key, self.values.nullable, self.primary)
            for key in self.declaration.keys.values()
            if key.index is not None
        )

    @cached_property
    def own_writers(self) -> dict[str, list[Template | ScalarKey]]:
        """What writes index attributes that are a field themselves, by field."""
        found: dict[str, list[Template | ScalarKey]] = {}
        for sources in self.keys:
            for part in sources.key.parts:
                if part.attribute in sources.own:
                    found.setdefault(sources.own[part.attribute], []).append(part.writer)
        return found

    @cached_property
    def primary_is_computed(self) -> bool:
        """Whether a computed field decides where an item stands, so that any change might move it."""
        return bool(self.primary - frozenset(self.stored))

    def default(self, name: str, known: Mapping[str, Any]) -> Any:
        """The default of a field that has one, made anew if a factory makes it."""
        info = self.declaration.entity.__pydantic_fields__[name]
        made = info.get_default(call_default_factory=True, validated_data=dict(known))
        return whole_second(made) if self.values.is_expiry(name) else made

    def depends(self, name: str) -> bool:
        """Whether the default of a field is made from other fields."""
        return bool(self.declaration.entity.__pydantic_fields__[name].default_factory_takes_validated_data)

    def when_absent(self, name: str) -> Any:
        """What the model reads where an item does not have the field; None where each reading differs."""
        each = self.declaration.fields[name]
        if each.is_set:
            return set()
        if each.required or self.depends(name):
            return None
        value = self.default(name, {})
        return value if value == self.default(name, {}) else None
