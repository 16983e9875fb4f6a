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
from pksk.model.reads.normalised import normalised
from pksk.model.reads.plan import Plan, plan_query
from pksk.model.reads.whole_key import whole_key
from pksk.model.request import Kind, Request

if TYPE_CHECKING:
    from pksk.model.entity import Entity

__all__ = ["Get", "Query"]

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
        ask = Ask(entity, key, Given(normalised(entity.__pksk__, given)))
        ask.candidates  # noqa: B018 - unknown and missing parts raise now
        return cls((ask,))

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
        return self.changed(most=_count("limit", most))

    def pages(self, size: int) -> Query[M_co]:
        """The same rows, so many read by each request."""
        return self.changed(page_size=_count("pages", size))

    def hydrate(self) -> Query[M_co]:
        """Read the whole items from the table where the index does not hold them."""
        return self.changed(hydrated=True)

    def into(self, model: type[M]) -> Query[M]:
        """The same rows as a smaller model, whose fields are all that is read."""
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            raise InvalidValue(
                "plan-into-model",
                f"into({quote(model)}): it takes a Pydantic model.",
                fix="write class Small(BaseModel): with the fields that you need.",
            )
        made: Query[Any] = self.changed(model=model)
        return made

    @cached_property
    def plan(self) -> Plan:
        """How the query is answered."""
        return plan_query(self)


def _count(option: str, number: object) -> int:
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
        return self.changed(consistent=True)

    @classmethod
    def of(cls, entity: type[E], key: str, given: Mapping[str, Any]) -> Get[E]:
        """The item with these parts, as the model holds them; one that is missing, unknown or a range is refused."""
        from pksk.model.writes.place import parts_of

        return Get(entity, key, Given(parts_of(entity, key, given, "get")))

    @property
    def request(self) -> dict[str, Any]:
        """The GetItem request."""
        declaration = self.entity.__pksk__
        key = whole_key(declaration, self.key, self.given, "get")
        request: dict[str, Any] = {"TableName": declaration.table.name, "Key": key}
        return request | ({"ConsistentRead": True} if self.consistent else {})
