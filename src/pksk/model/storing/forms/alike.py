"""Whether a value that was read back is the one that was written, for fields whose type says which one it must be."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from operator import eq
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from pksk.model.storing.forms.same import same
from pksk.model.storing.forms.unknown_names import unknown_names

__all__ = ["alike"]

# Types of which two values are the same when Python calls them equal.
_LEAVES = frozenset((str, int, float, Decimal, bytes, date, time, UUID, type(None)))
_ONE_BOOL = frozenset((bool,))


def alike(value: Any, back: Any) -> bool:
    """Whether both are equal all the way down; another type is no loss where Python has one value for both.

    3 is what a field of Decimals holds by `total: Decimal = 3`, and it is read back as Decimal(3). But nobody may find
    True in a number: DynamoDB has two types for them.

    Example:
        >>> from decimal import Decimal
        >>> alike(3, Decimal(3)), alike(True, 1), alike([1, (2,)], [1, [2]])
        (True, False, False)
    """
    kind: Any = type(back)
    if kind is type(value):
        compare = eq if kind in _LEAVES else _comparison(kind)  # type: ignore[arg-type]
        return bool(compare(value, back))
    if isinstance(value, bool) is not isinstance(back, bool):
        return False
    for family, compare in _BY_FAMILY:
        if isinstance(value, family) and isinstance(back, family):
            return compare(value, back)
    return isinstance(value, kind) and bool(value == back)


@lru_cache(maxsize=1000)
def _comparison(kind: Any) -> Callable[[Any, Any], bool]:
    """What compares two values of one type; found once, since to ask whether a type is a model's is slow."""
    for family, compare in _BY_FAMILY:
        if issubclass(kind, family):
            return compare
    return _attributes if is_dataclass(kind) else eq


def _attributes(value: Any, back: Any) -> bool:
    return all(alike(getattr(value, each.name), getattr(back, each.name)) for each in fields(back))


def _plainly(value: Collection[Any], back: Collection[Any]) -> bool:
    """Whether members are of types that need no second look."""
    kinds = {*map(type, back)}
    return (kinds <= _LEAVES or kinds == _ONE_BOOL) and kinds == {*map(type, value)}


def _in_order(value: Any, back: Any) -> bool:
    if _plainly(value, back):
        return bool(value == back)
    return len(value) == len(back) and all(map(alike, value, back))


def _by_name(value: dict[Any, Any], back: dict[Any, Any]) -> bool:
    if len(value) != len(back) or not _in_any_order(value.keys(), back.keys()):
        return False
    if _plainly(value.values(), back.values()):
        return value == back
    return all(alike(member, back[name]) for name, member in value.items())


def _in_any_order(value: Any, back: Any) -> bool:
    if _plainly(value, back):
        return bool(value == back)
    # True and 1 are one member to Python, so a set cannot show which of them it holds but by its type.
    bools = {each for each in value if isinstance(each, bool)}
    return bool(value == back) and all(isinstance(each, bool) is (each in bools) for each in back)


def _fields(value: BaseModel, back: BaseModel) -> bool:
    here, there = value.__dict__, back.__dict__
    if type(value) is not type(back) or (len(here) != len(there) and unknown_names(value)):
        return False
    for name, member in there.items():
        if name not in here or not alike(here[name], member):
            return False
    extra = value.__pydantic_extra__
    return extra is back.__pydantic_extra__ or same(extra, back.__pydantic_extra__)


def _instants(value: datetime, back: datetime) -> bool:
    # Python calls no time of another zone equal to one that a change of clocks skips or repeats.
    apart = value.utcoffset() != back.utcoffset()
    return value == back or not (apart or value.replace(tzinfo=None) != back.replace(tzinfo=None))


_BY_FAMILY: tuple[tuple[Any, Callable[[Any, Any], bool]], ...] = (
    (list, _in_order),
    (dict, _by_name),
    ((set, frozenset), _in_any_order),
    (BaseModel, _fields),
    (datetime, _instants),
    (tuple, _in_order),
    (deque, _in_order),
    # Stored alike, whichever of them it is.
    ((int, float, Decimal), eq),
    ((bytes, bytearray, memoryview), eq),
    (str, eq),
)
