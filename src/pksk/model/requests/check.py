"""The Check request: a condition on one item of a transaction that does not write the item."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Never

from pksk.dataclass import dataclass
from pksk.model.declaration import E_co
from pksk.model.request_values import copy_request
from pksk.model.requests.keyed_request import KeyedWrite
from pksk.model.writes import write_conditions as conditions
from pksk.model.writes.field_update import reject


@dataclass(frozen=True)
class Check(KeyedWrite[E_co, Never]):
    """A check that an item exists, as a member of a transaction.

    Example:
        >>> from pksk import Entity, F, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     open: bool = True
        ...     primary = Key("ORDER#{id}", "META")
        >>> Order.primary.check(id="7").when(F.open == True).request["ConditionExpression"]
        'attribute_exists(pk) AND #n0 = :v0'
    """

    kind = "check"
    operation = "ConditionCheck"
    action = "ConditionCheck"
    example = "{}.primary.check(...)"
    run_by = "transaction(...), as one of its members"

    requires_absence: bool = False

    def __post_init__(self) -> None:
        if self.requires_absence and self.condition is not None:
            reject(
                "write-absent-condition",
                f"{self.declaration.name}.{self.key}.check: a missing item has no fields to compare.",
                fix="write .absent() or .when(...), not both.",
            )

    def absent(self) -> Check[E_co]:
        """A check that the item does not exist."""
        return self.replace(requires_absence=True)

    @cached_property
    def _conditions(self) -> dict[str, Any]:
        there = conditions.existence_condition(self.declaration.table, absent=self.requires_absence)
        kind = None if self.requires_absence else conditions.shared_key_condition(self.declaration)
        return conditions.condition_request(
            (there, kind, conditions.user_condition(self.declaration, self.condition))
        )

    @property
    def request(self) -> dict[str, Any]:
        """The ConditionCheck of a transaction."""
        return self.table_and_key | copy_request(self._conditions)
