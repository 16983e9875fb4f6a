"""The queries and filters of access patterns, in the form that rules ask about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pksk.dataclass import dataclass
from pksk.expressions import And, Between, Call, Compare, Condition, Path
from pksk.keys import Operator
from pksk.model.bill.month_rows import PatternUse
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.model.requests.query import Query
from pksk.review.rule import Design

_RANGES = frozenset({"<", "<=", ">", ">="})


@dataclass(frozen=True)
class KeyRead:
    """One query of an access pattern: the entity and the key that it reads, and the values that it names."""

    use: PatternUse
    query: Query
    declaration: Declaration
    key: EntityKey
    values: Mapping[str, Any]

    @property
    def equal_filters(self) -> list[str]:
        """The fields that are compared by equality after reading: by the filter, or by where()."""
        return [*equal_fields(self.query.condition), *self._filtered(ranges=False)]

    @property
    def range_filters(self) -> list[str]:
        """The fields that a query filters by a range after reading."""
        return [*range_fields(self.query.condition), *self._filtered(ranges=True)]

    def _filtered(self, *, ranges: bool) -> list[str]:
        """The values that the key does not hold."""
        rest = ((name, value) for name, value in self.values.items() if name not in self.key.fields)
        return [name for name, value in rest if is_range(value) == ranges]


def key_reads(design: Design) -> Iterator[KeyRead]:
    """Every query of every access pattern; one of several entities counts for each of them."""
    for use in design.uses:
        for query in use.requests:
            if isinstance(query, Query):
                plan = query.plan
                indexes = {plan.index, *(branch.index for branch in plan.branches)}
                for each in query.key_queries:
                    key = next((c.keys.key for c in each.candidates if c.index.name in indexes), None)
                    if key is not None:
                        yield KeyRead(use, query, each.declaration, key, each.values)


def is_range(value: object) -> bool:
    """Whether a value of a query is a range, and not equality."""
    return isinstance(value, Operator) and value.name != "eq"


def equal_fields(condition: Condition | None) -> Iterator[str]:
    """The fields that a filter compares by `=` with a value, whatever else it asks."""
    for each in _all_of(condition):
        if isinstance(each, Compare) and each.operator == "=":
            yield from _field(each.left)


def range_fields(condition: Condition | None) -> Iterator[str]:
    """The fields that a filter compares with a range or a beginning, whatever else it compares."""
    for each in _all_of(condition):
        if isinstance(each, Between):
            yield from _field(each.operand)
        elif isinstance(each, Compare) and each.operator in _RANGES:
            yield from _field(each.left)
        elif isinstance(each, Call) and each.name == "begins_with":
            yield from _field(each.operands[0])


def _all_of(condition: Condition | None) -> Iterator[Condition]:
    """The conditions that must all hold."""
    if isinstance(condition, And):
        for each in condition.conditions:
            yield from _all_of(each)
    elif condition is not None:
        yield condition


def _field(operand: object) -> Iterator[str]:
    if isinstance(operand, Path) and len(operand.elements) == 1 and isinstance(operand.elements[0], str):
        yield operand.elements[0]
