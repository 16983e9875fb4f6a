"""What to say of a Python type that DynamoDB has no place for."""

from __future__ import annotations

from dataclasses import is_dataclass
from datetime import date, time
from enum import Enum
from math import isfinite
from uuid import UUID

from pksk.errors import InvalidValue, quote

__all__ = ["unstorable"]

_EXPECTED = (
    "DynamoDB stores str, int, Decimal, bytes, bool, None, lists, maps, and sets of str, numbers or bytes."
)


def unstorable(value: object) -> InvalidValue:
    """The refusal of a value of a type that cannot be stored, with what to store instead.

    Example:
        >>> print(unstorable(2.5))
        2.5 is a float, which cannot hold most decimal fractions exactly.
        DynamoDB's numbers are decimal; int and Decimal are exact.
        Fix: write Decimal(str(x)), here Decimal('2.5').  (pksk explain value-float)
    """
    if isinstance(value, float):
        return _float(value)
    name = type(value).__name__
    return InvalidValue(
        "value-unknown-type",
        f"{quote(value)} is of type {name}, which DynamoDB cannot store.",
        expected=_EXPECTED,
        fix=_instead_of(value),
    )


def _float(value: float) -> InvalidValue:
    if not isfinite(value):
        return InvalidValue(
            "value-not-finite",
            f"{value!r} is not a finite number.",
            expected="DynamoDB has no NaN and no Infinity.",
            fix="leave the attribute out, or store None or a string.",
        )
    return InvalidValue(
        "value-float",
        f"{value!r} is a float, which cannot hold most decimal fractions exactly.",
        expected="DynamoDB's numbers are decimal; int and Decimal are exact.",
        fix=f"write Decimal(str(x)), here Decimal('{value!r}').",
    )


def _instead_of(value: object) -> str:
    if isinstance(value, date | time):
        return "store value.isoformat(), or the epoch seconds as an int."
    if isinstance(value, UUID):
        return "store str(value)."
    if isinstance(value, Enum):
        return f"store value.value, or derive {type(value).__name__} from str or int as well."
    if is_dataclass(value) and not isinstance(value, type):
        return "store dataclasses.asdict(value)."
    if hasattr(value, "__iter__"):
        return "store list(value)."
    return "convert it to one of these first."
