"""Key values as bytes that sort like DynamoDB's keys."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final, Literal

from pksk.errors import InvalidValue, quote
from pksk.limits import NUMBER_MAX_EXPONENT, NUMBER_MIN_EXPONENT

from .decode import find_wire_error
from .numbers import canonical_number, decimal_text, int_text, parse_number
from .value_errors import surrogate_error

# A number is a sign byte, the exponent in a byte, then its digits two to a byte. A shorter run
# of digits is a prefix of a longer one and sorts first; for negative numbers all is turned
# round, and the closing byte makes the shorter run sort last.
_NEGATIVE: Final = 0
_ZERO: Final = b"\x01"
_POSITIVE: Final = 2
_CLOSE: Final = b"\xff"
_NINES: Final = str.maketrans("0123456789", "9876543210")
_KEY_FIX: Final = "use a string, a number or bytes for a key."


def sortable_bytes(value: str | int | Decimal | bytes | bytearray | memoryview) -> bytes:
    """The bytes of a key value; they compare as DynamoDB orders keys of that type.

    Text is ordered by its UTF-8 bytes, binary by unsigned bytes, numbers by value. Equal numbers
    give equal bytes, at most 22 of them.

    Example:
        >>> sorted([10, -3, Decimal("9.5"), 0], key=sortable_bytes)
        [-3, 0, Decimal('9.5'), 10]
    """
    if isinstance(value, str):
        try:
            return value.encode()
        except UnicodeEncodeError:
            raise surrogate_error(str.__str__(value)) from None
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    if isinstance(value, Decimal):
        return _number_bytes(decimal_text(value))
    if isinstance(value, bool) or not isinstance(value, int):
        raise _key_type_error(value)
    return _number_bytes(int_text(value))


def sortable_wire(wire: Mapping[str, Any]) -> bytes:
    """The sortable bytes of a key value in DynamoDB's JSON.

    Example:
        >>> sortable_wire({"S": "a"}), sortable_wire({"N": "5"}) == sortable_bytes(5)
        (b'a', True)
    """
    try:
        (kind,) = wire
        return _SCALARS[kind](wire[kind])
    except (ValueError, TypeError, KeyError):
        raise find_wire_error(wire) or _key_type_error(wire) from None


def sortable_number(text: str) -> bytes:
    """The sortable bytes of a number, from its text.

    Example:
        >>> sortable_number("1.5e3") == sortable_number("1500")
        True
    """
    return _number_bytes(canonical_number(text))


_SCALARS: Final[dict[str, Callable[[Any], bytes]]] = {
    "S": str.encode,
    "N": sortable_number,
    "B": lambda text: a2b_base64(text, strict_mode=True),
}


def _number_bytes(text: str) -> bytes:
    if text == "0":
        return _ZERO
    negative = text[0] == "-"
    whole, _, fraction = (text[1:] if negative else text).partition(".")
    if whole == "0":
        digits = fraction.lstrip("0")
        exponent = len(digits) - len(fraction) - 1
    else:
        digits = (whole + fraction).rstrip("0")
        exponent = len(whole) - 1
    if len(digits) % 2:
        digits += "0"
    if negative:
        head = bytes((_NEGATIVE, NUMBER_MAX_EXPONENT - exponent))
        return head + bytes.fromhex(digits.translate(_NINES)) + _CLOSE
    return bytes((_POSITIVE, exponent - NUMBER_MIN_EXPONENT)) + bytes.fromhex(digits)


def from_sortable(kind: Literal["S", "N", "B"], data: bytes) -> str | int | Decimal | bytes:
    """The key value of these sortable bytes; the inverse of ``sortable_bytes``.

    Example:
        >>> from_sortable("N", sortable_bytes(Decimal("-12.50"))), from_sortable("S", b"a")
        (Decimal('-12.5'), 'a')
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise _sortable_bytes_error(kind, data)
    if kind == "B":
        return bytes(data)
    try:
        value = data.decode() if kind == "S" else _parse_number_bytes(data)
    except (ValueError, IndexError):
        raise _sortable_bytes_error(kind, data) from None
    return value


def _parse_number_bytes(data: bytes) -> int | Decimal:
    if data == _ZERO:
        return 0
    if data[0] == _NEGATIVE:
        digits, exponent = data[2:-1].hex().translate(_NINES), NUMBER_MAX_EXPONENT - data[1]
    else:
        digits, exponent = data[2:].hex(), data[1] + NUMBER_MIN_EXPONENT
    sign = "-" if data[0] == _NEGATIVE else ""
    text = f"{sign}{digits[0]}.{digits[1:]}E{exponent}"
    # Reject bytes that `sortable_number` never writes, so that corrupt data is not read as a number.
    if sortable_number(text) != data:
        raise ValueError(text)
    return parse_number(text)


def _key_type_error(value: object) -> InvalidValue:
    return InvalidValue(
        "value-not-a-key",
        f"{quote(value)} is of type {type(value).__name__}, which has no order as a key.",
        expected="A key is a string, a number or binary.",
        fix=_KEY_FIX,
    )


def _sortable_bytes_error(kind: str, data: bytes) -> InvalidValue:
    return InvalidValue(
        "value-not-sortable-bytes",
        f"{quote(data)} are not the sortable bytes of a value of type {kind}.",
        expected="They are bytes returned by sortable_bytes().",
        fix="check the type, and that the bytes are complete.",
    )
