"""Finds the access patterns that stand in the body of an entity, once its class is complete."""

from __future__ import annotations

from inspect import getattr_static
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.model.patterns.calls import Calls
    from pksk.model.patterns.pattern import Pattern

__all__ = ["MARK", "calls_of", "checked_patterns"]

# Where the function that stands for a pattern keeps its Calls, until its class is complete.
MARK = "__pksk_access__"


def checked_patterns(entity: type[Entity]) -> list[Pattern]:
    """The patterns of a class, and those of its bases that belong to no table themselves.

    Patterns beside the class that had to wait for it are checked now, too.
    """
    for pattern in entity.__pksk__.table.patterns:
        if getattr(pattern, "awaits", ()):
            pattern.check_once_complete()
    return [_checked(entity, name, calls) for name, calls in _marked(entity)]


def _checked(entity: type[Entity], name: str, calls: Calls) -> Pattern:
    from pksk.model.patterns.pattern import Pattern

    pattern = Pattern(f"{entity.__name__}.{name}", getattr(entity, name), calls.declared, entity)
    calls.belongs_to(entity, pattern.name)
    pattern.check()
    return pattern


def _marked(entity: type[Entity]) -> list[tuple[str, Any]]:
    found: dict[str, Any] = {}
    for base in reversed(entity.__mro__):
        # Patterns of classes that are no models are registered where they stand.
        if hasattr(base, "__pydantic_fields__"):
            found |= {
                name: value
                for name, value in list(vars(base).items())
                if not name.startswith("__") and calls_of(value)
            }
    # A base with a table of its own has registered what it has.
    tabled = [
        base for base in entity.__mro__[1:] if vars(base).get("__pksk_options__", {}).get("table") is not None
    ]
    return [
        (name, calls_of(value))
        for name, value in found.items()
        if not any(getattr_static(base, name, None) is value for base in tabled)
    ]


def calls_of(value: object) -> Calls | None:
    """The calls of what stands in a class body, if it is a pattern."""
    found: Calls | None = getattr(getattr(value, "__func__", value), MARK, None)
    return found
