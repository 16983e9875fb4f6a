"""What every kind of request declares, and what it can do before it runs: explain itself and name its price."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from pksk.dataclass import dataclass

if TYPE_CHECKING:
    from pksk.capacity import Cost
    from pksk.model.access_options import AccessOptions
    from pksk.model.entity import Entity
    from pksk.model.planning.query_plan import Plan
    from pksk.model.requests.explanation import Explanation


@dataclass(frozen=True)
class CallingPattern:
    """The access pattern whose call made a request: its name, and what it declares."""

    name: str
    options: AccessOptions


class Request:
    """A read or write as a value: built here, run by a store.

    `pattern` is the access pattern that made the request, if one did. It is not part of the comparison of requests.

    A kind of request is a subclass that sets the class attributes below. Its cost is in the module
    `<kind>_cost` beside it, which `pksk.model.requests.kinds` lists, and `pksk.store.requests.runners` lists the
    function that runs it.
    """

    kind: ClassVar[str]
    # The operation of DynamoDB, and the name of the request in TransactItems, if it can be in a transaction.
    operation: str
    action: ClassVar[str] = ""
    # Whether it reads, and whether a batch takes it.
    reads: bool = False
    batchable: ClassVar[bool] = False
    # Whether the requests of one entity all cost the same.
    same_cost_per_entity: ClassVar[bool] = False
    # For messages: how one is made, with {} for the entity, and the methods of a store that run it.
    example: ClassVar[str] = "{}"
    run_by: ClassVar[str] = "run(...)"

    pattern: CallingPattern | None = None

    @property
    def plan(self) -> Plan | None:
        """How the request is answered; None for a request that needs no plan."""
        return None

    @property
    def entities(self) -> tuple[type[Entity], ...]:
        """The entities that the request is about."""
        return (self.entity,)  # type: ignore[attr-defined]

    @property
    def api_requests(self) -> tuple[dict[str, Any], ...]:
        """The requests to DynamoDB, as boto3 takes them."""
        return (self.request,)  # type: ignore[attr-defined]

    def replace(self, **values: Any) -> Self:
        """The same request, of the same pattern, with some fields replaced."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__getstate__(), **values)
        if hasattr(made, "__post_init__"):
            made.__post_init__()
        return made

    def with_pattern(self, pattern: CallingPattern) -> Self:
        """The same request, as made by a pattern; a copy, since others may hold this one."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, pattern=pattern)
        return made

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or a pickle holds: not what was worked out from it, which may be large or tied to here."""
        kept = self.__dataclass_fields__  # type: ignore[attr-defined]
        return {name: each for name, each in self.__dict__.items() if name in kept or name == "pattern"}

    def explain(self, *, items: int | None = None, item_size: int | None = None) -> Explanation:
        """The exact requests, what they read, the likely cost and its assumptions; `print` it, or take `.data()`.

        What is not given is taken from the access pattern that made the request.

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
        from pksk.model.access_options import AccessOptions
        from pksk.model.requests.explanation import explain_request

        known = self.pattern.options if self.pattern else AccessOptions()
        items = known.items if items is None else items
        item_size = known.item_size if item_size is None else item_size
        return explain_request(self, replace(known, items=items, item_size=item_size))

    def price(self, *images: Any) -> Cost:
        """What DynamoDB charges for the request over the items that it meets; see `pksk.model.requests.price`.

        Example:
            >>> from pksk import Entity, Key, Table
            >>> class Order(Entity, table=Table("shop")):
            ...     id: str
            ...     primary = Key("ORDER#{id}", "META")
            >>> print(Order.primary.get(id="7").price(None))
            0.5 read units
        """
        from pksk.model.requests.price import price

        return price(self, *images)


T = TypeVar("T")

_MUTABLE = (dict, list)


def copy_request(request: T) -> T:
    """A copy of a request, of all dicts and lists in it; what else it holds does not change.

    Example:
        >>> request = {"Key": {"pk": {"S": "a"}}}
        >>> copy_request(request)["Key"]["pk"].clear()
        >>> request
        {'Key': {'pk': {'S': 'a'}}}
    """
    # Most of what a request holds is text, for which no further call is made.
    made: Any = request
    if type(made) is dict:
        made = {name: copy_request(each) if type(each) in _MUTABLE else each for name, each in made.items()}
    elif type(made) is list:
        made = [copy_request(each) if type(each) in _MUTABLE else each for each in made]
    return made  # type: ignore[no-any-return]
