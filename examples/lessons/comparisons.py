"""Mistakes beside their fixes, and trade-offs beside each other: the same calls on each design, measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypeAlias

from pksk import Entity, Store, Table
from pksk.review import FIGURES, Measurement, measure, review

from . import mistakes
from .data import country_of, moment, random_ids
from .patterns import Order, Profile, Purchase, User, orders, people, person, users

TODAY = date(2025, 1, 15)
USERS = 20
BUSY_USERS = 4
SENSORS = 50
JANUARY = (datetime(2025, 1, 1), mistakes.JANUARY_ENDS)
# A key that takes no more than this is not hot.
COLD = 0.05

# The columns of a comparison, after that of the names.
HEADERS = (*FIGURES[:-1], "review", FIGURES[-1])

Calls: TypeAlias = Callable[[Store, int], object]


@dataclass(frozen=True)
class Variant:
    """One design of a lesson: its tables, the items stored before, and the calls to measure."""

    name: str
    tables: tuple[Table, ...]
    stored: Callable[[int], Iterator[Entity]]
    calls: Calls

    @property
    def finding(self) -> str:
        """What the review finds wrong with this design; empty if nothing."""
        findings = [each for each in review(*self.tables).findings if each.severity != "info"]
        return ", ".join(dict.fromkeys(f"{each.severity} {each.rule}" for each in findings))

    def row(self, figures: Measurement) -> tuple[str, ...]:
        """The name, the figures and the finding, in the order of `HEADERS`."""
        *numbers, plan = figures.row
        return (self.name, *numbers, self.finding or "-", plan)

    def measure(self, items: int, on_progress: Callable[[int], None] | None = None) -> Measurement:
        """Measure this design with so many items."""
        return measure(
            self.tables, self.stored(items), lambda db: self.calls(db, items), on_progress=on_progress
        )


@dataclass(frozen=True)
class Lesson:
    """The designs that a lesson compares, the same calls on each, and the conclusion.

    `answer(items)` is what the calls must return on every design. `holds` checks that figures support the conclusion.
    """

    title: str
    calls: str
    variants: tuple[Variant, ...]
    conclusion: str
    answer: Callable[[int], object]
    holds: Callable[[Sequence[Measurement]], bool]


def no_items(_: int) -> Iterator[Entity]:
    """No items are stored before."""
    return iter(())


def _each(call: Callable[[Store, int], object]) -> Calls:
    return lambda db, items: [call(db, number) for number in range(items)]


def _put(make: Callable[[int], Entity]) -> Calls:
    """Store items one by one, and return how many."""
    return lambda db, items: len([db.put(make(number)) for number in range(items)])


def _each_user(pattern: Callable[[str], Any], users: int) -> Calls:
    """Read the times of each user's items: one request per user, however many items there are."""

    def read(db: Store, _: int) -> list[list[datetime]]:
        return [sorted(each.at for each in db.run(pattern(f"user_{user}"))) for user in range(users)]

    return read


def _times(users: int, until: datetime = datetime.max) -> Callable[[int], object]:
    """The times that must be found: the items belong to one user after the other."""
    return lambda items: [
        [moment(number) for number in range(user, items, users) if moment(number) <= until]
        for user in range(users)
    ]


def _events(make: Callable[[int], Entity]) -> Callable[[int], Iterator[Entity]]:
    return lambda items: (make(number) for number in range(items))


def _by_date(number: int) -> mistakes.EventByDate:
    return mistakes.EventByDate(day=TODAY, event_id=f"e{number}")


def _by_sensor(number: int) -> mistakes.EventByEntity:
    return mistakes.EventByEntity(entity_id=f"s{number % SENSORS}", day=TODAY, event_id=f"e{number}")


def _in_shards(number: int) -> mistakes.ShardedEvent:
    return mistakes.ShardedEvent(day=TODAY, event_id=f"e{number}")


def _ids(*queries: Any) -> Calls:
    """The ids of all events that some queries find."""
    return lambda db, _: sorted(each.event_id for query in queries for each in db.run(query))


def _user(result: Any) -> str | None:
    return None if result is None else result.user_id


def _bought(*items: Any) -> set[object]:
    """The name of a person, and the days of their purchases."""
    values: set[object] = set()
    for each in items:
        if isinstance(each, User | Profile):
            values.add(each.name)
        elif isinstance(each, Order):
            values.add(each.at.date())
        elif isinstance(each, Purchase):
            values.add(each.day)
    return values


def _all_written(measurements: Sequence[Measurement]) -> bool:
    return all(each.stored == each.requests == each.answer for each in measurements)


LESSONS = (
    Lesson(
        "One partition for everything",
        "each user is read once",
        (
            Variant(
                'pk "USER"',
                (mistakes.one_partition,),
                lambda items: (mistakes.UserInOnePartition(user_id=f"user_{n}") for n in range(items)),
                _each(lambda db, n: _user(db.get(mistakes.UserInOnePartition.one(f"user_{n}")))),
            ),
            Variant(
                "pk user_id",
                (users,),
                lambda items: (User(user_id=f"user_{n}", name="Ann") for n in range(items)),
                _each(lambda db, n: _user(db.get(User.one(f"user_{n}")))),
            ),
        ),
        "The same units, but all of them on one key, which ends at 3,000 reads a second.",
        lambda items: [f"user_{n}" for n in range(items)],
        lambda found: (
            found[0].units == found[1].units and found[0].hottest == 1.0 and found[1].hottest <= COLD
        ),
    ),
    Lesson(
        "Numbers in sequence",
        "each item is written once",
        (
            Variant(
                "pk 1, 2, 3 ...",
                (mistakes.numbered,),
                no_items,
                _put(lambda n: mistakes.Numbered(number=n + 1)),
            ),
            Variant(
                "pk uuid",
                (mistakes.scattered,),
                no_items,
                lambda db, items: len([db.put(mistakes.Scattered(id=each)) for each in random_ids(items)]),
            ),
        ),
        "No mistake: keys are hashed, so neighbouring numbers are far apart. The item that counts them is hot instead.",
        lambda items: items,
        lambda found: _all_written(found) and all(each.hottest <= COLD and each.skew < 1.5 for each in found),
    ),
    Lesson(
        "The day as the partition",
        "the events of one day are written",
        (
            Variant("pk day", (mistakes.by_date,), no_items, _put(_by_date)),
            Variant("pk sensor, sk day", (mistakes.by_entity,), no_items, _put(_by_sensor)),
            Variant("pk day and shard", (mistakes.sharded,), no_items, _put(_in_shards)),
        ),
        "Every write goes to today's key, unless another field or a shard divides it.",
        lambda items: items,
        lambda found: (
            _all_written(found)
            and found[0].hottest == 1.0
            and found[1].hottest <= COLD
            and 0.2 < found[2].hottest < 0.4
        ),
    ),
    Lesson(
        "The same day read",
        "all events of one day are read",
        (
            Variant(
                "pk day",
                (mistakes.by_date,),
                _events(_by_date),
                _ids(mistakes.EventByDate.within(TODAY, TODAY)),
            ),
            Variant(
                "pk sensor, sk day",
                (mistakes.by_entity,),
                _events(_by_sensor),
                _ids(
                    *(mistakes.EventByEntity.within(f"s{sensor}", TODAY, TODAY) for sensor in range(SENSORS))
                ),
            ),
            Variant(
                "pk day and shard",
                (mistakes.sharded,),
                _events(_in_shards),
                _ids(mistakes.ShardedEvent.of_day(TODAY)),
            ),
        ),
        f"With a shard, a day can still be read, in four requests. By sensor it takes {SENSORS}, one for each.",
        lambda items: sorted(f"e{n}" for n in range(items)),
        lambda found: [each.requests for each in found] == [1, SENSORS, 4],
    ),
    Lesson(
        "Few values, one of them common",
        "each user is read once; seven of ten live in one country",
        (
            Variant(
                "pk country",
                (mistakes.by_country,),
                lambda items: (
                    mistakes.UserByCountry(country_code=country_of(n), user_id=f"u{n}") for n in range(items)
                ),
                _each(lambda db, n: _user(db.get(mistakes.UserByCountry.one(country_of(n), f"u{n}")))),
            ),
            Variant(
                "pk country and user",
                (mistakes.by_country_and_user,),
                lambda items: (
                    mistakes.UserByCountryAndId(country_code=country_of(n), user_id=f"u{n}")
                    for n in range(items)
                ),
                _each(lambda db, n: _user(db.get(mistakes.UserByCountryAndId.one(country_of(n), f"u{n}")))),
            ),
        ),
        "One key takes the load of the largest country. With the user in the key, a country can no longer be listed.",
        lambda items: [f"u{n}" for n in range(items)],
        lambda found: 0.65 < found[0].hottest < 0.75 and found[1].hottest <= COLD,
    ),
    Lesson(
        "Too coarse, too fine",
        f"the items of {USERS} users are read, one user after the other",
        (
            Variant(
                "pk the same, sk user and time",
                (mistakes.too_coarse,),
                lambda items: (
                    mistakes.TooCoarse(user_id=f"user_{n % USERS}", at=moment(n)) for n in range(items)
                ),
                _each_user(mistakes.TooCoarse.of_user, USERS),
            ),
            Variant(
                "pk user and time",
                (mistakes.too_fine,),
                lambda items: (
                    mistakes.TooFine(user_id=f"user_{n % USERS}", at=moment(n)) for n in range(items)
                ),
                _each_user(mistakes.TooFine.of_user, USERS),
            ),
            Variant(
                "pk user, sk time",
                (orders,),
                lambda items: (Order(user_id=f"user_{n % USERS}", at=moment(n)) for n in range(items)),
                _each_user(Order.of_user, USERS),
            ),
        ),
        "If the key is too coarse, it takes all load; if it is too fine, every list is a scan of the whole table.",
        _times(USERS),
        lambda found: (
            found[0].hottest == 1.0
            and found[1].units > 2 * max(found[0].units, found[2].units)
            and found[2].hottest < 2 / USERS
        ),
    ),
    Lesson(
        "A sort key that sorts nothing",
        f"the orders of {BUSY_USERS} users in January are read, one user after the other",
        (
            Variant(
                "sk random id",
                (mistakes.random_order,),
                lambda items: (
                    mistakes.RandomlySorted(user_id=f"user_{n % BUSY_USERS}", id=each, at=moment(n))
                    for n, each in enumerate(random_ids(items))
                ),
                _each_user(lambda user: mistakes.RandomlySorted.within(user, *JANUARY), BUSY_USERS),
            ),
            Variant(
                "sk ORDER# and time",
                (mistakes.in_order,),
                lambda items: (
                    mistakes.SortedByTime(user_id=f"user_{n % BUSY_USERS}", at=moment(n))
                    for n in range(items)
                ),
                _each_user(lambda user: mistakes.SortedByTime.within(user, *JANUARY), BUSY_USERS),
            ),
        ),
        "A filter drops items after they were read and paid for; a range reads only what it returns.",
        _times(BUSY_USERS, mistakes.JANUARY_ENDS),
        lambda found: found[0].units > found[1].units,
    ),
    Lesson(
        "One table or several",
        "each person is read with their purchases",
        (
            Variant(
                "two tables",
                (users, orders),
                lambda items: (
                    made
                    for n in range(items)
                    for made in (User(user_id=f"p{n}", name="Ann"), Order(user_id=f"p{n}", at=moment(n)))
                ),
                _each(lambda db, n: _bought(db.get(User.one(f"p{n}")), *db.run(Order.of_user(f"p{n}")))),
            ),
            Variant(
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
        "Items that are read together belong in one partition: one request, whose size is rounded up once.",
        lambda items: [{"Ann", moment(n).date()} for n in range(items)],
        lambda found: found[0].requests == 2 * found[1].requests and found[0].units == 2 * found[1].units,
    ),
)


BLOCK = 100


def one_by_one(db: Store, items: int) -> int:
    """Draw a number, then store: two writes per item, one of them always to the same key."""
    return len({db.put(mistakes.Numbered(number=db.next(mistakes.numbers))).number for _ in range(items)})


def in_blocks(db: Store, items: int) -> int:
    """Draw many numbers at once; if the program ends, unused ones are lost."""
    used = set()
    for start in range(0, items, BLOCK):
        for number in db.take(mistakes.numbers, min(BLOCK, items - start)):
            used.add(db.put(mistakes.Numbered(number=number)).number)
    return len(used)


def with_random_ids(db: Store, items: int) -> int:
    """Draw no number; a program would use `uuid4`."""
    return len({db.put(mistakes.Scattered(id=each)).id for each in random_ids(items)})


ID_LESSON = Lesson(
    "Ids",
    "each new item is stored with a new id",
    (
        Variant("a number for each", (mistakes.numbered, mistakes.counters), no_items, one_by_one),
        Variant(f"numbers in blocks of {BLOCK}", (mistakes.numbered, mistakes.counters), no_items, in_blocks),
        Variant("random", (mistakes.scattered,), no_items, with_random_ids),
    ),
    "The item that counts is the hot key. Blocks of numbers make it cold, and random ids do not need it.",
    lambda items: items,
    lambda found: (
        # One more item is the one that counts.
        [each.stored - each.answer for each in found] == [1, 1, 0]
        and found[0].hottest == 0.5
        and max(found[1].hottest, found[2].hottest) <= COLD
    ),
)
