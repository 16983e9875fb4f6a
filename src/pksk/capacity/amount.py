"""Amounts of units, of bytes and of money: numbers that are finite and not below zero."""

from __future__ import annotations

from decimal import Decimal
from math import inf
from typing import TypeAlias, TypeVar

from pksk.errors import InvalidValue, quote

__all__ = ["Amount", "amount", "exact"]

Amount: TypeAlias = int | float | Decimal
A = TypeVar("A", bound=Amount)


def amount(what: str, value: A) -> A:
    """The value, if it is a number that something can cost or be multiplied by.

    Example:
        >>> amount("read", 0.5)
        0.5
        >>> amount("read", -1)
        Traceback (most recent call last):
        pksk.errors.InvalidValue: read=-1 is not an amount.
        It is a number from 0.
        Fix: pass a finite number that is not below zero.  (pksk explain cost-amount)
    """
    if _is_finite(value) and value >= 0:
        return value
    raise InvalidValue(
        "cost-amount",
        f"{what}={quote(value)} is not an amount.",
        expected="It is a number from 0.",
        fix="pass a finite number that is not below zero.",
    )


def exact(what: str, value: Amount) -> Decimal:
    """An amount as a Decimal; a float by the digits that Python prints for it.

    Example:
        >>> exact("read", 0.1)
        Decimal('0.1')
    """
    checked = amount(what, value)
    return Decimal(repr(checked)) if isinstance(checked, float) else Decimal(checked)


def _is_finite(value: object) -> bool:
    if isinstance(value, Decimal):
        return value.is_finite()
    # Not math.isfinite, which cannot take an int beyond the floats.
    return isinstance(value, int | float) and not isinstance(value, bool) and -inf < value < inf
