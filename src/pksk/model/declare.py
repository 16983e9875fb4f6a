"""Checks the keys of an entity against its fields, its table and its neighbours, when its class is complete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from pksk.errors import DesignError, quote
from pksk.keys import ScalarKey, Template
from pksk.keys.annotations import declared
from pksk.keys.parse import Placeholder, parse
from pksk.keys.template import Role
from pksk.model.attributes import Field, fields_of
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey, KeyPart
from pksk.model.key import Key
from pksk.model.neighbours import check_neighbours
from pksk.model.shard import SHARD_FIELD

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.schema import Table

__all__ = ["declare"]

E = TypeVar("E", bound="Entity")


def declare(entity: type[E], table: Table, **bounds: Any) -> Declaration[E]:
    """The declaration of an entity, or the error that names class, key and fix."""
    fields = fields_of(entity)
    keys: dict[str, EntityKey] = {}
    written: dict[str, KeyPart] = {}
    # The table's own key first: an index may use its attributes without saying how they are written.
    for name, key in sorted(_keys_of(entity).items(), key=lambda each: each[1].index is not None):
        keys[name] = _entity_key(entity, name, key, table, fields, written)
        for part in keys[name].parts:
            _check_same(f"{entity.__name__}.{name}", part, written.setdefault(part.attribute, part))
    declaration = Declaration(entity, table, fields, keys, name=entity.__name__, **bounds)
    _check_primary(declaration)
    _check_attributes(declaration)
    if table.ttl or any(each.markers for each in fields.values()):
        from pksk.model.check_markers import check_markers

        check_markers(declaration)
    if any(each.unresolved for each in (*table.entities, declaration)):
        from pksk.model.referral import check_references

        check_references(declaration)
    check_neighbours(declaration)
    return declaration


def _keys_of(entity: type) -> dict[str, Key]:
    """The keys of a class and of its bases, the nearest first to count."""
    found: dict[str, Key] = {}
    for base in reversed(entity.__mro__):
        found.update({name: value for name, value in vars(base).items() if isinstance(value, Key)})
    return found


def _refuse(where: str, code: str, problem: str, *, expected: str = "", fix: str) -> NoReturn:
    raise DesignError(code, f"{where}: {problem}", expected=expected, fix=fix)


def _entity_key(
    entity: type,
    name: str,
    key: Key,
    table: Table,
    fields: Mapping[str, Field],
    written: Mapping[str, KeyPart],
) -> EntityKey:
    where = f"{entity.__name__}.{name}"
    index = table.index(key.index)
    partition = _parts(where, key, "partition", key.pk, index.partition, table, fields)
    if not key.sk and index.sort and all(attribute in written for attribute in index.sort):
        sort = tuple(written[attribute] for attribute in index.sort)
    else:
        sort = _parts(where, key, "sort", key.sk, index.sort, table, fields)
    made = EntityKey(name, key.index, partition, sort, key.shard, key.when, key.disjoint, key)
    _check_shard(where, key, made, fields)
    return made


def _check_same(where: str, part: KeyPart, first: KeyPart) -> None:
    if str(part.writer) != str(first.writer):
        _refuse(
            where, "entity-key-conflict",
            f"attribute {part.attribute!r} is written as {quote(str(part.writer))} here and as "
            f"{quote(str(first.writer))} by another key.",
            fix="write the same template in both, or leave it out here.",
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
        _refuse(
            where, "entity-key-arity",
            f"{len(texts)} template{'s' if len(texts) != 1 else ''} for the {role} key, where {place} has "
            f"{len(attributes)} attribute{'s' if len(attributes) != 1 else ''}.",
            expected=f"The attributes of its {role} key are: {names}.",
            fix="give one template for each attribute.",
        )  # fmt: skip
    return tuple(
        KeyPart(attribute, _writer(where, key, role, text, attribute, table, fields))
        for text, attribute in zip(texts, attributes, strict=True)
    )


def _writer(
    where: str, key: Key, role: Role, text: str, attribute: str, table: Table, fields: Mapping[str, Field]
) -> Template | ScalarKey:
    types = {name: each.annotation for name, each in fields.items()}
    if key.shard:
        types[SHARD_FIELD] = int
    kind = table.attribute_types[attribute]
    if kind != "S":
        return _scalar(where, role, text, attribute, kind, types)
    # A field that is the key attribute itself is stored once, as it is: nothing is escaped.
    bare = _bare(text)
    itself = bare is not None and bare in fields and fields[bare].attribute == attribute
    codec = "raw" if itself else key.codec
    return Template(text, types, codec=codec, delimiter=key.delimiter, role=role, where=where)


def _bare(text: str) -> str | None:
    """The field of a template that is nothing but `{field}`."""
    pieces = parse(text)
    one = pieces[0] if len(pieces) == 1 else None
    return one.field if isinstance(one, Placeholder) and not one.spec and not one.cut else None


def _scalar(
    where: str, role: Role, text: str, attribute: str, kind: str, types: Mapping[str, Any]
) -> ScalarKey:
    bare = _bare(text)
    if bare is None or bare not in types:
        _refuse(
            where, "entity-key-type",
            f"template {quote(text)} writes text, and attribute {attribute!r} is of type {kind}.",
            fix=f"write one field alone, such as '{{{next(iter(types), 'n')}}}', or declare the attribute as text.",
        )  # fmt: skip
    scalar = declared(types[bare]).kind
    made = ScalarKey(bare, scalar, role=role, where=where) if scalar in (int, bytes) or kind == "N" else None
    if made is None or made.attribute_type != kind:
        _refuse(
            where, "entity-key-type",
            f"field {bare!r} cannot be attribute {attribute!r}, which is of type {kind}.",
            fix="use an int or Decimal for N, bytes for B, or declare the attribute as text.",
        )  # fmt: skip
    return made


def _check_shard(where: str, key: Key, made: EntityKey, fields: Mapping[str, Field]) -> None:
    used = any(SHARD_FIELD in part.fields for part in made.partition)
    if key.shard and not used:
        _refuse(
            where, "key-shard", "has shards, and no {shard} in its partition key.",
            fix=f"write it where the number belongs, for example {quote(key.pk[0] + '#{shard}')}.",
        )  # fmt: skip
    if key.shard and key.shard.of is not None and key.shard.of not in fields:
        _refuse(
            where, "key-shard", f"shards by field {key.shard.of!r}, which is not declared.",
            expected=f"Fields are: {', '.join(fields)}.", fix="name one of them.",
        )  # fmt: skip


def _check_primary(declaration: Declaration[Any]) -> None:
    found = [key.name for key in declaration.keys.values() if key.index is None]
    if len(found) == 1:
        return
    _refuse(
        declaration.name, "entity-primary",
        f"{len(found)} keys without index=: {', '.join(found) or 'none'}.",
        expected="An entity has one key in its table, and any number in indexes.",
        fix="declare primary = Key(...), and give every other key its index=.",
    )  # fmt: skip


def _check_attributes(declaration: Declaration[Any]) -> None:
    """No two things may be stored under one name, but for a field that is a key attribute itself."""
    owners: dict[str, str] = {}
    if declaration.table.discriminator:
        owners[declaration.table.discriminator] = "the discriminator"
    for name, each in declaration.fields.items():
        if each.computed:
            continue
        if each.attribute in owners:
            _clash(declaration, each.attribute, owners[each.attribute], f"field {name!r}")
        owners[each.attribute] = f"field {name!r}"
    for key in declaration.keys.values():
        for part in key.parts:
            owner = owners.get(part.attribute, "")
            if owner and not (len(part.fields) == 1 and owner == f"field {part.fields[0]!r}"):
                _clash(declaration, part.attribute, owner, f"key {key.name!r}")


def _clash(declaration: Declaration[Any], attribute: str, one: str, other: str) -> NoReturn:
    _refuse(
        declaration.name, "entity-attribute-clash",
        f"attribute {attribute!r} is both {one} and {other}.",
        fix="store the field under another name: Annotated[..., Attribute('name')].",
    )  # fmt: skip
