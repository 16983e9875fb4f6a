"""Checks conditions and document paths as DynamoDB does before it looks at any item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pksk.errors import ExpressionError
from pksk.limits import IN_OPERANDS, NESTING_LEVELS
from pksk.values import sortable_wire

from .texts import Parameter, expression_error
from .tree import Between, Call, Compare, Condition, In, NameRef, Operand, Path, Value, ValueRef, leaves

VALUE_TYPES: Final = frozenset({"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"})
ORDER_OPERATORS: Final = frozenset({"<", "<=", ">", ">="})
ORDERED_TYPES: Final = frozenset("SNB")
_OPERAND_COUNTS: Final = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
    "size": 1,
}
# The operand types of each function; None means any type.
FIRST_OPERAND_TYPES: Final = {
    "begins_with": frozenset("SB"),
    "contains": VALUE_TYPES - {"N", "BOOL", "NULL", "M"},
    "size": VALUE_TYPES - {"N", "BOOL", "NULL"},
}
# DynamoDB's text for a type that is not known yet.
_ANY_TYPE: Final = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"


def check_condition(
    condition: Condition, parameter: Parameter, *, names: bool = True, values: bool = True
) -> None:
    """Raise an error for a condition that DynamoDB rejects for any item, or that has undefined placeholders.

    Example:
        >>> check_condition(Compare("=", Path(("a",)), Path(("a",))), "FilterExpression")
        Traceback (most recent call last):
        pksk.errors.ExpressionError: Invalid FilterExpression: The first operand must be distinct ...
    """
    for leaf in leaves(condition):
        check_leaf(leaf, parameter, names=names, values=values)


def check_leaf(leaf: Any, parameter: Parameter, *, names: bool = False, values: bool = False) -> None:
    """Raise an error for a comparison or function that DynamoDB rejects; its placeholders must be resolved."""
    operands = operands_of(leaf)
    for operand in operands:
        check_operand(operand, parameter, names=names, values=values)
    operator = operator_of(leaf)
    _check_counts(leaf, operator, operands, parameter)
    first = operands[0]
    if type(first) is Path and first in operands[1:]:
        raise expression_error(
            "expression-same-operand", parameter, operator=operator, operand=path_text(first)
        )
    for operand in operands:
        if type(operand) is Call:
            _check_call(operand, parameter)
    _check_types(leaf, operator, operands, parameter)


def operands_of(leaf: Any) -> tuple[Operand, ...]:
    """The operands of a comparison or a function, in order."""
    if type(leaf) is Compare:
        return (leaf.left, leaf.right)
    if type(leaf) is Between:
        return (leaf.operand, leaf.low, leaf.high)
    if type(leaf) is In:
        return (leaf.operand, *leaf.candidates)
    operands: tuple[Operand, ...] = leaf.operands
    return operands


def operator_of(leaf: Any) -> str:
    """The name of a comparison or a function in DynamoDB's messages."""
    if type(leaf) is Compare:
        return leaf.operator
    if type(leaf) is Between:
        return "BETWEEN"
    if type(leaf) is In:
        return "IN"
    name: str = leaf.name
    return name


def check_operand(operand: Any, parameter: Parameter, *, names: bool, values: bool) -> None:
    """Raise an error for an undefined placeholder or a path that is too deep."""
    pending = [operand]
    while pending:
        node = pending.pop()
        if type(node) is Path:
            check_path(node, parameter, names=names)
        elif type(node) is ValueRef:
            if values:
                raise expression_error("expression-undefined-value", parameter, name=node.placeholder)
        elif type(node) is Call:
            pending.extend(reversed(node.operands))


def check_path(path: Path, parameter: Parameter, *, names: bool) -> None:
    """Raise an error for a path with an undefined name or too many elements."""
    if names:
        for element in path.elements:
            if type(element) is NameRef:
                raise expression_error("expression-undefined-name", parameter, name=element.placeholder)
    if len(path.elements) > NESTING_LEVELS:
        raise expression_error("expression-path-too-deep", parameter, count=len(path.elements))


def _check_counts(leaf: Any, operator: str, operands: tuple[Operand, ...], parameter: Parameter) -> None:
    for call in (leaf, *operands):
        if type(call) is Call and len(call.operands) != _OPERAND_COUNTS.get(call.name, len(call.operands)):
            raise expression_error(
                "expression-operand-count", parameter, operator=call.name, count=len(call.operands)
            )
    if operator == "IN" and len(operands) - 1 > IN_OPERANDS:
        raise expression_error("expression-too-many-operands", parameter, count=len(operands) - 1)


def _check_types(leaf: Any, operator: str, operands: tuple[Operand, ...], parameter: Parameter) -> None:
    if type(leaf) is Call:
        _check_call(leaf, parameter)
    elif operator in ORDER_OPERATORS or operator == "BETWEEN":
        for operand in operands:
            _check_operand_type(operand, ORDERED_TYPES, operator, parameter)
        if operator == "BETWEEN":
            _check_bounds(operands[1], operands[2], parameter)


def _check_call(call: Call, parameter: Parameter) -> None:
    name, operands = call.name, call.operands
    if name in {"attribute_exists", "attribute_not_exists"}:
        if type(operands[0]) is not Path:
            raise expression_error("expression-needs-path", parameter, operator=name)
    elif name == "attribute_type":
        _check_type_name(operands[1], parameter)
    elif name in FIRST_OPERAND_TYPES:
        _check_operand_type(operands[0], FIRST_OPERAND_TYPES[name], name, parameter)
        if name == "begins_with":
            _check_operand_type(operands[1], FIRST_OPERAND_TYPES[name], name, parameter)


def operand_type(operand: Operand) -> str:
    """The type of an operand, if it does not depend on the item; else empty.

    Example:
        >>> operand_type(Value({"S": "x"})), operand_type(Call("size", (Path(("a",)),))), operand_type(Path(("a",)))
        ('S', 'N', '')
    """
    if type(operand) is Value:
        return operand.kind
    return "N" if type(operand) is Call and operand.name == "size" else ""


def _check_operand_type(operand: Operand, kinds: frozenset[str], operator: str, parameter: Parameter) -> None:
    kind = operand_type(operand)
    if kind and kind not in kinds:
        raise expression_error("expression-operand-type", parameter, operator=operator, type=kind)


def _check_type_name(operand: Operand, parameter: Parameter) -> None:
    if type(operand) is ValueRef:
        return
    kind = operand_type(operand) or _ANY_TYPE
    if type(operand) is not Value or kind != "S":
        raise expression_error("expression-operand-type", parameter, operator="attribute_type", type=kind)
    if operand.wire["S"] not in VALUE_TYPES:
        raise expression_error("expression-type-name", parameter, type=operand.wire["S"])


def _check_bounds(low: Operand, high: Operand, parameter: Parameter) -> None:
    if type(low) is not Value or type(high) is not Value:
        return
    shown = {"low": _value_text(low), "high": _value_text(high)}
    if low.kind != high.kind:
        raise expression_error("expression-between-types", parameter, **shown)
    if sortable_wire(low.wire) > sortable_wire(high.wire):
        raise expression_error("expression-between-order", parameter, **shown)


def _value_text(value: Value) -> str:
    return f"{{{value.kind}:{value.wire[value.kind]}}}"


def path_text(path: Path) -> str:
    """A path as in DynamoDB's messages.

    Example:
        >>> path_text(Path(("lines", 0, "sku")))
        '[lines, [0], sku]'
    """
    return f"[{', '.join(map(_element_text, path.elements))}]"


def _element_text(element: str | int | NameRef) -> str:
    if isinstance(element, NameRef):
        return element.placeholder
    return f"[{element}]" if isinstance(element, int) else element


def check_paths(paths: Sequence[Path], parameter: Parameter) -> None:
    """Raise an error for two paths that overlap, else for two that conflict, in written order.

    Example:
        >>> check_paths([Path(("a",)), Path(("a", "b"))], "ProjectionExpression")
        Traceback (most recent call last):
        pksk.errors.ExpressionError: Invalid ProjectionExpression: Two document paths overlap ...
    """
    conflict: ExpressionError | None = None
    heads: dict[object, list[Path]] = {}
    for path in paths:
        # Only paths of the same attribute can overlap, and most attributes have only one.
        before = heads.setdefault(path.elements[0], [])
        for other in before:
            meeting = _path_conflict(other, path)
            if meeting == "overlap":
                one, two = path_text(other), path_text(path)
                raise expression_error("expression-paths-overlap", parameter, one=one, two=two)
            if meeting and conflict is None:
                one, two = path_text(other), path_text(path)
                conflict = expression_error("expression-paths-conflict", parameter, one=one, two=two)
        before.append(path)
    if conflict:
        raise conflict


def _path_conflict(one: Path, two: Path) -> str:
    for first, second in zip(one.elements, two.elements, strict=False):
        if isinstance(first, int) is not isinstance(second, int):
            return "conflict"
        if first != second:
            return ""
    return "overlap"
