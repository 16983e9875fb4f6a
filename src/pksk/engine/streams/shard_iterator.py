"""Shard iterators: positions in shards as text, with a seal against changes."""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from hashlib import blake2b
from hmac import compare_digest
from struct import Struct
from typing import Final, NamedTuple

from pksk.engine import texts
from pksk.engine.core import Core
from pksk.engine.service_errors import service_error, validation
from pksk.engine.state import Shard

from .find_stream import TableStream, find_stream

# The space of the stream, the number of the shard, the position, and the time of creation.
_CONTENT: Final = Struct(">QIQd")
_SEAL_BYTES: Final = 16
_LIFETIME_SECONDS: Final = 15 * 60
_VERSION: Final = "1"
_PARTS: Final = 3


class ShardPosition(NamedTuple):
    """A position in a shard: the next change is the first one from `number` on."""

    stream: TableStream
    shard: Shard
    number: int


def write_iterator(position: ShardPosition, now: float) -> str:
    """The iterator of a position."""
    stream, shard, number = position
    content = _CONTENT.pack(stream.record["space"], shard["number"], number, now)
    encoded = b64encode(content + _seal(stream, content)).decode()
    return f"{stream.arn}|{_VERSION}|{encoded}"


def read_iterator(core: Core, text: str, now: float) -> ShardPosition:
    """The position of an iterator; raises if it is invalid or expired, or if its stream or shard is gone."""
    parts = text.rsplit("|", _PARTS - 1)
    raw = _decode(parts[-1])
    if len(parts) != _PARTS or parts[1] != _VERSION or len(raw) != _CONTENT.size + _SEAL_BYTES:
        raise validation(texts.INVALID_ITERATOR)
    content, seal = raw[:-_SEAL_BYTES], raw[-_SEAL_BYTES:]
    space, shard_number, number, created = _CONTENT.unpack(content)
    stream = find_stream(core, parts[0], space)
    if not compare_digest(seal, _seal(stream, content)):
        raise validation(texts.INVALID_ITERATOR)
    if now - created > _LIFETIME_SECONDS:
        raise service_error("ExpiredIteratorException", "Shard iterator has expired")
    return ShardPosition(stream, stream.find_shard("number", shard_number, now), number)


def _seal(stream: TableStream, content: bytes) -> bytes:
    secret = f"{stream.owner['TableId']}/{stream.record['label']}".encode()
    return blake2b(content, digest_size=_SEAL_BYTES, key=blake2b(secret).digest()).digest()


def _decode(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError):  # ValueError: not ASCII
        return b""
