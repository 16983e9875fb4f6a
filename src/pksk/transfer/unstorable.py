"""What DynamoDB refuses within an item although Python's values have room for it."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from typing import Any, Final

from pksk.errors import quote
from pksk.limits import ATTRIBUTE_NAME_BYTES
from pksk.values import WireItem

__all__ = ["unstorable"]

# Names of so few characters have no more bytes than are taken, whatever they are.
_SHORT: Final = ATTRIBUTE_NAME_BYTES // 4


def unstorable(item: WireItem) -> str | None:
    """What is wrong with a name or with bytes of an item whose types are right; None where nothing is.

    Example:
        >>> unstorable({"raw": {"B": "AAE="}})
        >>> unstorable({"raw": {"B": "AAF="}})
        "'AAF=' is base64 that ends in bits which stand for nothing"
    """
    pending: list[Any] = [{"M": item}]
    while pending:
        ((kind, inner),) = pending.pop().items()
        found = None
        if kind == "M":
            found = next((name for name in inner if len(name) > _SHORT and _is_long(name)), None)
            pending += [value for value in inner.values() if "S" not in value and "N" not in value]
        elif kind == "L":
            pending += [value for value in inner if "S" not in value and "N" not in value]
        elif kind in ("B", "BS"):
            texts = [inner] if kind == "B" else inner
            found = next((text for text in texts if _has_odd_end(text)), None)
        if found is not None:
            return _told(kind, found)
    return None


def _is_long(name: str) -> bool:
    return len(name.encode()) > ATTRIBUTE_NAME_BYTES


def _has_odd_end(text: str) -> bool:
    return text.endswith("=") and b2a_base64(a2b_base64(text[-4:]), newline=False) != text[-4:].encode()


def _told(kind: str, found: str) -> str:
    if kind == "M":
        return f"the name {quote(found)} has more than {ATTRIBUTE_NAME_BYTES:,} bytes"
    return f"{quote(found)} is base64 that ends in bits which stand for nothing"
