"""A small design that the tests of reads share."""

from __future__ import annotations

from datetime import date

from pksk import GSI, LSI, Entity, F, Key, Table

shop = Table(
    "shop",
    indexes=[
        GSI("by-status", pk="g1", sk="g2"),
        GSI("by-day", pk="day", sk="sk", projection="keys"),
        GSI("by-email", pk="email", projection=["name"]),
        GSI("open-only", pk="o1", sk="o2"),
        LSI("by-total", sk="l1", projection="keys"),
    ],
)


class Order(Entity, table=shop):
    customer: str
    number: int
    day: date
    status: str = "open"
    total: int = 0
    email: str = "a@example.org"
    agent: str | None = None
    primary = Key("CUST#{customer}", "ORDER#{number:06d}")
    by_status = Key("STATUS#{status}", "{day}#{number:06d}", index="by-status")
    by_day = Key("{day}", index="by-day")
    by_email = Key("{email}", index="by-email")
    only_open = Key("OPEN#{status}", "{agent}", index="open-only", when=F.status == "open")
    by_total = Key("CUST#{customer}", "{total:08d}", index="by-total")


class Profile(Entity, table=shop):
    customer: str
    name: str
    primary = Key("CUST#{customer}", "PROFILE")


class Payment(Entity, table=shop):
    customer: str
    number: int
    primary = Key("CUST#{customer}", "PAY#{number:06d}")


ORDER = Order(customer="7", number=12, day=date(2025, 3, 1), total=5)
