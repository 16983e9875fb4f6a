"""Reference: which entity it leads to, and which fields here are the parts of its primary key."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import DesignError, did_you_mean, quote
from pksk.keys.field_type import field_type
from pksk.keys.parts.part import type_name
from pksk.model.markers import Reference

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

__all__ = ["ResolvedReference", "UndeclaredEntity", "check_references", "resolve_reference"]


@dataclass(frozen=True, slots=True)
class ResolvedReference:
    """Where a reference leads: the other entity, and the field here for each part of its primary key."""

    declaration: Declaration[Any]
    parts: Mapping[str, str]


class UndeclaredEntity(DesignError):
    """A reference to an entity that is not declared yet; it may still come."""


def resolve_reference(
    declaration: Declaration[Any], name: str, marker: Reference, newest: Declaration[Any] | None = None
) -> ResolvedReference:
    """The entity and the parts that a reference means, or the error; `newest` is not registered yet."""
    where = f"{declaration.name}.{name}"
    other = _referenced_entity(where, declaration, marker, newest or declaration)
    parts = _key_parts(where, declaration, name, marker, other)
    for part, field in parts.items():
        _check_type(where, part, _kind_of_field(other, part), field, _kind_of_field(declaration, field))
    return ResolvedReference(other, parts)


def check_references(declaration: Declaration[Any]) -> None:
    """Refuse references that lead nowhere: of this entity, and of others of the table that may have waited for it."""
    for each in (*declaration.table.entities, declaration):
        for name, marker in each.unresolved:
            with suppress(UndeclaredEntity):
                found = resolve_reference(each, name, marker, declaration)
                if declaration not in (each, found.declaration):
                    each.remembered["reference", name] = found


def _reject(where: str, problem: str, *, expected: str = "", fix: str) -> NoReturn:
    raise DesignError("marker-reference", f"{where}: {problem}", expected=expected, fix=fix)


def _referenced_entity(
    where: str, declaration: Declaration[Any], marker: Reference, newest: Declaration[Any]
) -> Declaration[Any]:
    entity: Any = marker.entity
    if isinstance(entity, str):
        return _entity_by_name(where, declaration, entity, newest)
    if not isinstance(entity, type) and callable(entity):
        try:
            entity = entity()
        except NameError as error:
            raise _undeclared_entity(where, f"{error}") from None
    if not (isinstance(entity, type) and hasattr(entity, "__pksk_options__")):
        _reject(
            where, f"{quote(entity)} is no entity.",
            fix="give the class of an entity, its name, or a function that returns it.",
        )  # fmt: skip
    if entity is newest.entity:
        return newest
    # Not by getattr: it would complete a class that waits for names, in the midst of another.
    found: Declaration[Any] | None = next(
        (vars(base)["__pksk__"] for base in entity.__mro__ if "__pksk__" in vars(base)), None
    )
    in_a_table = entity.__pksk_options__.get("table") is not None
    if found is None and in_a_table and not getattr(entity, "__pydantic_complete__", True):
        raise _undeclared_entity(where, f"{entity.__name__} is not complete")
    if found is None:
        _reject(
            where,
            f"{entity.__name__} stands in no table.",
            fix="refer to an entity that is declared with table=.",
        )
    return found


def _entity_by_name(
    where: str, declaration: Declaration[Any], name: str, newest: Declaration[Any]
) -> Declaration[Any]:
    known: dict[str, Declaration[Any]] = {each.name: each for each in declaration.table.entities}
    known |= {each.name: each for each in (declaration, newest)}
    if name in known:
        return known[name]
    near = did_you_mean(name, known)
    raise _undeclared_entity(where, f"table {declaration.table.name!r} has no entity {name!r}", near)


def _undeclared_entity(where: str, problem: str, near: str = "") -> UndeclaredEntity:
    return UndeclaredEntity(
        "marker-reference",
        f"{where}: {problem}.",
        fix=f"did you mean {near!r}?"
        if near
        else "declare the entity, or give a function that returns it if it stands in another table.",
    )


def _key_parts(
    where: str, declaration: Declaration[Any], name: str, marker: Reference, other: Declaration[Any]
) -> dict[str, str]:
    needed, given = other.primary.fields, dict(marker.parts)
    _check_names(where, declaration, other, given)
    open_ = [part for part in needed if part not in given]
    if name in given.values():
        mine = None
    elif name in open_ or len(open_) == 1:
        mine = name if name in open_ else open_[0]
    else:
        # Of several parts, the one that no field here is called after.
        strange = [part for part in open_ if part not in declaration.fields]
        mine = strange[0] if len(strange) == 1 else None
    parts = {part: name if part == mine else given.get(part, part) for part in needed}
    missing = [part for part, field in parts.items() if field not in declaration.fields]
    if missing or name not in parts.values():
        _reject_parts(where, name, other, [*missing, *open_, *needed])
    return parts


def _reject_parts(where: str, name: str, other: Declaration[Any], parts: list[str]) -> NoReturn:
    needed = ", ".join(other.primary.fields) or "none"
    example = f"Reference({other.name}, {next(iter(parts), 'part')}={name!r})"
    _reject(
        where, f"the field alone does not say which {other.name} is meant.",
        expected=f"The parts of {other.name}.{other.primary.name} are: {needed}.",
        fix=f"say which field holds each part, for example {example}."
        if other.primary.fields else "refer to an entity whose key has parts.",
    )  # fmt: skip


def _check_names(
    where: str, declaration: Declaration[Any], other: Declaration[Any], given: Mapping[str, str]
) -> None:
    for part, field in given.items():
        for word, known, what in (
            (part, other.primary.fields, f"part of {other.name}.{other.primary.name}"),
            (field, tuple(declaration.fields), f"field of {declaration.name}"),
        ):
            if word not in known:
                near = did_you_mean(word, known)
                _reject(
                    where, f"{quote(word)} is no {what}.", expected=f"There are: {', '.join(known)}.",
                    fix=f"did you mean {near!r}?" if near else "use one of them.",
                )  # fmt: skip


def _kind_of_field(declaration: Declaration[Any], field: str) -> Any:
    """The type of a field, without what may stand around it."""
    return field_type(declaration.fields[field].annotation).type


def _check_type(where: str, part: str, theirs: Any, field: str, mine: Any) -> None:
    both = isinstance(theirs, type) and isinstance(mine, type)
    if theirs == mine or (both and (issubclass(theirs, mine) or issubclass(mine, theirs))):
        return
    _reject(
        where, f"field {field!r} is of type {type_name(mine)}, and part {part!r} of type {type_name(theirs)}.",
        fix=f"declare both as {type_name(theirs)}.",
    )  # fmt: skip
