"""Ticket sales: shows, seats that are held for some minutes, orders over shards, and invoice numbers of each venue."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field
from ulid import ULID

from pksk import (
    GSI,
    TTL,
    Entity,
    F,
    Get,
    Key,
    Put,
    Query,
    Shard,
    Spread,
    Table,
    Update,
    access,
    begins,
    sequence,
)

tickets = Table(
    "tickets",
    ttl="until",
    stream="NEW_AND_OLD_IMAGES",
    indexes=[
        GSI("gsi1", pk="g1pk", sk="g1sk"),
        GSI("gsi2", pk="g2pk", sk="g2sk", projection=["title", "starts"]),
    ],
)
EventId = Annotated[str, Spread(values=20_000, largest=0.25)]
invoice = sequence("invoice-{venue}", table=tickets)


class Show(Entity, table=tickets, items=20_000):
    event_id: EventId
    venue: str
    city: str
    starts: AwareDatetime
    title: str
    seats_left: int
    primary = Key("EVENT#{event_id}", "SHOW")
    in_city = Key("CITY#{city}#{starts:%Y-%m}", "{starts}#{event_id}", index="gsi2")

    @access(rate=1200, item_size=900)
    @classmethod
    def one(cls, event_id: str) -> Get[Show]:
        return cls.primary.get(event_id=event_id)

    @access(rate=100, items=40)
    @classmethod
    def month(cls, city: str, month: AwareDatetime) -> Query[Show]:
        return cls.in_city(city=city, starts=begins(f"{month:%Y-%m}")).hydrate()


class Seat(Entity, table=tickets, items=60_000_000, per_partition=60_000):
    event_id: EventId
    block: str
    row: int
    number: int
    holder: str | None = None
    until: Annotated[AwareDatetime | None, TTL()] = None
    state: Literal["free", "held", "sold"] = "free"
    primary = Key("EVENT#{event_id}#{block}", "SEAT#{row:03d}#{number:03d}")
    free = Key("FREE#{event_id}#{block}", "{row:03d}#{number:03d}", index="gsi1", when=F.state == "free")

    @access(rate=700, item_size=200)
    @classmethod
    def hold(cls, event_id: str, block: str, row: int, number: int, holder: str) -> Update[Seat]:
        return (
            cls.primary.update(event_id=event_id, block=block, row=row, number=number)
            .set(state="held", holder=holder)
            .when(F.state == "free")
        )

    @access(rate=900, items=120, item_size=200)
    @classmethod
    def free_in_block(cls, event_id: str, block: str) -> Query[Seat]:
        return cls.free(event_id=event_id, block=block).limit(120)


class Order(Entity, table=tickets, items=30_000_000):
    customer: str
    order_id: ULID = Field(default_factory=ULID)
    event_id: EventId
    number: int
    total: int
    primary = Key("CUST#{customer}", "ORDER#{order_id}")
    of_event = Key("SALES#{event_id}#{shard}", "{order_id}", index="gsi1", shard=Shard(4, of="order_id"))

    @access(rate=350, item_size=400)
    @classmethod
    def place(cls, order: Order) -> Put[Order]:
        return Put(order).if_absent()

    @access(rate=60, items=10, item_size=400)
    @classmethod
    def mine(cls, customer: str) -> Query[Order]:
        return cls.primary(customer=customer).reverse().limit(10)

    @access(rate=0.2, items=20_000, item_size=400)
    @classmethod
    def sales(cls, event_id: str) -> Query[Order]:
        return cls.of_event(event_id=event_id)


@access(rate=350, spread={"venue": Spread(values=800, largest=0.25)})
def next_invoice(venue: str) -> Update:
    return invoice.take(venue=venue)


FINDINGS: dict[tuple[str, str, str], str] = {}
