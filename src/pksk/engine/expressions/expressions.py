"""What one request says in expressions or in their legacy forms, read and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from pksk.expressions import And, Condition, KeyPart, Projection, Update
from pksk.expressions.compile import Compiled, compile_condition

__all__ = ["NOTHING", "AttributeUpdates", "Bound", "Expressions", "test"]

WireItem: TypeAlias = Mapping[str, Mapping[str, Any]]


@dataclass(slots=True)
class Expressions:
    """The trees of a request's expressions; of those that it does not have, None. Shared, so not to be changed."""

    condition: Condition | None = None
    filter: Condition | None = None
    key_parts: tuple[KeyPart, ...] | None = None
    update: Update | None = None
    projection: Projection | None = None


NOTHING: Final = Expressions()


class Bound(And):
    """A condition that is compiled already; its values stand beside it, and not in its tree."""

    __slots__ = ("compiled", "values")
    compiled: Compiled
    values: Mapping[str, Any]

    def __init__(self, condition: Condition, compiled: Compiled, values: Mapping[str, Any]) -> None:
        object.__setattr__(self, "conditions", (condition,))
        object.__setattr__(self, "compiled", compiled)
        object.__setattr__(self, "values", values)


class AttributeUpdates(Update):
    """An update in its legacy form, which may add to lists, and whose refusals are worded otherwise."""

    __slots__ = ()


def test(condition: Condition) -> Callable[[WireItem], bool]:
    """A condition as a quick function of the item."""
    if type(condition) is Bound:
        return condition.compiled.test(condition.values)
    return compile_condition(condition).test({})
