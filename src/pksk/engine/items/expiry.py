"""Which items of a table expire, and when: rows ordered by second, updated with the items."""

from __future__ import annotations

from typing import Final

import orjson

from pksk.engine.state.table import Expiry
from pksk.engine.storage import Writer
from pksk.values import WireItem

SECOND_BYTES: Final = 8
# Added to a second, so that negative seconds sort before positive ones.
_BIAS: Final = 2 ** (8 * SECOND_BYTES - 1)
# Enough for any real time, and few enough to convert quickly.
_MOST_DIGITS: Final = 18


def expires_at(item: WireItem | None, attribute: str) -> int | None:
    """The second at which an item expires; None for a value that is not a whole number of seconds.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-before-you-start.html

    Example:
        >>> expires_at({"until": {"N": "1767225600"}}, "until")
        1767225600
        >>> expires_at({"until": {"S": "1767225600"}}, "until"), expires_at({"until": {"N": "1.5"}}, "until")
        (None, None)
    """
    value = None if item is None else item.get(attribute)
    if value is None:
        return None
    digits = value.get("N")
    if digits is None or len(digits) > _MOST_DIGITS:
        return None
    try:
        return int(digits)
    except ValueError:  # a fraction or an exponent
        return None


def second_key(second: int) -> bytes:
    """The first bytes of the row keys of items that expire at a second.

    Example:
        >>> second_key(-1) < second_key(0) < second_key(1)
        True
    """
    return min(max(second + _BIAS, 0), 2 * _BIAS - 1).to_bytes(SECOND_BYTES)


def update_expiry_row(
    writer: Writer, expiry: Expiry, key: bytes, old: WireItem | None, new: WireItem | None
) -> None:
    """Move the expiry row of an item that a write changes."""
    before, after = expires_at(old, expiry.attribute), expires_at(new, expiry.attribute)
    if before == after:
        return
    if before is not None:
        writer.delete(expiry.space, second_key(before) + key)
    if after is not None:
        writer.put(expiry.space, second_key(after) + key, 0, b"")


def backfill_expiry(writer: Writer, table_space: int, expiry: Expiry) -> None:
    """Write the expiry rows of all items."""
    for row in writer.rows(table_space, b"", None):
        update_expiry_row(writer, expiry, row.key, None, orjson.loads(row.data))
