"""Whether two values are the same: equal, and of the same types all the way down."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel

__all__ = ["same"]


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal and of the same types; 1 and 1.0 are not.

    Example:
        >>> same([1, {"a"}], [1, {"a"}]), same(1, 1.0), same({1: "a"}, {True: "a"})
        (True, False, False)
    """
    if type(left) is not type(right):
        return False
    compare = next((each for kind, each in _BY_FAMILY if isinstance(left, kind)), None)
    if compare is not None:
        return compare(left, right)
    if is_dataclass(left) and not isinstance(left, type):
        return all(same(getattr(left, each.name), getattr(right, each.name)) for each in fields(left))
    return bool(left == right)


def _in_order(left: Any, right: Any) -> bool:
    return len(left) == len(right) and all(map(same, left, right))


def _by_name(left: dict[Any, Any], right: dict[Any, Any]) -> bool:
    kinds = {(type(key), key) for key in right}
    return len(left) == len(right) and all(
        (type(key), key) in kinds and same(member, right[key]) for key, member in left.items()
    )


def _in_any_order(left: Any, right: Any) -> bool:
    return {(type(each), each) for each in left} == {(type(each), each) for each in right}


def _fields(left: BaseModel, right: BaseModel) -> bool:
    names = type(left).__pydantic_fields__
    return all(same(left.__dict__.get(name), right.__dict__.get(name)) for name in names) and same(
        left.__pydantic_extra__, right.__pydantic_extra__
    )


def _instants(left: datetime, right: datetime) -> bool:
    # Python calls no time of another zone equal to one that a change of clocks skips or repeats.
    apart = left.utcoffset() != right.utcoffset()
    return left == right or not (apart or left.replace(tzinfo=None) != right.replace(tzinfo=None))


_BY_FAMILY: tuple[tuple[Any, Callable[[Any, Any], bool]], ...] = (
    (BaseModel, _fields),
    (datetime, _instants),
    (dict, _by_name),
    ((set, frozenset), _in_any_order),
    ((list, tuple, deque), _in_order),
)
