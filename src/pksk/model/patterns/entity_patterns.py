"""Finds the access patterns in the body of an entity, once its class is complete."""

from __future__ import annotations

from inspect import getattr_static
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.model.patterns.access_decorator import PatternFunction
    from pksk.model.patterns.pattern import Pattern

# Where the function that stands for a pattern keeps its Calls, until its class is complete.
PATTERN_ATTRIBUTE = "__pksk_access__"


def entity_patterns(entity: type[Entity]) -> list[Pattern]:
    """The patterns of a class, and those of its bases that belong to no table themselves.

    Patterns beside the class that had to wait for it are checked now, too.
    """
    for pattern in entity.__pksk__.table.patterns:
        if getattr(pattern, "incomplete", ()):
            pattern.check_once_complete()
    return [_check_pattern(entity, name, calls) for name, calls in _pattern_functions(entity)]


def _check_pattern(entity: type[Entity], name: str, calls: PatternFunction) -> Pattern:
    from pksk.model.patterns.pattern import Pattern

    pattern = Pattern(f"{entity.__name__}.{name}", getattr(entity, name), calls.options, entity)
    calls.belongs_to(entity, pattern.name)
    pattern.check()
    return pattern


def _pattern_functions(entity: type[Entity]) -> list[tuple[str, Any]]:
    found: dict[str, Any] = {}
    for base in reversed(entity.__mro__):
        # Patterns of classes that are no models are registered where they stand.
        if hasattr(base, "__pydantic_fields__"):
            found |= {
                name: value
                for name, value in list(vars(base).items())
                if not name.startswith("__") and pattern_function(value)
            }
    # A base with a table of its own has registered what it has.
    tabled = [
        base for base in entity.__mro__[1:] if vars(base).get("__pksk_options__", {}).get("table") is not None
    ]
    return [
        (name, pattern_function(value))
        for name, value in found.items()
        if not any(getattr_static(base, name, None) is value for base in tabled)
    ]


def pattern_function(value: object) -> PatternFunction | None:
    """The calls of what stands in a class body, if it is a pattern."""
    found: PatternFunction | None = getattr(getattr(value, "__func__", value), PATTERN_ATTRIBUTE, None)
    return found
