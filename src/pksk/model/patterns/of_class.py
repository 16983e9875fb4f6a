"""Finds the access patterns that stand in the body of an entity, once its class is complete."""

from __future__ import annotations

from inspect import getattr_static
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.model.patterns.pattern import Pattern

__all__ = ["MARK", "checked_patterns"]

# Where a function of a class body keeps what was declared, until its class is complete.
MARK = "__pksk_access__"


def checked_patterns(entity: type[Entity]) -> list[Pattern]:
    """The marked functions of a class, and those of its bases that belong to no table themselves."""
    return [_checked(entity, name, function) for name, function in _marked(entity)]


def _checked(entity: type[Entity], name: str, function: Any) -> Pattern:
    from pksk.model.patterns.pattern import Pattern

    declared = getattr(getattr(function, "__func__", function), MARK)
    pattern = Pattern(f"{entity.__name__}.{name}", getattr(entity, name), declared, entity)
    pattern.check()
    return pattern


def _marked(entity: type[Entity]) -> list[tuple[str, Any]]:
    found: dict[str, Any] = {}
    for base in reversed(entity.__mro__):
        found |= {
            name: value
            for name, value in vars(base).items()
            if hasattr(getattr(value, "__func__", value), MARK)
        }
    # A base with a table of its own has registered what it has.
    tabled = [
        base for base in entity.__mro__[1:] if vars(base).get("__pksk_options__", {}).get("table") is not None
    ]
    return [
        (name, value)
        for name, value in found.items()
        if not any(getattr_static(base, name, None) is value for base in tabled)
    ]
