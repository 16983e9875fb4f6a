"""Whether a condition holds for an item, as DynamoDB decides it."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from operator import ge, gt, le, lt
from typing import Any, Final

from pksk.values import parse_number

from .tree import And, Between, Call, Compare, Condition, In, Not, Or, Path, Value

__all__ = ["equal", "evaluate", "find", "set_members"]

Wire = Mapping[str, Any]
_ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
# Each set type, and the type of its members.
SETS: Final = {"SS": "S", "NS": "N", "BS": "B"}


def evaluate(condition: Condition, item: Mapping[str, Wire]) -> bool:
    """Whether an item in DynamoDB's JSON satisfies a condition without placeholders.

    Numbers compare by value, text and binary by bytes. What is absent, or of another type, equals
    nothing, is in no order, and is ``<>`` to everything.

    Example:
        >>> from pksk.expressions import F
        >>> item = {"total": {"N": "12.0"}, "tags": {"SS": ["x", "y"]}}
        >>> evaluate((F.total == 12) & F.tags.contains("x") & ~F.note.exists(), item)
        True
    """
    kind = type(condition)
    if kind is And:
        # Loops, not all() and any(): a frame less for each level of nesting.
        for inner in condition.conditions:  # type: ignore[attr-defined]  # noqa: SIM110
            if not evaluate(inner, item):
                return False
        return True
    if kind is Or:
        for inner in condition.conditions:  # type: ignore[attr-defined]  # noqa: SIM110
            if evaluate(inner, item):
                return True
        return False
    if kind is Not:
        return not evaluate(condition.condition, item)  # type: ignore[attr-defined]
    return _TESTS[kind](condition, item)


def find(path: Path, item: Mapping[str, Wire]) -> Wire | None:
    """The value at a document path, or None where there is none.

    Example:
        >>> find(Path(("lines", 1)), {"lines": {"L": [{"S": "a"}, {"S": "b"}]}})
        {'S': 'b'}
    """
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


def _operand(operand: Any, item: Mapping[str, Wire]) -> Wire | None:
    if type(operand) is Path:
        return find(operand, item)
    if type(operand) is Value:
        return operand.wire
    if type(operand) is Call and operand.name == "size":
        return _size(_operand(operand.operands[0], item))
    raise TypeError(f"{operand!r} is not an operand of a resolved condition")


def _size(wire: Wire | None) -> Wire | None:
    if wire is None:
        return None
    ((kind, inner),) = wire.items()
    if kind == "S":
        # A character outside the basic plane counts as two.
        size = len(inner) if inner.isascii() else len(inner.encode("utf-16-le")) // 2
    elif kind == "B":
        size = len(b64decode(inner))
    elif kind in {"L", "M", "SS", "NS", "BS"}:
        size = len(inner)
    else:
        return None
    return {"N": str(size)}


def equal(one: Wire | None, two: Wire | None) -> bool:
    """Whether two values are the same: numbers by value, sets in any order.

    Example:
        >>> equal({"NS": ["1", "20"]}, {"NS": ["2e1", "1.0"]}), equal({"N": "1"}, {"S": "1"})
        (True, False)
    """
    if one is None or two is None:
        return False
    ((kind, first),) = one.items()
    if kind not in two:
        return False
    second = two[kind]
    if kind == "N":
        return first == second or parse_number(first) == parse_number(second)
    if kind == "L":
        return len(first) == len(second) and all(map(equal, first, second))
    if kind == "M":
        return first.keys() == second.keys() and all(equal(first[name], second[name]) for name in first)
    if kind in SETS:
        return set_members(kind, first).keys() == set_members(kind, second).keys()
    return bool(first == second or (kind == "B" and b64decode(first) == b64decode(second)))


def set_members(kind: str, members: list[str]) -> dict[Any, str]:
    """The members of a set by what makes them the same, such as a number's value.

    Example:
        >>> set_members("NS", ["1.0", "2"])
        {1: '1.0', 2: '2'}
    """
    if kind == "NS":
        return {parse_number(text): text for text in members}
    if kind == "BS":
        return {b64decode(text): text for text in members}
    return {text: text for text in members}


def _in_order(order: Callable[[Any, Any], bool], one: Wire | None, two: Wire | None) -> bool:
    if one is None or two is None:
        return False
    ((kind, first),) = one.items()
    if kind not in two:
        return False
    second = two[kind]
    if kind == "S":
        # Python orders text by code points, which is the order of its UTF-8 bytes.
        return order(first, second)
    if kind == "N":
        return order(parse_number(first), parse_number(second))
    return kind == "B" and order(b64decode(first), b64decode(second))


def _compare(node: Any, item: Mapping[str, Wire]) -> bool:
    left, right = _operand(node.left, item), _operand(node.right, item)
    operator = node.operator
    if operator == "=":
        return equal(left, right)
    if operator == "<>":
        return not equal(left, right)
    return _in_order(_ORDERS[operator], left, right)


def _between(node: Any, item: Mapping[str, Wire]) -> bool:
    value = _operand(node.operand, item)
    return _in_order(ge, value, _operand(node.low, item)) and _in_order(le, value, _operand(node.high, item))


def _in(node: Any, item: Mapping[str, Wire]) -> bool:
    value = _operand(node.operand, item)
    return value is not None and any(equal(value, _operand(other, item)) for other in node.candidates)


def _call(node: Any, item: Mapping[str, Wire]) -> bool:
    values = [_operand(operand, item) for operand in node.operands]
    return _FUNCTIONS[node.name](*values)


def _attribute_type(value: Wire | None, kind: Wire) -> bool:
    return value is not None and kind["S"] in value


def _begins_with(value: Wire | None, start: Wire | None) -> bool:
    if value is None or start is None:
        return False
    if "S" in value and "S" in start:
        return bool(value["S"].startswith(start["S"]))
    return "B" in value and "B" in start and b64decode(value["B"]).startswith(b64decode(start["B"]))


def _contains(value: Wire | None, part: Wire | None) -> bool:
    if value is None or part is None:
        return False
    ((kind, inner),) = value.items()
    if kind == "L":
        return any(equal(member, part) for member in inner)
    if kind in SETS:
        member = part.get(SETS[kind])
        return member is not None and next(iter(set_members(kind, [member]))) in set_members(kind, inner)
    if kind == "S":
        return "S" in part and part["S"] in inner
    return kind == "B" and "B" in part and b64decode(part["B"]) in b64decode(inner)


_FUNCTIONS: Final[dict[str, Callable[..., bool]]] = {
    "attribute_exists": lambda value: value is not None,
    "attribute_not_exists": lambda value: value is None,
    "attribute_type": _attribute_type,
    "begins_with": _begins_with,
    "contains": _contains,
}
_TESTS: Final[dict[type, Callable[[Any, Mapping[str, Wire]], bool]]] = {
    Compare: _compare,
    Between: _between,
    In: _in,
    Call: _call,
}
