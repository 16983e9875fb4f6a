"""Splits a WHERE into partition keys, conditions on the sort key, and a filter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from pksk.expressions import And, Between, Call, Compare, Condition, In, KeyPart, Or, Path, Value, ValueRef

__all__ = ["KeyConditions", "conjuncts", "equal_value", "join_conditions", "key_conditions"]

_Known: TypeAlias = Value | ValueRef
_MIRRORED: Final = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class KeyConditions(NamedTuple):
    """The values that a partition key may have, conditions on the sort key, and what is left for a filter.

    `bounds` has the conditions on the sort key as they were written, but for an equality.
    """

    partitions: tuple[_Known, ...]
    sort: tuple[KeyPart, ...]
    bounds: Condition | None
    rest: Condition | None


def key_conditions(where: Condition | None, partition: str, sort: str | None) -> KeyConditions | None:
    """What a condition says of a key; None where it leaves the partition open."""
    left = list(conjuncts(where))
    found = _partitions(left, partition)
    if found is None:
        return None
    parts = [] if sort is None else _sort_parts(left, sort)
    bounds = [node for node, part in parts if part.operator != "="]
    return KeyConditions(
        found, tuple(part for _, part in parts), join_conditions(bounds), join_conditions(left)
    )


def _sort_parts(left: list[Condition], name: str) -> list[tuple[Condition, KeyPart]]:
    """Conditions on the sort key, which are then done; beside an equality, no other is needed to find the item."""
    parts = [(node, part) for node in left if (part := _sort_part(node, name)) is not None]
    whole = [one for one in parts if one[1].operator == "="]
    taken = whole[:1] or parts
    for node, _ in taken:
        left.remove(node)
    return taken


def conjuncts(where: Condition | None) -> Iterator[Condition]:
    """The conditions that must all hold, in the order written."""
    pending: list[Condition] = [] if where is None else [where]
    while pending:
        node = pending.pop()
        if isinstance(node, And):
            pending.extend(reversed(node.conditions))
        else:
            yield node


def join_conditions(conditions: list[Condition]) -> Condition | None:
    """All of these conditions as one."""
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return And(tuple(conditions))


def equal_value(node: Condition, name: str) -> _Known | None:
    """The value that an attribute must equal by this condition, if it says that and no more."""
    part = _comparison(node, name)
    return part.values[0] if part is not None and part.operator == "=" else None


def _partitions(left: list[Condition], name: str) -> tuple[_Known, ...] | None:
    """The values of the partition key: those of one equality, or else of IN or of OR; the condition is then done."""
    for node in left:
        value = equal_value(node, name)
        if value is not None:
            left.remove(node)
            return (value,)
    for node in left:
        found = _alternatives(node, name)
        if found is not None:
            values, nothing_else = found
            if nothing_else:
                left.remove(node)
            return values
    return None


def _alternatives(node: Condition, name: str) -> tuple[tuple[_Known, ...], bool] | None:
    """The values that an attribute may have by this condition, and whether it says nothing else."""
    if not isinstance(node, Or):
        return _one_of(node, name)
    values: list[_Known] = []
    nothing_else = True
    for branch in node.conditions:
        found = next(filter(None, (_one_of(inner, name) for inner in conjuncts(branch))), None)
        if found is None:
            return None
        values += found[0]
        nothing_else = nothing_else and not isinstance(branch, And)
    return tuple(values), nothing_else


def _one_of(node: Condition, name: str) -> tuple[tuple[_Known, ...], bool] | None:
    value = equal_value(node, name)
    if value is not None:
        return (value,), True
    if isinstance(node, In) and _is_name(node.operand, name) and all(map(_is_known, node.candidates)):
        candidates: Any = node.candidates
        return candidates, True
    return None


def _sort_part(node: Condition, name: str) -> KeyPart | None:
    if isinstance(node, Between) and _is_name(node.operand, name):
        bounds: Any = (node.low, node.high)
        return KeyPart(name, "BETWEEN", bounds) if all(map(_is_known, bounds)) else None
    if isinstance(node, Call) and node.name == "begins_with" and _is_name(node.operands[0], name):
        start: Any = node.operands[1]
        return KeyPart(name, "begins_with", (start,)) if _is_known(start) else None
    return _comparison(node, name)


def _comparison(node: Condition, name: str) -> KeyPart | None:
    if not isinstance(node, Compare) or node.operator not in _MIRRORED:
        return None
    left: Any = node.left
    right: Any = node.right
    if _is_name(left, name) and _is_known(right):
        return KeyPart(name, node.operator, (right,))
    if _is_name(right, name) and _is_known(left):
        return KeyPart(name, _MIRRORED[node.operator], (left,))
    return None


def _is_name(operand: Any, name: str) -> bool:
    return isinstance(operand, Path) and operand.elements == (name,)


def _is_known(operand: Any) -> bool:
    return isinstance(operand, Value | ValueRef)
