"""Reads as values: a question about entities, built first and run elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel

from pksk.errors import InvalidValue, quote
from pksk.expressions import And, Condition
from pksk.model.conditions.field_conditions import on_attributes
from pksk.model.given import Given
from pksk.model.reads.ask import Ask
from pksk.model.reads.placed import placed
from pksk.model.reads.plan import Plan, plan_query
from pksk.model.reads.whole_key import whole_key
from pksk.model.request import Kind, Request

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.values import WireItem

__all__ = ["Get", "Query", "checked_model", "row_count"]

M = TypeVar("M", bound=BaseModel)
M_co = TypeVar("M_co", bound=BaseModel, covariant=True)
E = TypeVar("E", bound="Entity")
E_co = TypeVar("E_co", bound="Entity", covariant=True)


@dataclass(frozen=True)
class Query(Request, Generic[M_co]):
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

    kind: ClassVar[Kind] = "query"

    asks: tuple[Ask, ...]
    condition: Condition | None = None
    descending: bool = False
    consistent: bool = False
    most: int | None = None
    page_size: int | None = None
    hydrated: bool = False
    model: type[M_co] | None = None

    @classmethod
    def about(cls, entity: type[Any], key: str | None, given: Mapping[str, Any]) -> Query[Any]:
        """A query of one entity; what no key can answer is refused here, where it is written."""
        made = object.__new__(cls)
        # Past the guard of a frozen dataclass: of the rest, the defaults of the class hold.
        made.__dict__["asks"] = (Ask.about(entity, key, given),)
        return made

    @property
    def entities(self) -> tuple[type[Entity], ...]:
        """The entities that are asked for."""
        return tuple(ask.entity for ask in self.asks)

    def filter(self, condition: Condition) -> Query[M_co]:
        """The same rows, of those only for which a condition on fields holds."""
        for ask in self.asks:
            on_attributes(ask.declaration, condition)
        joined = condition if self.condition is None else And((self.condition, condition))
        return self.changed(condition=joined)

    def reverse(self) -> Query[M_co]:
        """The same rows in the opposite order of the sort key."""
        return self.changed(descending=not self.descending)

    def consistently(self) -> Query[M_co]:
        """The same rows as they are at this moment, at twice the price; not from a global index."""
        return self.changed(consistent=True)

    def limit(self, most: int) -> Query[M_co]:
        """The first so many results."""
        return self.changed(most=row_count("limit", most))

    def pages(self, size: int) -> Query[M_co]:
        """The same rows, so many read by each request."""
        return self.changed(page_size=row_count("pages", size))

    def hydrate(self) -> Query[M_co]:
        """Read the whole items from the table where the index does not hold them."""
        return self.changed(hydrated=True)

    def into(self, model: type[M]) -> Query[M]:
        """The same rows as a smaller model, whose fields are all that is read."""
        made: Query[Any] = self.changed(model=checked_model(model))
        return made

    @property
    def plan(self) -> Plan:
        """How the query is answered."""
        # As a cached_property does it, but without the lock that one takes until Python 3.12.
        found: Plan | None = self.__dict__.get("_plan")
        if found is None:
            found = self.__dict__["_plan"] = plan_query(self)
        return found


def checked_model(model: type[M]) -> type[M]:
    """A model that results can be read as; refused where it is none."""
    if isinstance(model, type) and issubclass(model, BaseModel):
        return model
    raise InvalidValue(
        "plan-into-model",
        f"into({quote(model)}): it takes a Pydantic model.",
        fix="write class Small(BaseModel): with the fields that you need.",
    )


def row_count(option: str, number: object) -> int:
    """A number of rows that is given to an option; refused where it is none."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise InvalidValue(
            "query-count",
            f"{option}({quote(number)}): a number of rows is 1 or more.",
            fix=f"write {option}(10).",
        )
    return number


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
    given: Given
    consistent: bool = False

    def consistently(self) -> Get[E_co]:
        """The same item as it is at this moment, at twice the price."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, consistent=True)
        return made

    @classmethod
    def of(cls, entity: type[E], key: str, given: Mapping[str, Any]) -> Get[E]:
        """The item with these parts, as the model holds them; one that is missing, unknown or a range is refused."""
        parts, item_key = placed(entity, key, given, "get")
        made: Get[E] = object.__new__(Get)
        # Past the guard of a frozen dataclass; that it is not consistent says its class.
        known = made.__dict__
        known["entity"], known["key"], known["given"], known["_item_key"] = entity, key, parts, item_key
        return made

    @cached_property
    def _item_key(self) -> WireItem:
        return whole_key(self.entity.__pksk__, self.key, self.given, "get")

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
