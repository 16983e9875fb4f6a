"""Binds values to the placeholders of an expression, so that it is parsed only once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from pksk.values import sortable_wire

from . import check
from .check import operands_of, operator_of
from .key_condition import KeyPart
from .tree import Action, Arithmetic, Between, Call, Condition, Remove, Set, Update, Value, ValueRef, leaves


class ValueRequirements(NamedTuple):
    """Requirements on the values of a tree: their types, the order of bounds, and names of types."""

    types: tuple[tuple[str, frozenset[str]], ...]
    bounds: tuple[tuple[str, str], ...] = ()
    type_names: tuple[str, ...] = ()

    def are_met_by(self, values: Mapping[str, Mapping[str, Any]]) -> bool:
        """Whether DynamoDB accepts the tree with these values, one for each placeholder."""
        for placeholder, kinds in self.types:
            if kinds.isdisjoint(values[placeholder]):
                return False
        for low, high in self.bounds:
            least, most = values[low], values[high]
            if least.keys() != most.keys() or sortable_wire(least) > sortable_wire(most):
                return False
        for placeholder in self.type_names:  # noqa: SIM110  # quicker than all()
            if values[placeholder].get("S") not in check.VALUE_TYPES:
                return False
        return True


def value_requirements(tree: Condition | Update) -> ValueRequirements:
    """The requirements of a tree that was parsed without values."""
    if isinstance(tree, Update):
        return ValueRequirements(tuple(dict.fromkeys(_update_requirements(tree))))
    conditions = list(leaves(tree))
    bounds = [
        (leaf.low.placeholder, leaf.high.placeholder)
        for leaf in conditions
        if isinstance(leaf, Between) and isinstance(leaf.low, ValueRef) and isinstance(leaf.high, ValueRef)
    ]
    kinds = dict.fromkeys(kind for leaf in conditions for kind in _leaf_requirements(leaf))
    type_names = [operand.placeholder for leaf in conditions for operand in _type_name_values(leaf)]
    return ValueRequirements(tuple(kinds), tuple(bounds), tuple(type_names))


def _type_name_values(leaf: Any) -> Iterator[ValueRef]:
    if isinstance(leaf, Call) and leaf.name == "attribute_type" and isinstance(leaf.operands[1], ValueRef):
        yield leaf.operands[1]


def _leaf_requirements(leaf: Any) -> Iterator[tuple[str, frozenset[str]]]:
    operator, operands = operator_of(leaf), operands_of(leaf)
    for operand in operands:
        if isinstance(operand, Call):
            yield from _leaf_requirements(operand)
    if operator in check.ORDER_OPERATORS or operator == "BETWEEN":
        yield from _placeholder_types(operands, check.ORDERED_TYPES)
    elif operator in check.FIRST_OPERAND_TYPES:
        yield from _placeholder_types(
            operands if operator == "begins_with" else operands[:1], check.FIRST_OPERAND_TYPES[operator]
        )


def _placeholder_types(operands: Any, kinds: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for operand in operands:
        if isinstance(operand, ValueRef):
            yield operand.placeholder, kinds


def _update_requirements(update: Update) -> Iterator[tuple[str, frozenset[str]]]:
    for action in update.actions:
        if action.section in check.CLAUSE_TYPES:
            yield from _placeholder_types((action.value,), check.CLAUSE_TYPES[action.section])  # type: ignore[union-attr]
        elif isinstance(action, Set):
            yield from _set_requirements(action.value)


def _set_requirements(value: Any) -> Iterator[tuple[str, frozenset[str]]]:
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, Arithmetic):
            operands: Any = (node.left, node.right)
            yield from _placeholder_types(operands, frozenset(check.FUNCTION_TYPES[node.operator]))
        elif isinstance(node, Call):
            operands = node.operands
            if node.name in check.FUNCTION_TYPES:
                yield from _placeholder_types(operands, frozenset(check.FUNCTION_TYPES[node.name]))
        else:
            continue
        pending += operands


_Values: TypeAlias = Mapping[str, dict[str, Any]]
_Bind: TypeAlias = Callable[[_Values], Any]


def bind_update(update: Update) -> Callable[[_Values], Update]:
    """The update with its placeholders replaced; all of them must have values."""
    fills = [_bind_action(action) for action in update.actions]
    return lambda values: Update(tuple([fill(values) for fill in fills]))


def bind_key_parts(parts: tuple[KeyPart, ...]) -> Callable[[_Values], tuple[KeyPart, ...]]:
    """The parts of a key condition with their placeholders replaced."""
    fills = [_bind_key_part(part) for part in parts]
    return lambda values: tuple([fill(values) for fill in fills])


def _bind_key_part(part: KeyPart) -> Callable[[_Values], KeyPart]:
    attribute, operator = part.attribute, part.operator
    placeholders = [value.placeholder for value in part.values if isinstance(value, ValueRef)]
    if len(placeholders) == 1:
        (placeholder,) = placeholders
        return lambda values: KeyPart(attribute, operator, (Value(values[placeholder]),))
    return lambda values: KeyPart(attribute, operator, tuple([Value(values[name]) for name in placeholders]))


def _bind_action(action: Any) -> Callable[[_Values], Action]:
    if type(action) is Remove:
        return lambda _: action
    kind, path, fill = type(action), action.path, _bind_operand(action.value)
    return lambda values: kind(path, fill(values))


def _bind_operand(node: Any) -> _Bind:
    if type(node) is ValueRef:
        placeholder = node.placeholder
        return lambda values: Value(values[placeholder])
    if type(node) is Arithmetic:
        operator, left, right = node.operator, _bind_operand(node.left), _bind_operand(node.right)
        return lambda values: Arithmetic(operator, left(values), right(values))
    if type(node) is Call:
        name, fills = node.name, [_bind_operand(operand) for operand in node.operands]
        return lambda values: Call(name, tuple([fill(values) for fill in fills]))
    return lambda _: node
