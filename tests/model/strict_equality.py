"""Equality that also requires equal types, at every level."""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel


def equal(left: Any, right: Any) -> bool:
    """Whether two values are equal and of the same types; every pair is tried where there is no order."""
    if type(left) is not type(right):
        return False
    if isinstance(left, BaseModel):
        return equal(left.__dict__, right.__dict__) and equal(
            left.__pydantic_extra__, right.__pydantic_extra__
        )
    if isinstance(left, dict):
        left, right = set_of_pairs(left), set_of_pairs(right)
    if isinstance(left, (set, frozenset, Pairs)):
        return len(left) == len(right) and all(any(equal(one, other) for other in right) for one in left)
    if isinstance(left, (list, tuple, deque)):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, datetime) and left.tzinfo is not None and right.tzinfo is not None:
        # Python calls no time of another zone equal to one that a change of clocks skips or repeats.
        return bool(left.astimezone(UTC) == right.astimezone(UTC))
    return bool(left == right)


class Pairs(list[Any]):
    """The members of a dict, in any order."""


def set_of_pairs(members: dict[Any, Any]) -> Pairs:
    return Pairs(members.items())
