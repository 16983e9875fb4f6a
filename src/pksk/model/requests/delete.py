"""The Delete request: one item by all parts of its primary key."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from pksk.dataclass import dataclass
from pksk.expressions import Or
from pksk.model.requests.keyed_request import E_co, KeyedWrite
from pksk.model.requests.request import copy_request
from pksk.model.writes.write_conditions import (
    condition_request,
    existence_condition,
    shared_key_condition,
    user_condition,
)


@dataclass(frozen=True)
class Delete(KeyedWrite[E_co]):
    """An item to be deleted, by all parts of its primary key; nothing happens where there is none.

    Where an item of a base or a sister class can stand under the same key, it asks that the item is of the entity.

    Example:
        >>> from pksk import Entity, F, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     total: int = 0
        ...     primary = Key("ORDER#{id}", "META")
        >>> Order.primary.delete(id="7").when(F.total == 0).request["ConditionExpression"]
        '#n0 = :v0'
    """

    kind = "delete"
    operation = "DeleteItem"
    action = "Delete"
    batchable = True
    example = "{}.primary.delete(...)"
    run_by = "delete(...)"

    requires_item: bool = False

    def if_present(self) -> Delete[E_co]:
        """The same, and an error where there is no item of the entity."""
        return self.replace(requires_item=True)

    @property
    def conditional(self) -> bool:
        """Whether it can fail by a condition."""
        return self.requires_item or self.condition is not None or self.shares_key

    @property
    def shares_key(self) -> bool:
        """Whether items of a base or a sister class can stand under the key, so that it asks what it deletes."""
        return shared_key_condition(self.declaration) is not None

    @cached_property
    def _conditions(self) -> dict[str, Any]:
        there = existence_condition(self.declaration.table, absent=not self.requires_item)
        kind = shared_key_condition(self.declaration)
        # Without `if_present` there may be no item, but none of another kind either.
        free = None if kind is None else Or((there, kind))
        asked = (there, kind) if self.requires_item else (free,)
        return condition_request((*asked, user_condition(self.declaration, self.condition)))

    @property
    def request(self) -> dict[str, Any]:
        """The DeleteItem request."""
        return self.table_and_key | copy_request(self._conditions)

    @property
    def batch_member(self) -> dict[str, Any]:
        """The delete as a batch takes it."""
        return {"DeleteRequest": {"Key": self.item_key}}
