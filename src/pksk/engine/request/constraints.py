"""The constraints of a shape in words: all that it has, and those that one value breaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pksk.engine.texts import members as texts

from .fits import LONGEST_NAME, SHORTEST_NAME, is_name
from .shape import Shape

__all__ = ["all_of", "broken_by", "broken_by_length"]


def all_of(shape: Shape) -> list[str]:
    """Every constraint of a shape itself, as it is listed where one element of many breaks one.

    Example:
        >>> from .shape import shape_named
        >>> all_of(shape_named("TagKeyString"))[0]
        'Member must have length less than or equal to 128'
    """
    named = shape.kind in {"name", "table"}
    least, most = (SHORTEST_NAME, LONGEST_NAME) if named else (shape.least, shape.most)
    longest = [] if most is None else [texts.longest(most)]
    shortest = [] if least is None else [texts.shortest(least)]
    return [*longest, *shortest, *([texts.pattern(texts.NAME_PATTERN)] if named else [])]


def broken_by(shape: Shape, value: Any, *, every_name_fault: bool) -> list[str]:
    """The constraints that a text or a number breaks.

    Example:
        >>> from .shape import shape_named
        >>> broken_by(shape_named("ScanSegment"), -1, every_name_fault=False)
        ['Member must have value greater than or equal to 0']
    """
    if shape.kind in {"integer", "long"}:
        return _outside(value, shape.least, shape.most, texts.at_least, texts.at_most)
    if shape.kind == "string" or (
        shape.kind == "table" and broken_by_length(shape, value) and shape.least == 1
    ):
        return broken_by_length(shape, value)
    length = _outside(len(value), SHORTEST_NAME, LONGEST_NAME, texts.shortest, texts.longest)
    pattern = [] if is_name(value) else [texts.pattern(texts.NAME_PATTERN)]
    return [*pattern, *length] if every_name_fault else [*length, *pattern][:1]


def broken_by_length(shape: Shape, value: Any) -> list[str]:
    """The bound that a text, a list or a map is beyond."""
    return _outside(len(value), shape.least, shape.most, texts.shortest, texts.longest)


def _outside(
    measure: int, least: int | None, most: int | None, low: Callable[[int], str], high: Callable[[int], str]
) -> list[str]:
    if least is not None and measure < least:
        return [low(least)]
    return [high(most)] if most is not None and measure > most else []
