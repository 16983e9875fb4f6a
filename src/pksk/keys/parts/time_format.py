"""Parses a time format such as `%Y-%m-%d`, and finds the days and periods it describes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pksk.dataclass import dataclass

if TYPE_CHECKING:
    from pksk.keys.automaton import AutomatonBuilder


@dataclass(frozen=True, slots=True)
class Directive:
    """One `%x`: the digits it can write, and how to read it from a date or time, as a function and as source code."""

    letter: str
    width: int
    figures: tuple[str, ...]
    read: Callable[[Any], int]
    code: str = ""

    @property
    def pattern(self) -> str:
        """A regular expression for the digits."""
        return f"(?:{'|'.join(self.figures)})"

    def add_to_automaton(self, language: AutomatonBuilder) -> None:
        """Append the digits to a language."""
        target = language.state()
        start = language.end
        for figure in self.figures:
            language.end = start
            for low, high, single in re.findall(_FIGURE, figure):
                language.one([(ord(low or single), ord(high or single))])
            language.jumps[language.end].append(target)
        language.end = target


_FIGURE = r"\[(.)-(.)\]|(.)"
_YEARS = ("[1-9][0-9][0-9][0-9]", "0[1-9][0-9][0-9]", "00[1-9][0-9]", "000[1-9]")
_DAYS_OF_YEAR = ("00[1-9]", "0[1-9][0-9]", "[1-2][0-9][0-9]", "3[0-5][0-9]", "36[0-6]")

DIRECTIVES: Mapping[str, Directive] = {
    directive.letter: directive
    for directive in (
        Directive("Y", 4, _YEARS, lambda time: int(time.year), "{v.year:04d}"),
        Directive("m", 2, ("0[1-9]", "1[0-2]"), lambda time: int(time.month), "{v.month:02d}"),
        Directive("d", 2, ("0[1-9]", "[1-2][0-9]", "3[0-1]"), lambda time: int(time.day), "{v.day:02d}"),
        Directive("H", 2, ("[0-1][0-9]", "2[0-3]"), lambda time: int(time.hour), "{v.hour:02d}"),
        Directive("M", 2, ("[0-5][0-9]",), lambda time: int(time.minute), "{v.minute:02d}"),
        Directive("S", 2, ("[0-5][0-9]",), lambda time: int(time.second), "{v.second:02d}"),
        Directive("f", 6, ("[0-9]" * 6,), lambda time: int(time.microsecond), "{v.microsecond:06d}"),
        Directive("j", 3, _DAYS_OF_YEAR, lambda time: int(time.timetuple().tm_yday)),
        Directive("G", 4, _YEARS, lambda time: int(time.isocalendar().year)),
        Directive("V", 2, ("0[1-9]", "[1-4][0-9]", "5[0-3]"), lambda time: int(time.isocalendar().week)),
    )
}

_CLOCK_LETTERS = "HMSf"
# The directives that determine the start of a unit; the first ones without the day, the others beside it.
_DAYS = ("Ymd", "Yj", "GVd", "GVj")
_START_OF = {"year": "Y", "month": "Ym", "week": "GV"}
_CLOCK_OF = {"hour": "H", "minute": "HM", "second": "HMS", "millisecond": "HMSf", "microsecond": "HMSf"}
_ORDERED = ("YmdHMSf", "YjHMSf", "GV")
_TOKEN = r"(?s)%(.?)"


@dataclass(frozen=True)
class TimeFormat:
    """A parsed time format: the directives, and the literals before, between and after them."""

    literals: tuple[str, ...]
    letters: str

    def determines(self, unit: str) -> bool:
        """Whether the format determines a value that is the start of a unit, such as a month or a microsecond.

        Example:
            >>> TimeFormat((), "Ym").determines("month"), TimeFormat((), "Ym").determines("day")
            (True, False)
        """
        letters = set(self.letters)
        if any(letters >= set(day) for day in _DAYS):
            return set(_CLOCK_OF.get(unit, "")) <= letters
        return letters >= set(_START_OF[unit]) if unit in _START_OF else False

    @cached_property
    def has_clock(self) -> bool:
        """Whether the format contains hours or smaller units."""
        return bool(set(_CLOCK_LETTERS) & set(self.letters))

    @cached_property
    def ordered(self) -> bool:
        """Whether texts sort like times: the directives go from coarse to fine without a gap."""
        return any(order.startswith(self.letters) for order in _ORDERED)

    @cached_property
    def directives(self) -> tuple[Directive, ...]:
        """The directives in order."""
        return tuple(DIRECTIVES[letter] for letter in self.letters)

    @cached_property
    def groups(self) -> re.Pattern[str]:
        """A regular expression with a group for each directive."""
        return re.compile(
            self._joined([f"({directive.pattern})" for directive in self.directives], re.escape)
        )

    @cached_property
    def pattern(self) -> str:
        """A regular expression without groups."""
        return self._joined([directive.pattern for directive in self.directives], re.escape)

    @cached_property
    def sample(self) -> str:
        """A text that shows all punctuation of the format."""
        return self._joined(["0" * directive.width for directive in self.directives], str)

    def write(self, time: date) -> str:
        """The text of a date or time; every directive at its full width, also before the year 1000."""
        return self._joined([f"{each.read(time):0{each.width}d}" for each in self.directives], str)

    def read(self, text: str) -> dict[str, int]:
        """The figures in a text; raises ValueError if it is not in this format."""
        match = self.groups.fullmatch(text)
        if not match:
            raise ValueError(text)
        return dict(zip(self.letters, map(int, match.groups()), strict=True))

    def _joined(self, middles: list[str], literal: Callable[[str], str]) -> str:
        texts = [literal(self.literals[0])]
        for middle, after in zip(middles, self.literals[1:], strict=True):
            texts += [middle, literal(after)]
        return "".join(texts)


def parse_time_format(text: str) -> TimeFormat | str:
    """The format, or a text that says what is wrong with it.

    Example:
        >>> parse_time_format("%Y-%m").ordered, parse_time_format("%d.%m.%Y").ordered
        (True, False)
        >>> parse_time_format("%Y-%q")
        "'%q' is not a directive"
    """
    literals, letters, at = [""], "", 0
    for match in re.finditer(_TOKEN, text):
        literals[-1] += text[at : match.start()]
        at = match.end()
        letter = match[1]
        if letter == "%":
            literals[-1] += "%"
        elif letter not in DIRECTIVES or not letter:
            return f"'%{letter}' is not a directive"
        elif letter in letters:
            return f"'%{letter}' appears in it twice"
        else:
            letters += letter
            literals.append("")
    literals[-1] += text[at:]
    return TimeFormat(tuple(literals), letters) if letters else "it has no directive"


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
_LETTERS = {"year": "Y", "month": "m", "week": "V", "day": "d", "hour": "H", "minute": "M", "second": "S"}


def first_day_with(figures: Mapping[str, int]) -> date:
    """The first day with these figures (of %Y %m %d %j %G %V); raises ValueError if there is none.

    Example:
        >>> first_day_with({"Y": 2024, "m": 2}), first_day_with({"G": 2020, "V": 53}), first_day_with({"m": 2, "d": 29})
        (datetime.date(2024, 2, 1), datetime.date(2020, 12, 28), datetime.date(2000, 2, 29))
    """
    units = {letter: figures[letter] for letter in "YmdjGV" if letter in figures}
    for day in _candidates(units):
        if all(DIRECTIVES[letter].read(day) == figure for letter, figure in units.items()):
            return day
    raise ValueError(units)


def _candidates(units: Mapping[str, int]) -> Iterator[date]:
    """Candidates for the first day with the figures; only one if the figures determine it."""
    try:
        if {"Y", "m"} <= set(units):
            yield date(units["Y"], units["m"], units.get("d", 1))
        elif {"Y", "j"} <= set(units):
            yield date(units["Y"], 1, 1) + timedelta(days=units["j"] - 1)
        elif {"G", "V"} <= set(units):
            yield from _week(units["G"], units["V"])
        else:
            for year in _years(units):
                yield from _days(year)
    except OverflowError as error:
        raise ValueError(units) from error


def _week(year: int, week: int) -> Iterator[date]:
    first = date.fromisocalendar(year, week, 1)
    yield from (first + timedelta(days=days) for days in range(min(7, (date.max - first).days + 1)))


def _years(units: Mapping[str, int]) -> Iterator[int]:
    if "Y" in units:
        yield units["Y"]
    elif "G" in units:
        yield from (year for year in (units["G"] - 1, units["G"], units["G"] + 1) if 1 <= year <= 9999)
    else:
        yield from _SOME_YEARS


def _days(year: int) -> Iterator[date]:
    first = date(year, 1, 1)
    yield from (first + timedelta(days=days) for days in range((date(year, 12, 31) - first).days + 1))


def next_period(first: Any, letter: str) -> Any:
    """The start of the year, month, week, ... that follows the one starting at `first`.

    Example:
        >>> next_period(date(2024, 2, 1), "m")
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


def start_after(first: Any, unit: str) -> Any:
    """The start of the unit that follows the one starting at `first`; raises OverflowError or ValueError if none does.

    Example:
        >>> start_after(date(2024, 2, 1), "month"), start_after(date(2024, 2, 26), "week")
        (datetime.date(2024, 3, 1), datetime.date(2024, 3, 4))
    """
    return first + timedelta(milliseconds=1) if unit == "millisecond" else next_period(first, _LETTERS[unit])
