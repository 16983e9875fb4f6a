"""Finds two values of a field that parts of a key write alike, to show what a key does not tell apart."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain, count, islice, product
from string import ascii_letters, digits
from typing import Any, Protocol

from pksk.errors import InvalidValue
from pksk.keys.parts.part import Part
from pksk.keys.parts.slices import SlicePart, texts_with_same_slices
from pksk.keys.parts.times import DatePart, DatetimePart

_START = datetime(2025, 3, 5, 12, 30)
# What a few times differ by; the first two that are written alike make the example.
_STEPS = (
    timedelta(0),
    timedelta(days=4),
    timedelta(hours=1),
    timedelta(minutes=1),
    timedelta(seconds=1),
    timedelta(milliseconds=1),
    timedelta(microseconds=1),
)
_LETTERS = ascii_letters + digits
_TEXTS = 2_000
# More days than weekdays, leap days and weeks 53 need to meet.
_DAYS = 28 * 366


class Completable(Protocol):
    """The texts that a field accepts."""

    def completed(self, text: str) -> str | None:
        """One of the texts that begins so; None if none is known."""


def colliding_values(
    parts: Sequence[Part],
    write: Callable[[Any], object],
    *,
    limit: int | None = None,
    read: Callable[[Any], Any] = lambda value: value,
    texts: Completable | None = None,
) -> tuple[Any, Any] | None:
    """Two values of one field for which these parts of it `write` the same; None if none are found.

    With a `limit`, only so many times are tried, which differ by a day down to a microsecond. Texts are taken from
    `texts`, if given. `read` gives a value as the field holds it, and raises InvalidValue for others.

    Example:
        >>> from datetime import date
        >>> from pksk import Template
        >>> (month,) = Template("{day:%Y-%m}", day=date).parts
        >>> colliding_values([month], month.encode)
        (datetime.date(2025, 3, 5), datetime.date(2025, 3, 9))
    """
    first = parts[0]
    if isinstance(first, SlicePart):
        if texts is not None:
            return _first_pair(islice(_texts(texts), _TEXTS), write, read)
        cuts = [part.slice for part in parts if isinstance(part, SlicePart)]
        return _colliding_texts(texts_with_same_slices(cuts, first.min_length, first.max_length), write)
    return _colliding_times(first, write, limit, read) if isinstance(first, DatePart) else None


def _first_pair(
    values: Iterator[Any], write: Callable[[Any], object], read: Callable[[Any], Any]
) -> tuple[Any, Any] | None:
    seen: dict[object, Any] = {}
    for each in values:
        try:
            value = read(each)
            written = write(value)
        except InvalidValue:  # such as a time with a zone where there must be none
            continue
        if seen.setdefault(written, value) != value:
            return seen[written], value
    return None


def _texts(texts: Completable) -> Iterator[str]:
    """Texts that a field accepts: the shortest one, and those that differ from another in one character.

    Short and long ones alternate.
    """
    first = texts.completed("")
    waiting = deque([] if first is None else [first])
    seen = set(waiting)
    for turn in count():
        if not waiting:
            return
        text = waiting.pop() if turn % 2 else waiting.popleft()
        yield text
        for at, character in product(range(len(text), -1, -1), _LETTERS):
            completion = texts.completed(text[:at] + character)
            if completion is not None and completion not in seen:
                seen.add(completion)
                waiting.append(completion)


def _colliding_texts(
    example: tuple[str, str] | None, write: Callable[[Any], object]
) -> tuple[str, str] | None:
    """The example in other letters, if a shard tells these texts apart."""
    for step in range(len(_LETTERS) if example else 0):
        others = str.maketrans(_LETTERS, _LETTERS[step:] + _LETTERS[:step])
        one, other = (text.translate(others) for text in example or ())
        if write(one) == write(other):
            return one, other
    return example


def _colliding_times(
    part: DatePart, write: Callable[[Any], object], limit: int | None, read: Callable[[Any], Any]
) -> tuple[Any, Any] | None:
    values = islice(_values(part), limit)
    return _first_pair(map(part.precision.floor, values) if part.precision else values, write, read)


def _values(part: DatePart) -> Iterator[Any]:
    times = chain(
        (_START + step for step in _STEPS),
        (_START + timedelta(days=days) for days in range(_DAYS)),
        (_START + timedelta(days=days) + step for days in range(0, _DAYS, 28) for step in _STEPS),
    )
    if not isinstance(part, DatetimePart):
        yield from (time.date() for time in times)
        return
    if part.aware is not False:
        yield from (time.replace(tzinfo=UTC) for time in times)
    if not part.aware:
        yield from (_START + step for step in _STEPS)
