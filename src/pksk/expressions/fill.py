"""Values put into the places of their placeholders, in a tree that was read once and is filled often."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from .check_keys import KeyPart
from .tree import Action, Arithmetic, Call, Remove, Update, Value, ValueRef

__all__ = ["filled_keys", "filled_update"]

_Values: TypeAlias = Mapping[str, dict[str, Any]]
_Fill: TypeAlias = Callable[[_Values], Any]


def filled_update(update: Update) -> Callable[[_Values], Update]:
    """The update with values in place of its placeholders; all of these must be among the values.

    Example:
        >>> from pksk.expressions import parse_update
        >>> filled_update(parse_update("SET a = :a REMOVE b"))({":a": {"N": "1"}}).actions[0].value
        Value(wire={'N': '1'})
    """
    fills = [_action(action) for action in update.actions]
    return lambda values: Update(tuple([fill(values) for fill in fills]))


def filled_keys(parts: tuple[KeyPart, ...]) -> Callable[[_Values], tuple[KeyPart, ...]]:
    """The parts of a key condition with values in place of their placeholders.

    Example:
        >>> from pksk.expressions import key_parts, parse_key_condition
        >>> filled_keys(key_parts(parse_key_condition("pk = :p")))({":p": {"S": "a"}})[0].values
        (Value(wire={'S': 'a'}),)
    """
    fills = [_key_part(part) for part in parts]
    return lambda values: tuple([fill(values) for fill in fills])


def _key_part(part: KeyPart) -> Callable[[_Values], KeyPart]:
    attribute, operator = part.attribute, part.operator
    placeholders = [value.placeholder for value in part.values if isinstance(value, ValueRef)]
    if len(placeholders) == 1:
        (placeholder,) = placeholders
        return lambda values: KeyPart(attribute, operator, (Value(values[placeholder]),))
    return lambda values: KeyPart(attribute, operator, tuple([Value(values[name]) for name in placeholders]))


def _action(action: Any) -> Callable[[_Values], Action]:
    if type(action) is Remove:
        return lambda _: action
    kind, path, fill = type(action), action.path, _operand(action.value)
    return lambda values: kind(path, fill(values))


def _operand(node: Any) -> _Fill:
    if type(node) is ValueRef:
        placeholder = node.placeholder
        return lambda values: Value(values[placeholder])
    if type(node) is Arithmetic:
        operator, left, right = node.operator, _operand(node.left), _operand(node.right)
        return lambda values: Arithmetic(operator, left(values), right(values))
    if type(node) is Call:
        name, fills = node.name, [_operand(operand) for operand in node.operands]
        return lambda values: Call(name, tuple([fill(values) for fill in fills]))
    return lambda _: node
