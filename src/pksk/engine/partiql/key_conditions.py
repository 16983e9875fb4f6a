"""Splits a WHERE into the key ranges that it reads, and a filter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, product
from typing import Final, NamedTuple, TypeAlias, TypeGuard, TypeVar

from pksk.dataclass import dataclass
from pksk.engine.service_errors import validation
from pksk.expressions import KeyPart, tree

_T = TypeVar("_T")
_Known: TypeAlias = tree.Value | tree.ValueRef
_MIRRORED: Final = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_MOST_RANGES: Final = 50


@dataclass(frozen=True, slots=True)
class RangeConditions:
    """The conditions of one range: values that the partition key equals, conditions on the sort key, and others."""

    partitions: tuple[_Known, ...] = ()
    sort: tuple[KeyPart, ...] = ()
    others: tuple[tree.Condition, ...] = ()

    def merged(self, other: RangeConditions) -> RangeConditions:
        """The conditions of both, those on the key each once."""
        return RangeConditions(
            tuple(distinct(self.partitions + other.partitions)),
            tuple(distinct(self.sort + other.sort)),
            self.others + other.others,
        )


class KeyConditions(NamedTuple):
    """The ranges that a condition reads, in the order written, and what is left to a filter."""

    ranges: list[RangeConditions]
    filter: tree.Condition | None

    @property
    def partition_count(self) -> int:
        """How many values of the partition key the ranges name."""
        return len(distinct([each.partitions[0] for each in self.ranges]))


class _KeyNames(NamedTuple):
    partition: str
    sort: str | None


def key_conditions(where: tree.Condition | None, partition: str, sort: str | None) -> KeyConditions | None:
    """Split a condition; None if it does not determine the partition key in every case."""
    if where is None or not _determines(where, partition):
        return None
    names = _KeyNames(partition, sort)
    if _count(where, names) > _MOST_RANGES:
        raise validation("Too many decomposed read operations for a given query.")
    remaining = [node for node in conjuncts(where) if not _is_exact(node, names)]
    return KeyConditions(_ranges(where, names), join_conditions(remaining))


# One frame for each level: conditions may have hundreds.


def _determines(node: tree.Condition, partition: str) -> bool:
    if not isinstance(node, tree.And | tree.Or):
        return bool(_equal_values(node, partition))
    in_one = isinstance(node, tree.And)
    for each in node.conditions:
        if _determines(each, partition) is in_one:
            return in_one
    return not in_one


def _limits(node: tree.Condition, names: _KeyNames) -> bool:
    """Whether a condition limits the key in some case."""
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, tree.And | tree.Or):
            pending.extend(each.conditions)
        elif _leaf_ranges(each, names):
            return True
    return False


def _is_exact(node: tree.Condition, names: _KeyNames) -> bool:
    """Whether ranges guarantee a condition: alternatives for one attribute of the key."""
    branches = node.conditions if isinstance(node, tree.Or) else (node,)
    leaf_ranges = [_leaf_ranges(branch, names) for branch in branches]
    attributes = {bool(each.partitions) for ranges in leaf_ranges for each in ranges}
    return all(leaf_ranges) and len(attributes) == 1


def _count(node: tree.Condition, names: _KeyNames) -> int:
    """How many ranges a condition has."""
    is_and = isinstance(node, tree.And)
    if not is_and and not (isinstance(node, tree.Or) and _limits(node, names)):
        return len(_leaf_ranges(node, names)) or 1
    total = int(is_and)
    for each in node.conditions:  # type: ignore[attr-defined]
        total = total * _count(each, names) if is_and else total + _count(each, names)
    return total


def _ranges(node: tree.Condition, names: _KeyNames) -> list[RangeConditions]:
    """The ranges of a condition: those of one branch of an OR after the other."""
    is_and = isinstance(node, tree.And)
    if not is_and and not (isinstance(node, tree.Or) and _limits(node, names)):
        return _leaf_ranges(node, names) or [RangeConditions(others=(node,))]
    branches = []
    for each in node.conditions:  # type: ignore[attr-defined]
        branches.append(_ranges(each, names))
    if is_and:
        return list(map(_merged, product(*branches)))
    return list(chain.from_iterable(branches))


def _merged(combination: tuple[RangeConditions, ...]) -> RangeConditions:
    result = RangeConditions()
    for each in combination:
        result = result.merged(each)
    return result


def _leaf_ranges(node: tree.Condition, names: _KeyNames) -> list[RangeConditions]:
    """The ranges of one comparison with an attribute of the key; none for any other condition."""
    values = _equal_values(node, names.partition)
    if values:
        return [RangeConditions(partitions=(value,)) for value in values]
    if names.sort is None:
        return []
    values = _equal_values(node, names.sort)
    if values:
        return [RangeConditions(sort=(KeyPart(names.sort, "=", (value,)),)) for value in values]
    part = _sort_part(node, names.sort)
    return [] if part is None else [RangeConditions(sort=(part,))]


def distinct(values: Sequence[_T]) -> list[_T]:
    """Values without repetitions, in order."""
    return [value for position, value in enumerate(values) if value not in values[:position]]


def conjuncts(where: tree.Condition | None) -> Iterator[tree.Condition]:
    """The conditions joined by AND, in the order written."""
    pending: list[tree.Condition] = [] if where is None else [where]
    while pending:
        node = pending.pop()
        if isinstance(node, tree.And):
            pending.extend(reversed(node.conditions))
        else:
            yield node


def join_conditions(conditions: list[tree.Condition]) -> tree.Condition | None:
    """The conditions joined by AND; None for an empty list."""
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return tree.And(tuple(conditions))


def equal_value(node: tree.Condition, name: str) -> _Known | None:
    """The value of an attribute, if the condition is an equality with it."""
    part = _comparison(node, name)
    return part.values[0] if part is not None and part.operator == "=" else None


def _equal_values(node: tree.Condition, name: str) -> tuple[_Known, ...]:
    """The values of an attribute in an equality or an IN; none for any other condition."""
    value = equal_value(node, name)
    if value is not None:
        return (value,)
    if isinstance(node, tree.In) and _is_name(node.operand, name):
        candidates = tuple(filter(_is_known, node.candidates))
        return candidates if len(candidates) == len(node.candidates) else ()
    return ()


def _sort_part(node: tree.Condition, name: str) -> KeyPart | None:
    if isinstance(node, tree.Between) and _is_name(node.operand, name):
        low, high = node.low, node.high
        return KeyPart(name, "BETWEEN", (low, high)) if _is_known(low) and _is_known(high) else None
    if isinstance(node, tree.Call) and node.name == "begins_with" and _is_name(node.operands[0], name):
        prefix = node.operands[1]
        return KeyPart(name, "begins_with", (prefix,)) if _is_known(prefix) else None
    return _comparison(node, name)


def _comparison(node: tree.Condition, name: str) -> KeyPart | None:
    if not isinstance(node, tree.Compare) or node.operator not in _MIRRORED:
        return None
    left, right = node.left, node.right
    if _is_name(left, name) and _is_known(right):
        return KeyPart(name, node.operator, (right,))
    if _is_name(right, name) and _is_known(left):
        return KeyPart(name, _MIRRORED[node.operator], (left,))
    return None


def _is_name(operand: tree.Operand, name: str) -> bool:
    return isinstance(operand, tree.Path) and operand.elements == (name,)


def _is_known(operand: tree.Operand) -> TypeGuard[_Known]:
    return isinstance(operand, tree.Value | tree.ValueRef)
