"""NextToken: where a SELECT goes on, bound to its text and to the values of its parameters."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import orjson

from pksk.engine.faults import validation
from pksk.engine.texts import partiql as texts

__all__ = ["Start", "next_token", "read_next_token"]

_DIGEST_BYTES: Final = 16
_PLACE_BYTES: Final = 2
_HEAD: Final = _DIGEST_BYTES + _PLACE_BYTES
# Parameters of these types are never found to be the same again.
_UNCOMPARED: Final = frozenset({"L", "M"})


class Start(NamedTuple):
    """Where a page begins: in which of the partitions that are read, and after which row of it."""

    place: int = 0
    position: bytes = b""


def next_token(request: Mapping[str, Any], start: Start) -> str:
    """The token that a page ends with.

    Example:
        >>> request = {"Statement": "SELECT * FROM t"}
        >>> read_next_token({**request, "NextToken": next_token(request, Start(3, b"row"))})
        Start(place=3, position=b'row')
    """
    where = start.place.to_bytes(_PLACE_BYTES) + start.position
    return b64encode(_digest(request, where) + where).decode()


def read_next_token(request: Mapping[str, Any]) -> Start:
    """Where a request's token tells it to begin; refuses one that another request was given."""
    try:
        raw = b64decode(request["NextToken"], validate=True)
    except (NotBase64, ValueError):
        raise validation(texts.NEXT_TOKEN) from None
    compared = all(_UNCOMPARED.isdisjoint(value) for value in request.get("Parameters", ()))
    if not compared or len(raw) < _HEAD or raw[:_DIGEST_BYTES] != _digest(request, raw[_DIGEST_BYTES:]):
        raise validation(texts.NEXT_TOKEN)
    return Start(int.from_bytes(raw[_DIGEST_BYTES:_HEAD]), raw[_HEAD:])


def _digest(request: Mapping[str, Any], where: bytes) -> bytes:
    """What tells a token that was changed, or given to another request; it is no secret."""
    asked = orjson.dumps([request["Statement"], request.get("Parameters")], option=orjson.OPT_SORT_KEYS)
    return blake2b(where + asked, digest_size=_DIGEST_BYTES).digest()
