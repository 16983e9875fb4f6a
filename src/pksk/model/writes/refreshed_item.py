"""What a refresh changes of a stored item: index keys, the discriminator, stored formats and retired attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pksk.dataclass import dataclass, field
from pksk.expressions import Action, Path, Remove, Set, Value
from pksk.keys import Template
from pksk.model.declaration import Declaration
from pksk.model.entity_key import SHARD_FIELD
from pksk.model.fields.facts import FieldFacts, KeySources, field_facts
from pksk.model.storing.entity_values import key_value
from pksk.model.storing.origin import origin
from pksk.model.storing.stored_shape import unknown_members
from pksk.values import Wire, WireItem, from_wire, to_wire
from pksk.values.wire import normalize_wire

if TYPE_CHECKING:
    from pksk.model.entity import Entity


@dataclass(frozen=True)
class RefreshOptions:
    """What a refresh changes beside index keys: stored formats, retired attributes, former discriminator values."""

    formats: bool = False
    drop: frozenset[str] = frozenset()
    formerly: frozenset[str] = frozenset()


@dataclass(frozen=True)
class RefreshedItem:
    """The attributes of an item that a refresh sets, or removes if they are None, and the fields they depend on."""

    changes: Mapping[str, Wire | None] = field(default_factory=dict)
    sources: frozenset[str] = frozenset()

    @property
    def actions(self) -> tuple[Action, ...]:
        """The changes as actions of an update."""
        return tuple(
            Remove(Path((name,))) if wire is None else Set(Path((name,)), Value(wire))
            for name, wire in self.changes.items()
        )


def refreshed_item(
    entity: Entity, item: WireItem, options: RefreshOptions, guarded: Iterable[str] = ()
) -> RefreshedItem:
    """What differs between a stored item and the item that a put of its entity would write.

    Only attributes that the design derives are compared: index keys and the discriminator, and fields in other formats
    on request. Missing fields are not filled in, except where a key, or one of the `guarded` fields, is a default that
    each read makes anew.
    """
    facts = field_facts(type(entity).__pksk__)
    declaration, sources = facts.declaration, set(guarded)
    derived = _index_keys(facts, entity, item)
    name = declaration.table.discriminator
    if name is not None:
        derived[name] = {"S": declaration.tag}
    changes = {name: wire for name, wire in derived.items() if normalize_wire(item.get(name)) != wire}
    for key in facts.keys:
        # A random shard number is the same in all attributes that hold it, also if another one is written meanwhile.
        if changes.keys() & key.random_shard_attributes:
            changes |= {name: derived[name] for name in key.random_shard_attributes}
        if changes.keys() & {*key.parts, *key.field_attributes}:
            sources |= (key.fields | set(key.field_attributes.values())) & set(facts.stored)
    converted = dict(_converted_fields(facts, entity)) if options.formats else {}
    sources |= converted.keys()
    changes |= {declaration.attribute(name): wire for name, wire in converted.items()}
    changes |= _generated_defaults(facts, entity, item, sources)
    retired = options.drop & item.keys() - declaration.known_attributes
    return RefreshedItem(changes | dict.fromkeys(sorted(retired)), frozenset(sources))


def _index_keys(facts: FieldFacts, entity: Entity, item: WireItem) -> dict[str, Wire | None]:
    """The attributes that keys in indexes write; None for one that the item must not have."""
    written: dict[str, Wire | None] = {}
    for key in facts.keys:
        values = _values(facts.declaration, entity, key)
        if key.is_in_index(values):
            for name, value in key.render(set(key.parts), values, _stored_shard(key, item)).items():
                written.setdefault(name, to_wire(value))
    for name in (name for key in facts.keys for name in (*key.parts, *key.field_attributes)):
        if name not in written:
            field = facts.field_of.get(name)
            written[name] = None if field is None else facts.values.stored(field, getattr(entity, field))
    return written


def _values(declaration: Declaration, entity: Entity, key: KeySources) -> dict[str, Any]:
    """The values of the fields that a key is made of, as they are stored."""
    names = dict.fromkeys((*key.key.fields, *key.fields))
    values = {name: key_value(declaration, entity, name) for name in names}
    rounded = declaration.rounded_sources
    return {name: rounded[name](value) if name in rounded else value for name, value in values.items()}


def _stored_shard(key: KeySources, item: WireItem) -> int | None:
    """The random shard number that an item has already, so that it stays in its shard."""
    for part in key.key.parts:
        wire = item.get(part.attribute)
        if part.attribute not in key.random_shard_attributes or wire is None or key.key.shard is None:
            continue
        shard = (
            part.writer.match(wire["S"])
            if isinstance(part.writer, Template) and "S" in wire
            else {SHARD_FIELD: from_wire(wire)}
        )
        number = (shard or {}).get(SHARD_FIELD)
        if isinstance(number, int) and 0 <= number < key.key.shard.count:
            return number
    return None


def _converted_fields(facts: FieldFacts, entity: Entity) -> Iterator[tuple[str, Wire | None]]:
    """The fields that are stored in another form than a new entity with the same values would be."""
    item_origin = origin(entity)
    for name, stored in {} if item_origin is None else item_origin.stored.items():
        wire = facts.values.stored(name, getattr(entity, name))
        # Members that the model does not know stay, and numbers with more digits than a float has.
        if wire is None or not (any(unknown_members(stored, wire, name)) or _is_rounded(stored, wire)):
            yield name, wire


def _is_rounded(stored: Wire, wire: Wire) -> bool:
    """Whether a value has a number that is stored with more digits than its float."""
    (kind, content), (other, other_content) = *stored.items(), *wire.items()
    if kind != other:
        return False
    if kind == "N":
        return content != other_content and float(content) == float(other_content)
    if kind == "L":
        return any(map(_is_rounded, content, other_content))
    return kind == "M" and any(
        _is_rounded(each, other_content[name]) for name, each in content.items() if name in other_content
    )


def _generated_defaults(
    facts: FieldFacts, entity: Entity, item: WireItem, names: Iterable[str]
) -> dict[str, Wire | None]:
    """The fields whose missing value each read makes anew, such as a random id: they are stored with their key."""
    declaration, defaults = facts.declaration, dict[str, Wire | None]()
    for name in names:
        attribute, value = declaration.attribute(name), getattr(entity, name)
        if attribute in item or name in declaration.primary.fields:
            continue
        if value is not None and value != facts.value_when_absent(name):
            defaults[attribute] = facts.values.stored(name, value)
    return defaults
