"""Generated data for all lessons: always the same, with the skew of real data.

A few users have half of all orders, and most users live in one country: keys fail on data like this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from itertools import count
from random import Random
from uuid import UUID

from pksk import Entity

from . import mistakes
from .patterns import Address, Card, Order, Possession, Profile, Purchase, Ticket, User

START = datetime(2025, 1, 1)
COUNTRIES = {"US": 70, "IN": 18, "DE": 8, "NO": 3, "MT": 1}
_KINDS = ["inventory", "skills", "pets"]
_CATEGORIES = ["armor", "weapons", "potions", "magic"]


def generate(items: int) -> Iterator[Entity]:
    """So many items, of all lessons in turn."""
    random = Random(5)
    for number in count():
        for make in _MAKERS:
            if items <= 0:
                return
            items -= 1
            yield make(number, random)


def user_of(number: int) -> str:
    """The user of an item: every other item belongs to the first three users."""
    return f"user_{number % 3 if number % 2 else 3 + number // 8}"


def country_of(number: int) -> str:
    """The country of a user, in proportion to how many live there."""
    place = number * 37 % 100
    for name, share in COUNTRIES.items():
        place -= share
        if place < 0:
            return name
    raise AssertionError("the shares are a hundred")


def moment(number: int) -> datetime:
    """A time for each item, one every seven hours."""
    return START + timedelta(hours=7 * number)


def random_ids(number: int) -> list[UUID]:
    """So many random ids, always the same."""
    random = Random(7)
    return [_uuid(random) for _ in range(number)]


def _day(number: int) -> date:
    return moment(number).date()


def _uuid(random: Random) -> UUID:
    return UUID(int=random.getrandbits(128), version=4)


def _possession(number: int, random: Random) -> Possession:
    return Possession(
        account_id=f"account_{number % 7}",
        kind=random.choice(_KINDS),
        category=random.choice(_CATEGORIES),
        item_id=f"item_{number}",
    )


def _ticket(number: int, random: Random) -> Ticket:
    escalated = number % 10 == 0
    return Ticket(
        customer=f"c{number % 11}",
        number=number,
        title=f"Ticket {number}",
        day=_day(number),
        assignee=f"agent_{number % 4}",
        status="open" if escalated else random.choice(["open", "waiting", "closed"]),
        priority=1 if number % 6 == 0 else 5,
        escalated_to=f"lead_{number % 2}" if escalated else None,
    )


_MAKERS: list[Callable[[int, Random], Entity]] = [
    lambda n, _: User(user_id=f"user_{n}", name=f"Name {n}"),
    lambda n, r: Order(user_id=user_of(n), at=moment(n), total=r.randrange(5, 500)),
    _possession,
    lambda n, _: Profile(entity_id=f"user_{n}", name=f"Name {n}"),
    lambda n, _: Address(
        entity_id=f"user_{n // 2}", label="home" if n % 2 else "work", street=f"{n} High Street"
    ),
    lambda n, _: Purchase(entity_id=f"user_{n // 4}", day=START.date() + timedelta(days=9 * n)),
    lambda n, _: Card(entity_id=f"user_{n}", card=f"card_{n:03d}"),
    lambda n, _: mistakes.UserInOnePartition(user_id=f"user_{n}"),
    lambda n, _: mistakes.Numbered(number=n + 1),
    lambda _, r: mistakes.Scattered(id=_uuid(r)),
    lambda n, _: mistakes.EventByDate(day=_day(n // 4), event_id=f"e{n}"),
    lambda n, _: mistakes.EventByEntity(entity_id=f"sensor_{n % 9}", day=_day(n), event_id=f"e{n}"),
    lambda n, _: mistakes.UserByCountry(country_code=country_of(n), user_id=f"user_{n}"),
    lambda n, _: mistakes.UserByCountryAndId(country_code=country_of(n), user_id=f"user_{n}"),
    lambda n, _: mistakes.ShardedEvent(day=_day(n // 4), event_id=f"e{n}"),
    lambda n, _: mistakes.BucketedEvent(entity_id=f"sensor_{n % 3}", at=moment(n)),
    lambda n, _: mistakes.TooCoarse(user_id=user_of(n), at=moment(n)),
    lambda n, _: mistakes.TooFine(user_id=user_of(n), at=moment(n)),
    lambda n, r: mistakes.RandomlySorted(user_id=user_of(n), id=_uuid(r), at=moment(n)),
    lambda n, _: mistakes.SortedByTime(user_id=user_of(n), at=moment(n)),
    _ticket,
]
