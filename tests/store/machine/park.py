"""The design that the machine works on: one table with every kind of index, and entities with every marker."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from pydantic import BaseModel, Field

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
    Null,
    Reference,
    Shard,
    Table,
    Unique,
    Updated,
    Version,
    sequence,
)

__all__ = ["ENTITIES", "Account", "Animal", "Cat", "Dog", "Home", "Keeper", "Pass", "Ticket", "park", "queue"]

park = Table(
    "park",
    ttl="expires",
    indexes=[
        GSI("first", pk="gsi1pk", sk="gsi1sk"),
        GSI("second", pk="gsi2pk", sk="gsi2sk"),
        GSI("keys", pk="gsi3pk", projection="keys"),
        GSI("levels", pk="levelpk", sk=N("level")),
        LSI("ranks", sk="lsi1sk"),
    ],
)


class Home(BaseModel):
    """Where a keeper lives."""

    street: str = "Main"
    number: int = 1


class Keeper(Entity, table=park):
    """No marker at all; in every index, by keys of several fields."""

    team: str
    name: str
    city: str = "rome"
    shift: str | None = None
    rank: int = 0
    nick: str | None = None
    motto: Annotated[str | None, Null()] = None
    duty: bool = False
    skills: Annotated[set[str], Attribute("abilities")] = Field(default_factory=set)
    notes: list[str] = Field(default_factory=list)
    home: Home = Field(default_factory=Home)

    primary = Key("TEAM#{team}", "KEEPER#{name}")
    by_city = Key("CITY#{city}#{shift}", "{rank:03d}#{name}", index="first")
    on_duty = Key(
        "DUTY#{shard}",
        "{shift}#{rank:03d}",
        index="second",
        when=F.duty == True,  # noqa: E712
        shard=Shard(3, of="city"),
    )
    by_nick = Key("NICK#{nick}", index="keys")
    by_rank = Key("TEAM#{team}", "RANK#{rank:03d}#{city}", index="ranks")


class Account(Entity, table=park):
    """Two unique fields, a version and both times; in an index by its level, and in one at random."""

    id: str
    email: Annotated[str, Unique()]
    handle: Annotated[str | None, Unique()] = None
    status: str = "open"
    level: int = 0
    version: Annotated[int, Version()] = 0
    created: Annotated[datetime | None, Created()] = None
    updated: Annotated[datetime | None, Updated()] = None

    primary = Key("ACCOUNT#{id}", "META")
    by_status = Key("STATUS#{status}", "{level:03d}#{email}", index="first", when=F.status != "closed")
    spread = Key("SPREAD#{shard}", "{level:03d}", index="second", shard=Shard(3))
    by_level = Key("LEVEL#{status}", "{level}", index="levels")


class Pass(Entity, table=park):
    """Expires, and has times of its own; nothing that a batch could not write."""

    id: str
    zone: str = "a"
    uses: int = 0
    expires: Annotated[int | None, TTL()] = None
    created: Annotated[datetime | None, Created()] = None
    updated: Annotated[datetime | None, Updated()] = None

    primary = Key("PASS#{id}", "META")
    by_zone = Key("ZONE#{zone}", "{uses:03d}#{id}", index="first")


class Animal(Entity, table=park):
    """The base of entities that share one key."""

    id: str
    name: str = "ada"
    weight: int = 1
    tag: Annotated[str | None, Unique()] = None

    primary = Key("ANIMAL#{id}", "META")
    by_name = Key("NAME#{name}", "{id}", index="first")


class Dog(Animal, table=park):
    """Has a unique field and an index key of its own, made also of a field of the base."""

    chip: Annotated[str | None, Unique()] = None
    breed: str | None = None

    by_breed = Key("BREED#{breed}", "{name}#{id}", index="second")


class Ticket(Entity, table=park):
    """Expires, with a unique code, a version, and references: an account, a pass, a class that shares its key."""

    gate: str
    number: int
    day: date = date(2026, 5, 1)
    code: Annotated[str | None, Unique()] = None
    seat: str | None = None
    holder: Annotated[str | None, Reference(Account)] = None
    via: Annotated[str | None, Reference(Pass)] = None
    guide: Annotated[str | None, Reference(Dog)] = None
    expires: Annotated[datetime | None, TTL()] = None
    version: Annotated[int, Version()] = 0

    primary = Key("GATE#{gate}", "TICKET#{number:04d}")
    by_holder = Key("HOLDER#{holder}", "{day}#{gate}#{number:04d}", index="first")
    by_seat = Key("GATE#{gate}", "SEAT#{seat}", index="ranks")
    by_code = Key("CODE#{code}", index="keys")


class Cat(Animal, table=park):
    """Has a version, and a reference, which the base has not."""

    lives: int = 9
    flap: Annotated[str | None, Reference(Pass)] = None
    version: Annotated[int, Version()] = 0


queue = sequence("queue::{gate}", table=park)

ENTITIES: tuple[type[Entity], ...] = (Keeper, Account, Pass, Ticket, Animal, Dog, Cat)
