"""Reads as values: a question about an entity, built first and run elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pksk.errors import BoundsError
from pksk.expressions import And, Condition
from pksk.keys import Operator
from pksk.model.key_plan import KeyPlan, plan_key
from pksk.model.plan import Plan, plan_query
from pksk.values import WireItem, to_wire

if TYPE_CHECKING:
    from pksk.model.entity import Entity

__all__ = ["Get", "Query"]

E_co = TypeVar("E_co", bound="Entity", covariant=True)


@dataclass(frozen=True)
class Query(Generic[E_co]):
    """Rows of an entity by leading parts of one of its keys; immutable, and planned when it is asked for.

    Example:
        >>> from pksk import Entity, Key, Table, gt
        >>> class Line(Entity, table=Table("orders")):
        ...     order: str
        ...     n: int
        ...     primary = Key("ORDER#{order}", "LINE#{n:04d}")
        >>> Line.primary(order="7", n=gt(2)).plan.requests[0]["KeyConditionExpression"]
        'pk = :v0 AND sk BETWEEN :v1 AND :v2'
    """

    entity: type[E_co]
    key: str
    given: Mapping[str, Any] = field(default_factory=dict)
    condition: Condition | None = None
    descending: bool = False
    consistent: bool = False
    page_size: int | None = None
    hydrated: bool = False

    def filter(self, condition: Condition) -> Query[E_co]:
        """The same rows, of those only for which a condition on fields holds."""
        joined = condition if self.condition is None else And((self.condition, condition))
        return replace(self, condition=joined)

    def reverse(self) -> Query[E_co]:
        """The same rows in the opposite order of the sort key."""
        return replace(self, descending=not self.descending)

    def consistently(self) -> Query[E_co]:
        """The same rows as they are at this moment, at twice the price; not from a global index."""
        return replace(self, consistent=True)

    def hydrate(self) -> Query[E_co]:
        """Read the whole items from the table where the index does not hold them."""
        return replace(self, hydrated=True)

    @cached_property
    def keys(self) -> KeyPlan:
        """Where the rows stand: partitions, and bounds of the sort key."""
        declaration = self.entity.__pksk__
        return plan_key(declaration.key(self.key), self.given, f"{declaration.name}.{self.key}")

    @cached_property
    def plan(self) -> Plan:
        """How the query is answered."""
        return plan_query(self)


@dataclass(frozen=True)
class Get(Generic[E_co]):
    """One item by all parts of its primary key.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> Order.primary.get(id="7").request
        {'TableName': 'orders', 'Key': {'pk': {'S': 'ORDER#7'}, 'sk': {'S': 'META'}}}
    """

    entity: type[E_co]
    key: str
    given: Mapping[str, Any]
    consistent: bool = False

    @cached_property
    def request(self) -> dict[str, Any]:
        """The GetItem request."""
        declaration = self.entity.__pksk__
        key = declaration.key(self.key)
        for name, value in self.given.items():
            if isinstance(value, Operator):
                raise BoundsError(
                    "plan-get-operator",
                    f"{declaration.name}.{self.key}.get: {value!r} on field {name!r} is a range.",
                    fix=f"give {name!r} a plain value, or query with {declaration.name}.{self.key}(...).",
                )
        attributes: WireItem = {name: to_wire(value) for name, value in key.render(self.given).items()}
        request: dict[str, Any] = {"TableName": declaration.table.name, "Key": attributes}
        return request | ({"ConsistentRead": True} if self.consistent else {})
