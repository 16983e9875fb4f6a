"""Key conditions: the conditions that a Query's KeyConditionExpression allows."""

from __future__ import annotations

from typing import Any, Final

from pksk.dataclass import dataclass

from .check import operands_of, operator_of
from .texts import expression_error
from .tree import And, Between, Call, Condition, NameRef, Not, Or, Path, Value, ValueRef

_FLIPPED: Final = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_REJECTED_OPERATORS: Final = frozenset(
    {"<>", "IN", "attribute_exists", "attribute_not_exists", "attribute_type", "contains"}
)


@dataclass(frozen=True, slots=True)
class KeyPart:
    """The condition on one key attribute: the operator and its values.

    Example:
        >>> KeyPart("sk", "BETWEEN", (Value({"S": "a"}), Value({"S": "b"}))).operator
        'BETWEEN'
    """

    attribute: str | NameRef
    operator: str
    values: tuple[Value | ValueRef, ...]


def key_parts(condition: Condition) -> tuple[KeyPart, ...]:
    """The parts of a key condition, one for each attribute, in the order written.

    A comparison with the value on the left is reversed. Conditions that are not key conditions raise DynamoDB's
    errors. This does not check which attributes are keys.

    Example:
        >>> from pksk.expressions import parse_key_condition
        >>> [part.operator for part in key_parts(parse_key_condition("pk = :p AND :low <= sk"))]
        ['=', '>=']
    """
    parts: dict[Any, KeyPart] = {}
    pending: list[Any] = [condition]
    while pending:
        node = pending.pop()
        if isinstance(node, And):
            pending.extend(reversed(node.conditions))
            continue
        part = _key_part(node)
        if part.attribute in parts:
            raise expression_error("expression-key-twice")
        parts[part.attribute] = part
    return tuple(parts.values())


def _key_part(node: Any) -> KeyPart:
    operator = "OR" if isinstance(node, Or) else "NOT" if isinstance(node, Not) else operator_of(node)
    if operator in _REJECTED_OPERATORS or isinstance(node, Or | Not):
        raise expression_error("expression-key-operator", operator=operator)
    operands = operands_of(node)
    if isinstance(node, Between | Call) and not isinstance(operands[0], Path):
        raise expression_error("expression-key-first-operand", operator=operator)
    position = _key_position(operands)
    (attribute,) = operands[position].elements  # type: ignore[union-attr]
    values: Any = tuple(operand for index, operand in enumerate(operands) if index != position)
    return KeyPart(attribute, _FLIPPED[operator] if position else operator, values)  # type: ignore[arg-type]


def _key_position(operands: tuple[Any, ...]) -> int:
    position = -1
    for index, operand in enumerate(operands):
        if isinstance(operand, Call):
            raise expression_error("expression-key-function")
        if isinstance(operand, Path):
            if position >= 0:
                raise expression_error("expression-key-attributes")
            if len(operand.elements) > 1:
                raise expression_error("expression-key-nested")
            position = index
    if position < 0:
        raise expression_error("expression-key-missing")
    return position
