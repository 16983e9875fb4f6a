"""Compiles a comparison or function to a function of the item, specialised for the types of its values."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Callable, Mapping
from operator import ge, gt, le, lt, methodcaller
from typing import Any, Final, TypeAlias

from pksk.values import parse_number

from .check import operands_of, operator_of
from .compare import begins_with, compare_values, contains, equal, size_of, value_at_path
from .tree import Call, Operand, Path, Value, ValueRef

Wire: TypeAlias = Mapping[str, Any]
Item: TypeAlias = Mapping[str, Wire]
Test: TypeAlias = Callable[[Item], bool]
# The value of an operand in an item.
_Get: TypeAlias = Callable[[Item], Wire | None]
# A prepared operand: a path, a value, a placeholder, or a size.
_CompiledOperand: TypeAlias = _Get | Wire | ValueRef | Call
# The test of these values, from the operands in order.
_Make: TypeAlias = Callable[..., Test]

_ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
# Tests that are made as that of their opposite.
_OPPOSITES: Final = frozenset({"<>", "attribute_not_exists"})
_FLIPPED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
# Types whose values are equal only if their JSON is.
_PLAIN: Final = frozenset({"S", "BOOL", "NULL"})
# Operands that wait for a value.
_UNBOUND: Final = frozenset({ValueRef, Call})


class CompiledLeaf:
    """A prepared comparison or function; with its values, it is a test."""

    __slots__ = ("_fixed", "_make", "_operands")

    def __init__(self, make: _Make, operands: tuple[_CompiledOperand, ...]) -> None:
        self._make = make
        self._operands = operands
        self._fixed = make(*operands) if _UNBOUND.isdisjoint(map(type, operands)) else None

    def test(self, values: Mapping[str, Wire]) -> Test:
        """The test, with these values in the places of its placeholders."""
        if self._fixed is not None:
            return self._fixed
        return self._make(
            *[
                _bound_value(operand, values) if type(operand) in _UNBOUND else operand
                for operand in self._operands
            ]
        )


def compile_leaf(leaf: Any) -> tuple[CompiledLeaf, bool]:
    """A comparison or a function, perhaps negated."""
    operator = operator_of(leaf)
    operands = tuple([_compile_operand(operand) for operand in operands_of(leaf)])
    return CompiledLeaf(_MAKERS[operator], operands), operator not in _OPPOSITES


def _compile_operand(operand: Operand) -> _CompiledOperand:
    if type(operand) is Path:
        if len(operand.elements) == 1:
            return methodcaller("get", operand.elements[0])
        return lambda item: value_at_path(operand, item)
    if type(operand) is Value:
        return operand.wire
    if type(operand) is ValueRef:
        return operand
    if type(operand) is Call and operand.name == "size":
        inner = _compile_operand(operand.operands[0])
        if type(inner) in _UNBOUND:
            return operand
        return (lambda item: size_of(inner(item))) if callable(inner) else size_of(inner) or _absent_value  # type: ignore[arg-type]
    raise TypeError(f"{operand!r} is not an operand of a condition")


def _bound_value(operand: Any, values: Mapping[str, Wire]) -> Wire | _Get:
    """The value of a placeholder, or its size."""
    if type(operand) is Call:
        sized: Any = _bound_value(operand.operands[0], values)
        return size_of(sized) or _absent_value
    value = values.get(operand.placeholder)
    if value is None:
        raise TypeError(f"{operand!r} is not an operand of a resolved condition")
    return value


def _absent_value(_item: Item) -> None:
    return None


def _get(known: _Get | Wire) -> _Get:
    return known if callable(known) else lambda _: known


def _equals(one: _Get | Wire, two: _Get | Wire) -> Test:
    if not callable(one):
        one, two = two, one
    get = _get(one)
    if callable(two):
        other = two
        return lambda item: equal(get(item), other(item))
    expected = two
    (kind,) = expected
    if kind in _PLAIN:
        return lambda item: get(item) == expected
    if kind == "N":
        return _equals_number(get, expected["N"])
    return lambda item: equal(get(item), expected)


def _equals_number(get: _Get, text: str) -> Test:
    number = parse_number(text)

    def test(item: Item) -> bool:
        value = get(item)
        if value is None:
            return False
        content = value.get("N")
        return content is not None and (content == text or parse_number(content) == number)

    return test


_READERS: Final[dict[str, Callable[[Any], Any]]] = {"S": str, "N": parse_number, "B": a2b_base64}


def _ordered(operator: str) -> _Make:
    order, turned = _ORDERS[operator], _ORDERS[_FLIPPED[operator]]

    def make(one: _Get | Wire, two: _Get | Wire) -> Test:
        if callable(one) and not callable(two):
            return _compared(order, one, two)
        if callable(two) and not callable(one):
            return _compared(turned, two, one)
        first, second = _get(one), _get(two)
        return lambda item: compare_values(order, first(item), second(item))

    return make


def _compared(order: Callable[[Any, Any], bool], get: _Get, bound: Wire) -> Test:
    (kind,) = bound
    read = _READERS.get(kind)
    if read is None:
        return lambda _: False
    limit = read(bound[kind])
    if kind == "S":
        read = _identity

    def test(item: Item) -> bool:
        value = get(item)
        if value is None:
            return False
        content = value.get(kind)
        return content is not None and order(read(content), limit)

    return test


def _identity(text: Any) -> Any:
    return text


def _between(operand: _Get | Wire, low: _Get | Wire, high: _Get | Wire) -> Test:
    if not callable(low) and not callable(high) and callable(operand):
        above_low, below_high = _compared(ge, operand, low), _compared(le, operand, high)
        return lambda item: above_low(item) and below_high(item)
    get, least, most = _get(operand), _get(low), _get(high)

    def test(item: Item) -> bool:
        value = get(item)
        return compare_values(ge, value, least(item)) and compare_values(le, value, most(item))

    return test


def _in(operand: _Get | Wire, *candidates: _Get | Wire) -> Test:
    get = _get(operand)
    if all(not callable(each) and "S" in each for each in candidates):
        texts = frozenset(each["S"] for each in candidates)  # type: ignore[index]

        def among(item: Item) -> bool:
            value = get(item)
            return value is not None and value.get("S") in texts

        return among
    others = tuple(map(_get, candidates))

    def test(item: Item) -> bool:
        value = get(item)
        return value is not None and any(equal(value, other(item)) for other in others)

    return test


def _exists(operand: _Get | Wire) -> Test:
    get = _get(operand)
    return lambda item: get(item) is not None


def _attribute_type(operand: _Get | Wire, kind: Wire) -> Test:
    get, name = _get(operand), kind["S"]

    def test(item: Item) -> bool:
        value = get(item)
        return value is not None and name in value

    return test


def _begins_with(operand: _Get | Wire, start: _Get | Wire) -> Test:
    get = _get(operand)
    if callable(start) or "S" not in start:
        other = _get(start)
        return lambda item: begins_with(get(item), other(item))
    prefix = start["S"]

    def test(item: Item) -> bool:
        value = get(item)
        if value is None:
            return False
        text = value.get("S")
        return text is not None and text.startswith(prefix)

    return test


def _contains(operand: _Get | Wire, part: _Get | Wire) -> Test:
    get = _get(operand)
    if callable(part):
        other = part
        return lambda item: contains(get(item), other(item))
    expected = part
    return lambda item: contains(get(item), expected)


_MAKERS: Final[dict[str, _Make]] = {
    **{operator: _ordered(operator) for operator in _ORDERS},
    "=": _equals,
    "<>": _equals,
    "BETWEEN": _between,
    "IN": _in,
    "attribute_exists": _exists,
    "attribute_not_exists": _exists,
    "attribute_type": _attribute_type,
    "begins_with": _begins_with,
    "contains": _contains,
}
