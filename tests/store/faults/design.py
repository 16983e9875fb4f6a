"""A small design with every marker, and what is stored before each test of faults."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final

from pydantic import Field

from pksk import (
    GSI,
    TTL,
    Created,
    Entity,
    F,
    Key,
    Reference,
    Shard,
    Store,
    Table,
    Unique,
    Updated,
    Version,
    connect,
    sequence,
)
from pksk.client import Client

__all__ = [
    "TABLE",
    "Animal",
    "Doc",
    "Dog",
    "Note",
    "Page",
    "Person",
    "Session",
    "Ticket",
    "fill",
    "now",
    "numbers",
]

TABLE: Final = Table(
    "faults", ttl="until", indexes=[GSI("other", pk="g1", sk="g2"), GSI("thin", pk="t1", projection="keys")]
)


class Note(Entity, table=TABLE):
    """An entity without markers."""

    id: str
    text: str = "none"
    day: str = "monday"
    hits: int = 0
    log: list[str] = Field(default_factory=list)
    tags: set[str] = Field(default_factory=set)

    primary = Key("NOTE#{id}", "META")
    by_day = Key("DAY#{day}#{text}", "{id}", index="other")
    thin = Key("ALL", index="thin")


class Doc(Entity, table=TABLE):
    """Writes of it are counted and stamped."""

    folder: str
    id: str
    count: int = 0
    version: Annotated[int, Version()] = 0
    created: Annotated[datetime | None, Created()] = None
    updated: Annotated[datetime | None, Updated()] = None

    primary = Key("DOC#{folder}", "{id}")


class Ticket(Entity, table=TABLE):
    """Writes of it are counted, and nothing else tells one writer from another."""

    id: str
    count: int = 0
    version: Annotated[int, Version()] = 0

    primary = Key("TICKET#{id}", "META")


class Person(Entity, table=TABLE):
    """One value is unique, and another one refers."""

    id: str
    email: Annotated[str | None, Unique()] = None
    note: Annotated[str | None, Reference(Note, id="note")] = None
    seen: int = 0

    primary = Key("PERSON#{id}", "META")


class Page(Entity, table=TABLE):
    """Many items in one partition, and in several of an index."""

    book: str
    number: int
    words: int = 0

    primary = Key("BOOK#{book}", "PAGE#{number:03d}")
    by_words = Key("WORDS#{shard}", "{words:03d}#{number:03d}", index="other", shard=Shard(3, of="number"))
    thin = Key("PAGES", index="thin", when=F.words > 2)


class Session(Entity, table=TABLE):
    """An item with a TTL; an expired one is stored as well."""

    id: str
    seen: int = 0
    code: Annotated[str | None, Unique()] = None
    until: Annotated[int | None, TTL()] = None

    primary = Key("SESSION#{id}", "META")


class Animal(Entity, table=TABLE):
    """An entity whose subclass shares its key."""

    name: str
    legs: int = 4

    primary = Key("ANIMAL#{name}", "META")
    by_legs = Key("LEGS#{legs}", "{name}", index="other")


class Dog(Animal, table=TABLE):
    tricks: int = 0


numbers: Final = sequence("orders", table=TABLE)


def now() -> float:
    """A fixed time, so that two runs write the same timestamps."""
    return 1_700_000_000.0


def fill(client: Client) -> None:
    """Create the table, and store items of each entity."""
    with connect(client, clock=now) as db:
        db.create_tables(TABLE)
        stored(db)


def stored(db: Store) -> None:
    """Store items of each entity."""
    db.put(Note(id="1", text="one", hits=3, log=["a"], tags={"x"}))
    db.put(Note(id="2", text="two"))
    db.create(Doc(folder="a", id="1", count=5))
    db.create(Ticket(id="1", count=5))
    db.create(Person(id="1", email="a@b", note="1"))
    db.create(Person(id="2", email="c@d"))
    db.batch_put(*(Page(book="b", number=n, words=n % 5) for n in range(12)))
    db.create(Session(id="1", code="x", until=int(now()) + 60))
    db.create(Session(id="expired", code="y", seen=3, until=int(now()) - 60))
    db.put(Animal(name="cat"))
    db.put(Dog(name="rex", tricks=2))
    db.next(numbers)
