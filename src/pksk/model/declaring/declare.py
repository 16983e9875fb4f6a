"""Checks the keys of an entity against its fields, its table and other entities, when its class is complete."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from pksk.errors import DesignError, quote
from pksk.keys import ScalarKey, Template
from pksk.keys.field_type import field_type
from pksk.keys.parse import Placeholder, parse
from pksk.keys.parts.part import type_name
from pksk.keys.template import Role
from pksk.model.declaration import Declaration
from pksk.model.declaring.check_keys import check_attributes, check_primary, check_same_rendering
from pksk.model.declaring.key_collisions import check_inherited_keys, check_key_collisions
from pksk.model.entity_key import EntityKey, KeyPart
from pksk.model.key import Key
from pksk.model.markers.field_markers import check_markers
from pksk.model.markers.reference import check_references
from pksk.model.shard import SHARD_FIELD
from pksk.model.storing.attributes import Field, fields_of
from pksk.model.storing.key_fields import check_key_fields
from pksk.schema import VectorIndex
from pksk.schema.index import find_index

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.schema import Table

E = TypeVar("E", bound="Entity")


def declare(entity: type[E], table: Table, **bounds: Any) -> Declaration[E]:
    """The declaration of an entity; raises if the entity or one of its keys is wrong."""
    fields = fields_of(entity)
    keys: dict[str, EntityKey] = {}
    written: dict[str, tuple[EntityKey, KeyPart]] = {}
    # The table's key first, as index keys may leave out its attributes.
    for name, key in sorted(_keys_of(entity).items(), key=lambda each: each[1].index is not None):
        made = keys[name] = _entity_key(entity, name, key, table, fields, written)
        for part in made.parts:
            check_same_rendering(
                f"{entity.__name__}.{name}", made, part, *written.setdefault(part.attribute, (made, part))
            )
    declaration = Declaration(entity, table, fields, keys, name=entity.__name__, **bounds)
    check_primary(declaration)
    check_key_fields(declaration)
    check_attributes(declaration)
    if any(key.when is not None for key in keys.values()):
        from pksk.model.declaring.check_when import check_when

        check_when(declaration)
    if table.ttl or any(each.markers for each in fields.values()):
        check_markers(declaration)
    if any(each.unresolved_references for each in (*table.entities, declaration)):
        check_references(declaration)
    check_inherited_keys(declaration)
    check_key_collisions(declaration)
    return declaration


def _keys_of(entity: type) -> dict[str, Key]:
    """The keys of a class and of its bases; the nearest class takes precedence."""
    found: dict[str, Key] = {}
    for base in reversed(entity.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, Key):
                _check_owner(entity, base, name, value)
                found[name] = value
    return found


def _check_owner(entity: type, base: type, name: str, key: Key) -> None:
    """Reject a Key object that is used twice: classes that share a key inherit it."""
    if key.owner is not base or key.name != name:
        _reject(
            f"{entity.__name__}.{name}", "key-reused",
            f"this Key object is {getattr(key.owner, '__name__', 'another class')}.{key.name} already.",
            fix=f"write a new {key!r} here; entities that share a key inherit it from one class.",
        )  # fmt: skip


def _reject(where: str, code: str, problem: str, *, expected: str = "", fix: str) -> NoReturn:
    raise DesignError(code, f"{where}: {problem}", expected=expected, fix=fix)


def _entity_key(
    entity: type,
    name: str,
    key: Key,
    table: Table,
    fields: Mapping[str, Field],
    written: Mapping[str, tuple[EntityKey, KeyPart]],
) -> EntityKey:
    where = f"{entity.__name__}.{name}"
    index = find_index(table, key.index, where=where)
    attributes = index.partition
    if isinstance(index, VectorIndex):
        from pksk.model.declaring.check_keys import check_vector_key, written_attributes

        check_vector_key(where, key, index, fields)
        attributes = written_attributes(key, index, table)
    partition = _parts(where, key, "partition", key.pk, attributes, table, fields)
    if not key.sk and index.sort and all(attribute in written for attribute in index.sort):
        sort = tuple(written[attribute][1] for attribute in index.sort)
        _check_omitted_sort_key(where, key, sort)
    else:
        sort = _parts(where, key, "sort", key.sk, index.sort, table, fields)
    made = EntityKey(name, key.index, partition, sort, key.shard, key.when, key.disjoint, key)
    _check_shard(where, key, made, fields)
    return made


def _check_omitted_sort_key(where: str, key: Key, sort: tuple[KeyPart, ...]) -> None:
    for part in sort:
        if SHARD_FIELD in part.fields and key.shard is None:
            _reject(
                where, "key-shard", f"attribute {part.attribute!r} is written with shards, and this key has none.",
                fix="let the index sort by another attribute.",
            )  # fmt: skip


def _parts(
    where: str,
    key: Key,
    role: Role,
    texts: tuple[str, ...],
    attributes: tuple[str, ...],
    table: Table,
    fields: Mapping[str, Field],
) -> tuple[KeyPart, ...]:
    if len(texts) != len(attributes):
        place = f"index {key.index!r}" if key.index else f"table {table.name!r}"
        names = " and ".join(map(repr, attributes)) or "none"
        _reject(
            where, "entity-key-arity",
            f"{len(texts)} template{'s' if len(texts) != 1 else ''} for the {role} key, where {place} has "
            f"{len(attributes)} attribute{'s' if len(attributes) != 1 else ''}.",
            expected=f"The attributes of its {role} key are: {names}.",
            fix="give one template for each attribute." if attributes else f"write Key(index={key.index!r}).",
        )  # fmt: skip
    return tuple(
        KeyPart(attribute, _writer(where, key, role, text, attribute, table, fields))
        for text, attribute in zip(texts, attributes, strict=True)
    )


def _writer(
    where: str, key: Key, role: Role, text: str, attribute: str, table: Table, fields: Mapping[str, Field]
) -> Template | ScalarKey:
    pieces = parse(text)
    _check_shard_field(where, key, pieces, fields)
    types = {name: each.annotation for name, each in fields.items()}
    if key.shard:
        types[SHARD_FIELD] = int
    kind, bare = table.attribute_types[attribute], _single_field(pieces)
    if kind != "S":
        return _scalar(where, role, text, bare, attribute, kind, types)
    # A field that is the key attribute itself is stored unescaped.
    if (
        bare is not None
        and bare in fields
        and fields[bare].attribute == attribute
        and not fields[bare].computed
    ):
        return Template(text, types, codec="raw", role=role, where=where)
    return Template(text, types, codec=key.codec, delimiter=key.delimiter, role=role, where=where)


def _single_field(pieces: tuple[str | Placeholder, ...]) -> str | None:
    """The field of a template that is only `{field}`."""
    one = pieces[0] if len(pieces) == 1 else None
    return one.field if isinstance(one, Placeholder) and not one.spec and not one.cut else None


_SCALARS: dict[str, tuple[Any, ...]] = {"N": (int, Decimal), "B": (bytes,)}


def _scalar(
    where: str, role: Role, text: str, bare: str | None, attribute: str, kind: str, types: Mapping[str, Any]
) -> ScalarKey:
    fitting = next((name for name, each in types.items() if field_type(each).type in _SCALARS[kind]), "")
    fix = f"write one field of type {'int or Decimal' if kind == 'N' else 'bytes'} alone"
    fix += f", such as '{{{fitting}}}'" if fitting else ""
    if bare is None or bare not in types:
        _reject(
            where, "entity-key-type",
            f"template {quote(text)} writes text, and attribute {attribute!r} is of type {kind}.",
            fix=f"{fix}, or declare the attribute as text.",
        )  # fmt: skip
    found = field_type(types[bare]).type
    if found not in _SCALARS[kind]:
        _reject(
            where, "entity-key-type",
            f"field {bare!r} of type {type_name(found)} cannot be attribute {attribute!r}, which is of type {kind}.",
            fix=f"{fix}, or declare the attribute as text.",
        )  # fmt: skip
    return ScalarKey(bare, found, role=role, where=where)


def _check_shard_field(
    where: str, key: Key, pieces: tuple[str | Placeholder, ...], fields: Mapping[str, Field]
) -> None:
    named = any(isinstance(piece, Placeholder) and piece.field == SHARD_FIELD for piece in pieces)
    if named and key.shard is None:
        also = ", or give the field another name, and Attribute('shard')" if SHARD_FIELD in fields else ""
        _reject(
            where, "key-shard", "{shard} is the number of a write shard, and the key has no shards.",
            fix=f"add shard=Shard(4, of='...'){also}.",
        )  # fmt: skip


def _check_shard(where: str, key: Key, made: EntityKey, fields: Mapping[str, Field]) -> None:
    used = any(SHARD_FIELD in part.fields for part in made.partition)
    if key.shard and not used:
        _reject(
            where, "key-shard", "has shards, and no {shard} in its partition key.",
            fix=f"write it where the number belongs, for example {quote(key.pk[0] + '#{shard}')}.",
        )  # fmt: skip
    if key.shard and key.shard.of is not None and key.shard.of not in fields:
        _reject(
            where, "key-shard", f"shards by field {key.shard.of!r}, which is not declared.",
            expected=f"Fields are: {', '.join(fields)}.", fix="name one of them.",
        )  # fmt: skip
