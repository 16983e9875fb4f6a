"""Decides whether an item satisfies a condition; a condition is compiled once and then tested on many items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .leaf_tests import CompiledLeaf, Item, Test, Wire, compile_leaf
from .tree import And, Condition, Not, Or

# The next leaf after one that is true or false, or one of the two results.
_TRUE: Final = -1
_FALSE: Final = -2
_NEXT: Final = -3
_Step = tuple[Any, int, int]


def compile_condition(condition: Condition) -> CompiledCondition:
    """A condition, perhaps with value placeholders, compiled for many items.

    Example:
        >>> from pksk.expressions import parse_condition
        >>> passes = compile_condition(parse_condition("amount > :min")).test({":min": {"N": "10"}})
        >>> [passes({"amount": {"N": number}}) for number in ("9", "11")]
        [False, True]
    """
    return CompiledCondition(_steps(condition))


class CompiledCondition:
    """The leaves of a condition, each with the next leaf, so that evaluation needs no recursion.

    The last leaf comes first.
    """

    __slots__ = ("_joined", "_steps")

    def __init__(self, steps: list[_Step]) -> None:
        self._steps = steps
        # Whether all leaves must be true.
        self._joined = all(
            holds == index - 1 and fails == _FALSE for index, (_, holds, fails) in enumerate(steps)
        )

    def test(self, values: Mapping[str, Wire]) -> Test:
        """The condition as a function of the item, with these values for its placeholders."""
        if len(self._steps) == 1:
            return _single(*self._steps[0], values)
        steps = [(leaf.test(values), holds, fails) for leaf, holds, fails in self._steps]
        return _all([test for test, _, _ in reversed(steps)]) if self._joined else _walk(steps)


def _steps(condition: Condition) -> list[_Step]:
    """The leaves from last to first, so that the next leaf of each is already known."""
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
            leaf, expected = compile_leaf(node)
            steps.append((leaf, holds, fails) if expected else (leaf, fails, holds))
    return steps


def _single(leaf: CompiledLeaf, holds: int, _fails: int, values: Mapping[str, Wire]) -> Test:
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
        index = first
        while index >= 0:
            leaf, holds, fails = steps[index]
            index = holds if leaf(item) else fails
        return index == _TRUE

    return test


def evaluate(condition: Condition, item: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether an item in DynamoDB's JSON satisfies a condition without placeholders.

    Numbers compare by value, text and binary by bytes. A missing value, or one of another type, is not equal to
    any value, is not in an order, and is ``<>`` to every value.

    Example:
        >>> from pksk.expressions import F
        >>> item = {"total": {"N": "12.0"}, "tags": {"SS": ["x", "y"]}}
        >>> evaluate((F.total == 12) & F.tags.contains("x") & ~F.note.exists(), item)
        True
    """
    try:
        test: Test = condition.prepared
    except AttributeError:
        test = compile_condition(condition).test({})
        object.__setattr__(condition, "prepared", test)
    return test(item)
