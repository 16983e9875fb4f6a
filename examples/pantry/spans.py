"""Spans of time on the wall clock: a day, a month, a year, each from its first to its last moment."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime, time

__all__ = ["Span", "day_span", "month_span", "year_span"]

Span = tuple[datetime, datetime]


def day_span(day: date) -> Span:
    return datetime.combine(day, time.min), datetime.combine(day, time.max)


def month_span(day: date) -> Span:
    """The month that a day is in."""
    last = monthrange(day.year, day.month)[1]
    return datetime.combine(day.replace(day=1), time.min), datetime.combine(day.replace(day=last), time.max)


def year_span(year: int) -> Span:
    return datetime.combine(date(year, 1, 1), time.min), datetime.combine(date(year, 12, 31), time.max)
