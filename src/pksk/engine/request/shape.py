"""One shape of a request, parsed from the table of shapes on first use."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from .shapes import OPERATIONS, SHAPES


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
    """The structure of an operation's request.

    Example:
        >>> [member.name for member in request_shape("DescribeTable").members]
        ['TableName']
    """
    return Shape(f"{operation}Input", "structure", tuple(map(_member, OPERATIONS[operation].split())))


@cache
def shape_named(name: str) -> Shape:
    """A shape by its name; the built-in ones are string, boolean, integer, long, timestamp and value.

    Example:
        >>> shape_named("KeyList")
        Shape(name='KeyList', kind='list', members=(), key='', element='AttributeMap', least=1, most=100, choices=())
    """
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
