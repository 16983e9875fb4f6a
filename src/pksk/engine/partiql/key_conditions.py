"""Splits a WHERE into partition keys, conditions on the sort key, and a filter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias, TypeGuard

from pksk.expressions import (
    And,
    Between,
    Call,
    Compare,
    Condition,
    In,
    KeyPart,
    Operand,
    Or,
    Path,
    Value,
    ValueRef,
)

_Known: TypeAlias = Value | ValueRef
_MIRRORED: Final = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class KeyConditions(NamedTuple):
    """The values of the partition key, the conditions on the sort key, and the filter.

    `bounds` has the conditions on the sort key as written, except an equality.
    """

    partitions: tuple[_Known, ...]
    sort: tuple[KeyPart, ...]
    bounds: Condition | None
    filter: Condition | None


def key_conditions(where: Condition | None, partition: str, sort: str | None) -> KeyConditions | None:
    """Split a condition; None if it does not determine the partition keys."""
    remaining = list(conjuncts(where))
    partitions = _partitions(remaining, partition)
    if partitions is None:
        return None
    parts = [] if sort is None else _sort_parts(remaining, sort)
    bounds = [node for node, part in parts if part.operator != "="]
    return KeyConditions(
        partitions, tuple(part for _, part in parts), join_conditions(bounds), join_conditions(remaining)
    )


def _sort_parts(remaining: list[Condition], name: str) -> list[tuple[Condition, KeyPart]]:
    """Remove the conditions on the sort key and return them; an equality is returned alone."""
    parts = [(node, part) for node in remaining if (part := _sort_part(node, name)) is not None]
    parts = [pair for pair in parts if pair[1].operator == "="][:1] or parts
    for node, _ in parts:
        remaining.remove(node)
    return parts


def conjuncts(where: Condition | None) -> Iterator[Condition]:
    """The conditions joined by AND, in the order written."""
    pending: list[Condition] = [] if where is None else [where]
    while pending:
        node = pending.pop()
        if isinstance(node, And):
            pending.extend(reversed(node.conditions))
        else:
            yield node


def join_conditions(conditions: list[Condition]) -> Condition | None:
    """The conditions joined by AND; None for an empty list."""
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return And(tuple(conditions))


def equal_value(node: Condition, name: str) -> _Known | None:
    """The value of an attribute, if the condition is an equality with it."""
    part = _comparison(node, name)
    return part.values[0] if part is not None and part.operator == "=" else None


def _partitions(remaining: list[Condition], name: str) -> tuple[_Known, ...] | None:
    """The values of the partition key in an equality, or else in IN or OR; removes that condition."""
    for node in remaining:
        value = equal_value(node, name)
        if value is not None:
            remaining.remove(node)
            return (value,)
    for node in remaining:
        alternatives = _alternatives(node, name)
        if alternatives is not None:
            values, is_exact = alternatives
            if is_exact:
                remaining.remove(node)
            return values
    return None


def _alternatives(node: Condition, name: str) -> tuple[tuple[_Known, ...], bool] | None:
    """The possible values of an attribute, and whether the condition has no other requirement."""
    if not isinstance(node, Or):
        values = _values(node, name)
        return None if values is None else (values, True)
    joined: list[_Known] = []
    for branch in node.conditions:
        found = next(filter(None, (_values(inner, name) for inner in conjuncts(branch))), None)
        if found is None:
            return None
        joined += found
    return tuple(joined), not any(isinstance(branch, And) for branch in node.conditions)


def _values(node: Condition, name: str) -> tuple[_Known, ...] | None:
    value = equal_value(node, name)
    if value is not None:
        return (value,)
    if isinstance(node, In) and _is_name(node.operand, name):
        candidates = tuple(filter(_is_known, node.candidates))
        return candidates if len(candidates) == len(node.candidates) else None
    return None


def _sort_part(node: Condition, name: str) -> KeyPart | None:
    if isinstance(node, Between) and _is_name(node.operand, name):
        low, high = node.low, node.high
        return KeyPart(name, "BETWEEN", (low, high)) if _is_known(low) and _is_known(high) else None
    if isinstance(node, Call) and node.name == "begins_with" and _is_name(node.operands[0], name):
        prefix = node.operands[1]
        return KeyPart(name, "begins_with", (prefix,)) if _is_known(prefix) else None
    return _comparison(node, name)


def _comparison(node: Condition, name: str) -> KeyPart | None:
    if not isinstance(node, Compare) or node.operator not in _MIRRORED:
        return None
    left, right = node.left, node.right
    if _is_name(left, name) and _is_known(right):
        return KeyPart(name, node.operator, (right,))
    if _is_name(right, name) and _is_known(left):
        return KeyPart(name, _MIRRORED[node.operator], (left,))
    return None


def _is_name(operand: Operand, name: str) -> bool:
    return isinstance(operand, Path) and operand.elements == (name,)


def _is_known(operand: Operand) -> TypeGuard[_Known]:
    return isinstance(operand, Value | ValueRef)
