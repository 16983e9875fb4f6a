"""A check of one item as a value: a condition that a transaction asks for, without writing the item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pksk.expressions import Condition
from pksk.model.request import Kind
from pksk.model.writes.change import refuse
from pksk.model.writes.conditions import (
    check_condition,
    condition_request,
    joined,
    of_kind,
    on_fields,
    present,
)
from pksk.model.writes.fresh import fresh
from pksk.model.writes.place import E_co, Place

if TYPE_CHECKING:
    from pksk.model.entity import Entity

__all__ = ["Check"]

E = TypeVar("E", bound="Entity")


@dataclass(frozen=True)
class Check(Place[E_co]):
    """That an item is there, as a member of a transaction.

    Example:
        >>> from pksk import Entity, F, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     open: bool = True
        ...     primary = Key("ORDER#{id}", "META")
        >>> Order.primary.check(id="7").when(F.open == True).request["ConditionExpression"]
        'attribute_exists(pk) AND #n0 = :v0'
    """

    kind: ClassVar[Kind] = "check"

    condition: Condition | None = None
    absence: bool = False

    @classmethod
    def of(cls, entity: type[E], key: str, given: Mapping[str, Any]) -> Check[E]:
        """The check of the item with these parts; a part that is missing or unknown is refused here."""
        return Check.at(entity, key, given, "check")

    def when(self, condition: Condition) -> Check[E_co]:
        """That a condition on fields holds for the item, too."""
        check_condition(self.declaration, condition)
        return self.changed(condition=joined(self.condition, condition))._consistent()

    def absent(self) -> Check[E_co]:
        """That the item is not there."""
        return self.changed(absence=True)._consistent()

    def _consistent(self) -> Check[E_co]:
        if self.absence and self.condition is not None:
            refuse(
                "write-absent-condition",
                f"{self.declaration.name}.{self.key}.check: an item that is not there has no fields to ask about.",
                fix="write .absent() or .when(...), not both.",
            )
        return self

    @cached_property
    def _conditions(self) -> dict[str, Any]:
        there = present(self.declaration.table, absent=self.absence)
        kind = None if self.absence else of_kind(self.declaration)
        return condition_request((there, kind, on_fields(self.declaration, self.condition)))

    @property
    def request(self) -> dict[str, Any]:
        """The ConditionCheck of a transaction."""
        return self.target | fresh(self._conditions)
