"""A design as a user writes it, for the other files of this folder."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Generic, Self, TypeVar
from uuid import UUID, uuid4

from pydantic import BaseModel, Field

from pksk import (
    GSI,
    TTL,
    Attribute,
    Created,
    Entity,
    F,
    Get,
    Key,
    Put,
    Query,
    Reference,
    Shard,
    Table,
    Unique,
    Updated,
    Version,
    access,
    between,
    collect,
)

T = TypeVar("T", bound=int | str)

shop = Table("shop", indexes=[GSI("by-id", pk="uid"), GSI("by-status", pk="g1", sk="g2")], ttl="expires")


class Order(Entity, table=shop, items=1_000_000, per_partition=200):
    customer: str
    number: int
    day: date
    status: str | None = None
    total: Annotated[int, Attribute("t")] = 0
    tags: set[str] = Field(default_factory=set)
    uid: UUID = Field(default_factory=uuid4)

    primary = Key("CUST#{customer}", "ORDER#{number:06d}")
    by_uid = Key("{uid}", index="by-id")
    by_status = Key(
        "STATUS#{status}#{shard}",
        "{day}#{number:06d}",
        index="by-status",
        shard=Shard(4, of="number"),
        when=F.total > 0,
    )

    @access(rate=40, items=20)
    @classmethod
    def of_customer(cls, customer: str, first: int, last: int) -> Query[Order]:
        """Some orders of a customer."""
        return cls.primary(customer=customer, number=between(first, last))

    @access(rate="500/day")
    @classmethod
    def one(cls, customer: str, number: int) -> Get[Order]:
        """One order."""
        return cls.primary.get(customer=customer, number=number)

    @access()
    @staticmethod
    def place(customer: str, number: int, day: date) -> Put[Order]:
        """A new order."""
        return Put(Order(customer=customer, number=number, day=day)).if_absent()


class Line(Entity, table=shop):
    customer: str
    number: int
    line: int
    sku: str

    primary = Key("CUST#{customer}", "LINE#{number:06d}#{line:03d}")


class Customer(Entity, table=shop):
    customer: str
    name: str

    primary = Key("CUST#{customer}", "PROFILE")


class Session(Entity, table=shop):
    token: Annotated[str, Unique()]
    customer: Annotated[str, Reference(Customer)]
    expires: Annotated[datetime, TTL()]
    version: Annotated[int, Version()] = 0
    created: Annotated[datetime | None, Created()] = None
    updated: Annotated[datetime | None, Updated()] = None

    primary = Key("SESSION#{token}", "META")


class Animal(Entity, table=shop):
    owner: str
    name: str

    primary = Key("ANIMAL#{owner}", "{name}")

    @access(rate=1)
    @classmethod
    def of_owner(cls, owner: str) -> Query[Self]:
        """The animals of one owner; of a subclass, those of its kind."""
        return cls.primary(owner=owner)


class Dog(Animal, table=shop):
    tricks: int = 0


class Reading(Entity, Generic[T]):
    """A base, in no table itself, for readings of any kind."""

    sensor: str
    value: T


class Count(Reading[int], table=shop):
    primary = Key("COUNT#{sensor}", "NOW")


class Summary(BaseModel):
    """What a list of orders shows."""

    number: int
    total: int


@access(rate=5)
def order_with_lines(customer: str, number: int) -> Query[Order | Line]:
    """An order and its lines."""
    return collect(
        Order.primary(customer=customer, number=number), Line.primary(customer=customer, number=number)
    )
