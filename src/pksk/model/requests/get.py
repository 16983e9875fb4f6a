"""The Get request: one item by all parts of its primary key."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pksk.dataclass import dataclass
from pksk.model.frozen_values import FrozenValues
from pksk.model.item_key import render_item_key, resolve_item_key
from pksk.model.requests.request import Kind, Request

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.values import WireItem

__all__ = ["Get"]

E = TypeVar("E", bound="Entity")


E_co = TypeVar("E_co", bound="Entity", covariant=True)


@dataclass(frozen=True)
class Get(Request, Generic[E_co]):
    """One item by all parts of its primary key.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> Order.primary.get(id="7").request
        {'TableName': 'orders', 'Key': {'pk': {'S': 'ORDER#7'}, 'sk': {'S': 'META'}}}
    """

    kind: ClassVar[Kind] = "get"

    entity: type[E_co]
    key: str
    given: FrozenValues
    consistent: bool = False

    def consistently(self) -> Get[E_co]:
        """The same item as it is at this moment, at twice the price."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, consistent=True)
        return made

    @classmethod
    def of(cls, entity: type[E], key: str, given: Mapping[str, Any]) -> Get[E]:
        """The item with these parts, as the model holds them; one that is missing, unknown or a range is refused."""
        parts, item_key = resolve_item_key(entity, key, given, "get")
        made: Get[E] = object.__new__(Get)
        # Past the guard of a frozen dataclass; that it is not consistent says its class.
        known = made.__dict__
        known["entity"], known["key"], known["given"], known["_item_key"] = entity, key, parts, item_key
        return made

    @cached_property
    def _item_key(self) -> WireItem:
        return render_item_key(self.entity.__pksk__, self.key, self.given, "get")

    @property
    def prepared(self) -> dict[str, Any]:
        """The GetItem request, for those who change nothing in it."""
        request: dict[str, Any] = {"TableName": self.entity.__pksk__.table.name, "Key": self._item_key}
        if self.consistent:
            request["ConsistentRead"] = True
        return request

    @property
    def request(self) -> dict[str, Any]:
        """The GetItem request; a new one each time, so that changing it changes nothing else."""
        return {**self.prepared, "Key": {name: wire.copy() for name, wire in self._item_key.items()}}
