"""Whether a condition holds for an item, as DynamoDB decides it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .compare import equal, find, set_members
from .compile import compile_condition
from .leaf_tests import Test
from .tree import Condition

__all__ = ["equal", "evaluate", "find", "set_members"]


def evaluate(condition: Condition, item: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether an item in DynamoDB's JSON satisfies a condition without placeholders.

    Numbers compare by value, text and binary by bytes. What is absent, or of another type, equals
    nothing, is in no order, and is ``<>`` to everything.

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
