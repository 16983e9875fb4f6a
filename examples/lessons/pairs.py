"""Mistakes beside what mends them, and trade-offs beside each other: the same calls on both, and what these did."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypeAlias

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
SENSORS = 50
JANUARY = (datetime(2025, 1, 1), JANUARY_ENDS)
# A key that takes no more than this is not hot.
COLD = 0.05

Calls: TypeAlias = Callable[[Store, int], object]


@dataclass(frozen=True)
class Side:
    """One of some designs: its tables, what is stored before, and the calls that are measured."""

    name: str
    tables: tuple[Table, ...]
    stored: Callable[[int], Iterator[Entity]]
    calls: Calls

    def measured(self, items: int, tell: Callable[[int], None] | None = None) -> Measured:
        """The figures of this side, with so many items."""
        return measured(self.tables, self.stored(items), lambda db: self.calls(db, items), tell)


@dataclass(frozen=True)
class Pair:
    """A lesson: the designs that it compares, the same calls on each, and what they show.

    `answer(items)` is what the calls must give on every side. `holds` says whether figures show what is said of them.
    """

    title: str
    calls: str
    sides: tuple[Side, ...]
    shows: str
    answer: Callable[[int], object]
    holds: Callable[[Sequence[Measured]], bool]


def nothing(_: int) -> Iterator[Entity]:
    """Nothing is stored before."""
    return iter(())


def _each(call: Callable[[Store, int], object]) -> Calls:
    return lambda db, items: [call(db, number) for number in range(items)]


def _put(make: Callable[[int], Entity]) -> Calls:
    """Store so many, one by one; gives how many."""
    return lambda db, items: len([db.put(make(number)) for number in range(items)])


def _each_user(question: Callable[[str], Any], users: int) -> Calls:
    """When each of some users did anything: one question for each, however many items there are."""

    def ask(db: Store, _: int) -> list[list[datetime]]:
        return [sorted(each.at for each in db.run(question(f"user_{user}"))) for user in range(users)]

    return ask


def _times(users: int, until: datetime = datetime.max) -> Callable[[int], object]:
    """What these questions must find: items are of one user after the other."""
    return lambda items: [
        [moment(number) for number in range(user, items, users) if moment(number) <= until]
        for user in range(users)
    ]


def _events(make: Callable[[int], Entity]) -> Callable[[int], Iterator[Entity]]:
    return lambda items: (make(number) for number in range(items))


def _by_date(number: int) -> EventByDate:
    return EventByDate(day=TODAY, event_id=f"e{number}")


def _by_sensor(number: int) -> EventByEntity:
    return EventByEntity(entity_id=f"s{number % SENSORS}", day=TODAY, event_id=f"e{number}")


def _in_shards(number: int) -> ShardedEvent:
    return ShardedEvent(day=TODAY, event_id=f"e{number}")


def _ids(*questions: Any) -> Calls:
    """The events that some questions find together."""
    return lambda db, _: sorted(each.event_id for question in questions for each in db.run(question))


def _user(found: Any) -> str | None:
    return None if found is None else found.user_id


def _bought(*found: Any) -> set[object]:
    """Whose name it is, and on which days they bought something."""
    told: set[object] = set()
    for each in found:
        if isinstance(each, User | Profile):
            told.add(each.name)
        elif isinstance(each, Order):
            told.add(each.at.date())
        elif isinstance(each, Purchase):
            told.add(each.day)
    return told


def _all_written(found: Sequence[Measured]) -> bool:
    return all(each.stored == each.requests == each.answer for each in found)


PAIRS = (
    Pair(
        "One partition for everything",
        "each user read once",
        (
            Side(
                'pk "USER"',
                (one_partition,),
                lambda items: (UserInOnePartition(user_id=f"user_{n}") for n in range(items)),
                _each(lambda db, n: _user(db.get(UserInOnePartition.one(f"user_{n}")))),
            ),
            Side(
                "pk user_id",
                (users,),
                lambda items: (User(user_id=f"user_{n}", name="Ann") for n in range(items)),
                _each(lambda db, n: _user(db.get(User.one(f"user_{n}")))),
            ),
        ),
        "The same units, and all of them on one key: 3,000 reads a second are the end of it.",
        lambda items: [f"user_{n}" for n in range(items)],
        lambda found: (
            found[0].units == found[1].units and found[0].hottest == 1.0 and found[1].hottest <= COLD
        ),
    ),
    Pair(
        "Numbers in sequence",
        "each item written once",
        (
            Side("pk 1, 2, 3 ...", (numbered,), nothing, _put(lambda n: Numbered(number=n + 1))),
            Side(
                "pk uuid",
                (scattered,),
                nothing,
                lambda db, items: len([db.put(Scattered(id=each)) for each in random_ids(items)]),
            ),
        ),
        "No mistake: keys are hashed, and neighbours stand far apart. What counts the numbers is another matter.",
        lambda items: items,
        lambda found: _all_written(found) and all(each.hottest <= COLD and each.skew < 1.5 for each in found),
    ),
    Pair(
        "The day as the partition",
        "the events of one day written",
        (
            Side("pk day", (by_date,), nothing, _put(_by_date)),
            Side("pk sensor, sk day", (by_entity,), nothing, _put(_by_sensor)),
            Side("pk day and shard", (sharded,), nothing, _put(_in_shards)),
        ),
        "Today is the only key that is written, unless something else or a shard divides it.",
        lambda items: items,
        lambda found: (
            _all_written(found)
            and found[0].hottest == 1.0
            and found[1].hottest <= COLD
            and 0.2 < found[2].hottest < 0.4
        ),
    ),
    Pair(
        "The same day read",
        "the events of one day, all of them",
        (
            Side("pk day", (by_date,), _events(_by_date), _ids(EventByDate.within(TODAY, TODAY))),
            Side(
                "pk sensor, sk day",
                (by_entity,),
                _events(_by_sensor),
                _ids(*(EventByEntity.within(f"s{sensor}", TODAY, TODAY) for sensor in range(SENSORS))),
            ),
            Side("pk day and shard", (sharded,), _events(_in_shards), _ids(ShardedEvent.of_day(TODAY))),
        ),
        f"A shard keeps the question by day, at four requests for one. By sensor it takes {SENSORS}, one for each.",
        lambda items: sorted(f"e{n}" for n in range(items)),
        lambda found: [each.requests for each in found] == [1, SENSORS, 4],
    ),
    Pair(
        "Few values, one of them common",
        "each user read once; seven of ten are of one country",
        (
            Side(
                "pk country",
                (by_country,),
                lambda items: (
                    UserByCountry(country_code=country_of(n), user_id=f"u{n}") for n in range(items)
                ),
                _each(lambda db, n: _user(db.get(UserByCountry.one(country_of(n), f"u{n}")))),
            ),
            Side(
                "pk country and user",
                (by_country_and_user,),
                lambda items: (
                    UserByCountryAndId(country_code=country_of(n), user_id=f"u{n}") for n in range(items)
                ),
                _each(lambda db, n: _user(db.get(UserByCountryAndId.one(country_of(n), f"u{n}")))),
            ),
        ),
        "The load of the largest country falls on one key. With the user in it there is no list of a country any more.",
        lambda items: [f"u{n}" for n in range(items)],
        lambda found: 0.65 < found[0].hottest < 0.75 and found[1].hottest <= COLD,
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
        _times(USERS),
        lambda found: (
            found[0].hottest == 1.0
            and found[1].units > 2 * max(found[0].units, found[2].units)
            and found[2].hottest < 2 / USERS
        ),
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
        _times(BUSY_USERS, JANUARY_ENDS),
        lambda found: found[0].units > found[1].units,
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
                _each(lambda db, n: _bought(db.get(User.one(f"p{n}")), *db.run(Order.of_user(f"p{n}")))),
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
                _each(lambda db, n: _bought(*db.run(person(f"p{n}")))),
            ),
        ),
        "What one question reads together belongs in one partition: one request, and sizes rounded up once.",
        lambda items: [{"Ann", moment(n).date()} for n in range(items)],
        lambda found: found[0].requests == 2 * found[1].requests and found[0].units == 2 * found[1].units,
    ),
)
