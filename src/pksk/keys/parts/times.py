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
from pksk.keys.parts.part import FieldType, Part, PartCode, PartContext
from pksk.keys.parts.time_format import (
    DIRECTIVES,
    TimeFormat,
    first_day_with,
    next_period,
    parse_time_format,
    start_after,
)
from pksk.keys.precision import start_of

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
    finest_unit = "day"

    def __init__(self, placeholder: Placeholder, context: PartContext, declared: FieldType) -> None:
        super().__init__(placeholder, context)
        self.precision, self.aware = declared.precision, declared.aware
        self.spec = self._read_spec(placeholder.spec or self.default_spec)
        self.lossy = not self.spec.determines(self.unit)
        self.ordered = self.spec.ordered
        if not self.ordered:
            self.unordered_because = (
                f"the directives of {placeholder} do not go from coarse to fine without a gap"
            )

    @classmethod
    def build(cls, placeholder: Placeholder, declared: FieldType, context: PartContext) -> Part | None:
        fits = isinstance(declared.type, type) and issubclass(declared.type, cls.value_class)
        return cls(placeholder, context, declared) if fits else None

    @property
    def unit(self) -> str:
        """The unit that every value is the start of."""
        return self.precision.unit if self.precision else self.finest_unit

    @property
    def in_utc(self) -> bool:
        """Whether values are times with a zone, which are written in UTC."""
        return False

    def _read_spec(self, text: str) -> TimeFormat:
        spec = "a slice of a time" if self.placeholder.cut else parse_time_format(text)
        if isinstance(spec, str):
            directives = " ".join(f"%{letter}" for letter in DIRECTIVES)
            self.reject_spec(
                expected=f"In {quote(text)}, {spec}. The directives are: {directives}.",
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
                f"{self.context.where}: {self.placeholder} contains hours or minutes, but the field is a date.",
                fix=f"declare {self.field!r} as datetime, or leave them out.",
            )

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
        one_zone = cls is DatePart or parts[0].aware is not None or any(part.in_utc for part in parts)
        return one_zone and cls.determines_unit(parts, parts[0].unit)

    @staticmethod
    def determines_unit(parts: Sequence[Any], unit: str) -> bool:
        """Whether the parts of one field together determine a value that is the start of a unit."""
        return TimeFormat((), "".join(part.spec.letters for part in parts)).determines(unit)

    @classmethod
    def join(cls, texts: Sequence[tuple[Any, str]]) -> Any:
        figures: dict[str, int] = {}
        for part, text in texts:
            figures.update(part.spec.read(text))
        # A format that ends in Z makes aware datetimes, so it wins.
        part = max((part for part, _ in texts), key=lambda part: bool(part.in_utc))
        return part.first_start(part.from_figures(figures))

    def check_value(self, value: Any) -> date:
        """The value to render."""
        checked = self.check_type(value)
        if self.precision is not None and not self.lossy and not self.precision.holds(checked):
            self.reject(
                "key-precision",
                f"field {self.field!r}: {self.precision.problem(checked)}.",
                fix=f"{self.precision.fix(checked)}.",
            )
        return checked

    def check_type(self, value: Any) -> date:
        """The value in the time zone of the key; it may be finer than the field's precision."""
        if not isinstance(value, date) or isinstance(value, datetime):
            self.reject_type(value, fix=f"pass a date for {self.field!r}: {self._example(value)}.")
        return value

    def _example(self, value: Any) -> str:
        """How to write a value of the field's class; from this value, where possible."""
        if isinstance(value, datetime):
            return "value.date()"
        return _parsing_call(self.value_class, value) or "date(2025, 12, 31), for example"

    def decode(self, text: str) -> Any:
        figures = self.spec.read(text)
        value = self.first_start(self.from_figures(figures))
        if self.spec.write(value) != text:
            raise ValueError(text)
        return value

    def from_figures(self, figures: dict[str, int]) -> date:
        """The first value with these figures; raises ValueError if there is none."""
        return first_day_with(figures)

    def first_start(self, value: Any) -> Any:
        """The value, or the first later one at the precision of the field; raises ValueError if there is none."""
        if self.precision is None or self.precision.holds(value):
            return value
        try:
            return start_after(self.precision.floor(value), self.unit)
        except OverflowError as error:
            raise ValueError(value) from error

    def is_greater(self, left: Any, right: Any) -> bool:
        return bool(self.check_type(left) > self.check_type(right))

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
        if operator.name == "begins":
            operator = self._period(operator)
        return operator if self.precision is None or self.lossy else self._range_of_starts(operator)

    def _range_of_starts(self, operator: Operator) -> Operator:
        """The same range with ends at the precision of the field: after 9 March means after 1 March, for months."""
        assert self.precision is not None
        ends = [self.check_type(operand) for operand in operator.operands]
        starts: list[Any] = [self.precision.floor(end) for end in ends]
        if starts == ends or ends[0] > ends[-1]:
            return operator
        if operator.name != "between":
            return Operator("gt" if operator.name in ("gt", "gte") else "lte", tuple(starts))
        low = starts[0] if starts[0] == ends[0] else self.neighbour(starts[0], 1)
        if low is None or low > starts[1]:
            raise BoundsError(
                "key-precision",
                f"{self.context.where}: no {self.unit} starts within {operator!r} on field {self.field!r}.",
                expected=f"Each value is {start_of(self.unit)}.",
                fix=f"let the range begin at {starts[0].isoformat()}, for example.",
            )
        return between(low, starts[1])

    def _period(self, operator: Operator) -> Operator:
        """The range of the values whose text begins with the operand."""
        first, letter = self._beginning(operator)
        try:
            return between(first, next_period(first, letter) - self.resolution)
        except (OverflowError, ValueError):
            return between(first, self._ceiling(first))

    def _beginning(self, operator: Operator) -> tuple[Any, str]:
        """The first value whose text begins with this text, and the last unit of the text."""
        (text,) = operator.operands
        match = re.fullmatch(_START, text) if isinstance(text, str) else None
        figures = (
            {letter: int(figure) for letter, figure in match.groupdict().items() if figure} if match else {}
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
        # In UTC, because local times jump by an hour.
        value = self.check_type(value)
        try:
            if self.precision is None or self.lossy:
                return value + by * self.resolution
            if by < 0:
                return self.precision.floor(value - self.resolution)
            return start_after(self.precision.floor(value), self.unit)
        except (OverflowError, ValueError):
            return None

    def encode_code(self, name: str) -> PartCode:
        return self._code(f"{name}.__class__ is date", name, {"date": date}, f"{{{name}.isoformat()}}")

    def _code(self, guard: str, name: str, names: dict[str, object], piece: str) -> PartCode:
        """The source code; `piece` is that of the default format."""
        if self.precision is not None and not self.lossy:
            guard += f" and holds_{name}({name})"
            names[f"holds_{name}"] = self.precision.holds
        if self.placeholder.spec in ("", self.default_spec):
            return PartCode(guard, piece, names)
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
    finest_unit = "microsecond"

    def __init__(self, placeholder: Placeholder, context: PartContext, declared: FieldType) -> None:
        super().__init__(placeholder, context, declared)
        if self.aware is False and self.in_utc:
            self.reject_spec(
                expected="A format that ends in Z, as the default one does, is for times with a zone.",
                fix=f"write {{{self.field}:%Y-%m-%dT%H:%M:%S.%f}}, or declare the field as AwareDatetime.",
            )

    def _check_clock(self, spec: TimeFormat) -> None:
        pass

    @cached_property
    def in_utc(self) -> bool:
        return bool(self.aware) or self.spec.literals[-1].endswith("Z")

    def check_type(self, value: Any) -> datetime:
        if not isinstance(value, datetime):
            self.reject_type(value, fix=f"pass a datetime for {self.field!r}: {self._example(value)}.")
        if value.utcoffset() is None:
            if self.in_utc:
                self._reject_naive(value)
            return value.replace(tzinfo=None)
        if not self.in_utc and (not self.lossy or self.aware is False):
            self._reject_aware(value)
        return self._to_utc(value)

    def _example(self, value: Any) -> str:
        zone = ", tzinfo=UTC" if self.in_utc else ""
        return _parsing_call(self.value_class, value) or f"datetime(2025, 12, 31, 18, 30{zone}), for example"

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
        clock = time(hour, minute, second, microsecond, tzinfo=UTC if self.in_utc else None)
        return datetime.combine(day, clock)

    def _beginning(self, operator: Operator) -> tuple[Any, str]:
        if self.lossy and not self.in_utc and self.aware is None:
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
        if self.in_utc:
            guard = f"{name}.__class__ is datetime and {name}.tzinfo is UTC"
        elif self.lossy and self.aware is None:
            guard = f"{name}.__class__ is datetime and ({name}.tzinfo is None or {name}.tzinfo is UTC)"
        else:
            guard = f"{name}.__class__ is datetime and {name}.tzinfo is None"
        return self._code(guard, name, names, f"{{{name}.isoformat(T, MICROSECONDS)[:26]}}Z")


def _has_time_zone(value: Any) -> bool:
    return isinstance(value, datetime) and value.utcoffset() is not None


def _parsing_call(value_class: type[Any], text: object) -> str:
    """The call that makes a value of a class from its ISO text; empty for anything else."""
    try:
        value_class.fromisoformat(text)
    except (TypeError, ValueError):
        return ""
    return f"{value_class.__name__}.fromisoformat({quote(text)})"
