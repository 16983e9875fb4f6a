"""The shapes of requests and their constraints, with DynamoDB's messages for values that break them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

from . import messages
from .shapes import OPERATIONS, SHAPES

# A request as operations read it, or a member of one: in DynamoDB's JSON, with checked types.
Request: TypeAlias = Mapping[str, Any]


class Member(NamedTuple):
    """A member of a structure: its name, the name of its shape, and whether it is required."""

    name: str
    shape: str
    required: bool


class Shape(NamedTuple):
    """A type with its constraints; fields that do not apply to its kind are empty."""

    name: str
    kind: str
    members: tuple[Member, ...] = ()  # of a structure
    key: str = ""  # of a map
    element: str = ""  # of a list, or of a map's values
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()


@cache
def request_shape(operation: str) -> Shape:
    """The structure of an operation's request."""
    return Shape(f"{operation}Input", "structure", tuple(map(_member, OPERATIONS[operation].split())))


@cache
def shape_named(name: str) -> Shape:
    """A shape by its name; the built-in ones are string, boolean, integer, long, timestamp and value."""
    kind, *words = SHAPES.get(name, name).split()
    if kind == "structure":
        return Shape(name, kind, members=tuple(map(_member, words)))
    if kind == "enum":
        return Shape(name, kind, choices=tuple(words))
    least, most = _bounds(words.pop()) if words and ".." in words[-1] else (None, None)
    key = words[0] if kind == "map" else ""
    element = words[-1] if words else ""
    return Shape(name, kind, key=key, element=element, least=least, most=most)


def _member(word: str) -> Member:
    name, _, shape = word.partition(":")
    bare = name.rstrip("!")
    return Member(bare, shape or bare, required=bare != name)


def _bounds(word: str) -> tuple[int | None, int | None]:
    least, _, most = word.partition("..")
    return int(least) if least else None, int(most) if most else None


Fits: TypeAlias = Callable[[Any], bool]

_ARN: Final = "arn:"
_SHORTEST_NAME: Final = 3
_LONGEST_NAME: Final = 255
_LONGEST_ARN: Final = 1024

_is_name: Final = re.compile(messages.NAME_PATTERN).fullmatch
# Valid table names. Without this cache, a GetItem takes 1 % longer.
_VALID_NAMES: Final[set[str]] = set()
_MOST_VALID_NAMES: Final = 1024


@cache
def fits(name: str) -> Fits | None:
    """The function that checks a value against a shape; None if every value is valid."""
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
    """Whether a name is valid for a table. An ARN is not."""
    return _SHORTEST_NAME <= len(name) <= _LONGEST_NAME and _is_name(name) is not None


def _number(shape: Shape) -> Fits | None:
    if shape.least is None and shape.most is None:
        return None
    least = float("-inf") if shape.least is None else shape.least
    most = float("inf") if shape.most is None else shape.most
    return lambda value: least <= value <= most


def _text(shape: Shape) -> Fits | None:
    long_enough = _length(shape)
    if shape.kind == "name" and long_enough is not None:
        return lambda text: long_enough(text) and _is_name(text) is not None
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
    is_map = shape.kind == "map"

    def fit(value: Any) -> bool:
        if length is not None and not length(value):
            return False
        if key is not None and not all(map(key, value)):
            return False
        return element is None or all(map(element, value.values() if is_map else value))

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


def constraints_of(shape: Shape) -> list[str]:
    """All constraints of a shape, as DynamoDB lists them when an element breaks one."""
    named = shape.kind in {"name", "table"}
    least, most = (_SHORTEST_NAME, _LONGEST_NAME) if named else (shape.least, shape.most)
    longest = [] if most is None else [messages.longest(most)]
    shortest = [] if least is None else [messages.shortest(least)]
    return [*longest, *shortest, *([messages.pattern(messages.NAME_PATTERN)] if named else [])]


def broken_constraints(shape: Shape, value: Any) -> list[str]:
    """The constraints that a number, or a string other than a name, breaks."""
    if shape.kind in {"integer", "long"}:
        return _broken_bounds(value, shape.least, shape.most, messages.at_least, messages.at_most)
    return broken_lengths(shape, value)


# Of these names the pattern is reported before the length.
_PATTERN_FIRST: Final = frozenset({"BackupName", "TableArn", "TableName"})


def broken_name(shape: Shape, value: str, *, every_violation: bool) -> dict[str, str]:
    """The constraints that a name breaks, its "length" and its "pattern": all of them, or the length if both."""
    if shape.kind == "table" and broken_lengths(shape, value) and shape.least == 1:
        return {"length": broken_lengths(shape, value)[0]}
    lengths = _broken_bounds(len(value), _SHORTEST_NAME, _LONGEST_NAME, messages.shortest, messages.longest)
    broken = dict(zip(("length",), lengths, strict=False))
    if not _is_name(value) and (every_violation or not broken):
        pattern = {"pattern": messages.pattern(messages.NAME_PATTERN)}
        return pattern | broken if shape.name in _PATTERN_FIRST else broken | pattern
    return broken


def broken_lengths(shape: Shape, value: Any) -> list[str]:
    """The bound that the length of a string, list or map breaks."""
    return _broken_bounds(len(value), shape.least, shape.most, messages.shortest, messages.longest)


def _broken_bounds(
    measure: int, least: int | None, most: int | None, low: Callable[[int], str], high: Callable[[int], str]
) -> list[str]:
    if least is not None and measure < least:
        return [low(least)]
    return [high(most)] if most is not None and measure > most else []
