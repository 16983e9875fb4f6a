"""What every kind of request declares, and what it can do before it runs: explain itself and name its price."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from pksk.capacity import Cost
from pksk.dataclass import dataclass, replace
from pksk.errors import DesignError
from pksk.model.access_options import AccessOptions

if TYPE_CHECKING:
    import typing_extensions

    from pksk.model.entity import Entity
    from pksk.model.planning import Plan
    from pksk.model.requests.explanation import Explanation

    # What a store returns for the request. With its default, plain `Request` is a request with any result.
    R_co = typing_extensions.TypeVar("R_co", covariant=True, default=object)
else:
    R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True)
class CallingPattern:
    """The access pattern whose call made a request: its name, and what it declares."""

    name: str
    options: AccessOptions


class RequestNotRun(DesignError, TypeError):
    """A request was used as if it were its results."""


class Request(Generic[R_co]):
    """A read or write as a value: built here, run by a store.

    `pattern` is the access pattern that made the request, if one did. It is not part of the comparison of requests.

    A kind of request is a subclass that names its result and sets the class attributes below. Its cost is in
    `read_costs` or `write_costs` beside it, which `pksk.model.requests.costs` lists, and
    `pksk.store.requests.runners` lists the function that runs it.
    """

    # The name of the class as `REQUEST_CLASSES` lists it.
    kind: ClassVar[str]
    # The operation of DynamoDB, and the name of the request in TransactItems, if it can be in a transaction.
    operation: str
    action: ClassVar[str] = ""
    # Whether it reads, and whether a batch takes it.
    reads: bool = False
    batchable: ClassVar[bool] = False
    # Whether it is for the partition keys that its key makes; otherwise it has no busiest one.
    names_partition: ClassVar[bool] = True
    # Whether the requests of one entity all cost the same.
    same_cost_per_entity: ClassVar[bool] = False
    # For messages: how one is made, with {} for the entity, and the methods of a store that run it.
    example: ClassVar[str] = "{}"
    run_by: ClassVar[str] = "run(...)"

    pattern: CallingPattern | None = None

    @property
    def plan(self) -> Plan | None:
        """How the request runs; None for a request that needs no plan."""
        return None

    @property
    def entities(self) -> tuple[type[Entity], ...]:
        """The entities that the request is about."""
        return (self.entity,)  # type: ignore[attr-defined]

    @property
    def api_requests(self) -> tuple[dict[str, Any], ...]:
        """The requests to DynamoDB, as boto3 takes them."""
        return (self.request,)  # type: ignore[attr-defined]

    if not TYPE_CHECKING:  # a type checker finds the mistake by itself

        def __iter__(self):
            """Reject a loop over a request, which has no results before a store runs it."""
            names = " and ".join(each.__name__ for each in self.entities)
            raise RequestNotRun(
                "request-not-run",
                f"This {type(self).__name__} of {names} is a request: it has no results until a store runs it.",
                fix=f"run it with a store: db.{self.run_by}.",
            )

    def replace(self, **values: Any) -> Self:
        """The same request, of the same pattern, with some fields replaced."""
        request = object.__new__(type(self))
        request.__dict__.update(self.__getstate__(), **values)
        if hasattr(request, "__post_init__"):
            request.__post_init__()
        return request

    def with_pattern(self, pattern: CallingPattern) -> Self:
        """The same request, as made by a pattern; a copy, since others may hold this one."""
        request = object.__new__(type(self))
        request.__dict__.update(self.__dict__, pattern=pattern)
        return request

    def __getstate__(self) -> dict[str, Any]:
        """The state for copies and pickles, without cached results."""
        fields = self.__dataclass_fields__  # type: ignore[attr-defined]
        return {name: each for name, each in self.__dict__.items() if name in fields or name == "pattern"}

    def explain(self, *, items: int | None = None, item_size: int | None = None) -> Explanation:
        """The exact requests, what they read, the likely cost and its assumptions; `print` it, or take `.data()`.

        Options that are left out come from the access pattern that made the request.

        Example:
            >>> from pksk import Entity, Key, Table
            >>> class Order(Entity, table=Table("shop")):
            ...     customer: str
            ...     id: str
            ...     primary = Key("CUST#{customer}", "ORDER#{id}")
            >>> print(Order.primary(customer="7").explain(items=20, item_size=500))
            Query table 'shop' for Order
              key       pk = 'CUST#7' AND begins_with(sk, 'ORDER#')
              exact     yes
              estimate  1.5 read units
              assuming  20 items a call, as declared
                        Order: 500 bytes an item, as declared
        """
        from pksk.model.requests.explanation import explain_request

        known = self.pattern.options if self.pattern else AccessOptions()
        items = known.items if items is None else items
        item_size = known.item_size if item_size is None else item_size
        return explain_request(self, replace(known, items=items, item_size=item_size))

    def price(self, *images: Any) -> Cost:
        """What DynamoDB charges for the request over the items that it meets, to the half unit.

        A query or scan takes the items that it evaluates, one list for each of its requests (or one list, if it has
        one). A get, put, update, delete or check takes the item as it is stored before, or None if there is none. A
        batch or transaction takes one such item for each of its members. A vector search takes a list of the items
        that it finds: it has no units itself, so the cost is that of `.hydrate()` alone. Items are entities, or in
        DynamoDB's JSON.

        The request's own condition is evaluated. If it fails, the cost is the most that a failed write can cost, and
        says "at most". The same holds for every member of a transaction that one of them cancels, for which DynamoDB
        reports no units. The price of an update that must read its item first includes that read. Versions and times
        that a store sets count; guard items of unique fields and checks of references do not, which the estimate has.

        Example:
            >>> from pksk import Entity, Key, Put, Table
            >>> class Order(Entity, table=Table("shop")):
            ...     id: str
            ...     note: str = ""
            ...     primary = Key("ORDER#{id}", "META")
            >>> order = Order(id="7", note="x" * 2000)
            >>> print(Put(order).price(None))
            2 write units
            >>> print(Put(order).if_absent().price(order))
            at most 2 write units
            >>> print(Order.primary(id="7").price([Order(id="7", note="x" * 5000)]))
            1 read unit
        """
        from pksk.model.requests.costs import COSTS

        return COSTS[self.kind].price(self, images)
