"""Values of DynamoDB's JSON compared as DynamoDB compares them, and found in an item by their path."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Callable, Mapping
from typing import Any, Final

from pksk.values import parse_number

from .tree import Path

Wire = Mapping[str, Any]
# Each set type, and the type of its members.
SET_TYPES: Final = {"SS": "S", "NS": "N", "BS": "B"}
_COUNTED: Final = frozenset({"L", "M", "SS", "NS", "BS"})


def value_at_path(path: Path, item: Mapping[str, Wire]) -> Wire | None:
    """The value at a document path, or None."""
    elements = path.elements
    value: Any = item.get(elements[0])  # type: ignore[arg-type]
    if len(elements) == 1:
        return value  # type: ignore[no-any-return]
    for element in elements[1:]:
        if value is None:
            return None
        if isinstance(element, int):
            members = value.get("L", ())
            value = members[element] if element < len(members) else None
        else:
            value = value.get("M", {}).get(element)
    return value  # type: ignore[no-any-return]


def equal(one: Wire | None, two: Wire | None) -> bool:
    """Whether two values are the same: numbers by value, sets in any order."""
    if one is None or two is None:
        return False
    (kind,) = one
    if kind not in two:
        return False
    first, second = one[kind], two[kind]
    if kind == "N":
        return first == second or parse_number(first) == parse_number(second)
    if kind == "L":
        return len(first) == len(second) and all(map(equal, first, second))
    if kind == "M":
        return first.keys() == second.keys() and all(equal(first[name], second[name]) for name in first)
    if kind in SET_TYPES:
        return first == second or set_members(kind, first).keys() == set_members(kind, second).keys()
    return bool(first == second or (kind == "B" and a2b_base64(first) == a2b_base64(second)))


def compare_values(order: Callable[[Any, Any], bool], one: Wire | None, two: Wire | None) -> bool:
    """Whether two texts, numbers or binaries are in an order; False for other values."""
    if one is None or two is None:
        return False
    (kind,) = one
    if kind not in two:
        return False
    first, second = one[kind], two[kind]
    if kind == "S":
        # Python orders text by code points, which is the order of its UTF-8 bytes.
        return order(first, second)
    if kind == "N":
        return order(parse_number(first), parse_number(second))
    return kind == "B" and order(a2b_base64(first), a2b_base64(second))


def set_members(kind: str, members: list[str]) -> dict[Any, str]:
    """The members of a set in a comparable form, such as a number's value."""
    if kind == "NS":
        return {parse_number(text): text for text in members}
    if kind == "BS":
        return {a2b_base64(text): text for text in members}
    return {text: text for text in members}


def size_of(wire: Wire | None) -> Wire | None:
    """The size of a value, or None if it has none."""
    if wire is None:
        return None
    (kind,) = wire
    inner = wire[kind]
    if kind == "S":
        # A character outside the basic plane counts as two.
        count = len(inner) if inner.isascii() else len(inner.encode("utf-16-le")) // 2
    elif kind == "B":
        count = len(a2b_base64(inner))
    elif kind in _COUNTED:
        count = len(inner)
    else:
        return None
    return {"N": str(count)}


def begins_with(value: Wire | None, start: Wire | None) -> bool:
    """Whether a text or a binary begins with another of its type."""
    if value is None or start is None:
        return False
    if "S" in value and "S" in start:
        return bool(value["S"].startswith(start["S"]))
    return "B" in value and "B" in start and a2b_base64(value["B"]).startswith(a2b_base64(start["B"]))


def contains(value: Wire | None, part: Wire | None) -> bool:
    """Whether a list or a set has a member, or a text or a binary a part."""
    if value is None or part is None:
        return False
    (kind,) = value
    inner = value[kind]
    if kind == "L":
        return any(equal(member, part) for member in inner)
    if kind in SET_TYPES:
        member = part.get(SET_TYPES[kind])
        if member is None:
            return False
        return member in inner or (kind != "SS" and _set_contains(kind, member, inner))
    if kind == "S":
        return "S" in part and part["S"] in inner
    return kind == "B" and "B" in part and a2b_base64(part["B"]) in a2b_base64(inner)


def _set_contains(kind: str, member: str, members: list[str]) -> bool:
    (key,) = set_members(kind, [member])
    return key in set_members(kind, members)
