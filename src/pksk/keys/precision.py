"""Precision: a date or a time that is always the start of a year, a month, a minute or another unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal, TypeVar, get_args

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, TemplateError, did_you_mean, quote

Unit = Literal["year", "month", "week", "day", "hour", "minute", "second", "millisecond"]
D = TypeVar("D", bound=date)

UNITS: tuple[str, ...] = get_args(Unit)
_CLOCK = ("hour", "minute", "second")


def start_of(unit: str) -> str:
    """What every value of a precision is.

    Example:
        >>> start_of("hour"), start_of("day")
        ('the start of an hour', 'the start of a day')
    """
    return f"the start of {'an' if unit == 'hour' else 'a'} {unit}"


@dataclass(frozen=True, slots=True)
class Precision:
    """A date or a time that is the start of its unit: `Annotated[date, Precision("month")]` is the first of a month.

    A finer value is rejected and never rounded. So a key may hold such a field as `{month:%Y-%m}`, and still differs
    for different values. Times with a zone are taken in UTC; a week begins on Monday.

    Example:
        >>> from typing import Annotated
        >>> from pksk import Template
        >>> usage = Template("USAGE#{month:%Y-%m}", month=Annotated[date, Precision("month")])
        >>> usage(month=date(2025, 3, 1)), usage.match("USAGE#2025-03")
        ('USAGE#2025-03', {'month': datetime.date(2025, 3, 1)})
        >>> Precision("month").floor(date(2025, 3, 9))
        datetime.date(2025, 3, 1)
    """

    unit: Unit

    def __post_init__(self) -> None:
        if self.unit in UNITS:
            return
        near = did_you_mean(self.unit, UNITS) if isinstance(self.unit, str) else ""
        raise TemplateError(
            "precision-unit",
            f"Precision({quote(self.unit)}): this is not a unit of time.",
            expected=f"The units are: {', '.join(UNITS)}.",
            fix=f"did you mean {near!r}?" if near else "name one of them, for example Precision('month').",
        )

    @property
    def has_clock(self) -> bool:
        """Whether the unit is shorter than a day."""
        return UNITS.index(self.unit) > UNITS.index("day")

    def floor(self, value: D) -> D:
        """The start of the unit that a value is in; of a time with a zone, in UTC."""
        if isinstance(value, datetime):
            return self._floor_time(_in_utc(value))  # type: ignore[return-value]  # a datetime is a D here
        return self._floor_day(value)

    def _floor_time(self, value: datetime) -> datetime:
        if self.unit == "millisecond":
            return value.replace(microsecond=value.microsecond // 1000 * 1000)
        unit_count = _CLOCK.index(self.unit) + 1 if self.has_clock else 0
        hour, minute, second = (value.hour, value.minute, value.second)[:unit_count] + (0, 0, 0)[unit_count:]
        return self._floor_day(value.replace(hour=hour, minute=minute, second=second, microsecond=0))

    def _floor_day(self, day: D) -> D:
        if self.unit == "week":
            return day - timedelta(days=day.weekday())
        if self.unit == "month":
            return day.replace(day=1)
        return day.replace(month=1, day=1) if self.unit == "year" else day

    def holds(self, value: date) -> bool:
        """Whether a value is the start of its unit.

        Example:
            >>> Precision("minute").holds(datetime(2025, 3, 9, 12, 30, 15))
            False
        """
        try:
            # In UTC: in the repeated hour of a time zone, Python treats equal instants as unequal.
            return bool(self.floor(value) == _in_utc(value))
        except OverflowError:  # outside the years 1 to 9999 in UTC
            return False

    @property
    def key_precision(self) -> Precision:
        """The precision itself, as keys find it among the metadata of a type."""
        return self

    def check(self, value: Any, where: str = "") -> Any:
        """The value; raises if it is finer than the unit."""
        if not isinstance(value, date) or self.holds(value):
            return value
        raise InvalidValue("key-precision", f"{where}{self.problem(value)}.", fix=f"{self.fix(value)}.")

    def _validate(self, value: Any) -> Any:
        try:
            return self.check(value)
        except InvalidValue as error:  # Pydantic adds the field, and a line of its own for each error
            raise ValueError(
                f"{error.problem} {error.fix[0].upper()}{error.fix[1:]} (pksk explain {error.code})"
            ) from None

    def problem(self, value: date) -> str:
        """What is wrong with a value that is too fine."""
        return f"{value.isoformat()} is not {start_of(self.unit)}"

    def fix(self, value: date) -> str:
        """What to do about a value that is too fine."""
        try:
            return f"pass {self.floor(value).isoformat()}, or give the field a finer type"
        except OverflowError:
            return "pass a time within the years 1 to 9999 in UTC"

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Mapping[str, Any]:
        schema = handler(source)
        self._check_type(schema)
        return {
            "type": "function-after",
            "function": {"type": "no-info", "function": self._validate},
            "schema": schema,
        }

    def _check_type(self, node: Any) -> None:
        while "schema" in node:
            node = node["schema"]
        kind = node["type"]
        if kind == "datetime" or (kind == "date" and not self.has_clock):
            return
        raise TemplateError(
            "precision-type",
            f"Precision({self.unit!r}): a field of type {kind} has no {self.unit}s.",
            expected="Precision belongs to a date or a datetime; units shorter than a day to a datetime.",
            fix=f"write Annotated[{'datetime' if self.has_clock else 'date'}, Precision({self.unit!r})].",
        )


def _in_utc(value: Any) -> Any:
    """A time with a zone in UTC; anything else as it is."""
    has_zone = isinstance(value, datetime) and value.utcoffset() is not None
    return value.astimezone(UTC) if has_zone else value
