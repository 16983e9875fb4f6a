"""DynamoDB's numbers: which texts are valid, and their canonical form."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from pksk.errors import InvalidValue, quote
from pksk.limits import NUMBER_DIGITS, NUMBER_MAX_EXPONENT, NUMBER_MIN_EXPONENT

# DynamoDB's own messages, by our codes.
SERVICE_MESSAGES: Final = {
    "value-not-a-number": "The parameter cannot be converted to a numeric value",
    "value-number-digits": "Attempting to store more than 38 significant digits in a Number",
    "value-number-overflow": (
        "Number overflow. Attempting to store a number with magnitude larger than supported range"
    ),
    "value-number-underflow": (
        "Number underflow. Attempting to store a number with magnitude smaller than supported range"
    ),
}
_FIXES: Final = {
    "value-not-a-number": "write digits with an optional sign, point and exponent, such as -12.5 or 1E9.",
    "value-number-digits": "round it first, or store it as a string.",
    "value-number-overflow": "store it as a string, or in a larger unit.",
    "value-number-underflow": "round it to 0, or store it as a string or in a smaller unit.",
}
_EXPECTED: Final = "A number has at most 38 significant digits and lies within 1E-130 and 9.99E+125, or is 0."

_NUMBER: Final = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?)([0-9]+))?")
_CANONICAL: Final = re.compile(r"-[1-9][0-9]{0,37}|-?(?:0|[1-9][0-9]{0,18})\.[0-9]{0,18}[1-9]")
_INT64: Final = 2**63
# 10**126 has 419 bits; a longer int is too large whatever its digits are.
_MAX_BITS: Final = 419


class InvalidNumber(InvalidValue):
    """A number that DynamoDB rejects; ``service_message`` is DynamoDB's message.

    Example:
        >>> try:
        ...     canonical_number("1_000")
        ... except InvalidNumber as error:
        ...     print(error.service_message)
        The parameter cannot be converted to a numeric value
    """

    @property
    def service_message(self) -> str:
        """DynamoDB's message."""
        return SERVICE_MESSAGES[self.code]


def _invalid_number(code: str, text: str) -> InvalidNumber:
    problem = f"{SERVICE_MESSAGES[code]}: {text}"
    return InvalidNumber(code, problem, expected=_EXPECTED, fix=_FIXES[code])


def canonical_number(text: str) -> str:
    """A number as DynamoDB returns it: without exponent, plus sign and superfluous zeros.

    Example:
        >>> canonical_number("+1.50"), canonical_number(".5e3"), canonical_number("-0.0")
        ('1.5', '500', '0')
    """
    if not isinstance(text, str):
        raise _invalid_number("value-not-a-number", quote(text))
    if len(text) <= 38 and text.isdigit() and text.isascii() and text[0] != "0":
        return text
    if _CANONICAL.fullmatch(text):
        return text
    matched = _NUMBER.fullmatch(text)
    if matched is None:
        raise _invalid_number("value-not-a-number", quote(text))
    sign, whole, fraction, exponent_sign, exponent = matched.groups("")
    digits = whole + fraction
    if not digits:
        raise _invalid_number("value-not-a-number", quote(text))
    last = _exponent(text, exponent_sign, exponent) - len(fraction)
    significant = digits.strip("0")
    if not significant:
        # Zero is held to the range as if its last digit were 1: 0e126 overflows.
        _check_range(text, last)
        return "0"
    last += len(digits) - len(digits.rstrip("0"))
    _check_range(text, last + len(significant) - 1)
    if len(significant) > NUMBER_DIGITS:
        raise _invalid_number("value-number-digits", quote(text))
    return _plain("-" if sign == "-" else "", significant, last)


def canonical_sum(text: str) -> str:
    """A sum or a difference as DynamoDB stores it; one with too many digits is an overflow, in DynamoDB's words.

    Example:
        >>> canonical_sum("2.50")
        '2.5'
    """
    try:
        return canonical_number(text)
    except InvalidNumber as error:
        code = "value-number-overflow" if error.code == "value-number-digits" else error.code
        raise _invalid_number(code, quote(text)) from None


def _exponent(text: str, sign: str, digits: str) -> int:
    digits = digits.lstrip("0")
    # Past 64 bits the service no longer reads it as a number; never build a giant int to find out.
    if len(digits) > 19:
        raise _invalid_number("value-not-a-number", quote(text))
    exponent = int(sign + (digits or "0"))
    if not -_INT64 <= exponent < _INT64:
        raise _invalid_number("value-not-a-number", quote(text))
    return exponent


def _check_range(text: str, magnitude: int) -> None:
    if magnitude > NUMBER_MAX_EXPONENT:
        raise _invalid_number("value-number-overflow", quote(text))
    if magnitude < NUMBER_MIN_EXPONENT:
        raise _invalid_number("value-number-underflow", quote(text))


def _plain(sign: str, digits: str, last: int) -> str:
    if last >= 0:
        return sign + digits + "0" * last
    point = len(digits) + last
    if point > 0:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    return f"{sign}0.{'0' * -point}{digits}"


def int_text(value: int) -> str:
    """The canonical text of an int of any size."""
    if value.bit_length() > _MAX_BITS:
        raise _invalid_number("value-number-overflow", f"an int of {value.bit_length()} bits")
    return canonical_number(int.__repr__(value))


def decimal_text(value: Decimal) -> str:
    """The canonical text of a Decimal, every digit kept."""
    text = str(value)
    # 39 characters with a point and without an exponent cannot break any limit.
    if "." in text and "E" not in text and len(text) <= 39:
        if text[-1] != "0":
            return text
        text = text.rstrip("0")
        if text[-1] != ".":
            return text
    elif not value.is_finite():
        raise InvalidValue(
            "value-not-finite",
            f"{quote(value)} is not a finite number.",
            expected="DynamoDB has no NaN and no Infinity.",
            fix="leave the attribute out, or store None or a string.",
        )
    return canonical_number(text)


def parse_number(text: str) -> int | Decimal:
    """The number in a wire text: an int if it is whole, else a Decimal.

    An int equals the Decimal of the same value and has the same hash, so nothing is lost. Floats are not used.

    Example:
        >>> parse_number("12"), parse_number("12.50"), parse_number("1E2")
        (12, Decimal('12.5'), 100)
    """
    if 0 < len(text) <= 38 and text.isascii():
        digits = text[1:] if text[0] == "-" else text
        if digits.isdigit():
            return int(text)
        # One point, digits around it and the last of them not 0: a fraction within every limit.
        if digits.replace(".", "", 1).isdigit() and text[-1] not in "0.":
            return Decimal(text)
    text = canonical_number(text)
    return Decimal(text) if "." in text else int(text)
