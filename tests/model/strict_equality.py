"""Equality that also asks for the same types, all the way down."""

from __future__ import annotations

from collections import deque
from datetime import datetime
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
    if isinstance(left, datetime) and left.utcoffset() == right.utcoffset():
        # Python calls no time of another zone equal to one that a change of clocks skips.
        return bool(left.replace(tzinfo=None) == right.replace(tzinfo=None))
    return bool(left == right)


class Pairs(list[Any]):
    """The members of a dict, in any order."""


def set_of_pairs(members: dict[Any, Any]) -> Pairs:
    return Pairs(members.items())
