"""DynamoDB's checks of an update that do not depend on the item."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from .check import check_operand, check_paths
from .operand_reader import MAX_OPERATORS
from .texts import expression_error
from .tree import Action, Add, Arithmetic, Call, Delete, Operand, Path, Set, Update, Value

_PARAMETER: Final = "UpdateExpression"
_WORDS: Final = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
    "L": "LIST",
    "M": "MAP",
}
_SET_KINDS: Final = frozenset({"SS", "NS", "BS"})
CLAUSE_TYPES: Final = {"ADD": _SET_KINDS | {"N"}, "DELETE": _SET_KINDS}
FUNCTION_TYPES: Final = {"list_append": "L", "+": "N", "-": "N"}


def check_update(update: Update, *, names: bool = True, values: bool = True) -> None:
    """Raise an error for an update that DynamoDB rejects for any item, or that has undefined placeholders.

    Example:
        >>> check_update(Update((Add(Path(("tags",)), Value({"S": "x"})),)))
        Traceback (most recent call last):
        pksk.errors.ExpressionError: Invalid UpdateExpression: Incorrect operand type ... operator: ADD, ...
    """
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
        if isinstance(action, Add | Delete):
            _check_clause(action)
    operators = 0
    for action in actions:
        if isinstance(action, Set):
            operators += _check_value(action.value)
    if operators > MAX_OPERATORS:
        raise expression_error("expression-too-many-operators", _PARAMETER, count=MAX_OPERATORS + 1)


def _operands(action: Action) -> Iterator[Any]:
    yield action.path
    if isinstance(action, Add | Delete):
        yield action.value
    elif isinstance(action, Set):
        if isinstance(action.value, Arithmetic):
            yield action.value.left
            yield action.value.right
        else:
            yield action.value


def _check_clause(action: Add | Delete) -> None:
    kind = action.value.kind if isinstance(action.value, Value) else ""
    if kind and kind not in CLAUSE_TYPES[action.section]:
        raise expression_error(
            "expression-clause-type", _PARAMETER, operator=action.section, type=_WORDS[kind]
        )


def _check_value(value: Operand | Arithmetic) -> int:
    """Check the functions inside a value, innermost first, and count them."""
    pending: list[Any] = [value]
    found: list[Any] = []
    while pending:
        node = pending.pop()
        if isinstance(node, Arithmetic):
            found.append(node)
            pending += (node.left, node.right)
        elif isinstance(node, Call):
            found.append(node)
            pending += node.operands
    for node in reversed(found):
        _check_function(node)
    return len(found)


def _check_function(node: Call | Arithmetic) -> None:
    if isinstance(node, Arithmetic):
        name, operands = node.operator, (node.left, node.right)
    else:
        name, operands = node.name, node.operands  # type: ignore[assignment]
        if len(operands) != 2:
            raise expression_error("expression-operand-count", _PARAMETER, operator=name, count=len(operands))
    if name == "if_not_exists":
        if not isinstance(operands[0], Path):
            raise expression_error("expression-needs-path", _PARAMETER, operator=name)
        return
    for operand in operands:
        if isinstance(operand, Value) and operand.kind != FUNCTION_TYPES[name]:
            raise expression_error("expression-operand-type", _PARAMETER, operator=name, type=operand.kind)
