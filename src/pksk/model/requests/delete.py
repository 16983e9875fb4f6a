"""The Delete request: one item by all parts of its primary key."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from pksk.dataclass import dataclass
from pksk.expressions import Or
from pksk.model.declaration import E_co
from pksk.model.request_values import copy_request
from pksk.model.requests.keyed_request import KeyedWrite
from pksk.model.writes import write_conditions as conditions


@dataclass(frozen=True)
class Delete(KeyedWrite[E_co, E_co | None]):
    """A deletion of an item by all parts of its primary key; nothing happens if there is no item.

    If entities share the key, its condition is that the item belongs to this entity.

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
        """The same, and an error if there is no item of the entity."""
        return self.replace(requires_item=True)

    @property
    def conditional(self) -> bool:
        """Whether it can fail by a condition."""
        return self.requires_item or self.condition is not None or self.shares_key

    @property
    def shares_key(self) -> bool:
        """Whether other entities share the key, so that a condition on the entity is needed."""
        return conditions.shared_key_condition(self.declaration) is not None

    @cached_property
    def _conditions(self) -> dict[str, Any]:
        there = conditions.existence_condition(self.declaration.table, absent=not self.requires_item)
        kind = conditions.shared_key_condition(self.declaration)
        # Without `if_present` there may be no item, but not one of another entity.
        free = None if kind is None else Or((there, kind))
        state = (there, kind) if self.requires_item else (free,)
        return conditions.condition_request(
            (*state, conditions.user_condition(self.declaration, self.condition))
        )

    @property
    def request(self) -> dict[str, Any]:
        """The DeleteItem request."""
        return self.table_and_key | copy_request(self._conditions)

    @property
    def batch_member(self) -> dict[str, Any]:
        """The delete as a batch takes it."""
        return {"DeleteRequest": {"Key": self.item_key}}
