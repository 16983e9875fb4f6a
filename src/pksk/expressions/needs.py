"""Which types the values of a tree must have, so that a tree once checked need not be checked for each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pksk.values import sortable_wire

from .check import FIRST_KINDS, KINDS, ORDERED, ORDERED_KINDS, operands_of, operator_of
from .check_update import FUNCTION_KINDS, TAKES
from .tree import Arithmetic, Between, Call, Condition, Set, Update, ValueRef, leaves

__all__ = ["Needs", "needs"]


class Needs(NamedTuple):
    """What the values of a tree must be: of some types, in order as bounds, or the names of types."""

    kinds: tuple[tuple[str, frozenset[str]], ...]
    bounds: tuple[tuple[str, str], ...] = ()
    type_names: tuple[str, ...] = ()

    def met(self, values: Mapping[str, Mapping[str, Any]]) -> bool:
        """Whether these values, one for each placeholder, are such that the tree is accepted with them."""
        for placeholder, kinds in self.kinds:
            if kinds.isdisjoint(values[placeholder]):
                return False
        for low, high in self.bounds:
            least, most = values[low], values[high]
            if least.keys() != most.keys() or sortable_wire(least) > sortable_wire(most):
                return False
        for placeholder in self.type_names:  # noqa: SIM110  # quicker than all()
            if values[placeholder].get("S") not in KINDS:
                return False
        return True


def needs(tree: Condition | Update) -> Needs:
    """What a tree that was parsed without values needs of them.

    Example:
        >>> from pksk.expressions import parse_condition
        >>> needs(parse_condition("a < :n AND b = :x AND c BETWEEN :p AND :q")).bounds
        ((':p', ':q'),)
    """
    if isinstance(tree, Update):
        return Needs(tuple(dict.fromkeys(_of_update(tree))))
    found = list(leaves(tree))
    bounds = [
        (leaf.low.placeholder, leaf.high.placeholder)
        for leaf in found
        if isinstance(leaf, Between) and isinstance(leaf.low, ValueRef) and isinstance(leaf.high, ValueRef)
    ]
    kinds = dict.fromkeys(kind for leaf in found for kind in _of_leaf(leaf))
    type_names = [operand.placeholder for leaf in found for operand in _type_name(leaf)]
    return Needs(tuple(kinds), tuple(bounds), tuple(type_names))


def _type_name(leaf: Any) -> Iterator[ValueRef]:
    if isinstance(leaf, Call) and leaf.name == "attribute_type" and isinstance(leaf.operands[1], ValueRef):
        yield leaf.operands[1]


def _of_leaf(leaf: Any) -> Iterator[tuple[str, frozenset[str]]]:
    operator, operands = operator_of(leaf), operands_of(leaf)
    for operand in operands:
        if isinstance(operand, Call):
            yield from _of_leaf(operand)
    if operator in ORDERED or operator == "BETWEEN":
        yield from _among(operands, ORDERED_KINDS)
    elif operator in FIRST_KINDS:
        yield from _among(operands if operator == "begins_with" else operands[:1], FIRST_KINDS[operator])


def _among(operands: Any, kinds: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for operand in operands:
        if isinstance(operand, ValueRef):
            yield operand.placeholder, kinds


def _of_update(update: Update) -> Iterator[tuple[str, frozenset[str]]]:
    for action in update.actions:
        if action.section in TAKES:
            yield from _among((action.value,), TAKES[action.section])  # type: ignore[union-attr]
        elif isinstance(action, Set):
            yield from _of_value(action.value)


def _of_value(value: Any) -> Iterator[tuple[str, frozenset[str]]]:
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, Arithmetic):
            operands: Any = (node.left, node.right)
            yield from _among(operands, frozenset(FUNCTION_KINDS[node.operator]))
        elif isinstance(node, Call):
            operands = node.operands
            if node.name in FUNCTION_KINDS:
                yield from _among(operands, frozenset(FUNCTION_KINDS[node.name]))
        else:
            continue
        pending += operands
