"""The Get request: one item by all parts of its primary key."""

from __future__ import annotations

from typing import Any

from pksk.dataclass import dataclass
from pksk.model.declaration import E_co
from pksk.model.requests.keyed_request import KeyedRequest


@dataclass(frozen=True)
class Get(KeyedRequest[E_co, E_co | None]):
    """One item by all parts of its primary key.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> Order.primary.get(id="7").request
        {'TableName': 'orders', 'Key': {'pk': {'S': 'ORDER#7'}, 'sk': {'S': 'META'}}}
    """

    kind = "get"
    operation = "GetItem"
    action = "Get"
    reads = True
    batchable = True
    same_cost_per_entity = True
    example = "{}.primary.get(...)"
    run_by = "get(...)"

    consistent: bool = False

    def consistently(self) -> Get[E_co]:
        """The same item as it is at this moment, at twice the price."""
        get = object.__new__(type(self))
        get.__dict__.update(self.__dict__, consistent=True)
        return get

    @property
    def shared_request(self) -> dict[str, Any]:
        """The GetItem request, for callers that do not change it."""
        request: dict[str, Any] = {"TableName": self.entity.__pksk__.table.name, "Key": self._item_key}
        if self.consistent:
            request["ConsistentRead"] = True
        return request

    @property
    def request(self) -> dict[str, Any]:
        """The GetItem request; a new one each time, so that changing it changes nothing else."""
        return {**self.shared_request, "Key": self.item_key}
