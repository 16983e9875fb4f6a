"""A query of one entity by field values, and the keys that can serve it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import BoundsError, DesignError
from pksk.keys import Filter, Operator
from pksk.keys.field_type import field_type
from pksk.keys.operators import eq
from pksk.model.entity_key import EntityKey
from pksk.model.fields.field_conditions import values_as_validated
from pksk.model.frozen_values import FrozenValues
from pksk.model.planning.filter_conditions import check_filter
from pksk.model.planning.key_plan import KeyPlan, cached_key_plan, plan_key
from pksk.model.vector_keys import is_vector_key, reject_vector_key

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity
    from pksk.schema import Index

__all__ = ["Candidate", "KeyQuery", "candidates"]


@dataclass(frozen=True)
class KeyQuery:
    """What is asked of an entity; without a key, the planner chooses one."""

    entity: type[Entity]
    key: str | None
    values: FrozenValues

    def __getstate__(self) -> dict[str, Any]:
        """What the question is, without what was worked out from it."""
        return {"entity": self.entity, "key": self.key, "values": self.values}

    @property
    def declaration(self) -> Declaration[Any]:
        """The design of the entity."""
        return self.entity.__pksk__

    @property
    def where(self) -> str:
        """The question for messages: Order.by_day."""
        return f"{self.entity.__name__}.{self.key or 'where'}"

    @classmethod
    def of_entity(cls, entity: type[Entity], key: str | None, values: Mapping[str, Any]) -> KeyQuery:
        """The question about an entity; what no key can answer is refused."""
        made = object.__new__(cls)
        # Past the guard of a frozen dataclass, all at once.
        made.__dict__.update(
            entity=entity, key=key, values=FrozenValues(values_as_validated(entity.__pksk__, values))
        )
        made.__dict__["candidates"] = made._candidates()
        return made

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """The keys that can serve the question."""
        return self._candidates()

    def _candidates(self) -> tuple[Candidate, ...]:
        declaration = self.entity.__pksk__
        if self.key is None:
            return candidates(declaration, self.values)
        key = declaration.key(self.key)
        keys = cached_key_plan(key, self.values)
        if keys is None:
            reject_vector_key(declaration, key, self.where)
            keys = plan_key(key, self.values, self.where)
        made = object.__new__(Candidate)
        made.__dict__.update(name=key.name, index=declaration.indexes[key.name], keys=keys, rest=())
        return (made,)


# More attributes than any index can list.
_ALL_ATTRIBUTES = 1000
_INDEX_KINDS = ("table", "lsi", "gsi")


@dataclass(frozen=True)
class Candidate:
    """A key that can serve a question; `rest` are the attributes asked for that its key condition leaves out."""

    name: str
    index: Index
    keys: KeyPlan
    rest: tuple[Filter, ...] = ()

    @property
    def filters(self) -> tuple[Filter, ...]:
        """Everything that must be filtered after reading."""
        return self.keys.filters + self.rest

    def rank(self, *, sees_whole_items: bool) -> tuple[int, int, int, bool, int, int]:
        """Sorts candidates by what they read: fewer rows, fewer requests, each row once, then smaller entries."""
        projected = self.index.projected
        width = len(projected) if isinstance(projected, frozenset) else _ALL_ATTRIBUTES
        uncovered = len(self.rest), len(self.keys.filters)
        return (
            *uncovered,
            len(self.keys.partitions),
            sees_whole_items,
            width,
            _INDEX_KINDS.index(self.index.kind),
        )


def candidates(declaration: Declaration[Any], values: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """Every key that can serve the attributes; refused where there is none."""
    for name in values:
        declaration.attribute(name)
    found = []
    lacking = {}
    for key in declaration.keys.values():
        candidate = _candidate(declaration, key, values)
        if isinstance(candidate, str):
            lacking[key.name] = candidate
        else:
            found.append(candidate)
    if not found:
        _reject_without_index(declaration, values, lacking)
    return tuple(found)


def _candidate(declaration: Declaration[Any], key: EntityKey, values: Mapping[str, Any]) -> Candidate | str:
    """The way through one key, or what it lacks in words."""
    if is_vector_key(declaration, key):
        return f"it is a vector index, which {declaration.name}.{key.name}.nearest(...) searches"
    needed = key.partition_fields
    missing = [field for field in needed if field not in values]
    if missing:
        return f"its partition needs {', '.join(map(repr, missing))}"
    none = [field for field in key.fields if field in values and _is_none(values[field])]
    if none:
        return f"it holds no items without {', '.join(map(repr, none))}"
    sparse = _sparse_reason(declaration, key, values)
    if sparse:
        return sparse
    sort_fields = _leading_sort_fields(key, values)
    problem = f"it begins with {key.fields[0]!r}, which is not given" if key.fields else "it has no parts"
    # Where an operator does not fit a part of the key, the part is left to a filter.
    for count in range(len(sort_fields), -1, -1):
        asked = {name: values[name] for name in (*needed, *sort_fields[:count])}
        if not asked:
            break
        try:
            keys = plan_key(key, asked, f"{declaration.name}.{key.name}")
        except BoundsError as error:
            problem = error.problem
        else:
            rest = _remaining_filters(values, asked)
            for each in rest:
                check_filter(declaration, f"{declaration.name}.where", each)
            return Candidate(key.name, declaration.table.index(key.index), keys, rest)
    return problem


def _is_none(value: Any) -> bool:
    return value is None or (isinstance(value, Operator) and None in value.operands)


def _sparse_reason(declaration: Declaration[Any], key: EntityKey, values: Mapping[str, Any]) -> str:
    """Why the index may lack rows that the question is about, if it may."""
    if key.index is None:
        return ""
    if key.when is not None:
        return "it holds only the items that its when= lets in"
    optional = [
        name
        for name in key.fields
        if name not in values and field_type(declaration.fields[name].annotation).optional
    ]
    return f"it lacks the items without {', '.join(map(repr, optional))}" if optional else ""


def _remaining_filters(values: Mapping[str, Any], asked: Mapping[str, Any]) -> tuple[Filter, ...]:
    return tuple(
        Filter(name, value if isinstance(value, Operator) else eq(value))
        for name, value in values.items()
        if name not in asked
    )


def _leading_sort_fields(key: EntityKey, values: Mapping[str, Any]) -> list[str]:
    """The fields of the sort key that are given without a gap, up to the first operator."""
    found: list[str] = []
    for part in key.sort:
        for field in part.fields:
            if field in key.partition_fields or field in found:
                continue
            if field not in values:
                return found
            found.append(field)
            if isinstance(values[field], Operator) and values[field].name != "eq":
                return found
    return found


def _reject_without_index(
    declaration: Declaration[Any], values: Mapping[str, Any], lacking: Mapping[str, str]
) -> NoReturn:
    asked = ", ".join(values) or "nothing"
    ways = "; ".join(f"{_index_text(declaration.keys[name])}: {reason}" for name, reason in lacking.items())
    raise DesignError(
        "where-no-index",
        f"{declaration.name}.where: no key serves a question about {asked}.",
        expected=f"{ways}.",
        fix=f"give what a key lacks, or add a key that serves it: {_suggested_key(values)}; "
        "to read everything, use scan()."
        if values
        else f"name attributes, or use {declaration.name}.scan() to read everything.",
    )


def _index_text(key: EntityKey) -> str:
    return f"{key.name} ({'the table' if key.index is None else f'index {key.index!r}'})"


def _suggested_key(values: Mapping[str, Any]) -> str:
    """The key that would serve the question: equal values in the partition, the range in the sort key."""
    ranged = [name for name, value in values.items() if isinstance(value, Operator) and value.name != "eq"]
    equal = [name for name in values if name not in ranged]
    partition = "#".join(f"{{{name}}}" for name in equal) or "ALL"
    sort = "#".join(f"{{{name}}}" for name in ranged)
    texts = f'"{partition}", "{sort}"' if sort else f'"{partition}"'
    return f'Key({texts}, index="...")'
