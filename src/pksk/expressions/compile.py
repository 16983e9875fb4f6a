"""Conditions compiled: read once, then tests that are quick for many items, however deep the condition is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .leaf_tests import Item, Leaf, Test, Wire, read_leaf
from .tree import And, Condition, Not, Or

__all__ = ["Compiled", "compile_condition"]

# Where to go on when a leaf holds or does not: to another leaf, or to one of the two ends.
_TRUE: Final = -1
_FALSE: Final = -2
_NEXT: Final = -3
_Step = tuple[Any, int, int]


def compile_condition(condition: Condition) -> Compiled:
    """A condition that may still hold placeholders of values, ready for many items.

    Example:
        >>> from pksk.expressions import parse_condition
        >>> passes = compile_condition(parse_condition("amount > :min")).test({":min": {"N": "10"}})
        >>> [passes({"amount": {"N": number}}) for number in ("9", "11")]
        [False, True]
    """
    return Compiled(_steps(condition))


class Compiled:
    """The leaves of a condition, each with the leaf to go on with; so no nesting is deeper than one call.

    The last leaf stands first.
    """

    __slots__ = ("_joined", "_steps")

    def __init__(self, steps: list[_Step]) -> None:
        self._steps = steps
        # Whether all leaves must hold.
        self._joined = all(
            holds == place - 1 and fails == _FALSE for place, (_, holds, fails) in enumerate(steps)
        )

    def test(self, values: Mapping[str, Wire]) -> Test:
        """The condition as a function of the item, with these values for its placeholders."""
        if len(self._steps) == 1:
            return _single(*self._steps[0], values)
        steps = [(leaf.test(values), holds, fails) for leaf, holds, fails in self._steps]
        return _all([test for test, _, _ in reversed(steps)]) if self._joined else _walk(steps)


def _steps(condition: Condition) -> list[_Step]:
    """The leaves from the last to the first, so that where each goes on is known when it is met."""
    steps: list[_Step] = []
    pending: list[tuple[Any, int, int]] = [(condition, _TRUE, _FALSE)]
    while pending:
        node, holds, fails = pending.pop()
        following = len(steps) - 1
        holds = following if holds == _NEXT else holds
        fails = following if fails == _NEXT else fails
        kind = type(node)
        if kind is And:
            pending += [(inner, _NEXT, fails) for inner in node.conditions[:-1]]
            pending.append((node.conditions[-1], holds, fails))
        elif kind is Or:
            pending += [(inner, holds, _NEXT) for inner in node.conditions[:-1]]
            pending.append((node.conditions[-1], holds, fails))
        elif kind is Not:
            pending.append((node.condition, fails, holds))
        else:
            leaf, wanted = read_leaf(node)
            steps.append((leaf, holds, fails) if wanted else (leaf, fails, holds))
    return steps


def _single(leaf: Leaf, holds: int, _fails: int, values: Mapping[str, Wire]) -> Test:
    test = leaf.test(values)
    return test if holds == _TRUE else lambda item: not test(item)


def _all(tests: list[Test]) -> Test:
    if len(tests) == 2:
        first, second = tests
        return lambda item: first(item) and second(item)

    def test(item: Item) -> bool:
        for each in tests:  # noqa: SIM110  # twice as quick as all()
            if not each(item):
                return False
        return True

    return test


def _walk(steps: list[_Step]) -> Test:
    first = len(steps) - 1

    def test(item: Item) -> bool:
        place = first
        while place >= 0:
            leaf, holds, fails = steps[place]
            place = holds if leaf(item) else fails
        return place == _TRUE

    return test
