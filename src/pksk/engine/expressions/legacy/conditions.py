"""Legacy conditions on one attribute: a comparison operator and a list of values.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LegacyConditionalParameters.Conditions.html
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pksk.engine.faults import refused
from pksk.engine.texts import parameters as texts
from pksk.engine.values import check_value
from pksk.expressions import Between, Call, Compare, Condition, In, KeyPart, Not, Path, Value
from pksk.expressions.check import KINDS, operands_of, operator_of
from pksk.values import sortable_wire

__all__ = ["check_operator", "compared", "comparison", "key_part"]

_SCALARS: Final = frozenset("SNB")
_COMPARATORS: Final = {"EQ": "=", "NE": "<>", "LE": "<=", "LT": "<", "GE": ">=", "GT": ">"}
# The types that an operator takes.
_TAKES: Final = {
    "EQ": KINDS,
    "NE": KINDS,
    "LE": _SCALARS,
    "LT": _SCALARS,
    "GE": _SCALARS,
    "GT": _SCALARS,
    "IN": _SCALARS,
    "BETWEEN": _SCALARS,
    "CONTAINS": _SCALARS,
    "NOT_CONTAINS": _SCALARS,
    "BEGINS_WITH": frozenset("SB"),
    "NULL": KINDS,
    "NOT_NULL": KINDS,
}
# How many values it takes where that is not one; IN takes as many as there are.
_COUNTS: Final = {"NULL": 0, "NOT_NULL": 0, "BETWEEN": 2}
_INDEXABLE: Final = frozenset({"=", "<=", "<", ">=", ">", "BETWEEN", "begins_with"})


def comparison(attribute: str, entry: Mapping[str, Any]) -> Condition:
    """The condition of a filter, or of a key, on one attribute."""
    check_operator(entry["ComparisonOperator"])
    return compared(attribute, entry["ComparisonOperator"], entry.get("AttributeValueList", ()))


def check_operator(operator: str) -> None:
    """Refuse what is no comparison operator."""
    if operator not in _TAKES:
        raise refused(texts.INVALID_OPERATOR)


def compared(attribute: str, operator: str, wires: Any) -> Condition:
    """An attribute compared with values, as a condition; refused where the operator does not take them."""
    values = [check_value(wire) for wire in wires]
    _check(operator, values)
    return _MAKERS[operator](Path((attribute,)), *map(Value, values))


def _check(operator: str, values: list[Any]) -> None:
    count = len(values)
    if count != _COUNTS.get(operator, 1) if operator != "IN" else not count:
        raise refused(texts.operand_count(operator))
    kinds = {kind for value in values for kind in value}
    if len(kinds) > 1:
        raise refused(texts.DIFFERENT_TYPES)
    if not kinds <= _TAKES[operator]:
        raise refused(texts.operand_type(operator, *kinds))
    if operator == "BETWEEN" and sortable_wire(values[0]) > sortable_wire(values[1]):
        raise refused(texts.WRONG_BOUNDS)


def _comparator(operator: str) -> Callable[..., Condition]:
    return lambda path, value: Compare(operator, path, value)


def _function(name: str) -> Callable[..., Condition]:
    return lambda *operands: Call(name, operands)


_MAKERS: Final[dict[str, Callable[..., Condition]]] = {
    **{name: _comparator(operator) for name, operator in _COMPARATORS.items()},
    "IN": lambda path, *values: In(path, values),
    "BETWEEN": Between,
    "NULL": _function("attribute_not_exists"),
    "NOT_NULL": _function("attribute_exists"),
    "CONTAINS": _function("contains"),
    # Holds also where there is no such attribute.
    "NOT_CONTAINS": lambda path, value: Not(Call("contains", (path, value))),
    "BEGINS_WITH": _function("begins_with"),
}


def key_part(condition: Condition) -> KeyPart:
    """The part of a key condition that a legacy condition is."""
    operator = "NOT" if isinstance(condition, Not) else operator_of(condition)
    if operator not in _INDEXABLE:
        raise refused(texts.NOT_INDEXABLE)
    path, *values = operands_of(condition)
    (attribute,) = path.elements  # type: ignore[union-attr]
    return KeyPart(attribute, operator, tuple(values))  # type: ignore[arg-type]
