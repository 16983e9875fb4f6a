"""Cursors: a place in the results of one query, as text that nobody else can make, change or use elsewhere.

The text is sealed in the manner of a synthetic nonce: a keyed digest of the place and the query is both its seal and
what the bytes are masked with, so equal places give equal cursors, and keys of items cannot be read from them.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b, shake_256
from hmac import compare_digest
from typing import Any, Final

import orjson

from pksk.errors import CursorRefused, quote
from pksk.values.boto3_form import from_boto3

__all__ = ["EDGE", "Cursor", "cursor_of", "place_of"]

_SEAL_BYTES: Final = 16
# Of a request, what decides which rows there are and in which order.
_DECIDING: Final = (
    "TableName",
    "IndexName",
    "KeyConditionExpression",
    "FilterExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "ScanIndexForward",
    "Segment",
    "TotalSegments",
)


@dataclass(frozen=True, slots=True)
class Cursor:
    """The place of a row: the lane that it came from, and its key in table and index."""

    lane: int
    key: Mapping[str, Any]


# No row's place, but the end that the reading begins at: the first row forwards, the last one backwards.
EDGE: Final = Cursor(-1, {})


def cursor_of(secret: bytes, read: Any, place: Cursor) -> str:
    """The text of a place in a query's results."""
    plain = orjson.dumps([place.lane, {name: from_boto3(wire) for name, wire in place.key.items()}])
    seal = _seal(secret, plain, _question(read))
    return urlsafe_b64encode(seal + _masked(secret, seal, plain)).decode().rstrip("=")


def place_of(secret: bytes, read: Any, text: object) -> Cursor:
    """The place that a text stands for, if it is a cursor of this query; refused otherwise."""
    if not isinstance(text, str):
        raise _refused(text)
    try:
        sealed = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except ValueError:
        raise _refused(text) from None
    # What base64 ignores would make one cursor of several texts.
    if urlsafe_b64encode(sealed).decode().rstrip("=") != text:
        raise _refused(text)
    seal, masked = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
    plain = _masked(secret, seal, masked)
    if not compare_digest(_seal(secret, plain, _question(read)), seal):
        raise _refused(text)
    lane, key = orjson.loads(plain)
    return Cursor(lane, key)


def _refused(text: object) -> CursorRefused:
    return CursorRefused(
        "store-cursor",
        f"{quote(text)} is no cursor of this query.",
        expected="A cursor fits the very query that gave it, and the secret that it was made with.",
        fix="ask the query that gave it, and give all processes one secret: cursor_secret= or PKSK_CURSOR_SECRET.",
    )


def _question(read: Any) -> bytes:
    """What a cursor is bound to: all that decides rows and order, and nothing of how many are read at a time."""
    requests = [{name: each[name] for name in _DECIDING if name in each} for each in read.plan.requests]
    told = [
        requests,
        [str(left) for left in read.plan.leftover],
        [each.__name__ for each in read.plan.entities],
    ]
    return orjson.dumps(told, default=_text, option=orjson.OPT_SORT_KEYS)


def _text(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def _key(secret: bytes) -> bytes:
    # A secret of any length, as a key of the length that the digest takes.
    return blake2b(secret, digest_size=32, person=b"pksk-cursor").digest()


def _seal(secret: bytes, plain: bytes, question: bytes) -> bytes:
    digest = blake2b(key=_key(secret), digest_size=_SEAL_BYTES, person=b"seal")
    digest.update(len(plain).to_bytes(8) + plain + question)
    return digest.digest()


def _masked(secret: bytes, seal: bytes, text: bytes) -> bytes:
    stream = shake_256(_key(secret) + seal).digest(len(text))
    return bytes(one ^ other for one, other in zip(text, stream, strict=True))
