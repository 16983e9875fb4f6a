"""Tells which requests AWS still reads by its older layer, whatever their operation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .shape import Shape, request_shape, shape_named
from .shapes import VALUE_MEMBERS

__all__ = ["OlderRequest", "reads_as_older"]


class OlderRequest(dict[str, Any]):
    """A request that the older layer reads: what is refused in it is worded without a prefix.

    One value with two types, or one BOOL or NULL spelled as a word, sends the whole request there.
    """

    __slots__ = ()


def reads_as_older(operation: str, given: Mapping[str, Any]) -> bool:
    """Whether a request, which can be read, has such a value anywhere.

    Example:
        >>> reads_as_older("GetItem", {"Key": {"pk": {"S": "a"}}})
        False
        >>> reads_as_older("PutItem", {"Item": {"pk": {"S": "a"}, "done": {"BOOL": "true"}}})
        True
    """
    return _holds_older(request_shape(operation), given)


def _holds_older(shape: Shape, given: Any) -> bool:
    if given is None:
        return False
    if shape.kind == "value":
        return _is_older(given)
    if shape.kind == "structure":
        return any(
            _holds_older(shape_named(member.shape), given.get(member.name)) for member in shape.members
        )
    if shape.kind in {"list", "map"}:
        element = shape_named(shape.element)
        return any(_holds_older(element, one) for one in (given.values() if shape.kind == "map" else given))
    return False


def _is_older(value: Any) -> bool:
    """Whether a value sends its whole request to the older layer: of two types, or BOOL or NULL as a word."""
    below = [value]
    while below:
        one = below.pop() or {}
        kinds = [kind for kind, content in one.items() if content is not None and kind in VALUE_MEMBERS]
        if len(kinds) > 1 or (kinds and kinds[0] in {"BOOL", "NULL"} and type(one[kinds[0]]) is str):
            return True
        below.extend(one["M"].values() if "M" in kinds else one["L"] if "L" in kinds else ())
    return False
