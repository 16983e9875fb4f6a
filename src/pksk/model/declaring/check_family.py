"""A subclass with its primary key from a base is found by every question about the base: it may add keys to those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from pksk.errors import DesignError
from pksk.keys.annotations import declared

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

__all__ = ["check_family"]


def check_family(new: Declaration[Any]) -> None:
    """Refuse an entity that keeps the keys of a base in its table otherwise than the base does."""
    for base in new.table.entities:
        if base.entity is not new.entity and new.is_kind_of(base):
            _check_keys(new, base)
            _check_fields(new, base)


def _check_keys(new: Declaration[Any], base: Declaration[Any]) -> None:
    for name, key in base.keys.items():
        if name not in new.keys or new.keys[name].source is not key.source:
            _refuse(new, base, f"declares another key {name!r} than {base.name}", "give the key another name")


def _check_fields(new: Declaration[Any], base: Declaration[Any]) -> None:
    sources = {field for key in base.keys.values() for field in key.fields}
    for name, theirs in base.fields.items():
        mine = new.fields[name]
        if mine.attribute != theirs.attribute:
            _refuse(new, base, f"stores field {name!r} under another name than {base.name}", "store it alike")
        if name not in sources:
            continue
        if theirs.computed and _function(new.entity, name) is not _function(base.entity, name):
            _refuse(
                new, base, f"computes {name!r}, of which keys are made, in its own way", "compute it alike"
            )
        if declared(mine.annotation).optional and not declared(theirs.annotation).optional:
            _refuse(new, base, f"makes {name!r} optional, of which keys are made", "keep it as it is")


def _function(entity: type, name: str) -> Any:
    found = entity.__pydantic_decorators__.computed_fields[name].wrapped_property  # type: ignore[attr-defined]
    return getattr(found, "fget", found)


def _refuse(new: Declaration[Any], base: Declaration[Any], problem: str, fix: str) -> NoReturn:
    raise DesignError(
        "entity-family-key",
        f"{new.name} {problem}, in one table: a question about {base.name} is one about its subclasses too, and would "
        "miss its items or take wrong ones.",
        fix=f"{fix}, give it a primary key of its own, or make {base.name} a base without table=.",
    )
