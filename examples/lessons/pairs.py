"""Mistakes beside what mends them, and trade-offs beside each other: the same calls on both, and what these did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from pksk import Entity, Store, Table

from .data import country_of, moment, random_ids
from .measured import Measured, measured
from .mistakes import (
    JANUARY_ENDS,
    EventByDate,
    EventByEntity,
    Numbered,
    RandomlySorted,
    Scattered,
    ShardedEvent,
    SortedByTime,
    TooCoarse,
    TooFine,
    UserByCountry,
    UserByCountryAndId,
    UserInOnePartition,
    by_country,
    by_country_and_user,
    by_date,
    by_entity,
    in_order,
    numbered,
    one_partition,
    random_order,
    scattered,
    sharded,
    too_coarse,
    too_fine,
)
from .patterns import Order, Profile, Purchase, User, orders, people, person, users

__all__ = ["PAIRS", "Pair", "Side"]

TODAY = date(2025, 1, 15)
USERS = 20
BUSY_USERS = 4
JANUARY = (datetime(2025, 1, 1), JANUARY_ENDS)


@dataclass(frozen=True)
class Side:
    """One of two designs: its tables, what is stored before, and the calls that are measured."""

    name: str
    tables: tuple[Table, ...]
    stored: Callable[[int], Iterator[Entity]]
    calls: Callable[[Store, int], object]

    def measured(self, items: int) -> Measured:
        """The figures of this side, with so many items."""
        return measured(self.tables, self.stored(items), lambda db: self.calls(db, items))


@dataclass(frozen=True)
class Pair:
    """A lesson: the designs that it compares, the same calls on each, and what they show."""

    title: str
    calls: str
    sides: tuple[Side, ...]
    shows: str


def _nothing(_: int) -> Iterator[Entity]:
    return iter(())


def _each(call: Callable[[Store, int], object]) -> Callable[[Store, int], object]:
    return lambda db, items: [call(db, number) for number in range(items)]


def _each_user(question: Callable[[str], Any], users: int) -> Callable[[Store, int], object]:
    """Ask as many questions as there are items, of one user after the other."""
    return lambda db, items: [db.run(question(f"user_{number % users}")) for number in range(items)]


PAIRS = (
    Pair(
        "One partition for everything",
        "each user read once",
        (
            Side(
                'pk "USER"',
                (one_partition,),
                lambda items: (UserInOnePartition(user_id=f"user_{n}") for n in range(items)),
                _each(lambda db, n: db.get(UserInOnePartition.one(f"user_{n}"))),
            ),
            Side(
                "pk user_id",
                (users,),
                lambda items: (User(user_id=f"user_{n}", name="Ann") for n in range(items)),
                _each(lambda db, n: db.get(User.one(f"user_{n}"))),
            ),
        ),
        "The same units, and all of them on one key: 3,000 reads a second are the end of it.",
    ),
    Pair(
        "Numbers in sequence",
        "each item written once",
        (
            Side(
                "pk 1, 2, 3 ...", (numbered,), _nothing, _each(lambda db, n: db.put(Numbered(number=n + 1)))
            ),
            Side(
                "pk uuid",
                (scattered,),
                _nothing,
                lambda db, items: [db.put(Scattered(id=each)) for each in random_ids(items)],
            ),
        ),
        "No mistake: keys are hashed, and neighbours stand far apart. What counts the numbers is another matter.",
    ),
    Pair(
        "The day as the partition",
        "the events of one day written",
        (
            Side(
                "pk day",
                (by_date,),
                _nothing,
                _each(lambda db, n: db.put(EventByDate(day=TODAY, event_id=f"e{n}"))),
            ),
            Side(
                "pk sensor, sk day",
                (by_entity,),
                _nothing,
                _each(
                    lambda db, n: db.put(EventByEntity(entity_id=f"s{n % 50}", day=TODAY, event_id=f"e{n}"))
                ),
            ),
            Side(
                "pk day and shard",
                (sharded,),
                _nothing,
                _each(lambda db, n: db.put(ShardedEvent(day=TODAY, event_id=f"e{n}"))),
            ),
        ),
        "Today is the only key that is written. A shard keeps the question by day, at four requests for one.",
    ),
    Pair(
        "Few values, and one of them common",
        "each user read once; seven of ten are of one country",
        (
            Side(
                "pk country",
                (by_country,),
                lambda items: (
                    UserByCountry(country_code=country_of(n), user_id=f"u{n}") for n in range(items)
                ),
                _each(lambda db, n: db.get(UserByCountry.one(country_of(n), f"u{n}"))),
            ),
            Side(
                "pk country and user",
                (by_country_and_user,),
                lambda items: (
                    UserByCountryAndId(country_code=country_of(n), user_id=f"u{n}") for n in range(items)
                ),
                _each(lambda db, n: db.get(UserByCountryAndId.one(country_of(n), f"u{n}"))),
            ),
        ),
        "The load of the largest country falls on one key. With the user in it there is no list of a country any more.",
    ),
    Pair(
        "Too coarse, too fine",
        f"what {USERS} users did, one after the other",
        (
            Side(
                "pk the same, sk user and time",
                (too_coarse,),
                lambda items: (TooCoarse(user_id=f"user_{n % USERS}", at=moment(n)) for n in range(items)),
                _each_user(TooCoarse.of_user, USERS),
            ),
            Side(
                "pk user and time",
                (too_fine,),
                lambda items: (TooFine(user_id=f"user_{n % USERS}", at=moment(n)) for n in range(items)),
                _each_user(TooFine.of_user, USERS),
            ),
            Side(
                "pk user, sk time",
                (orders,),
                lambda items: (Order(user_id=f"user_{n % USERS}", at=moment(n)) for n in range(items)),
                _each_user(Order.of_user, USERS),
            ),
        ),
        "Too coarse, and one key takes everything; too fine, and every list is a scan of the whole table.",
    ),
    Pair(
        "A sort key that sorts nothing",
        f"the orders of {BUSY_USERS} users in January, one after the other",
        (
            Side(
                "sk random id",
                (random_order,),
                lambda items: (
                    RandomlySorted(user_id=f"user_{n % BUSY_USERS}", id=each, at=moment(n))
                    for n, each in enumerate(random_ids(items))
                ),
                _each_user(lambda user: RandomlySorted.within(user, *JANUARY), BUSY_USERS),
            ),
            Side(
                "sk ORDER# and time",
                (in_order,),
                lambda items: (
                    SortedByTime(user_id=f"user_{n % BUSY_USERS}", at=moment(n)) for n in range(items)
                ),
                _each_user(lambda user: SortedByTime.within(user, *JANUARY), BUSY_USERS),
            ),
        ),
        "A filter leaves rows out after they were read and paid for; a range reads what it returns.",
    ),
    Pair(
        "One table or several",
        "each person with what was bought",
        (
            Side(
                "two tables",
                (users, orders),
                lambda items: (
                    made
                    for n in range(items)
                    for made in (User(user_id=f"p{n}", name="Ann"), Order(user_id=f"p{n}", at=moment(n)))
                ),
                _each(lambda db, n: (db.get(User.one(f"p{n}")), db.run(Order.of_user(f"p{n}")))),
            ),
            Side(
                "one table",
                (people,),
                lambda items: (
                    made
                    for n in range(items)
                    for made in (
                        Profile(entity_id=f"p{n}", name="Ann"),
                        Purchase(entity_id=f"p{n}", day=moment(n).date()),
                    )
                ),
                _each(lambda db, n: db.run(person(f"p{n}"))),
            ),
        ),
        "What one question reads together belongs in one partition: one request, and sizes rounded up once.",
    ),
)
