"""Finds the access patterns in the body of an entity, once its class is complete."""

from __future__ import annotations

from inspect import getattr_static, signature
from types import FunctionType
from typing import TYPE_CHECKING

from pksk.errors import DesignError

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.model.patterns.access_decorator import PatternFunction
    from pksk.model.patterns.pattern import Pattern

# The attribute of a decorated function that holds its PatternFunction.
PATTERN_ATTRIBUTE = "__pksk_access__"


def entity_patterns(entity: type[Entity]) -> list[Pattern]:
    """The patterns of a class, and of its bases without a table.

    Also checks patterns outside the class that had to wait until it was complete.
    """
    for pattern in entity.__pksk__.table.patterns:
        if getattr(pattern, "incomplete", ()):
            pattern.check_once_complete()
    return [_check_pattern(entity, name, function) for name, function in _pattern_functions(entity)]


def _check_pattern(entity: type[Entity], name: str, function: PatternFunction) -> Pattern:
    from pksk.model.patterns.pattern import Pattern

    _check_class_method(entity, name)
    pattern = Pattern(f"{entity.__name__}.{name}", getattr(entity, name), function.options, entity)
    function.belongs_to(entity, pattern.name)
    pattern.check()
    return pattern


def _check_class_method(entity: type[Entity], name: str) -> None:
    """Reject a plain function, whose first parameter would get the first argument of a call of the class."""
    function = getattr_static(entity, name)
    if not isinstance(function, FunctionType):
        return
    first = next(iter(signature(function).parameters), "")
    if first == "self":
        return
    takes = f"its first parameter is {first!r}" if first else "it has no parameters"
    raise DesignError(
        "access-method",
        f"{entity.__name__}.{name}: it is neither a class method nor a static method, and {takes}.",
        expected="Called on the class, it receives only the arguments of the call, so the first one becomes 'cls'.",
        fix=f"write @classmethod between @access(...) and def {name}(cls, ...).",
    )


def _pattern_functions(entity: type[Entity]) -> list[tuple[str, PatternFunction]]:
    functions: dict[str, tuple[object, PatternFunction]] = {}
    for base in reversed(entity.__mro__):
        # Patterns of other classes are registered by the decorator.
        if hasattr(base, "__pydantic_fields__"):
            functions |= {
                name: (value, function)
                for name, value in list(vars(base).items())
                if not name.startswith("__") and (function := pattern_function(value))
            }
    # A base with a table has registered its own patterns.
    with_table = [
        base for base in entity.__mro__[1:] if vars(base).get("__pksk_options__", {}).get("table") is not None
    ]
    return [
        (name, function)
        for name, (value, function) in functions.items()
        if not any(getattr_static(base, name, None) is value for base in with_table)
    ]


def pattern_function(value: object) -> PatternFunction | None:
    """The PatternFunction of a value in a class body, if it is a pattern."""
    function: PatternFunction | None = getattr(getattr(value, "__func__", value), PATTERN_ATTRIBUTE, None)
    return function
