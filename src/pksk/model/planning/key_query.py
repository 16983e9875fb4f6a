"""A query of one entity by field values, and the keys that can serve it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import BoundsError, DesignError
from pksk.keys import Filter, Operator
from pksk.keys.operators import eq
from pksk.keys.parts.part_types import field_type
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.model.fields.operands import checked_operands
from pksk.model.item_key import is_vector_key, reject_vector_key
from pksk.model.planning.filter_conditions import check_filter
from pksk.model.planning.key_plan import KeyPlan, cached_key_plan, plan_key
from pksk.model.request_values import FrozenValues
from pksk.schema import Index

if TYPE_CHECKING:
    from pksk.model.entity import Entity


@dataclass(frozen=True)
class KeyQuery:
    """A query of one entity; without a key, the planner chooses one."""

    entity: type[Entity]
    key: str | None
    values: FrozenValues

    def __getstate__(self) -> dict[str, Any]:
        """The query without its cached candidates."""
        return {"entity": self.entity, "key": self.key, "values": self.values}

    @property
    def declaration(self) -> Declaration:
        """The design of the entity."""
        return self.entity.__pksk__

    @property
    def where(self) -> str:
        """The query for messages: Order.by_day."""
        return f"{self.entity.__name__}.{self.key or 'where'}"

    @classmethod
    def of_entity(cls, entity: type[Entity], key: str | None, values: Mapping[str, Any]) -> KeyQuery:
        """The query of an entity; raises if no key can serve it."""
        key_query = object.__new__(cls)
        # Sets all attributes at once, although the dataclass is frozen.
        checked = checked_operands(entity.__pksk__, values, by_key=key is not None)
        key_query.__dict__.update(entity=entity, key=key, values=FrozenValues(checked))
        key_query.__dict__["candidates"] = key_query._candidates()
        return key_query

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """The keys that can serve the query."""
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
        candidate = object.__new__(Candidate)
        candidate.__dict__.update(name=key.name, index=declaration.indexes[key.name], keys=keys, rest=())
        return (candidate,)


# More attributes than any index can list.
_ALL_ATTRIBUTES = 1000
_INDEX_KINDS = ("table", "lsi", "gsi")


@dataclass(frozen=True)
class Candidate:
    """A key that can serve a query; `rest` are filters that its key condition does not cover."""

    name: str
    index: Index
    keys: KeyPlan
    rest: tuple[Filter, ...] = ()

    @property
    def filters(self) -> tuple[Filter, ...]:
        """All filters on the items that the key condition finds."""
        return self.keys.filters + self.rest

    def rank(self, *, sees_whole_items: bool) -> tuple[int, int, int, bool, int, int]:
        """Sorts candidates by what they read: fewer items, fewer requests, each item once, then smaller entries."""
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


def candidates(declaration: Declaration, values: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """Every key that can serve a query by these fields; raises if there is none."""
    for name in values:
        declaration.attribute(name)
    usable = []
    missing = {}
    for key in declaration.keys.values():
        candidate = _candidate(declaration, key, values)
        if isinstance(candidate, str):
            missing[key.name] = candidate
        else:
            usable.append(candidate)
    if not usable:
        _reject_without_index(declaration, values, missing)
    return tuple(usable)


def _candidate(declaration: Declaration, key: EntityKey, values: Mapping[str, Any]) -> Candidate | str:
    """The candidate for one key, or the reason why the key cannot serve the query."""
    if is_vector_key(declaration, key):
        return f"is a vector index; search it with {declaration.name}.{key.name}.nearest(...)"
    required = key.partition_fields
    missing = [field for field in required if field not in values]
    if missing:
        return f"needs {' and '.join(map(repr, missing))} for its partition key"
    none = [field for field in key.fields if field in values and _is_none(values[field])]
    if none:
        return f"holds no items without {' and '.join(map(repr, none))}"
    sparse = _sparse_reason(declaration, key, values)
    if sparse:
        return sparse
    sort_fields = _leading_sort_fields(key, values)
    problem = f"begins with {key.fields[0]!r}, which has no value" if key.fields else "has no fields"
    # A part that cannot take its operator becomes a filter.
    for count in range(len(sort_fields), -1, -1):
        used = {name: values[name] for name in (*required, *sort_fields[:count])}
        if not used:
            break
        try:
            keys = plan_key(key, used, f"{declaration.name}.{key.name}")
        except BoundsError as error:
            problem = error.problem
        else:
            rest = _remaining_filters(values, used)
            for each in rest:
                check_filter(declaration, f"{declaration.name}.where", each)
            return Candidate(key.name, declaration.table.index(key.index), keys, rest)
    return problem


def _is_none(value: object) -> bool:
    return value is None or (isinstance(value, Operator) and None in value.operands)


def _sparse_reason(declaration: Declaration, key: EntityKey, values: Mapping[str, Any]) -> str:
    """Why the index may lack items that match the query; empty if it has all of them."""
    if key.index is None:
        return ""
    if key.when is not None:
        return "holds only the items that meet its when= condition"
    optional = [
        name
        for name in key.fields
        if name not in values and field_type(declaration.fields[name].annotation).optional
    ]
    return f"lacks the items without {' or '.join(map(repr, optional))}" if optional else ""


def _remaining_filters(values: Mapping[str, Any], used: Mapping[str, Any]) -> tuple[Filter, ...]:
    return tuple(
        Filter(name, value if isinstance(value, Operator) else eq(value))
        for name, value in values.items()
        if name not in used
    )


def _leading_sort_fields(key: EntityKey, values: Mapping[str, Any]) -> list[str]:
    """The fields of the sort key that have values without a gap, up to the first operator."""
    fields: list[str] = []
    for part in key.sort:
        for field in part.fields:
            if field in key.partition_fields or field in fields:
                continue
            if field not in values:
                return fields
            fields.append(field)
            if isinstance(values[field], Operator) and values[field].name != "eq":
                return fields
    return fields


def _reject_without_index(
    declaration: Declaration, values: Mapping[str, Any], reasons: Mapping[str, str]
) -> NoReturn:
    fields = f"by {' and '.join(map(repr, values))}" if values else "without values"
    listed = "; ".join(f"{_index_text(declaration.keys[name])} {reason}" for name, reason in reasons.items())
    raise DesignError(
        "where-no-index",
        f"{declaration.name}.where: no key or index can serve a query {fields}.",
        expected=f"{listed}.",
        fix=f"add the missing values, or add a key for this query: {_suggested_key(values)}; "
        "to read everything, use scan()."
        if values
        else f"give values of fields, or use {declaration.name}.scan() to read everything.",
    )


def _index_text(key: EntityKey) -> str:
    return f"{key.name} ({'the table' if key.index is None else f'index {key.index!r}'})"


def _suggested_key(values: Mapping[str, Any]) -> str:
    """A key that would serve the query: plain values in the partition key, the range in the sort key."""
    ranged = [name for name, value in values.items() if isinstance(value, Operator) and value.name != "eq"]
    equal = [name for name in values if name not in ranged]
    partition = "#".join(f"{{{name}}}" for name in equal) or "ALL"
    sort = "#".join(f"{{{name}}}" for name in ranged)
    texts = f'"{partition}", "{sort}"' if sort else f'"{partition}"'
    return f'Key({texts}, index="...")'
