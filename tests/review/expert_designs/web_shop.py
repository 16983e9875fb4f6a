"""A web shop: carts, orders with their lines, stock that is never oversold, and the orders that wait for shipping."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field
from ulid import ULID

from pksk import (
    GSI,
    TTL,
    Batch,
    Created,
    Entity,
    F,
    Get,
    Key,
    Put,
    Query,
    Reference,
    Shard,
    Spread,
    Table,
    Transaction,
    Update,
    access,
    batch,
    collect,
    transaction,
)

shop = Table(
    "shop",
    indexes=[
        GSI("gsi1", pk="gsi1pk", sk="gsi1sk"),
        GSI("to-ship", pk="to_ship", sk="to_ship_since", projection=["total", "status"]),
    ],
    ttl="expires",
)

CustomerId = Annotated[str, Spread(values=3_000_000)]
OrderId = Annotated[ULID, Spread(values=10_000_000)]
Sku = Annotated[str, Spread(values=80_000, zipf=0.9)]


class Customer(Entity, table=shop, items=3_000_000):
    customer: CustomerId
    name: str

    primary = Key("CUST#{customer}", "PROFILE")

    @access(rate=250, item_size=400)
    @classmethod
    def one(cls, customer: str) -> Get[Customer]:
        """A customer."""
        return cls.primary.get(customer=customer)


class CartLine(Entity, table=shop, per_partition=40):
    customer: CustomerId
    sku: Sku
    quantity: int
    expires: Annotated[datetime | None, TTL()] = None

    primary = Key("CART#{customer}", "{sku}")

    @access(rate=120, item_size=150)
    @classmethod
    def put(cls, line: CartLine) -> Put[CartLine]:
        """A line of a cart."""
        return Put(line)

    @access(rate=400, items=4, item_size=150)
    @classmethod
    def of_customer(cls, customer: str) -> Query[CartLine]:
        """A cart."""
        return cls.primary(customer=customer)


class Order(Entity, table=shop, items=10_000_000):
    order_id: OrderId = Field(default_factory=ULID)
    customer: Annotated[CustomerId, Reference(Customer)]
    status: Literal["paid", "packed", "sent", "returned"] = "paid"
    total: int
    placed: Annotated[datetime | None, Created()] = None

    primary = Key("ORDER#{order_id}", "ORDER")
    of_customer = Key("CUST#{customer}", "{order_id}", index="gsi1")
    to_ship = Key(
        "{shard}", "{order_id}", index="to-ship", shard=Shard(4, of="order_id"), when=F.status == "paid"
    )

    @access(rate=90, items=10, item_size=500)
    @classmethod
    def latest(cls, customer: str) -> Query[Order]:
        """The last orders of a customer; a ULID begins with the time."""
        return cls.of_customer(customer=customer).reverse().limit(10)

    @access(rate=2, items=50, item_size=200)
    @classmethod
    def waiting(cls) -> Query[Order]:
        """The orders that wait for shipping, the oldest first."""
        return cls.to_ship().limit(50).hydrate()

    @access(rate=60, item_size=500)
    @classmethod
    def ship(cls, order_id: ULID) -> Update[Order]:
        """An order is on its way."""
        return cls.primary.update(order_id=order_id).set(status="sent").when(F.status == "packed")


class OrderLine(Entity, table=shop, per_partition=30):
    order_id: OrderId
    sku: Sku
    quantity: int

    primary = Key("ORDER#{order_id}", "LINE#{sku}")

    @access(rate=60, items=4, item_size=150)
    @classmethod
    def of_orders(cls, keys: list[tuple[ULID, str]]) -> Batch[OrderLine]:
        """Lines to pack."""
        return batch(*(cls.primary.get(order_id=order, sku=sku) for order, sku in keys))


class Product(Entity, table=shop, items=80_000):
    sku: Sku
    category: Annotated[str, Spread(values=600, largest=0.04)]
    title: str
    cents: int
    in_stock: int = 0

    primary = Key("PRODUCT#{sku}", "PRODUCT")
    of_category = Key("CATEGORY#{category}", "{title:.40}#{sku}", index="gsi1")

    @access(rate=3_000, item_size=900)
    @classmethod
    def one(cls, sku: str) -> Get[Product]:
        """A product."""
        return cls.primary.get(sku=sku)

    @access(rate=200, items=48, item_size=900)
    @classmethod
    def listed(cls, category: str) -> Query[Product]:
        """A page of a category."""
        return cls.of_category(category=category).limit(48)


@access(rate=90, items=5)
def with_lines(order_id: ULID) -> Query[Order | OrderLine]:
    """An order with its lines, in one request."""
    return collect(Order.primary(order_id=order_id), OrderLine.primary(order_id=order_id))


@access(rate=60, items=5, item_size=500)
def place(order: Order, line: OrderLine) -> Transaction:
    """An order with its lines, if all of it is in stock."""
    return transaction(
        Put(order).if_absent(),
        Put(line).if_absent(),
        Product.primary.update(sku=line.sku).add(in_stock=-line.quantity).when(F.in_stock >= line.quantity),
    )


FINDINGS: dict[tuple[str, str, str], str] = {}
