"""Periods: the days and nights in which a smallest cell counts one report, and their half-years.

A day lasts from six to six by the sun of the place, that is, by its longitude. A night belongs to the date on which
it began.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias

from pksk.cells import decode

Counter: TypeAlias = Literal["first_half_days", "first_half_nights", "second_half_days", "second_half_nights"]

COUNTERS: Final[tuple[tuple[Counter, Counter], ...]] = (
    ("first_half_days", "first_half_nights"),
    ("second_half_days", "second_half_nights"),
)
_DAY: Final = 86_400
_HOUR: Final = 3600
_DAWN: Final = 6 * _HOUR


@dataclass(frozen=True, order=True)
class Period:
    """One day or night; its number is even for days, and the night of a day has the next one."""

    number: int

    @property
    def night(self) -> bool:
        """Whether it is a night."""
        return self.number % 2 == 1

    @property
    def half(self) -> int:
        """The half-year of the date on which it began: twice the year, and one more for the second half."""
        began = datetime.fromtimestamp(self.number // 2 * _DAY, UTC)
        return half_year(began)

    @property
    def counter(self) -> Counter:
        """The counter that it raises."""
        return COUNTERS[self.half % 2][self.night]


def period(cell: str, at: int) -> Period:
    """The day or night of a moment, in seconds since 1970, at the middle of a cell.

    Example:
        >>> noon_in_london = 1_735_732_800
        >>> period("gcpvj0du", noon_in_london).counter, period("xn76urx4", noon_in_london).counter
        ('first_half_days', 'first_half_nights')
    """
    _, lng = decode(cell).centre
    since_dawn = at + round(lng / 15 * _HOUR) - _DAWN
    return Period(2 * (since_dawn // _DAY) + (since_dawn % _DAY >= _DAY // 2))


def half_year(at: datetime) -> int:
    """The number of a half-year: twice the year, and one more for the second half.

    Example:
        >>> half_year(datetime(2025, 6, 30, tzinfo=UTC)), half_year(datetime(2025, 7, 1, tzinfo=UTC))
        (4050, 4051)
    """
    return 2 * at.year + (at.month > 6)


def elapsed(at: datetime) -> float:
    """The elapsed share of a half-year at a moment, from 0 to 1."""
    begin = datetime(at.year, 7 if at.month > 6 else 1, 1, tzinfo=UTC)
    end = datetime(at.year + 1, 1, 1, tzinfo=UTC) if at.month > 6 else datetime(at.year, 7, 1, tzinfo=UTC)
    return (at - begin) / (end - begin)


def seconds(at: datetime) -> int:
    """A moment in whole seconds since 1970; it must have a time zone."""
    if at.tzinfo is None:
        raise ValueError(f"{at} has no time zone. Fix: give it one, such as datetime.now(UTC).")
    return int(at.timestamp())
