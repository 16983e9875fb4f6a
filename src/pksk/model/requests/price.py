"""Prices a request over the very items that it reads or writes, to the half unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.capacity import Cost
from pksk.model.requests.kinds import COSTS

if TYPE_CHECKING:
    from pksk.model.requests.request import Request


def price(request: Request, *images: Any) -> Cost:
    """The cost of a request over the items that it meets.

    A query or scan takes the items that it evaluates, one list for each of its requests (or one list, where it has
    one). A get, put, update, delete or check takes the item as it is stored before, or None where there is none. A
    batch or transaction takes one such item for each of its members. A search by vector takes a list of the items that
    it finds: it has no units itself, so that the cost is of `.hydrate()` alone. Items are entities, or in DynamoDB's
    JSON.

    The request's own condition is evaluated. Where it fails, the cost is the most that a failed write can cost, and
    says "at most"; so it is for every member of a transaction that one of them cancels, for which DynamoDB reports
    no units. An update that must read its item first is priced with that read.

    Example:
        >>> from pksk import Entity, Key, Put, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     id: str
        ...     note: str = ""
        ...     primary = Key("ORDER#{id}", "META")
        >>> order = Order(id="7", note="x" * 2000)
        >>> print(price(Put(order), None))
        2 write units
        >>> print(price(Put(order).if_absent(), order))
        at most 2 write units
        >>> print(price(Order.primary(id="7"), [Order(id="7", note="x" * 5000)]))
        1 read unit
    """
    return COSTS[request.kind].price(request, images)
