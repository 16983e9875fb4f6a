"""Checks the keys of an entity against each other, and against what else is stored under their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from pksk.errors import DesignError, quote
from pksk.keys import ScalarKey
from pksk.model.shard import SHARD_FIELD

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity_key import EntityKey, KeyPart
    from pksk.model.key import Key
    from pksk.model.storing.attributes import Field
    from pksk.schema import Table, VectorIndex

__all__ = [
    "check_attributes",
    "check_primary",
    "check_same_rendering",
    "check_vector_key",
    "written_attributes",
]


def _reject(where: str, code: str, problem: str, *, expected: str = "", fix: str) -> NoReturn:
    raise DesignError(code, f"{where}: {problem}", expected=expected, fix=fix)


def check_primary(declaration: Declaration[Any]) -> None:
    """Reject an entity without a key in its table, or with two."""
    found = [key.name for key in declaration.keys.values() if key.index is None]
    if len(found) == 1:
        return
    _reject(
        declaration.name, "entity-primary",
        f"{len(found)} keys without index=: {', '.join(found) or 'none'}.",
        expected="An entity has one key in its table, and any number in indexes.",
        fix="declare primary = Key(...), and give every other key its index=.",
    )  # fmt: skip


def check_same_rendering(where: str, key: EntityKey, part: KeyPart, other: EntityKey, first: KeyPart) -> None:
    """Reject a key that writes an attribute otherwise than the key that writes it first."""
    mine, theirs = _rendering(key, part), _rendering(other, first)
    if mine != theirs:
        _reject(
            where, "entity-key-conflict",
            f"attribute {part.attribute!r} is written as {_rendering_text(mine, theirs)} here, and as {_rendering_text(theirs, mine)} "
            f"by key {other.name!r}.",
            fix="write it alike in both keys, or leave it out here.",
        )  # fmt: skip


def _rendering(key: EntityKey, part: KeyPart) -> dict[str, Any]:
    """All that decides the text of an attribute."""
    writer = part.writer
    spelling: dict[str, Any] = {"template": str(writer)}
    if not isinstance(writer, ScalarKey) and writer.parts:
        spelling |= {"codec": writer.codec, "delimiter": writer.delimiter.text}
    if SHARD_FIELD in part.fields:
        spelling["shard"] = key.shard
    return spelling


def _rendering_text(spelling: dict[str, Any], other: dict[str, Any]) -> str:
    """The template, and those options that differ."""
    apart = [
        f"{option}={value!r}"
        for option, value in spelling.items()
        if option != "template" and option in other and other[option] != value
    ]
    return quote(spelling["template"]) + (f" with {', '.join(apart)}" if apart else "")


def check_attributes(declaration: Declaration[Any]) -> None:
    """No two things may be stored under one name, but for a field that is a key attribute itself."""
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


def _check_owner(declaration: Declaration[Any], key: EntityKey, part: KeyPart, owner: str) -> None:
    """What a key writes into the attribute of a field must be that field, and nothing else."""
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


def _reject_discriminator(declaration: Declaration[Any], key: EntityKey, part: KeyPart) -> NoReturn:
    own = f"Key(index={key.index!r})" if declaration.table.index(key.index).kind == "vector" else ""
    left = f"write {own}, which leaves it to the entity" if own else "leave the key out"
    _reject(
        f"{declaration.name}.{key.name}", "entity-attribute-clash",
        f"attribute {part.attribute!r} is the discriminator, which holds {declaration.tag!r} in every item already.",
        fix=f"{left}, or give index {key.index!r} an attribute of its own, pk='g1', and the key a literal "
        f"there: Key({declaration.tag!r}, index={key.index!r}).",
    )  # fmt: skip


def check_vector_key(where: str, key: Key, index: VectorIndex, fields: Mapping[str, Field]) -> None:
    """Reject a key that a vector index cannot have, or of an entity that is never in the index."""
    if key.sk:
        _reject_vector_key(
            where, f"index {index.name!r} is a vector index, which has no sort key.",
            fix=f"leave {key.sk[0]!r} out; what searches ask to equal a value is in the filters= of the index.",
        )  # fmt: skip
    if key.shard:
        _reject_vector_key(
            where, f"index {index.name!r} is a vector index, and the key has shards.",
            expected="A search looks into one part of the index, and would miss all other shards.",
            fix="leave shard= out.",
        )  # fmt: skip
    if not any(each.attribute == index.attribute and not each.computed for each in fields.values()):
        _reject_vector_key(
            where,
            f"index {index.name!r} finds items by the vector in attribute {index.attribute!r}, "
            "which no field is stored as.",
            expected="An item without the vector is not in the index.",
            fix=f"declare the field {index.attribute}: list[float], or store the one that is meant as "
            f"Attribute({index.attribute!r}).",
        )  # fmt: skip


def _reject_vector_key(where: str, problem: str, *, expected: str = "", fix: str) -> NoReturn:
    raise DesignError("entity-key-vector", f"{where}: {problem}", expected=expected, fix=fix)


def written_attributes(key: Key, index: VectorIndex, table: Table) -> tuple[str, ...]:
    """The attributes that the key writes; the discriminator, which every item has, may be left to the entity."""
    is_discriminator = not key.pk and index.partition == (table.discriminator,)
    return () if is_discriminator else index.partition
