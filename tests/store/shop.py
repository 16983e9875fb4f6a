"""A design with something of everything: what the tests of the store write and read."""

# ruff: noqa: RUF012 - Pydantic gives every model its own copy of a default

from __future__ import annotations

import os
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Final, Literal

from pydantic import BaseModel, computed_field

from pksk import (
    GSI,
    LSI,
    TTL,
    Attribute,
    Created,
    Entity,
    F,
    Key,
    N,
    Query,
    Reference,
    Shard,
    Table,
    Unique,
    Updated,
    Version,
    access,
    between,
    sequence,
)
from pksk.schema import B
from tests.store.doors import ENDPOINT

__all__ = [
    "TABLES",
    "Address",
    "Animal",
    "Customer",
    "Dog",
    "Flag",
    "Invoice",
    "Line",
    "Order",
    "Parcel",
    "Puppy",
    "Reading",
    "Session",
    "Slim",
    "Task",
    "Word",
    "flags",
    "invoice_numbers",
    "line_numbers",
    "order_numbers",
    "readings",
    "shop",
    "words",
]


def named(name: str) -> str:
    """The name of a table; on an endpoint each process of a run has tables of its own."""
    return f"pksk-test-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}-{name}" if ENDPOINT else name


shop: Final = Table(
    named("shop"),
    ttl="expires",
    indexes=[
        GSI("overloaded", pk="g1", sk="g2"),
        GSI("late", pk="l1", sk="l2"),
        GSI("slim", pk="s1", sk="s2", projection="keys"),
        GSI("partly", pk="c1", sk="c2", projection=["total", "status"]),
        GSI("monthly", pk="m1", sk="m2"),
        LSI("by-total", sk=N("total")),
    ],
)


class Address(BaseModel):
    city: str
    street: str = ""


class Slim(BaseModel):
    """What of an order the smaller indexes hold."""

    total: int
    status: str


class Customer(Entity, table=shop):
    customer: str
    name: str
    email: Annotated[str | None, Unique()] = None
    phone: Annotated[int | None, Unique(), Attribute("tel")] = None
    version: Annotated[int, Version()] = 0
    created: Annotated[datetime | None, Created()] = None
    updated: Annotated[datetime | None, Updated()] = None

    primary = Key("CUST#{customer}", "PROFILE")
    by_name = Key("NAME#{name}", "{customer}", index="overloaded")


class Order(Entity, table=shop):
    customer: str
    number: int
    day: date
    status: Literal["open", "paid", "sent"] = "open"
    total: int = 0
    level: int = 0
    note: str | None = None
    tags: set[str] = set()
    log: list[str] = []
    address: Address | None = None
    price: Annotated[Decimal | None, Attribute("p")] = None
    agent: str | None = None

    primary = Key("CUST#{customer}", "ORDER#{number:06d}")
    by_status = Key("STATUS#{status}", "{day}#{customer}#{number:06d}", index="overloaded")
    late = Key("LATE#{status}", "{day}#{customer}#{number:06d}", index="late", when=F.level >= 8)
    slim = Key("DAY#{day}", "{customer}#{number:06d}", index="slim")
    by_agent = Key("AGENT#{agent}", "{day}#{customer}#{number:06d}", index="partly")
    monthly = Key("{status}#{day:%Y-%m}#{shard}", "{day}", index="monthly", shard=Shard(3, of="number"))
    by_total = Key("CUST#{customer}", "{total}", index="by-total")

    @access(rate=10, items=5)
    @classmethod
    def of_status(cls, status: str, first: date, last: date) -> Query[Order]:
        """The orders of a span of days with a status."""
        return cls.by_status(status=status, day=between(first, last))


class Line(Entity, table=shop):
    customer: str
    number: int
    line: int
    what: str = ""

    primary = Key("CUST#{customer}", "ORDER#{number:06d}#LINE#{line:03d}")


class Parcel(Entity, table=shop):
    """A key of an index is made of a value inside a field."""

    id: str
    address: Address | None = None
    total: int = 0
    status: str = "new"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def city(self) -> str | None:
        return self.address.city if self.address else None

    primary = Key("PARCEL#{id}", "META")
    by_city = Key("CITY#{city}", "{total:04d}#{id}", index="partly")


class Invoice(Entity, table=shop):
    """Refers to a customer, and to an order by two fields."""

    id: str
    buyer: Annotated[str | None, Reference(Customer, customer="buyer")] = None
    customer: str | None = None
    order: Annotated[int | None, Reference(Order, customer="customer", number="order")] = None
    amount: int = 0

    primary = Key("INVOICE#{id}", "META")


class Session(Entity, table=shop):
    token: str
    user: str
    code: Annotated[str | None, Unique()] = None
    seen: int = 0
    expires: Annotated[datetime | None, TTL()] = None
    embedding: list[float] = []

    primary = Key("SESSION#{user}", "{token}")
    by_user = Key("USER#{user}", "{token}", index="overloaded")


class Task(Entity, table=shop):
    """An entity with a TTL in whole seconds and a version."""

    id: str
    done: bool = False
    version: Annotated[int, Version()] = 0
    until: Annotated[int | None, TTL(), Attribute("expires")] = None
    owner: Annotated[str | None, Reference(Session, user="owner", token="id")] = None

    primary = Key("TASK#{id}", "META")


class Animal(Entity, table=shop):
    owner: str
    name: str
    legs: int = 4

    primary = Key("OWNER#{owner}", "{name}")
    by_legs = Key("LEGS#{legs}", "{name}", index="overloaded")


class Dog(Animal, table=shop):
    tricks: set[str] = set()


class Puppy(Dog, table=shop, discriminator="dog.young"):
    weeks: int = 0


flags: Final = Table(named("flags"), sk=None)


class Flag(Entity, table=flags):
    name: str
    on: bool = False
    by: Annotated[str | None, Unique()] = None

    primary = Key("FLAG#{name}")


readings: Final = Table(
    named("readings"),
    pk=N("sensor"),
    sk=B("moment"),
    indexes=[GSI("by-value", pk="kind", sk=(N("value"),))],
)


class Reading(Entity, table=readings):
    """Keys that are a number and bytes, and the attributes themselves."""

    sensor: int
    moment: bytes
    kind: str = "heat"
    value: Decimal = Decimal(0)
    raw: set[bytes] = set()

    primary = Key("{sensor}", "{moment}")
    by_value = Key("{kind}", "{value}", index="by-value")


words: Final = Table(named("words"), discriminator=None, indexes=[GSI("by-length", pk="n1", sk="sk")])


class Word(Entity, table=words):
    """Told apart by nothing but keys."""

    language: str
    word: str
    meaning: str = ""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def length(self) -> int:
        return len(self.word)

    primary = Key("WORD#{language}", "{word}")
    by_length = Key("LENGTH#{length}", index="by-length")


order_numbers: Final = sequence("order::{customer}", table=shop)
line_numbers: Final = sequence(
    "line", table=shop, key=("COUNTERS", "LINES#{year:04d}"), attribute="n", name="LineNumbers"
)
invoice_numbers: Final = sequence("invoice", table=shop)

TABLES: Final = (shop, flags, readings, words)
