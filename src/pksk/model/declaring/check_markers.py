"""Checks what an author has marked: each marker on a field that can bear it, and together a design that makes sense."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from pksk.errors import DesignError, TemplateError
from pksk.keys.field_type import field_type
from pksk.keys.parts.part import type_name
from pksk.model.declaring.attributes import Field
from pksk.model.markers import TTL, Attribute, Created, Null, Unique, Updated, Version

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

__all__ = ["check_markers"]

# Of these an entity has at most one each, and a field none beside another.
_SINGLE: tuple[type, ...] = (Version, TTL, Created, Updated)


def check_markers(declaration: Declaration[Any]) -> None:
    """Refuse markers that no store could honour."""
    for name, each in declaration.fields.items():
        if each.markers:
            _check_field(f"{declaration.name}.{name}", each)
    for kind in _SINGLE:
        _check_single(declaration, kind)
    _check_expiry(declaration)
    _check_unchanging_keys(declaration)
    _check_null_keys(declaration)


def _reject(where: str, code: str, problem: str, fix: str) -> NoReturn:
    raise DesignError(code, f"{where}: {problem}", fix=fix)


def _check_field(where: str, each: Field) -> None:
    kinds = [type(marker) for marker in each.markers]
    first = kinds[0].__name__
    if each.computed:
        _reject(
            where, "marker-place", f"{first} stands on a computed field, which is not stored.",
            "mark a field, and compute it where the entity is made.",
        )  # fmt: skip
    for kind in kinds:
        if kinds.count(kind) > 1:
            _reject(
                where, "marker-twice", f"{kind.__name__} stands on the field twice.", "leave one of them out."
            )
    roles = [kind for kind in kinds if kind not in (Attribute, Null)]
    if len(roles) > 1 and set(roles) & set(_SINGLE):
        names = " and ".join(kind.__name__ for kind in roles)
        _reject(
            where, "marker-clash", f"{names} stand on one field.", "give each of them a field of its own."
        )
    if Null in kinds:
        _check_null(where, each)
    for kind in roles:
        check = _CHECKS.get(kind)
        if check:
            check(where, each)


def _check_version(where: str, each: Field) -> None:
    found = field_type(each.annotation)
    if found.type is not int or found.optional or type(each.default) is not int:
        _reject(
            where, "marker-type", f"Version counts from a number, and the field is {_field_text(each)}.",
            f"declare {each.name}: Annotated[int, Version()] = 0.",
        )  # fmt: skip


def _check_null(where: str, each: Field) -> None:
    if not each.nullable:
        _reject(
            where, "marker-type", f"Null is about None, which the field cannot be: it is {_field_text(each)}.",
            f"declare {each.name}: Annotated[... | None, Null()] = None.",
        )  # fmt: skip


def _check_ttl(where: str, each: Field) -> None:
    if field_type(each.annotation).type is not int and not _is_instant(each):
        _reject(
            where, "marker-type", f"TTL is an instant, and the field is {_field_text(each)}.",
            f"declare {each.name}: Annotated[datetime, TTL()] with a zone, or an int of seconds since 1970.",
        )  # fmt: skip


def _check_instant(where: str, each: Field) -> None:
    if not _is_instant(each):
        name = next(
            type(marker).__name__ for marker in each.markers if isinstance(marker, (Created, Updated))
        )
        _reject(
            where, "marker-type", f"{name} is an instant, and the field is {_field_text(each)}.",
            f"declare {each.name}: Annotated[datetime | None, {name}()] = None.",
        )  # fmt: skip


def _is_instant(each: Field) -> bool:
    return field_type(each.annotation).type is datetime and not each.naive


def _check_unique(where: str, each: Field) -> None:
    from pksk.keys import Template

    try:
        Template(f"UNIQUE#{{{each.name}}}", {each.name: each.annotation}, where=where)
    except TemplateError as error:
        raise DesignError(
            "marker-type",
            f"{where}: Unique is kept by a key, and the field is {_field_text(each)}.",
            expected=error.problem,
            fix="mark a field of text, a whole number, a Decimal, a UUID, a date or an enum.",
        ) from None


def _field_text(each: Field) -> str:
    kind = "without a default" if each.required else f"with the default {each.default!r}"
    return f"{type_name(each.declared_as)} {kind}"


_CHECKS: dict[type, Callable[[str, Field], None]] = {
    Version: _check_version,
    TTL: _check_ttl,
    Created: _check_instant,
    Updated: _check_instant,
    Unique: _check_unique,
}


def _check_single(declaration: Declaration[Any], kind: Any) -> None:
    names = [name for name, _ in declaration.marked(kind)]
    if len(names) > 1:
        _reject(
            declaration.name, "marker-twice", f"{kind.__name__} stands on {' and '.join(map(repr, names))}.",
            "an entity has one; leave the others out.",
        )  # fmt: skip


def _check_expiry(declaration: Declaration[Any]) -> None:
    """The table and the entity must mean the same attribute, and DynamoDB deletes by numbers only."""
    table = declaration.table
    for name, _ in declaration.marked(TTL):
        attribute = declaration.fields[name].attribute
        if attribute != table.ttl:
            what = f"expires by {table.ttl!r}" if table.ttl else "has no ttl"
            _reject(
                f"{declaration.name}.{name}", "marker-ttl",
                f"TTL is stored as {attribute!r}, and table {table.name!r} {what}.",
                f'declare Table({table.name!r}, ..., ttl="{attribute}")'
                + (f', or store the field as Attribute("{table.ttl}").' if table.ttl else "."),
            )  # fmt: skip
    for name, each in declaration.fields.items():
        marked = any(isinstance(marker, TTL) for marker in each.markers)
        if (
            each.attribute == table.ttl
            and not (marked or each.computed)
            and field_type(each.annotation).type is not int
        ):
            _reject(
                f"{declaration.name}.{name}", "marker-ttl",
                f"table {table.name!r} expires by {table.ttl!r}, and the field is not stored as seconds.",
                f"mark it: {name}: Annotated[datetime, TTL()].",
            )  # fmt: skip


def _check_unchanging_keys(declaration: Declaration[Any]) -> None:
    """A primary key cannot be made of what changes with each write."""
    for kind in (Version, Updated):
        for name, _ in declaration.marked(kind):
            if name in declaration.primary.fields:
                _reject(
                    f"{declaration.name}.{name}", "marker-clash",
                    f"{kind.__name__} changes with each write, and key {declaration.primary.name!r} is made of it.",
                    "leave the field out of the primary key.",
                )  # fmt: skip


def _check_null_keys(declaration: Declaration[Any]) -> None:
    """A key of an index is text, a number or bytes; NULL is refused, and nothing keeps the item out."""
    attributes = declaration.table.attribute_types
    for name, _ in declaration.marked(Null):
        if declaration.fields[name].attribute in attributes:
            _reject(
                f"{declaration.name}.{name}", "marker-clash",
                f"Null would store NULL in {declaration.fields[name].attribute!r}, a key of an index.",
                "leave Null out: without a value the item is not in the index.",
            )  # fmt: skip
