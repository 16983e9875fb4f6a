"""The condition of a search: which part of an index it is about, and which values it filters by."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from pksk.engine.faults import validation
from pksk.engine.texts import vectors as texts
from pksk.engine.values import check_value
from pksk.expressions import Condition, Path
from pksk.expressions.tree import And, Between, Compare, In, Value, ValueRef
from pksk.values import Wire

from .vector_index import VectorIndex, identity

__all__ = ["Equalities", "read_equalities"]


class Equalities(NamedTuple):
    """The attributes that a condition asks to equal values, with these values."""

    wanted: Mapping[str, Wire]

    def of(self, index: VectorIndex) -> tuple[Hashable, dict[int, Hashable]]:
        """The part of an index, and the values by the filters' places; refuses what its schema does not have."""
        types = {each.name: each.type for each in index.searched}
        for name in self.wanted:
            if name not in types:
                raise validation(texts.not_in_schema(name))
        if index.hash is not None and index.hash.name not in self.wanted:
            raise validation(texts.CONDITION_NEEDED)
        for name, value in self.wanted.items():
            if types[name] not in value:
                raise validation(texts.VALUE_TYPE)
        part = None if index.hash is None else identity(self.wanted[index.hash.name])
        filters = {
            place: identity(self.wanted[each.name])
            for place, each in enumerate(index.filters)
            if each.name in self.wanted
        }
        return part, filters


def read_equalities(condition: Condition | None, values: Mapping[str, Any]) -> Equalities:
    """What a condition asks for; refuses all but equalities of attributes that AND joins."""
    wanted: dict[str, Wire] = {}
    if condition is None:
        return Equalities(wanted)
    pending: list[Condition] = [condition]
    while pending:
        each = pending.pop()
        if isinstance(each, And):
            pending.extend(reversed(each.conditions))
            continue
        name, value = _equality(each, values)
        if name in wanted:
            raise validation(texts.ONE_CONDITION_EACH)
        wanted[name] = value
    return Equalities(wanted)


def _equality(condition: Condition, values: Mapping[str, Any]) -> tuple[str, Wire]:
    if isinstance(condition, Between | In) or (isinstance(condition, Compare) and condition.operator != "="):
        raise validation(texts.BAD_COMPARATOR)
    if not isinstance(condition, Compare):
        raise validation(texts.BAD_OPERATOR)
    path, value = condition.left, condition.right
    if not isinstance(path, Path):
        path, value = value, path
    if not isinstance(path, Path) or not isinstance(value, Value | ValueRef):
        raise validation(texts.BAD_OPERATOR)
    if len(path.elements) > 1:
        raise validation(texts.NESTED_ATTRIBUTE)
    wire = value.wire if isinstance(value, Value) else check_value(values[value.placeholder])
    return str(path.elements[0]), wire
