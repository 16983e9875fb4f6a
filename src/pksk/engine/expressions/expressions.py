"""What one request says in expressions or in their legacy forms, read and checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pksk.expressions import Condition, KeyPart, Projection, Update
from pksk.expressions.compile import compile_condition
from pksk.expressions.leaf_tests import Test

__all__ = ["NOTHING", "AttributeUpdates", "Decision", "Expressions", "decision"]


class Decision:
    """A condition as a quick function of the item, beside its tree, which may lack the values."""

    __slots__ = ("test", "tree")

    def __init__(self, tree: Condition, test: Test) -> None:
        self.tree = tree
        self.test = test


def decision(tree: Condition) -> Decision:
    """The decision of a condition that holds its values."""
    return Decision(tree, compile_condition(tree).test({}))


@dataclass(slots=True)
class Expressions:
    """What a request's expressions say; of those that it does not have, None. Shared, so not to be changed."""

    condition: Decision | None = None
    filter: Decision | None = None
    key_parts: tuple[KeyPart, ...] | None = None
    update: Update | None = None
    projection: Projection | None = None


NOTHING: Final = Expressions()


class AttributeUpdates(Update):
    """An update in its legacy form, which may add to lists, and whose refusals are worded otherwise."""

    __slots__ = ()
