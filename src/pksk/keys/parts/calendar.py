"""Finds days: the first one that has given figures, and the first one of the next year, month or week."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from pksk.keys.parts.timespec import DIRECTIVES

__all__ = ["day_of", "next_grain"]

# Enough years for every pairing of weekday, leap day and week 53.
_SOME_YEARS = range(2000, 2028)

_STEPS = {
    "V": timedelta(weeks=1),
    "d": timedelta(days=1),
    "j": timedelta(days=1),
    "H": timedelta(hours=1),
    "M": timedelta(minutes=1),
    "S": timedelta(seconds=1),
    "f": timedelta(microseconds=1),
}


def day_of(figures: Mapping[str, int]) -> date:
    """The first day with these figures (%Y %m %d %j %G %V, as far as given); ValueError where there is none.

    Example:
        >>> day_of({"Y": 2024, "m": 2}), day_of({"G": 2020, "V": 53}), day_of({"m": 2, "d": 29})
        (datetime.date(2024, 2, 1), datetime.date(2020, 12, 28), datetime.date(2000, 2, 29))
    """
    wanted = {letter: figures[letter] for letter in "YmdjGV" if letter in figures}
    for day in _candidates(wanted):
        if all(DIRECTIVES[letter].read(day) == figure for letter, figure in wanted.items()):
            return day
    raise ValueError(wanted)


def _candidates(wanted: Mapping[str, int]) -> Iterator[date]:
    """Days among which the first with the figures is: the likely one alone where figures name it."""
    try:
        if {"Y", "m"} <= set(wanted):
            yield date(wanted["Y"], wanted["m"], wanted.get("d", 1))
        elif {"Y", "j"} <= set(wanted):
            yield date(wanted["Y"], 1, 1) + timedelta(days=wanted["j"] - 1)
        elif {"G", "V"} <= set(wanted):
            yield from _week(wanted["G"], wanted["V"])
        else:
            for year in _years(wanted):
                yield from _days(year)
    except OverflowError as error:
        raise ValueError(wanted) from error


def _week(year: int, week: int) -> Iterator[date]:
    first = date.fromisocalendar(year, week, 1)
    yield from (first + timedelta(days=days) for days in range(min(7, (date.max - first).days + 1)))


def _years(wanted: Mapping[str, int]) -> Iterator[int]:
    if "Y" in wanted:
        yield wanted["Y"]
    elif "G" in wanted:
        yield from (year for year in (wanted["G"] - 1, wanted["G"], wanted["G"] + 1) if 1 <= year <= 9999)
    else:
        yield from _SOME_YEARS


def _days(year: int) -> Iterator[date]:
    first = date(year, 1, 1)
    yield from (first + timedelta(days=days) for days in range((date(year, 12, 31) - first).days + 1))


def next_grain(first: Any, letter: str) -> Any:
    """The beginning of the next year, month, week, ... after the one that begins with `first`.

    Example:
        >>> next_grain(date(2024, 2, 1), "m")
        datetime.date(2024, 3, 1)
    """
    if letter == "Y":
        return first.replace(year=first.year + 1)
    if letter == "m":
        return (first.replace(day=28) + timedelta(days=4)).replace(day=1)
    if letter == "G":
        year = first.isocalendar().year
        weeks = date(year, 12, 28).isocalendar().week
        return first + timedelta(weeks=weeks)
    return first + _STEPS[letter]
