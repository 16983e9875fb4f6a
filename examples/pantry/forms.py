"""What people write on forms, checked before anything is stored; what cannot be is refused with its value."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from .errors import FieldWrong, NothingWritten, OutOfYears, SpanReversed

__all__ = ["check_span", "check_year", "filled_in", "words"]

M = TypeVar("M", bound=BaseModel)

_YEARS: Final = range(1900, 9999)


def filled_in(kind: type[M], values: Mapping[str, Any]) -> M:
    """A model of these values, or a refusal that names those which it does not take."""
    try:
        return kind.model_validate(values)
    except ValidationError as wrong:
        found = [(".".join(map(str, each["loc"])), each["input"], each["msg"]) for each in wrong.errors()]
        raise FieldWrong(found) from wrong


def words(what: str, written: str) -> str:
    """A text as it is looked for: one space between words, and at least one word."""
    text = " ".join(written.split())
    if not text:
        raise NothingWritten(what, written)
    return text


def check_year(when: date | int) -> None:
    """Refuse a year in which nobody came."""
    if (when if isinstance(when, int) else when.year) not in _YEARS:
        raise OutOfYears(when, _YEARS[0], _YEARS[-1])


def check_span(first: date, last: date) -> None:
    """Refuse a span that ends before it begins: its report would be empty, and look like a quiet time."""
    if first > last:
        raise SpanReversed(first, last)
