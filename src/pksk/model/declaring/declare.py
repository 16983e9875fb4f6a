"""Checks the keys of an entity against its fields, its table and other entities, when its class is complete."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from typing import Any, NoReturn

from pksk.errors import DesignError, quote
from pksk.keys import ScalarKey, Template
from pksk.keys.cell_suffix import check_cell_suffix
from pksk.keys.parse import Placeholder, parse
from pksk.keys.parts.part import Part, type_name
from pksk.keys.parts.part_types import field_type
from pksk.keys.scalar_key import KeyFormat
from pksk.keys.template import Role
from pksk.model.declaration import Declaration, E_co
from pksk.model.declaring import check_keys
from pksk.model.declaring.check_identity import check_identity
from pksk.model.declaring.key_collisions import check_inherited_keys, check_key_collisions
from pksk.model.entity_key import SHARD_FIELD, EntityKey, KeyPart
from pksk.model.extension import extensions_of
from pksk.model.key import Key
from pksk.model.markers import StoredForm
from pksk.model.markers.field_markers import check_markers
from pksk.model.markers.reference import check_references
from pksk.model.markers.stored import coarse_bound
from pksk.model.storing.attributes import Field, fields_of
from pksk.model.storing.key_fields import check_key_fields
from pksk.schema import Table, VectorIndex
from pksk.schema.index import find_index


def declare(entity: type[E_co], table: Table, **bounds: Any) -> Declaration[E_co]:
    """The declaration of an entity; raises if the entity or one of its keys is wrong."""
    fields = fields_of(entity)
    keys: dict[str, EntityKey] = {}
    written: dict[str, tuple[EntityKey, KeyPart]] = {}
    # The table's key first, as index keys may leave out its attributes.
    for name, key in sorted(_keys_of(entity).items(), key=lambda each: each[1].index is not None):
        entity_key = keys[name] = _entity_key(entity, name, key, table, fields, written)
        for part in entity_key.parts:
            check_keys.check_same_rendering(
                f"{entity.__name__}.{name}",
                entity_key,
                part,
                *written.setdefault(part.attribute, (entity_key, part)),
            )
    declaration = Declaration(entity, table, fields, keys, name=entity.__name__, **bounds)
    check_keys.check_primary(declaration)
    check_key_fields(declaration)
    check_keys.check_attributes(declaration)
    if any(key.when is not None for key in keys.values()):
        from pksk.model.declaring.check_when import check_when

        check_when(declaration)
    if table.ttl or any(each.markers for each in fields.values()):
        check_markers(declaration)
    if any(each.unresolved_references for each in (*table.entities, declaration)):
        check_references(declaration)
    if any(map(_has_spread, fields.values())):
        from pksk.model.bill.field_shares import check_spreads

        check_spreads(declaration)
    check_identity(declaration)
    check_inherited_keys(declaration)
    check_key_collisions(declaration)
    for extension in extensions_of(entity).values():
        extension.check(declaration)
    return declaration


def _has_spread(field: Field) -> bool:
    """Whether a spread is written beside the type; by its name, as a design without one should not load it."""
    return any(type(each).__name__ == "Spread" for each in getattr(field.annotation, "__metadata__", ()))


def _keys_of(entity: type) -> dict[str, Key]:
    """The keys of a class and of its bases; the nearest class takes precedence."""
    keys: dict[str, Key] = {}
    for base in reversed(entity.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, Key):
                _check_owner(entity, base, name, value)
                keys[name] = value
    return keys


def _check_owner(entity: type, base: type, name: str, key: Key) -> None:
    """Reject a Key object that is used twice: classes that share a key inherit it."""
    if key.owner is not base or key.name != name:
        _reject(
            f"{entity.__name__}.{name}", "key-reused",
            f"this Key object already belongs to {getattr(key.owner, '__name__', 'another class')}.{key.name}.",
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
        check_keys.check_vector_key(where, key, index, fields)
        attributes = check_keys.written_attributes(key, index, table)
    partition = _parts(where, key, "partition", key.pk, attributes, table, fields)
    if not key.sk and index.sort and all(attribute in written for attribute in index.sort):
        sort = tuple(written[attribute][1] for attribute in index.sort)
        _check_omitted_sort_key(where, key, sort)
    else:
        sort = _parts(where, key, "sort", key.sk, index.sort, table, fields)
    entity_key = EntityKey(name, key.index, partition, sort, key, key.shard, key.when, key.disjoint)
    _check_shard(where, key, entity_key, fields)
    check_cell_suffix(where, _template_parts(partition), _template_parts(sort))
    return entity_key


def _template_parts(parts: tuple[KeyPart, ...]) -> list[Part]:
    return [each for part in parts if isinstance(part.writer, Template) for each in part.writer.parts]


def _check_omitted_sort_key(where: str, key: Key, sort: tuple[KeyPart, ...]) -> None:
    for part in sort:
        if SHARD_FIELD in part.fields and key.shard is None:
            _reject(
                where, "key-shard", f"another key writes {part.attribute!r} with shards, but this key has none.",
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
        owner = f"index {key.index!r}" if key.index else f"table {table.name!r}"
        names = " and ".join(map(repr, attributes)) or "none"
        _reject(
            where, "entity-key-arity",
            f"{len(texts)} template{'s' if len(texts) != 1 else ''} for the {role} key, where {owner} has "
            f"{len(attributes)} attribute{'s' if len(attributes) != 1 else ''}.",
            expected=f"The attributes of its {role} key are: {names}.",
            fix=_arity_fix(key, role, attributes, table),
        )  # fmt: skip
    return tuple(
        KeyPart(attribute, _writer(where, key, role, text, attribute, table, fields))
        for text, attribute in zip(texts, attributes, strict=True)
    )


def _arity_fix(key: Key, role: Role, attributes: tuple[str, ...], table: Table) -> str:
    """How to write the key or the table, so that there is one template for each attribute."""
    partition = ", ".join(map(repr, key.pk)) if len(key.pk) == 1 else repr(key.pk)
    index = f", index={key.index!r}" if key.index else ""
    if role == "partition":
        return "give one template for each attribute." if attributes else f"write Key(index={key.index!r})."
    if not attributes:
        write = f"write Key({partition}{index})"
        return f"{write}." if index else f"{write}, or declare a sort key: Table({table.name!r}, sk='sk')."
    if key.sk or len(attributes) > 1:
        return "give one template for each attribute."
    write = f"write Key({partition}, 'META'{index})"
    return f"{write}." if index else f"{write}, or declare no sort key: Table({table.name!r}, sk=None)."


def _writer(
    where: str, key: Key, role: Role, text: str, attribute: str, table: Table, fields: Mapping[str, Field]
) -> Template | ScalarKey:
    pieces = parse(text, where)
    _check_shard_field(where, key, pieces, fields)
    types = {name: each.annotation for name, each in fields.items()}
    if key.shard:
        types[SHARD_FIELD] = int
    kind, bare = table.attribute_types[attribute], _single_field(pieces)
    _check_order(where, role, pieces, fields)
    form = fields[bare].stored_form if bare is not None and bare in fields else None
    if form is not None and form.name and (kind != "S" or fields[str(bare)].attribute == attribute):
        return _formatted(where, role, fields[str(bare)], form, attribute, kind)
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


def _check_order(
    where: str, role: str, pieces: tuple[str | Placeholder, ...], fields: Mapping[str, Field]
) -> None:
    """Reject a time in a sort key as text with an offset, which does not sort."""
    for piece in pieces if role == "sort" else ():
        each = fields.get(piece.field) if isinstance(piece, Placeholder) and not piece.spec else None
        form = each.stored_form if each is not None else None
        if each and form and form.name and not form.ordered and not form.is_custom:
            _reject(
                where, "stored-unordered",
                f"field {each.name!r} is stored as {form.name}, which does not sort by time.",
                fix=f"store it in UTC, or write it so in the key: {{{each.name}:%Y-%m-%dT%H:%M:%S.%fZ}}.",
            )  # fmt: skip


def _formatted(
    where: str, role: Role, field: Field, form: StoredForm, attribute: str, kind: Any
) -> ScalarKey:
    """A key attribute that holds one field in the format in which it is stored."""
    if form.type != kind:
        _reject(
            where, "entity-key-type",
            f"field {field.name!r} is stored as {form.name}, and attribute {attribute!r} is of type {kind}.",
            fix=f"declare the attribute as {form.type}({attribute!r}), or choose a format of type {kind}.",
        )  # fmt: skip
    if role == "sort" and not form.ordered:
        _reject(
            where, "stored-unordered",
            f"field {field.name!r} is stored as {form.name}, whose values do not sort like those of the field.",
            fix="store it in UTC or as epoch seconds, or declare CustomFormat(..., ordered=True) if they do.",
        )  # fmt: skip
    bound = partial(coarse_bound, form) if form.ordered else None
    return ScalarKey(
        field.name,
        field.annotation,
        role=role,
        where=where,
        stored_as=KeyFormat(kind, form.store, form.read, bound),
    )


def _single_field(pieces: tuple[str | Placeholder, ...]) -> str | None:
    """The field of a template that is only `{field}`."""
    one = pieces[0] if len(pieces) == 1 else None
    return one.field if isinstance(one, Placeholder) and not one.spec and not one.cut else None


_SCALARS: dict[str, tuple[type, ...]] = {"N": (int, Decimal), "B": (bytes,)}


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
    bare_type = field_type(types[bare]).type
    if bare_type not in _SCALARS[kind]:
        _reject(
            where, "entity-key-type",
            f"field {bare!r} of type {type_name(bare_type)} cannot be attribute {attribute!r}, "
            f"which is of type {kind}.",
            fix="store it as a number: Annotated[datetime, Stored('epoch-seconds')], or declare the attribute as text."
            if type_name(bare_type) == "datetime" and kind == "N"
            else f"{fix}, or declare the attribute as text.",
        )  # fmt: skip
    return ScalarKey(bare, bare_type, role=role, where=where)


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


def _check_shard(where: str, key: Key, entity_key: EntityKey, fields: Mapping[str, Field]) -> None:
    used = any(SHARD_FIELD in part.fields for part in entity_key.partition)
    if key.shard and not used:
        _reject(
            where, "key-shard", "has shards, but no {shard} in its partition key.",
            fix=f"write it where the number belongs, for example {quote(key.pk[0] + '#{shard}')}.",
        )  # fmt: skip
    if key.shard and key.shard.of is not None and key.shard.of not in fields:
        _reject(
            where, "key-shard", f"shards by field {key.shard.of!r}, which is not declared.",
            expected=f"Fields are: {', '.join(fields)}.", fix="name one of them.",
        )  # fmt: skip
