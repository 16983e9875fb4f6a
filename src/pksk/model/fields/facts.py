"""Facts about an entity's fields and index keys for requests, cached for each entity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pksk.dataclass import dataclass
from pksk.expressions import Condition, evaluate
from pksk.keys import ScalarKey, Template
from pksk.keys.parts.part_types import field_type
from pksk.model.entity_key import SHARD_FIELD, EntityKey, KeyPart, whole_fields
from pksk.model.fields.condition_paths import condition_fields
from pksk.model.fields.field_values import FieldValues
from pksk.values import WireItem, item_to_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration


def field_facts(declaration: Declaration) -> FieldFacts:
    """The cached facts about an entity."""
    return declaration.derived(FieldFacts)


class FieldFacts:
    """The fields of an entity, and the index keys that depend on them."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.values: FieldValues = FieldValues(declaration)

    @cached_property
    def stored(self) -> tuple[str, ...]:
        """The stored fields: all except computed ones."""
        return tuple(name for name, each in self.declaration.fields.items() if not each.computed)

    @cached_property
    def field_of(self) -> dict[str, str]:
        """The field that an attribute holds."""
        return {self.declaration.attribute(name): name for name in self.stored}

    @cached_property
    def primary(self) -> frozenset[str]:
        """The fields of the primary key, including the field of its shard."""
        key = self.declaration.primary
        of = key.shard.of if key.shard else None
        return frozenset(key.fields) | ({of} if of is not None else frozenset())

    @cached_property
    def fields_whole_in_key(self) -> frozenset[str]:
        """The fields whose whole value is in the primary key; of others it holds only a part, such as the year."""
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
    def field_key_writers(self) -> dict[str, list[Template | ScalarKey]]:
        """The key writers of index attributes that are fields themselves, by field."""
        writers: dict[str, list[Template | ScalarKey]] = {}
        for sources in self.keys:
            for part in sources.key.parts:
                if part.attribute in sources.field_attributes:
                    writers.setdefault(sources.field_attributes[part.attribute], []).append(part.writer)
        return writers

    @cached_property
    def primary_is_computed(self) -> bool:
        """Whether the primary key has a computed field, so that any change might change the key."""
        return bool(self.primary - frozenset(self.stored))

    def default(self, name: str, known: Mapping[str, Any]) -> Any:
        """The default of a field; a new one if a factory makes it."""
        info = self.declaration.entity.__pydantic_fields__[name]
        value = info.get_default(call_default_factory=True, validated_data=dict(known))
        form = self.declaration.fields[name].stored_form
        return value if form is None or form.rounded is None else form.rounded(value)

    def default_uses_other_fields(self, name: str) -> bool:
        """Whether the default of a field depends on other fields."""
        return bool(self.declaration.entity.__pydantic_fields__[name].default_factory_takes_validated_data)

    def value_when_absent(self, name: str) -> Any:
        """The value that the model reads if an item lacks the field; None if each read makes another one."""
        each = self.declaration.fields[name]
        if each.is_set:
            return set()
        if each.required or self.default_uses_other_fields(name):
            return None
        value = self.default(name, {})
        return value if value == self.default(name, {}) else None


@dataclass(frozen=True, eq=False)
class KeySources:
    """The fields that an index key depends on.

    `membership_fields` decide whether an item is in the index: key fields that can be None, and the fields of `when`.
    `parts` has the fields of each attribute that the key writes; `own` are attributes that are fields themselves, so
    that a change of the field also changes the key.
    """

    declaration: Declaration
    key: EntityKey
    when: Condition | None
    when_fields: frozenset[str]
    membership_fields: frozenset[str]
    parts: Mapping[str, frozenset[str]]
    field_attributes: Mapping[str, str]
    computed: bool

    @property
    def fields(self) -> frozenset[str]:
        """Every field that the key depends on."""
        return self.membership_fields.union(*self.parts.values())

    def touched(self, changed: frozenset[str]) -> tuple[str, ...]:
        """The attributes that a change of these fields can change."""
        own = [attribute for attribute, field in self.field_attributes.items() if field in changed]
        if changed & self.membership_fields:
            return (*self.parts, *own)
        parts = {attribute for attribute, fields in self.parts.items() if fields & changed}
        # A new random shard number must be the same in all attributes that hold it.
        if parts & self.random_shard_attributes:
            parts |= self.random_shard_attributes
        return (*(attribute for attribute in self.parts if attribute in parts), *own)

    @cached_property
    def random_shard_attributes(self) -> set[str]:
        """The attributes that hold a random shard number; a write of one changes the number."""
        if self.key.shard is None or self.key.shard.of is not None:
            return set()
        return {part.attribute for part in self.key.parts if SHARD_FIELD in part.fields} & self.parts.keys()

    def is_in_index(self, values: Mapping[str, Any]) -> bool | None:
        """Whether an item with these values is in the index; None if unknown."""
        if any(field in values and values[field] is None for field in self.key.fields):
            return False
        if self.when is not None:
            if not self.when_fields <= values.keys():
                return None
            if not evaluate(self.when, self._stored(values)):
                return False
        return True if self.membership_fields <= values.keys() else None

    def _stored(self, values: Mapping[str, Any]) -> WireItem:
        stored = {name: self.declaration.stored_value(name, values[name]) for name in self.when_fields}
        return item_to_wire(
            {
                self.declaration.attribute(name): value
                for name, value in stored.items()
                if not self.declaration.is_absent(name, value)
            }
        )

    def render(
        self, attributes: set[str], values: Mapping[str, Any], shard: int | None = None
    ) -> dict[str, Any]:
        """The values of some key attributes, from values of fields; in a given shard, if it is random."""
        parts = [part for part in self.key.parts if part.attribute in attributes]
        if self.key.shard and any(SHARD_FIELD in part.fields for part in parts):
            number = self.key.shard.number(dict(values)) if shard is None else shard
            values = {**values, SHARD_FIELD: number}
        return {part.attribute: part.writer.render(values) for part in parts}


def key_sources(
    declaration: Declaration, key: EntityKey, nullable: Callable[[str], bool], fixed: frozenset[str]
) -> KeySources:
    """The sources of an index key; `fixed` are the fields of the primary key, which never change."""
    stored = frozenset(name for name, each in declaration.fields.items() if not each.computed)

    def expanded(names: frozenset[str]) -> frozenset[str]:
        # A computed field can read any field, so it depends on all of them.
        return names | stored if names - stored else names

    # Conditions apply to stored attributes only, and computed fields are not stored.
    named = frozenset(condition_fields(key.when) if key.when is not None else ()) & stored
    open_ones = frozenset(
        name for name in key.fields if name not in fixed and (name not in stored or nullable(name))
    )
    own = {part.attribute: part.fields[0] for part in key.parts if _is_field_itself(declaration, part)}
    parts = {
        part.attribute: expanded(_fields(key, part))
        for part in key.parts
        if part.attribute not in own and part.attribute not in declaration.table.key_attributes
    }
    return KeySources(
        declaration,
        key,
        None if key.when is None else declaration.sparse_condition(key),
        named,
        expanded(open_ones) | named,
        parts,
        own,
        computed=any(name not in stored for part in key.parts for name in _fields(key, part)),
    )


def _fields(key: EntityKey, part: KeyPart) -> frozenset[str]:
    names = frozenset(part.fields)
    if SHARD_FIELD in names and key.shard:
        names -= {SHARD_FIELD}
        names |= {key.shard.of} if key.shard.of is not None else frozenset()
    return names


def _is_field_itself(declaration: Declaration, part: KeyPart) -> bool:
    """Whether the attribute is a field that is stored exactly as the key writes it."""
    (name, *more) = part.fields or ("",)
    each = declaration.fields.get(name)
    if more or each is None or each.computed or each.attribute != part.attribute:
        return False
    kind = field_type(each.annotation).type
    return isinstance(part.writer, ScalarKey) or kind in (str, UUID, date)
