"""Times with a zone as text in UTC, and durations as text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from pksk.errors import InvalidValue, quote


def instant_text(value: datetime) -> str:
    """A time with a zone as text in UTC of fixed width, so that equal times are equal texts, and texts sort by time.

    Example:
        >>> instant_text(datetime.fromisoformat("2025-12-31T18:30:00+01:00"))
        '2025-12-31T17:30:00.000000Z'
    """
    return f"{in_utc(value).isoformat('T', 'microseconds')[:26]}Z"


def in_utc(value: datetime) -> datetime:
    """The same instant in UTC; raises for one outside the years that Python knows.

    Example:
        >>> in_utc(datetime.fromisoformat("2025-12-31T18:30:00+01:00")).hour
        17
    """
    if value.tzinfo is UTC:
        return value
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidValue(
            "value-time-range",
            f"{quote(value.isoformat())} is outside the years 1 to 9999 in UTC.",
            fix="use a time within that range.",
        ) from None


def duration_text(value: timedelta) -> str:
    """A duration in ISO 8601, as Pydantic writes it: a year has 365 days.

    Example:
        >>> duration_text(timedelta(days=1, seconds=90, microseconds=500)), duration_text(-timedelta(hours=1))
        ('P1DT1M30.0005S', '-PT1H')
    """
    whole = abs(value)
    years, days = divmod(whole.days, 365)
    hours, rest = divmod(whole.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    fraction = f"{whole.microseconds:06d}".rstrip("0")
    exact = f"{seconds}.{fraction}" if fraction else str(seconds)
    date = "".join(f"{count}{unit}" for count, unit in ((years, "Y"), (days, "D")) if count)
    time = "".join(f"{count}{unit}" for count, unit in ((hours, "H"), (minutes, "M")) if count)
    time += f"{exact}S" if exact != "0" or not (date or time) else ""
    return f"{'-' if value < timedelta(0) else ''}P{date}{'T' if time else ''}{time}"
