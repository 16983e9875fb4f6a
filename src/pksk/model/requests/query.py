"""The Query request, over one entity or, by `collect`, over several."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NoReturn, TypeVar, cast, overload

from pydantic import BaseModel

from pksk.dataclass import dataclass, replace
from pksk.errors import DesignError, InvalidValue, PkskError, quote, shorten_traceback
from pksk.expressions import And, Condition
from pksk.model.fields.field_conditions import condition_on_attributes
from pksk.model.planning import KeyQuery, Plan, plan_query
from pksk.model.requests.request import Request

if TYPE_CHECKING:
    import typing_extensions

    from pksk.model.entity import Entity

    # With its default, plain `Query` is a query for any model.
    M_co = typing_extensions.TypeVar("M_co", bound=BaseModel, covariant=True, default=BaseModel)
else:
    M_co = TypeVar("M_co", covariant=True)

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Query(Request[list[M_co]], Generic[M_co]):
    """Rows of an entity by leading parts of one of its keys; immutable, planned on first use.

    Example:
        >>> from pksk import Entity, Key, Table, gt
        >>> class Line(Entity, table=Table("orders")):
        ...     order: str
        ...     n: int
        ...     primary = Key("ORDER#{order}", "LINE#{n:04d}")
        >>> Line.primary(order="7", n=gt(2)).plan.requests[0]["KeyConditionExpression"]
        'pk = :v0 AND sk BETWEEN :v1 AND :v2'
    """

    kind = "query"
    operation = "Query"
    reads = True
    example = "{}.primary(...)"
    run_by = "iter(...), page(...) or first(...)"
    # The results come in the order of the sort key.
    ordered: ClassVar[bool] = True

    key_queries: tuple[KeyQuery, ...]
    condition: Condition | None = None
    descending: bool = False
    consistent: bool = False
    max_results: int | None = None
    page_size: int | None = None
    whole_items: bool = False
    model: type[M_co] | None = None

    @classmethod
    def of_entity(cls, entity: type[Any], key: str | None, values: Mapping[str, Any]) -> Query[Any]:
        """A query of one entity; raises here if no key can serve it."""
        query = object.__new__(cls)
        # Sets the attribute although the dataclass is frozen; the others have the defaults of the class.
        try:
            query.__dict__["key_queries"] = (KeyQuery.of_entity(entity, key, values),)
        except PkskError as error:
            raise shorten_traceback(error)  # noqa: B904 - the error itself
        return query

    @property
    def entities(self) -> tuple[type[Entity], ...]:
        """The entities of the query."""
        return tuple(each.entity for each in self.key_queries)

    def filter(self, condition: Condition) -> Query[M_co]:
        """Only the rows for which a condition on fields holds."""
        for each in self.key_queries:
            condition_on_attributes(each.declaration, condition)
        joined = condition if self.condition is None else And((self.condition, condition))
        return self.replace(condition=joined)

    def reverse(self) -> Query[M_co]:
        """The same rows in the opposite order of the sort key."""
        return self.replace(descending=not self.descending)

    def consistently(self) -> Query[M_co]:
        """The same rows as they are at this moment, at twice the price; not from a global index."""
        return self.replace(consistent=True)

    def limit(self, max_results: int) -> Query[M_co]:
        """At most so many results."""
        return self.replace(max_results=row_count("limit", max_results))

    def pages(self, size: int) -> Query[M_co]:
        """The same rows, with so many read by each request."""
        return self.replace(page_size=row_count("pages", size))

    def hydrate(self) -> Query[M_co]:
        """Read the whole items from the table where the index does not hold them."""
        return self.replace(whole_items=True)

    def into(self, model: type[M]) -> Query[M]:
        """The same rows as a smaller model, whose fields are all that is read."""
        return cast("Query[M]", self.replace(model=checked_model(model)))

    @cached_property
    def plan(self) -> Plan:
        """How the query runs."""
        return plan_query(self)


def checked_model(model: type[M]) -> type[M]:
    """The model that results are read as; raises for anything else."""
    if isinstance(model, type) and issubclass(model, BaseModel):
        return model
    raise InvalidValue(
        "plan-into-model",
        f"into({quote(model)}): it takes a Pydantic model.",
        fix="write class Small(BaseModel): with the fields that you need.",
    )


def row_count(option: str, number: object) -> int:
    """The number of rows for an option; raises for anything else."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise InvalidValue(
            "query-count",
            f"{option}({quote(number)}): the number of rows must be 1 or more.",
            fix=f"write {option}(10).",
        )
    return number


A = TypeVar("A", bound=BaseModel)
B = TypeVar("B", bound=BaseModel)
C = TypeVar("C", bound=BaseModel)
D = TypeVar("D", bound=BaseModel)


@overload
def collect(first: Query[A], second: Query[B], /) -> Query[A | B]: ...
@overload
def collect(first: Query[A], second: Query[B], third: Query[C], /) -> Query[A | B | C]: ...
@overload
def collect(
    first: Query[A], second: Query[B], third: Query[C], fourth: Query[D], /
) -> Query[A | B | C | D]: ...
@overload
def collect(first: Query[A], second: Query[A], /, *more: Query[A]) -> Query[A]: ...
def collect(first: Query, second: Query, /, *more: Query) -> Query:
    """The rows of several queries as one, such as an order with its lines.

    If they are adjacent in one partition, one request reads them all, in the order of the sort key.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> shop = Table("shop")
        >>> class Order(Entity, table=shop):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> class Line(Entity, table=shop):
        ...     id: str
        ...     n: int
        ...     primary = Key("ORDER#{id}", "LINE#{n:03d}")
        >>> both = collect(Order.primary(id="7"), Line.primary(id="7"))
        >>> [request["ExpressionAttributeValues"] for request in both.plan.requests]
        [{':v0': {'S': 'ORDER#7'}, ':v1': {'S': 'LINE#'}, ':v2': {'S': 'META'}}]
    """
    queries = [first, second, *more]
    for query in queries:
        if not isinstance(query, Query):
            _reject_collect(
                f"{quote(query)} is not a query.", "collect what E.primary(...) and the like give."
            )
    plain = replace(first, key_queries=())
    for query in queries:
        if replace(query, key_queries=()) != plain:
            _reject_collect(
                "its queries differ in filter, order, limit or model.",
                "collect first, then add what is common.",
            )
    key_queries = tuple(each for query in queries for each in query.key_queries)
    for one in key_queries:
        for other in key_queries:
            if one.entity is not other.entity and other.declaration.is_subclass_of(one.declaration):
                _reject_collect(
                    f"{one.entity.__name__} includes {other.entity.__name__}, its subclass.",
                    f"ask for {one.entity.__name__} alone.",
                )
    tables = {id(each.declaration.table): each.declaration.table.name for each in key_queries}
    if len(tables) > 1:
        names = ", ".join(sorted(tables.values()))
        _reject_collect(f"its queries are of several tables: {names}.", "run one query for each.")
    return replace(plain, key_queries=key_queries)


def _reject_collect(problem: str, fix: str) -> NoReturn:
    raise DesignError("collect-differs", f"collect: {problem}", fix=fix)
