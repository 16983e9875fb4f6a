"""Reads a time format such as `%Y-%m-%d`: its directives, at which grain it stops, and whether it sorts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from pksk.keys.language import Language

__all__ = ["DIRECTIVES", "Directive", "TimeSpec", "read_timespec"]


@dataclass(frozen=True, slots=True)
class Directive:
    """One `%x`: the digits that it can write, how it is read off a date or time, and that as source code."""

    letter: str
    width: int
    figures: tuple[str, ...]
    read: Callable[[Any], int]
    code: str = ""

    @property
    def pattern(self) -> str:
        """A regular expression for the digits."""
        return f"(?:{'|'.join(self.figures)})"

    def extend(self, language: Language) -> None:
        """Add the digits to the end of a language."""
        target = language.state()
        start = language.end
        for figure in self.figures:
            language.end = start
            for low, high, single in _FIGURE.findall(figure):
                language.one([(ord(low or single), ord(high or single))])
            language.jumps[language.end].append(target)
        language.end = target


_FIGURE = re.compile(r"\[(.)-(.)\]|(.)")
_YEARS = ("[1-9][0-9][0-9][0-9]", "0[1-9][0-9][0-9]", "00[1-9][0-9]", "000[1-9]")
_DAYS = ("00[1-9]", "0[1-9][0-9]", "[1-2][0-9][0-9]", "3[0-5][0-9]", "36[0-6]")

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
        Directive("j", 3, _DAYS, lambda time: int(time.timetuple().tm_yday)),
        Directive("G", 4, _YEARS, lambda time: int(time.isocalendar().year)),
        Directive("V", 2, ("0[1-9]", "[1-4][0-9]", "5[0-3]"), lambda time: int(time.isocalendar().week)),
    )
}

_OF_A_DAY = "HMSf"
_ORDERED = ("YmdHMSf", "YjHMSf", "GV")
_TOKEN = re.compile(r"%(.?)", re.DOTALL)


@dataclass(frozen=True)
class TimeSpec:
    """A time format, taken apart: literal texts and directives by turns, beginning and ending with a literal."""

    literals: tuple[str, ...]
    letters: str

    @cached_property
    def names_a_day(self) -> bool:
        """Whether the format says which day it is."""
        return set("Ymd") <= set(self.letters) or set("Yj") <= set(self.letters)

    @cached_property
    def names_a_time(self) -> bool:
        """Whether the format says the time of the day to the microsecond."""
        return set(_OF_A_DAY) <= set(self.letters)

    @cached_property
    def has_clock(self) -> bool:
        """Whether the format names hours or less."""
        return bool(set(_OF_A_DAY) & set(self.letters))

    @cached_property
    def ordered(self) -> bool:
        """Whether texts sort as times do: the directives go from coarse to fine and leave out none."""
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
        """A regular expression with no group."""
        return self._joined([directive.pattern for directive in self.directives], re.escape)

    @cached_property
    def sample(self) -> str:
        """A text that shows all punctuation of the format."""
        return self._joined(["0" * directive.width for directive in self.directives], str)

    def write(self, time: date) -> str:
        """The text of a date or time; every directive at its full width, also before the year 1000."""
        return self._joined([f"{each.read(time):0{each.width}d}" for each in self.directives], str)

    def read(self, text: str) -> dict[str, int]:
        """The figures in a text; ValueError where it is not in this format."""
        found = self.groups.fullmatch(text)
        if not found:
            raise ValueError(text)
        return dict(zip(self.letters, map(int, found.groups()), strict=True))

    def _joined(self, middles: list[str], literal: Callable[[str], str]) -> str:
        texts = [literal(self.literals[0])]
        for middle, after in zip(middles, self.literals[1:], strict=True):
            texts += [middle, literal(after)]
        return "".join(texts)


def read_timespec(text: str) -> TimeSpec | str:
    """The format, or what is wrong with it.

    Example:
        >>> read_timespec("%Y-%m").ordered, read_timespec("%d.%m.%Y").ordered
        (True, False)
        >>> read_timespec("%Y-%q")
        "'%q' is not a directive"
    """
    literals, letters, at = [""], "", 0
    for found in _TOKEN.finditer(text):
        literals[-1] += text[at : found.start()]
        at = found.end()
        letter = found[1]
        if letter == "%":
            literals[-1] += "%"
        elif letter not in DIRECTIVES or not letter:
            return f"'%{letter}' is not a directive"
        elif letter in letters:
            return f"'%{letter}' stands in it twice"
        else:
            letters += letter
            literals.append("")
    literals[-1] += text[at:]
    return TimeSpec(tuple(literals), letters) if letters else "no directive stands in it"
