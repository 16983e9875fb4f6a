"""What every request has in common: it can say what it does and what it costs, before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

if TYPE_CHECKING:
    from pksk.capacity import Cost
    from pksk.model.explanation import Explanation

__all__ = ["Kind", "Request"]

Kind: TypeAlias = Literal["query", "get", "scan", "put", "update", "delete", "check", "batch", "transaction"]


class Request:
    """A read or write as a value: built here, run elsewhere."""

    kind: ClassVar[Kind]

    def explain(self, *, items: int | None = None, item_size: int | None = None) -> Explanation:
        """The exact requests, what they read, the likely cost and its assumptions; `print` it, or take `.data()`.

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
        from pksk.model.explanation import explained
        from pksk.model.patterns.declared import Declared

        return explained(self, Declared(items=items, item_size=item_size))

    def priced(self, *images: Any) -> Cost:
        """What DynamoDB charges for the request over the items that it meets; see `pksk.model.cost.priced`.

        Example:
            >>> from pksk import Entity, Key, Table
            >>> class Order(Entity, table=Table("shop")):
            ...     id: str
            ...     primary = Key("ORDER#{id}", "META")
            >>> print(Order.primary.get(id="7").priced(None))
            0.5 read units
        """
        from pksk.model.cost import priced

        return priced(self, *images)
