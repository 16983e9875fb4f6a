"""Functions that say whether what was read keeps a shape's constraints, made once for each shape.

They only say yes or no, as most requests are in order; what is wrong is worked out by `violations`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, TypeAlias

from pksk.engine.texts.members import NAME_PATTERN

from .shape import Shape, shape_named

__all__ = ["LONGEST_NAME", "SHORTEST_NAME", "Fits", "fits", "is_name", "is_table_name"]

Fits: TypeAlias = Callable[[Any], bool]

_ARN: Final = "arn:"
SHORTEST_NAME: Final = 3
LONGEST_NAME: Final = 255
_LONGEST_ARN: Final = 1024

is_name: Final = re.compile(NAME_PATTERN).fullmatch

# Table names that were in order before; callers ask of few tables many times.
_KNOWN: Final[set[str]] = set()
_MOST_KNOWN: Final = 1000


@cache
def fits(name: str) -> Fits | None:
    """What says whether a value fits a shape; None where every one does.

    Example:
        >>> fits("KeyType")("HASH"), fits("KeyType")("SORT"), fits("AttributeMap")
        (True, False, None)
    """
    shape = shape_named(name)
    kind = shape.kind
    if kind == "table":
        return _is_table
    if kind == "enum":
        return frozenset(shape.choices).__contains__
    if kind == "structure":
        return _structure(shape)
    if kind in {"integer", "long", "timestamp"}:
        return _number(shape)
    if kind in {"list", "map"}:
        return _collection(shape)
    return _text(shape)


def _is_table(name: str) -> bool:
    return name in _KNOWN or _is_new_table(name)


def _is_new_table(name: str) -> bool:
    if name.startswith(_ARN):
        return len(name) <= _LONGEST_ARN
    sound = is_table_name(name)
    if sound and len(_KNOWN) < _MOST_KNOWN:
        _KNOWN.add(name)
    return sound


def is_table_name(name: str) -> bool:
    """Whether a table could have this name, which is no ARN.

    Example:
        >>> is_table_name("orders"), is_table_name("my orders"), is_table_name("or")
        (True, False, False)
    """
    return SHORTEST_NAME <= len(name) <= LONGEST_NAME and is_name(name) is not None


def _number(shape: Shape) -> Fits | None:
    if shape.least is None and shape.most is None:
        return None
    least = float("-inf") if shape.least is None else shape.least
    most = float("inf") if shape.most is None else shape.most
    return lambda value: least <= value <= most


def _text(shape: Shape) -> Fits | None:
    long_enough = _length(shape)
    if shape.kind == "name" and long_enough is not None:
        return lambda text: long_enough(text) and is_name(text) is not None
    return long_enough


def _length(shape: Shape) -> Fits | None:
    if shape.least is None and shape.most is None:
        return None
    least, most = shape.least or 0, shape.most or float("inf")
    return lambda value: least <= len(value) <= most


def _collection(shape: Shape) -> Fits | None:
    length, element = _length(shape), fits(shape.element)
    key = fits(shape.key) if shape.key else None
    if length is None and element is None and key is None:
        return None
    keyed = shape.kind == "map"

    def fit(value: Any) -> bool:
        if length is not None and not length(value):
            return False
        if key is not None and not all(map(key, value)):
            return False
        return element is None or all(map(element, value.values() if keyed else value))

    return fit


def _structure(shape: Shape) -> Fits | None:
    required = [member.name for member in shape.members if member.required]
    checked = [(member.name, check) for member in shape.members if (check := fits(member.shape)) is not None]
    if not required and not checked:
        return None

    def fit(value: Mapping[str, Any]) -> bool:
        for name in required:
            if name not in value:
                return False
        for name, check in checked:
            if name in value and not check(value[name]):
                break
        else:
            return True
        return False

    return fit
