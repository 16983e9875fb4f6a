"""Checks the keys of an entity against each other and against its other attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from pksk.errors import DesignError, quote
from pksk.keys import ScalarKey
from pksk.model.declaration import Declaration
from pksk.model.entity_key import SHARD_FIELD, EntityKey, KeyPart
from pksk.model.key import Key
from pksk.model.storing.attributes import Field
from pksk.schema import Table, VectorIndex


def _reject(where: str, code: str, problem: str, *, expected: str = "", fix: str) -> NoReturn:
    raise DesignError(code, f"{where}: {problem}", expected=expected, fix=fix)


def check_primary(declaration: Declaration) -> None:
    """Reject an entity without a key in its table, or with two."""
    names = [key.name for key in declaration.keys.values() if key.index is None]
    if len(names) == 1:
        return
    _reject(
        declaration.name, "entity-primary",
        f"{len(names)} keys without index=: {', '.join(names) or 'none'}.",
        expected="An entity has one key in its table, and any number in indexes.",
        fix="declare primary = Key(...), and set index= on every other key.",
    )  # fmt: skip


def check_same_rendering(where: str, key: EntityKey, part: KeyPart, other: EntityKey, first: KeyPart) -> None:
    """Reject a key that writes an attribute differently than an earlier key."""
    mine, theirs = _rendering(key, part), _rendering(other, first)
    if mine != theirs:
        _reject(
            where, "entity-key-conflict",
            f"attribute {part.attribute!r} is written as {_rendering_text(mine, theirs)} here, and as "
            f"{_rendering_text(theirs, mine)} by key {other.name!r}.",
            fix="write the same template in both keys, or leave it out here.",
        )  # fmt: skip


def _rendering(key: EntityKey, part: KeyPart) -> dict[str, object]:
    """Everything that decides the text of an attribute."""
    writer = part.writer
    spelling: dict[str, object] = {"template": str(writer)}
    if not isinstance(writer, ScalarKey) and writer.parts:
        spelling |= {"codec": writer.codec, "delimiter": writer.delimiter.text}
    if SHARD_FIELD in part.fields:
        spelling["shard"] = key.shard
    return spelling


def _rendering_text(spelling: dict[str, object], other: dict[str, object]) -> str:
    """The template, and the options that differ."""
    differing = [
        f"{option}={value!r}"
        for option, value in spelling.items()
        if option != "template" and option in other and other[option] != value
    ]
    return quote(spelling["template"]) + (f" with {', '.join(differing)}" if differing else "")


def check_attributes(declaration: Declaration) -> None:
    """Reject two values under one attribute name, except a field that is a key attribute itself."""
    owners: dict[str, str] = {}
    discriminator = declaration.table.discriminator
    if discriminator:
        owners[discriminator] = "the discriminator"
    for name, each in declaration.fields.items():
        if each.computed:
            continue
        if each.attribute in owners:
            _clash(declaration.name, each.attribute, owners[each.attribute], f"field {name!r}")
        owners[each.attribute] = f"field {name!r}"
    for key in declaration.keys.values():
        for part in key.parts:
            if part.attribute == discriminator:
                _reject_discriminator(declaration, key, part)
            _check_owner(declaration, key, part, owners.get(part.attribute, ""))


def _check_owner(declaration: Declaration, key: EntityKey, part: KeyPart, owner: str) -> None:
    """Reject a key that writes anything but the field itself into the attribute of a field."""
    if not owner:
        return
    (field, *more) = part.fields or ("",)
    if more or owner != f"field {field!r}":
        _clash(declaration.name, part.attribute, owner, f"key {key.name!r}")
    if str(part.writer) != f"{{{field}}}":
        _reject(
            f"{declaration.name}.{key.name}", "entity-attribute-clash",
            f"attribute {part.attribute!r} is {owner} itself, and the key writes {quote(str(part.writer))} there: "
            "the field could not be read back.",
            fix=f"write '{{{field}}}' alone, or store the field under another name: "
            "Annotated[..., Attribute('other')].",
        )  # fmt: skip


def _clash(name: str, attribute: str, one: str, other: str) -> NoReturn:
    _reject(
        name, "entity-attribute-clash",
        f"attribute {attribute!r} is both {one} and {other}.",
        fix="store the field under another name: Annotated[..., Attribute('name')].",
    )  # fmt: skip


def _reject_discriminator(declaration: Declaration, key: EntityKey, part: KeyPart) -> NoReturn:
    own = f"Key(index={key.index!r})" if declaration.table.index(key.index).kind == "vector" else ""
    remedy = f"write {own}, so that the entity writes it" if own else "leave the key out"
    _reject(
        f"{declaration.name}.{key.name}", "entity-attribute-clash",
        f"attribute {part.attribute!r} is the discriminator, which is already {declaration.tag!r} in every item.",
        fix=f"{remedy}, or give index {key.index!r} an attribute of its own, pk='g1', and the key a literal "
        f"there: Key({declaration.tag!r}, index={key.index!r}).",
    )  # fmt: skip


def check_vector_key(where: str, key: Key, index: VectorIndex, fields: Mapping[str, Field]) -> None:
    """Reject a key that a vector index cannot have, or an entity that is never in the index."""
    if key.sk:
        _reject_vector_key(
            where, f"index {index.name!r} is a vector index, which has no sort key.",
            fix=f"leave {key.sk[0]!r} out; fields that searches compare belong to filters= of the index.",
        )  # fmt: skip
    if key.shard:
        _reject_vector_key(
            where, f"index {index.name!r} is a vector index, and the key has shards.",
            expected="A search covers one partition of the index, and would miss the other shards.",
            fix="leave shard= out.",
        )  # fmt: skip
    if not any(each.attribute == index.attribute and not each.computed for each in fields.values()):
        _reject_vector_key(
            where,
            f"index {index.name!r} finds items by the vector in attribute {index.attribute!r}, "
            "which no field has.",
            expected="An item without the vector is not in the index.",
            fix=f"declare the field {index.attribute}: list[float], or store the one that is meant as "
            f"Attribute({index.attribute!r}).",
        )  # fmt: skip


def _reject_vector_key(where: str, problem: str, *, expected: str = "", fix: str) -> NoReturn:
    raise DesignError("entity-key-vector", f"{where}: {problem}", expected=expected, fix=fix)


def written_attributes(key: Key, index: VectorIndex, table: Table) -> tuple[str, ...]:
    """The attributes that the key writes, without the discriminator if the entity writes it."""
    is_discriminator = not key.pk and index.partition == (table.discriminator,)
    return () if is_discriminator else index.partition
