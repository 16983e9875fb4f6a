"""Checks conditions, updates and document paths as DynamoDB does before it looks at any item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pksk.errors import ExpressionError
from pksk.limits import IN_OPERANDS, NESTING_LEVELS
from pksk.values import sortable_wire

from . import tree
from .operand_reader import MAX_OPERATORS
from .texts import Parameter, expression_error

VALUE_TYPES: Final = frozenset({"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"})
ORDER_OPERATORS: Final = frozenset({"<", "<=", ">", ">="})
ORDERED_TYPES: Final = frozenset("SNB")
OPERAND_COUNTS: Final = {
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
# DynamoDB's text for a type that is not known yet, with its internal types.
_ANY_TYPE: Final = (
    "{S,SS,N,NS,B,BS,BOOL,NULL,L,M,HD,DOUBLE,FLOAT,HDS,FS,DOUBLESET,DICT,DECIMAL,INT,DECIMALSET,INTSET}"
)


def check_condition(
    condition: tree.Condition, parameter: Parameter, *, names: bool = True, values: bool = True
) -> None:
    """Raise an error for a condition that DynamoDB rejects for any item, or that has undefined placeholders."""
    for leaf in tree.leaves(condition):
        check_leaf(leaf, parameter, names=names, values=values)


def check_leaf(leaf: Any, parameter: Parameter, *, names: bool = False, values: bool = False) -> None:
    """Raise an error for a comparison or function that DynamoDB rejects; its placeholders must be resolved."""
    operands = operands_of(leaf)
    for operand in operands:
        check_operand(operand, parameter, names=names, values=values)
    operator = operator_of(leaf)
    _check_counts(leaf, operator, operands, parameter)
    first = operands[0]
    if type(first) is tree.Path and first in operands[1:]:
        raise expression_error(
            "expression-same-operand", parameter, operator=operator, operand=path_text(first)
        )
    for operand in operands:
        if type(operand) is tree.Call:
            _check_call(operand, parameter)
    _check_types(leaf, operator, operands, parameter)


def operands_of(leaf: Any) -> tuple[tree.Operand, ...]:
    """The operands of a comparison or a function, in order."""
    if type(leaf) is tree.Compare:
        return (leaf.left, leaf.right)
    if type(leaf) is tree.Between:
        return (leaf.operand, leaf.low, leaf.high)
    if type(leaf) is tree.In:
        return (leaf.operand, *leaf.candidates)
    operands: tuple[tree.Operand, ...] = leaf.operands
    return operands


def operator_of(leaf: Any) -> str:
    """The name of a comparison or a function in DynamoDB's messages."""
    if type(leaf) is tree.Compare:
        return leaf.operator
    if type(leaf) is tree.Between:
        return "BETWEEN"
    if type(leaf) is tree.In:
        return "IN"
    name: str = leaf.name
    return name


def check_operand(operand: Any, parameter: Parameter, *, names: bool, values: bool) -> None:
    """Raise an error for an undefined placeholder or a path that is too deep."""
    pending = [operand]
    while pending:
        node = pending.pop()
        if type(node) is tree.Path:
            check_path(node, parameter, names=names)
        elif type(node) is tree.ValueRef:
            if values:
                raise expression_error("expression-undefined-value", parameter, name=node.placeholder)
        elif type(node) is tree.Call:
            pending.extend(reversed(node.operands))


def check_path(path: tree.Path, parameter: Parameter, *, names: bool) -> None:
    """Raise an error for a path with an undefined name or too many elements."""
    if names:
        for element in path.elements:
            if type(element) is tree.NameRef:
                raise expression_error("expression-undefined-name", parameter, name=element.placeholder)
    if len(path.elements) > NESTING_LEVELS:
        raise expression_error("expression-path-too-deep", parameter, count=len(path.elements))


def _check_counts(leaf: Any, operator: str, operands: tuple[tree.Operand, ...], parameter: Parameter) -> None:
    for call in (leaf, *operands):
        if type(call) is tree.Call and len(call.operands) != OPERAND_COUNTS.get(
            call.name, len(call.operands)
        ):
            raise expression_error(
                "expression-operand-count", parameter, operator=call.name, count=len(call.operands)
            )
    if operator == "IN" and len(operands) - 1 > IN_OPERANDS:
        raise expression_error("expression-too-many-operands", parameter, count=len(operands) - 1)


def _check_types(leaf: Any, operator: str, operands: tuple[tree.Operand, ...], parameter: Parameter) -> None:
    if type(leaf) is tree.Call:
        _check_call(leaf, parameter)
    elif operator in ORDER_OPERATORS or operator == "BETWEEN":
        for operand in operands:
            _check_operand_type(operand, ORDERED_TYPES, operator, parameter)
        if operator == "BETWEEN":
            _check_bounds(operands[1], operands[2], parameter)


def _check_call(call: tree.Call, parameter: Parameter) -> None:
    name, operands = call.name, call.operands
    if name in {"attribute_exists", "attribute_not_exists"}:
        if type(operands[0]) is not tree.Path:
            raise expression_error("expression-needs-path", parameter, operator=name)
    elif name == "attribute_type":
        _check_type_name(operands[1], parameter)
    elif name in FIRST_OPERAND_TYPES:
        _check_operand_type(operands[0], FIRST_OPERAND_TYPES[name], name, parameter)
        if name == "begins_with":
            _check_operand_type(operands[1], FIRST_OPERAND_TYPES[name], name, parameter)


def operand_type(operand: tree.Operand) -> str:
    """The type of an operand, if it does not depend on the item; else empty."""
    if type(operand) is tree.Value:
        return operand.kind
    return "N" if type(operand) is tree.Call and operand.name == "size" else ""


def _check_operand_type(
    operand: tree.Operand, kinds: frozenset[str], operator: str, parameter: Parameter
) -> None:
    kind = operand_type(operand)
    if kind and kind not in kinds:
        raise expression_error("expression-operand-type", parameter, operator=operator, type=kind)


def _check_type_name(operand: tree.Operand, parameter: Parameter) -> None:
    if type(operand) is tree.ValueRef:
        return
    kind = operand_type(operand) or _ANY_TYPE
    if type(operand) is not tree.Value or kind != "S":
        raise expression_error("expression-operand-type", parameter, operator="attribute_type", type=kind)
    if operand.wire["S"] not in VALUE_TYPES:
        raise expression_error("expression-type-name", parameter, type=operand.wire["S"])


def _check_bounds(low: tree.Operand, high: tree.Operand, parameter: Parameter) -> None:
    if type(low) is not tree.Value or type(high) is not tree.Value:
        return
    texts = {"low": _value_text(low), "high": _value_text(high)}
    if low.kind != high.kind:
        raise expression_error("expression-between-types", parameter, **texts)
    if is_above(low, high):
        raise expression_error("expression-between-order", parameter, **texts)


def is_above(low: tree.Operand, high: tree.Operand) -> bool:
    """Whether the first of two values is above the second one; False if they do not compare."""
    if type(low) is not tree.Value or type(high) is not tree.Value or low.kind != high.kind:
        return False
    return low.kind in ORDERED_TYPES and sortable_wire(low.wire) > sortable_wire(high.wire)


def _value_text(value: tree.Value) -> str:
    return f"{{{value.kind}:{value.wire[value.kind]}}}"


def path_text(path: tree.Path) -> str:
    """A path as in DynamoDB's messages."""
    return f"[{', '.join(map(_element_text, path.elements))}]"


def _element_text(element: str | int | tree.NameRef) -> str:
    if isinstance(element, tree.NameRef):
        return element.placeholder
    return f"[{element}]" if isinstance(element, int) else element


def check_paths(paths: Sequence[tree.Path], parameter: Parameter) -> None:
    """Raise an error for two paths that overlap, else for two that conflict, in written order."""
    conflict: ExpressionError | None = None
    heads: dict[object, list[tree.Path]] = {}
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


def _path_conflict(one: tree.Path, two: tree.Path) -> str:
    for first, second in zip(one.elements, two.elements, strict=False):
        if isinstance(first, int) is not isinstance(second, int):
            return "conflict"
        if first != second:
            return ""
    return "overlap"


_PARAMETER: Final = "UpdateExpression"
_WORDS: Final = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "BOOL": "BOOL",
    "NULL": "NULL",
    "L": "LIST",
    "M": "MAP",
}
_SET_KINDS: Final = frozenset({"SS", "NS", "BS"})
CLAUSE_TYPES: Final = {"ADD": _SET_KINDS | {"N"}, "DELETE": _SET_KINDS}
FUNCTION_TYPES: Final = {"list_append": "L", "+": "N", "-": "N"}


def check_update(update: tree.Update, *, names: bool = True, values: bool = True) -> None:
    """Raise an error for an update that DynamoDB rejects for any item, or that has undefined placeholders."""
    actions = update.actions
    for action in actions:
        for operand in _operands(action):
            check_operand(operand, _PARAMETER, names=names, values=False)
    if values:
        for action in actions:
            for operand in _operands(action):
                check_operand(operand, _PARAMETER, names=False, values=True)
    check_paths([action.path for action in actions], _PARAMETER)
    for action in actions:
        if isinstance(action, tree.Add | tree.Delete):
            _check_clause(action)
    operators = 0
    for action in actions:
        if isinstance(action, tree.Set):
            operators += _check_value(action.value)
    if operators > MAX_OPERATORS:
        raise expression_error("expression-too-many-operators", _PARAMETER, count=MAX_OPERATORS + 1)


def _operands(action: tree.Action) -> Iterator[Any]:
    yield action.path
    if isinstance(action, tree.Add | tree.Delete):
        yield action.value
    elif isinstance(action, tree.Set):
        if isinstance(action.value, tree.Arithmetic):
            yield action.value.left
            yield action.value.right
        else:
            yield action.value


def _check_clause(action: tree.Add | tree.Delete) -> None:
    kind = action.value.kind if isinstance(action.value, tree.Value) else ""
    if kind and kind not in CLAUSE_TYPES[action.section]:
        raise expression_error(
            "expression-clause-type", _PARAMETER, operator=action.section, type=_WORDS[kind]
        )


def _check_value(value: tree.Operand | tree.Arithmetic) -> int:
    """Check the functions inside a value, innermost first, and count them."""
    pending: list[Any] = [value]
    functions: list[Any] = []
    while pending:
        node = pending.pop()
        if isinstance(node, tree.Arithmetic):
            functions.append(node)
            pending += (node.left, node.right)
        elif isinstance(node, tree.Call):
            functions.append(node)
            pending += node.operands
    for node in reversed(functions):
        _check_function(node)
    return len(functions)


def _check_function(node: tree.Call | tree.Arithmetic) -> None:
    if isinstance(node, tree.Arithmetic):
        name, operands = node.operator, (node.left, node.right)
    else:
        name, operands = node.name, node.operands  # type: ignore[assignment]
        if len(operands) != 2:
            raise expression_error("expression-operand-count", _PARAMETER, operator=name, count=len(operands))
    if name == "if_not_exists":
        if not isinstance(operands[0], tree.Path):
            raise expression_error("expression-needs-path", _PARAMETER, operator=name)
        return
    for operand in operands:
        if isinstance(operand, tree.Value) and operand.kind != FUNCTION_TYPES[name]:
            raise expression_error("expression-operand-type", _PARAMETER, operator=name, type=operand.kind)
