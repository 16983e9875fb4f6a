"""Dates and times in a key, at full or reduced precision."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from pksk.errors import BoundsError, TemplateError, quote
from pksk.keys.operators import Operator, between
from pksk.keys.parse import Placeholder
from pksk.keys.parts.part import Part, PartCode, PartContext
from pksk.keys.parts.time_format import DIRECTIVES, TimeFormat, first_day_with, next_period, parse_time_format

if TYPE_CHECKING:
    from pksk.keys.automaton import AutomatonBuilder

_START = r"(?P<Y>\d{4})(-(?P<m>\d\d)(-(?P<d>\d\d)(T(?P<H>\d\d)(:(?P<M>\d\d)(:(?P<S>\d\d))?)?)?)?)?"


class DatePart(Part):
    """A date."""

    names = ("date",)
    value_class: ClassVar[type[Any]] = date
    takes = "date"
    prefix_free = True
    default_spec = "%Y-%m-%d"
    resolution = timedelta(days=1)

    def __init__(self, placeholder: Placeholder, context: PartContext) -> None:
        super().__init__(placeholder, context)
        self.spec = self._read_spec(placeholder.spec or self.default_spec)
        self.lossy = not self._complete
        self.ordered = self.spec.ordered
        if not self.ordered:
            self.unordered_because = (
                f"the directives of {placeholder} do not go from coarse to fine without a gap"
            )

    def _read_spec(self, text: str) -> TimeFormat:
        spec = "a slice of a time" if self.placeholder.cut else parse_time_format(text)
        if isinstance(spec, str):
            known = " ".join(f"%{letter}" for letter in DIRECTIVES)
            self.reject_spec(
                expected=f"In {quote(text)}, {spec}. The directives are: {known}.",
                fix=f"write {{{self.field}}} or, for example, {{{self.field}:%Y-%m}}.",
            )
        self._check_clock(spec)
        self._check_escape(spec)
        return spec

    def _check_escape(self, spec: TimeFormat) -> None:
        escape = self.context.delimiter.escape_character
        if self.placeholder.spec and not self.context.delimiter.raw and escape in "".join(spec.literals):
            raise TemplateError(
                "template-literal-escape",
                f"{self.context.where}: {self.placeholder} writes {quote(escape)}, which marks escaped characters when "
                f"the delimiter is {quote(self.context.delimiter.text)}.",
                fix=f"leave {quote(escape)} out of the format, or choose another delimiter.",
            )

    def _check_clock(self, spec: TimeFormat) -> None:
        if spec.has_clock:
            raise TemplateError(
                "template-spec",
                f"{self.context.where}: {self.placeholder} contains hours or minutes, and the field is a date.",
                fix=f"declare {self.field!r} as datetime, or leave them out.",
            )

    @property
    def _complete(self) -> bool:
        return self.spec.names_a_day

    @property
    def sample_texts(self) -> tuple[str, ...]:
        return (self.spec.sample,)

    @cached_property
    def pattern(self) -> str:
        return self.spec.pattern

    def encode(self, value: Any) -> str:
        day = self.check_value(value)
        # The common case, several times as fast.
        return day.isoformat() if self._is_iso else self.spec.write(day)

    @cached_property
    def _is_iso(self) -> bool:
        return type(self) is DatePart and self.placeholder.spec in ("", self.default_spec)

    @classmethod
    def determines_value(cls, parts: Sequence[Any]) -> bool:
        letters = "".join(part.spec.letters for part in parts)
        return cls is DatePart and TimeFormat((), letters).names_a_day

    @classmethod
    def join(cls, texts: Sequence[tuple[Any, str]]) -> Any:
        figures: dict[str, int] = {}
        for part, text in texts:
            figures.update(part.spec.read(text))
        # A format that ends in Z makes aware datetimes, so it wins.
        return max(
            (part for part, _ in texts), key=lambda part: part.spec.literals[-1].endswith("Z")
        ).from_figures(figures)

    def check_value(self, value: Any) -> date:
        """The value to render."""
        if not isinstance(value, date) or isinstance(value, datetime):
            self.reject_type(value, fix=f"pass a date for {self.field!r}, for example value.date().")
        return value

    def decode(self, text: str) -> Any:
        figures = self.spec.read(text)
        value = self.from_figures(figures)
        if self.spec.write(value) != text:
            raise ValueError(text)
        return value

    def from_figures(self, figures: dict[str, int]) -> date:
        """The first value with these figures; raises ValueError if there is none."""
        return first_day_with(figures)

    def is_greater(self, left: Any, right: Any) -> bool:
        return bool(self.check_value(left) > self.check_value(right))

    def incomparable(self, left: Any, right: Any) -> bool:
        return _has_time_zone(left) != _has_time_zone(right)

    def add_to_automaton(self, language: AutomatonBuilder) -> None:
        for literal, directive in zip(self.spec.literals, (*self.spec.directives, None), strict=True):
            language.word(literal)
            if directive:
                directive.add_to_automaton(language)

    def span(self, value: Any) -> tuple[Any, Any]:
        if not self.lossy:
            return self.check_value(value), self.check_value(value)
        first = self._first(self.check_value(value))
        try:
            return first, next_period(first, self.spec.letters[-1]) - self.resolution
        except (OverflowError, ValueError):
            return first, self._ceiling(first)

    def expand_operator(self, operator: Operator) -> Operator:
        if operator.name != "begins":
            return operator
        first, letter = self._beginning(operator)
        try:
            return between(first, next_period(first, letter) - self.resolution)
        except (OverflowError, ValueError):
            return between(first, self._ceiling(first))

    def _beginning(self, operator: Operator) -> tuple[Any, str]:
        """The first value whose text begins with this text, and the last unit of the text."""
        (text,) = operator.operands
        found = re.fullmatch(_START, text) if isinstance(text, str) else None
        figures = (
            {letter: int(figure) for letter, figure in found.groupdict().items() if figure} if found else {}
        )
        if not figures or ("H" in figures and not isinstance(self, DatetimePart)):
            self._reject_start(operator)
        try:
            return self.from_figures(figures), list(figures)[-1]
        except ValueError:
            self._reject_start(operator)

    def _reject_start(self, operator: Operator) -> NoReturn:
        raise BoundsError(
            "bounds-date-start",
            f"{self.context.where}: {operator!r} on field {self.field!r} is not the start of a {self.type_name}.",
            expected="It is a year, a month or a day, such as '2025', '2025-03' or '2025-03-01'.",
            fix="write one of these, or use between() with two values.",
        )

    def _first(self, value: Any) -> Any:
        return self.from_figures(self.spec.read(self.encode(value)))

    def _ceiling(self, first: date) -> date:
        return date.max

    def neighbour(self, value: Any, by: int) -> Any | None:
        try:
            # In UTC, because local times jump by an hour.
            return self.check_value(value) + by * self.resolution
        except OverflowError:
            return None

    def encode_code(self, name: str) -> PartCode:
        if self.placeholder.spec in ("", self.default_spec):
            return PartCode(f"{name}.__class__ is date", f"{{{name}.isoformat()}}", {"date": date})
        return self._format_code(f"{name}.__class__ is date", name, {"date": date})

    def _format_code(self, guard: str, name: str, names: dict[str, object]) -> PartCode:
        codes = [directive.code.replace("v.", f"{name}.") for directive in self.spec.directives]
        if not all(codes):
            return Part.encode_code(self, name)
        literals = [text.replace("{", "{{").replace("}", "}}") for text in self.spec.literals]
        piece = literals[0] + "".join(code + after for code, after in zip(codes, literals[1:], strict=True))
        return PartCode(guard, piece, names)

    @property
    def bytes_range(self) -> tuple[int, int | None]:
        width = len(self.spec.sample.encode())
        return width, width


class DatetimePart(DatePart):
    """A time in UTC; or a local time, if the format does not end in Z.

    A format with full precision takes aware datetimes if it ends in Z, else naive ones. A coarser format takes
    both, and converts aware ones to UTC.
    """

    names = ("datetime",)
    value_class = datetime
    takes = "datetime"
    default_spec = "%Y-%m-%dT%H:%M:%S.%fZ"
    resolution = timedelta(microseconds=1)

    def _check_clock(self, spec: TimeFormat) -> None:
        pass

    @property
    def _complete(self) -> bool:
        return self.spec.names_a_day and self.spec.names_a_time

    @cached_property
    def _in_utc(self) -> bool:
        return self.spec.literals[-1].endswith("Z")

    def check_value(self, value: Any) -> datetime:
        if not isinstance(value, datetime):
            self.reject_type(value)
        if value.utcoffset() is None:
            if self._in_utc:
                self._reject_naive(value)
            return value.replace(tzinfo=None)
        if not self._in_utc and not self.lossy:
            self._reject_aware(value)
        return self._to_utc(value)

    def _reject_naive(self, value: datetime) -> None:
        self.reject(
            "key-naive-datetime",
            f"field {self.field!r} is {value.isoformat()}, which has no time zone, but {self.placeholder} is in UTC.",
            fix="set its time zone (value.replace(tzinfo=UTC)), or write local times with an explicit format: "
            f"{{{self.field}:%Y-%m-%dT%H:%M:%S.%f}}.",
        )

    def _reject_aware(self, value: datetime) -> None:
        self.reject(
            "key-aware-datetime",
            f"field {self.field!r} is {value.isoformat()}, which has a time zone; {self.placeholder} is local time.",
            fix="end the format with Z to write UTC, or pass a local time without a time zone.",
        )

    def _to_utc(self, value: datetime) -> datetime:
        try:
            return value if value.tzinfo is UTC else value.astimezone(UTC)
        except OverflowError:
            self.reject(
                "key-time-range",
                f"field {self.field!r} is {value.isoformat()}, which is outside the years 1 to 9999 in UTC.",
                fix="use a time within that range.",
            )

    def from_figures(self, figures: dict[str, int]) -> date:
        day = first_day_with(figures)
        hour, minute, second, microsecond = (figures.get(letter, 0) for letter in "HMSf")
        clock = time(hour, minute, second, microsecond, tzinfo=UTC if self._in_utc else None)
        return datetime.combine(day, clock)

    def _beginning(self, operator: Operator) -> tuple[Any, str]:
        if self.lossy and not self._in_utc:
            raise BoundsError(
                "bounds-date-start",
                f"{self.context.where}: {operator!r} on field {self.field!r}: {self.placeholder} accepts times with "
                "and without a time zone, so the text is ambiguous.",
                fix="use between() with two datetimes.",
            )
        return super()._beginning(operator)

    def _first(self, value: Any) -> Any:
        first = super()._first(value)
        return first if value.utcoffset() is None else first.replace(tzinfo=UTC)

    def _ceiling(self, first: date) -> date:
        assert isinstance(first, datetime)
        return datetime.max.replace(tzinfo=first.tzinfo)

    def encode_code(self, name: str) -> PartCode:
        names = {"datetime": datetime, "UTC": UTC, "T": "T", "MICROSECONDS": "microseconds"}
        if self._in_utc:
            guard = f"{name}.__class__ is datetime and {name}.tzinfo is UTC"
        elif self.lossy:
            guard = f"{name}.__class__ is datetime and ({name}.tzinfo is None or {name}.tzinfo is UTC)"
        else:
            guard = f"{name}.__class__ is datetime and {name}.tzinfo is None"
        if self.placeholder.spec in ("", self.default_spec):
            return PartCode(guard, f"{{{name}.isoformat(T, MICROSECONDS)[:26]}}Z", names)
        return self._format_code(guard, name, names)


def _has_time_zone(value: Any) -> bool:
    return isinstance(value, datetime) and value.utcoffset() is not None
