"""A design with every marker, with items of sizes that make units differ."""

from __future__ import annotations

from datetime import datetime
from random import Random
from typing import Annotated, Any, Final

from pksk import (
    GSI,
    LSI,
    TTL,
    Created,
    Entity,
    Key,
    Query,
    Reference,
    Shard,
    Table,
    Unique,
    Updated,
    Version,
    access,
    sequence,
)

__all__ = ["OTHERS", "PEOPLE", "Company", "Person", "Visit", "numbers", "person", "visit"]

SIZES: Final = (0, 0, 300, 900, 1000, 1100, 3000, 5000)

PEOPLE: Final = Table(
    "people",
    ttl="until",
    indexes=[
        GSI("by-city", pk="g1", sk="g2", projection=["text"]),
        GSI("shards", pk="s1", sk="s2", projection="keys"),
        LSI("by-age", sk="l1", projection="keys"),
    ],
)
OTHERS: Final = Table("others", sk=None)


class Company(Entity, table=OTHERS):
    name: str
    text: str = ""
    primary = Key("COMPANY#{name}")


class Person(Entity, table=PEOPLE):
    family: str
    id: str
    email: Annotated[str | None, Unique()] = None
    city: str = "here"
    age: int = 0
    text: str = ""
    company: Annotated[str | None, Reference(Company, name="company")] = None
    version: Annotated[int, Version()] = 0
    created: Annotated[datetime | None, Created()] = None
    updated: Annotated[datetime | None, Updated()] = None

    primary = Key("FAMILY#{family}", "PERSON#{id}")
    by_city = Key("CITY#{city}", "{age:03d}#{id}", index="by-city")
    by_age = Key("FAMILY#{family}", "{age:03d}", index="by-age")

    @access(rate=5, items=10, item_size=800)
    @classmethod
    def of_family(cls, family: str) -> Query[Person]:
        """The members of a family."""
        return cls.primary(family=family)


class Visit(Entity, table=PEOPLE):
    place: str
    n: int
    text: str = ""
    until: Annotated[datetime | None, TTL()] = None

    primary = Key("PLACE#{place}", "VISIT#{n:04d}")
    all_of = Key("VISITS#{shard}", "{n:04d}#{place}", index="shards", shard=Shard(3, of="n"))


numbers: Final = sequence("visits", table=PEOPLE)


def person(random: Random) -> Person:
    fields: dict[str, Any] = {
        "email": random.choice((None, None, *(f"{number}@x" for number in range(40)))),
        "city": random.choice(("here", "there")),
        "age": random.randint(0, 99),
        "text": "t" * random.choice(SIZES),
        "company": random.choice((None, None, "one", "two", "one", "none")),
    }
    return Person(family=random.choice("xy"), id=str(random.randint(0, 9)), **fields)


def visit(random: Random) -> Visit:
    return Visit(place=random.choice("pq"), n=random.randint(0, 30), text="t" * random.choice(SIZES))
