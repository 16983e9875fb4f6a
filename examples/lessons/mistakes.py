"""Keys that make one partition do all the work, and beside each the key that does not.

All of them can be declared, and whether they hurt depends on the load: so access patterns have rates here, and
`pksk check examples/lessons` finds the mistakes. Sequential numbers, for example, are fine as
partition keys, since these are hashed; only the item that counts them is hot.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated
from uuid import UUID

from pydantic import NaiveDatetime

from pksk import Entity, F, Get, Key, Put, Query, Scan, Shard, Spread, Table, access, between, sequence

from .patterns import Second

# The last moment that the key can hold: a range to the first of February would let that second in.
JANUARY_ENDS = datetime(2025, 1, 31, 23, 59, 59, 999999)
# Seven of ten users.
MOST_LIVE_IN_ONE = Spread(values=200, largest=0.7)

one_partition = Table("all-users")
numbered = Table("numbered", sk=None, discriminator=None)
scattered = Table("scattered", sk=None, discriminator=None)
counters = Table("lesson-counters")
numbers = sequence("numbered", table=counters)
by_date = Table("events-by-date", discriminator=None)
by_entity = Table("events-by-entity", discriminator=None)
by_country = Table("users-by-country", discriminator=None)
by_country_and_user = Table("users-by-country-and-user", sk=None, discriminator=None)
sharded = Table("events-sharded", discriminator=None)
bucketed = Table("events-bucketed", discriminator=None)
too_coarse = Table("too-coarse", discriminator=None)
too_fine = Table("too-fine", sk=None, discriminator=None)
random_order = Table("random-order", discriminator=None)
in_order = Table("in-order", discriminator=None)


class UserInOnePartition(Entity, table=one_partition):
    """Mistake: every user under the same partition key. Instead: the user's id as the partition key."""

    user_id: str

    primary = Key("USER", "{user_id}")

    @access(rate=8000, item_size=400)
    @classmethod
    def one(cls, user_id: str) -> Get[UserInOnePartition]:
        """A user: all of these reads fall on one partition."""
        return cls.primary.get(user_id=user_id)


class Numbered(Entity, table=numbered):
    """Said to be a mistake: numbers in sequence as partition keys. They are hashed, so they spread like any other."""

    number: int

    primary = Key("{number}")

    @access()
    @classmethod
    def one(cls, number: int) -> Get[Numbered]:
        """One of them."""
        return cls.primary.get(number=number)


class Scattered(Entity, table=scattered):
    """Said to be the cure: random ids. They spread as well as numbers do, and need no counter."""

    id: UUID

    primary = Key("{id}")

    @access()
    @classmethod
    def one(cls, scattered_id: UUID) -> Get[Scattered]:
        """One of them."""
        return cls.primary.get(id=scattered_id)


class EventByDate(Entity, table=by_date):
    """Mistake: the date as the partition key. All writes go to today."""

    day: date
    event_id: str

    primary = Key("{day}", "{event_id}")

    @access(rate=2000, item_size=400)
    @classmethod
    def add(cls, event: EventByDate) -> Put[EventByDate]:
        """A new event: always in the partition of today."""
        return Put(event)

    @access(rate="1/day", items=1000, example={"first": date(2025, 1, 1), "last": date(2025, 1, 31)})
    @classmethod
    def within(cls, first: date, last: date) -> Query[EventByDate]:
        """The events of a span of days: a request for each."""
        return cls.primary(day=between(first, last))


class EventByEntity(Entity, table=by_entity):
    """Instead: the entity of the event as the partition key, the date in the sort key."""

    entity_id: Annotated[str, Spread(values=50)]
    day: date
    event_id: str

    primary = Key("{entity_id}", "{day}#{event_id}")

    @access(rate=2000, item_size=400)
    @classmethod
    def add(cls, event: EventByEntity) -> Put[EventByEntity]:
        """A new event."""
        return Put(event)

    @access(items=30, example={"entity_id": "e1", "first": date(2025, 1, 1), "last": date(2025, 1, 31)})
    @classmethod
    def within(cls, entity_id: str, first: date, last: date) -> Query[EventByEntity]:
        """The events of an entity in a span of days: one request."""
        return cls.primary(entity_id=entity_id, day=between(first, last))


class UserByCountry(Entity, table=by_country):
    """Mistake: few values, and one of them far more common than the others."""

    country_code: Annotated[str, MOST_LIVE_IN_ONE]
    user_id: str

    primary = Key("{country_code}", "{user_id}")

    @access(rate=10_000, item_size=400)
    @classmethod
    def one(cls, country_code: str, user_id: str) -> Get[UserByCountry]:
        """A user."""
        return cls.primary.get(country_code=country_code, user_id=user_id)


class UserByCountryAndId(Entity, table=by_country_and_user):
    """Instead: both together in the partition key. The users of a country can then no longer be listed."""

    country_code: Annotated[str, MOST_LIVE_IN_ONE]
    user_id: Annotated[str, Spread(values=1_000_000)]

    primary = Key("{country_code}#{user_id}")

    @access(rate=10_000, item_size=400)
    @classmethod
    def one(cls, country_code: str, user_id: str) -> Get[UserByCountryAndId]:
        """A user."""
        return cls.primary.get(country_code=country_code, user_id=user_id)


class ShardedEvent(Entity, table=sharded):
    """Instead, where the day must be the partition: as many partitions as the writes need, all read together."""

    day: date
    event_id: str

    primary = Key("{day}#{shard}", "{event_id}", shard=Shard(4, of="event_id"))

    @access(rate=2000, item_size=400)
    @classmethod
    def add(cls, event: ShardedEvent) -> Put[ShardedEvent]:
        """A new event, in one of four partitions."""
        return Put(event)

    @access(rate="1/day", items=1000)
    @classmethod
    def of_day(cls, day: date) -> Query[ShardedEvent]:
        """The events of a day, from all four."""
        return cls.primary(day=day)


class BucketedEvent(Entity, table=bucketed):
    """Instead, if an entity has events without end: a partition for each of its months."""

    entity_id: str
    at: Second

    primary = Key("{entity_id}#{at:%Y-%m}", "{at:%Y-%m-%dT%H:%M:%S}")

    @access(items=500, example={"entity_id": "e1", "start": datetime(2024, 11, 15), "end": JANUARY_ENDS})
    @classmethod
    def within(cls, entity_id: str, start: NaiveDatetime, end: NaiveDatetime) -> Query[BucketedEvent]:
        """The events of an entity between two times, over all months that these touch."""
        return cls.primary(entity_id=entity_id, at=between(start, end))


class TooCoarse(Entity, table=too_coarse):
    """Mistake: one partition for the items of all users. They can be listed, but one key takes all of the load."""

    user_id: str
    at: Second

    primary = Key("ALL", "{user_id}#{at:%Y-%m-%dT%H:%M:%S}")

    @access(rate=5000, items=100)
    @classmethod
    def of_user(cls, user_id: str) -> Query[TooCoarse]:
        """What a user did: a range of the one partition."""
        return cls.primary(user_id=user_id)


class TooFine(Entity, table=too_fine):
    """Mistake: the time in the partition key too. Every item is alone, and nothing can be listed."""

    user_id: str
    at: Second

    primary = Key("{user_id}#{at:%Y-%m-%dT%H:%M:%S}")

    @access(rate=5, items=100_000)
    @classmethod
    def of_user(cls, user_id: str) -> Scan[TooFine]:
        """What a user did: no key serves this, so the whole table is read and most of it filtered out."""
        return cls.scan().filter(F.user_id == user_id)


class RandomlySorted(Entity, table=random_order):
    """Mistake: a random id as the sort key. It orders nothing, and a query by time reads all orders of a user."""

    user_id: str
    id: UUID
    at: NaiveDatetime

    primary = Key("{user_id}", "{id}")

    @access(items=100)
    @classmethod
    def of_user(cls, user_id: str) -> Query[RandomlySorted]:
        """All orders of a user, in no useful order."""
        return cls.primary(user_id=user_id)

    @access(
        rate=50,
        items=100,
        item_size=400,
        example={"user_id": "u1", "start": datetime(2025, 1, 15), "end": JANUARY_ENDS},
    )
    @classmethod
    def within(cls, user_id: str, start: NaiveDatetime, end: NaiveDatetime) -> Query[RandomlySorted]:
        """A user's orders between two times: all are read, and most of them filtered out."""
        return cls.of_user(user_id).filter(F.at.between(start, end))


class SortedByTime(Entity, table=in_order):
    """Instead: items that are queried by time have the time in the sort key."""

    user_id: str
    at: Second

    primary = Key("{user_id}", "ORDER#{at:%Y-%m-%dT%H:%M:%S}")

    @access(
        rate=50,
        items=10,
        item_size=400,
        example={"user_id": "u1", "start": datetime(2025, 1, 15), "end": JANUARY_ENDS},
    )
    @classmethod
    def within(cls, user_id: str, start: NaiveDatetime, end: NaiveDatetime) -> Query[SortedByTime]:
        """A user's orders between two times."""
        return cls.primary(user_id=user_id, at=between(start, end))
