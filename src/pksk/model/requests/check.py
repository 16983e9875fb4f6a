"""The Check request: a condition on one item of a transaction that does not write the item."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pksk.dataclass import dataclass
from pksk.expressions import Condition
from pksk.model.requests.keyed_write import E_co, KeyedWrite
from pksk.model.requests.request import Kind, copy_request
from pksk.model.writes.field_update import reject
from pksk.model.writes.write_conditions import (
    check_condition,
    condition_request,
    existence_condition,
    join_conditions,
    shared_key_condition,
    user_condition,
)

if TYPE_CHECKING:
    from pksk.model.entity import Entity

__all__ = ["Check"]

E = TypeVar("E", bound="Entity")


@dataclass(frozen=True)
class Check(KeyedWrite[E_co]):
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
    requires_absence: bool = False

    @classmethod
    def of(cls, entity: type[E], key: str, given: Mapping[str, Any]) -> Check[E]:
        """The check of the item with these parts; a part that is missing or unknown is refused here."""
        return Check.at(entity, key, given, "check")

    def when(self, condition: Condition) -> Check[E_co]:
        """That a condition on fields holds for the item, too."""
        check_condition(self.declaration, condition)
        return self.replace(condition=join_conditions(self.condition, condition))._consistent()

    def absent(self) -> Check[E_co]:
        """That the item is not there."""
        return self.replace(requires_absence=True)._consistent()

    def _consistent(self) -> Check[E_co]:
        if self.requires_absence and self.condition is not None:
            reject(
                "write-absent-condition",
                f"{self.declaration.name}.{self.key}.check: an item that is not there has no fields to ask about.",
                fix="write .absent() or .when(...), not both.",
            )
        return self

    @cached_property
    def _conditions(self) -> dict[str, Any]:
        there = existence_condition(self.declaration.table, absent=self.requires_absence)
        kind = None if self.requires_absence else shared_key_condition(self.declaration)
        return condition_request((there, kind, user_condition(self.declaration, self.condition)))

    @property
    def request(self) -> dict[str, Any]:
        """The ConditionCheck of a transaction."""
        return self.target | copy_request(self._conditions)
