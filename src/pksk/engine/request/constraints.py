"""The constraints of shapes: whether a value meets them, and DynamoDB's messages if it does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, TypeAlias

from pksk.engine.texts import members as texts
from pksk.engine.texts.members import NAME_PATTERN

from .shape import Shape, shape_named

Fits: TypeAlias = Callable[[Any], bool]

_ARN: Final = "arn:"
SHORTEST_NAME: Final = 3
LONGEST_NAME: Final = 255
_LONGEST_ARN: Final = 1024

is_name: Final = re.compile(NAME_PATTERN).fullmatch
# Table names that were found valid. Without them a GetItem takes 1 % longer, and the row in speed.md has no room.
_VALID_NAMES: Final[set[str]] = set()
_MOST_VALID_NAMES: Final = 1024


@cache
def fits(name: str) -> Fits | None:
    """The function that checks a value against a shape; None if every value is valid.

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
    if name in _VALID_NAMES:
        return True
    if name.startswith(_ARN):
        return len(name) <= _LONGEST_ARN
    is_valid = is_table_name(name)
    if is_valid and len(_VALID_NAMES) < _MOST_VALID_NAMES:
        _VALID_NAMES.add(name)
    return is_valid


def is_table_name(name: str) -> bool:
    """Whether a name is valid for a table. An ARN is not.

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


def all_constraints(shape: Shape) -> list[str]:
    """All constraints of a shape, as DynamoDB lists them when an element breaks one.

    Example:
        >>> from .shape import shape_named
        >>> all_constraints(shape_named("TagKeyString"))[0]
        'Member must have length less than or equal to 128'
    """
    named = shape.kind in {"name", "table"}
    least, most = (SHORTEST_NAME, LONGEST_NAME) if named else (shape.least, shape.most)
    longest = [] if most is None else [texts.longest(most)]
    shortest = [] if least is None else [texts.shortest(least)]
    return [*longest, *shortest, *([texts.pattern(texts.NAME_PATTERN)] if named else [])]


def broken_constraints(shape: Shape, value: Any, *, every_name_fault: bool) -> list[str]:
    """The constraints that a string or a number breaks.

    Example:
        >>> from .shape import shape_named
        >>> broken_constraints(shape_named("ScanSegment"), -1, every_name_fault=False)
        ['Member must have value greater than or equal to 0']
    """
    if shape.kind in {"integer", "long"}:
        return _broken_bounds(value, shape.least, shape.most, texts.at_least, texts.at_most)
    if shape.kind == "string" or (
        shape.kind == "table" and broken_lengths(shape, value) and shape.least == 1
    ):
        return broken_lengths(shape, value)
    length = _broken_bounds(len(value), SHORTEST_NAME, LONGEST_NAME, texts.shortest, texts.longest)
    pattern = [] if is_name(value) else [texts.pattern(texts.NAME_PATTERN)]
    return [*pattern, *length] if every_name_fault else [*length, *pattern][:1]


def broken_lengths(shape: Shape, value: Any) -> list[str]:
    """The bound that the length of a string, list or map breaks."""
    return _broken_bounds(len(value), shape.least, shape.most, texts.shortest, texts.longest)


def _broken_bounds(
    measure: int, least: int | None, most: int | None, low: Callable[[int], str], high: Callable[[int], str]
) -> list[str]:
    if least is not None and measure < least:
        return [low(least)]
    return [high(most)] if most is not None and measure > most else []
