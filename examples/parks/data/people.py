"""The people of the generated bookings: some book often, most rarely, and nobody twice for one day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import cache
from random import Random
from uuid import UUID

from ..people import User

__all__ = ["People"]


class People:
    """So many people, by their numbers, and the days that they have a booking for."""

    def __init__(self, many: int) -> None:
        self.many = many
        self._taken: set[tuple[int, date]] = set()

    def users(self, first: int, end: int) -> Iterator[User]:
        """Those with these numbers; people whose number is above all others never book."""
        for number in range(first, end):
            yield User(subject=_subject(number), email=f"visitor{number}@example.org")

    def subject(self, number: int) -> str:
        """The id of a person, as bookings name it."""
        return str(_subject(number))

    def someone(self, random: Random, start: date) -> str | None:
        """Somebody who has no booking that begins on that day, the busy ones more often; None after a few tries."""
        for _ in range(5):
            number = int(self.many * random.random() ** 2)
            if (number, start) not in self._taken:
                self._taken.add((number, start))
                return self.subject(number)
        return None


@cache
def _subject(number: int) -> UUID:
    return UUID(int=Random(f"parks: person {number}").getrandbits(128), version=4)
