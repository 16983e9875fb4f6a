"""Shard iterators: a position in a shard as a text that only its own engine makes and reads."""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from hashlib import blake2b
from hmac import compare_digest
from struct import Struct
from typing import Final, NamedTuple

from pksk.engine.core import Core
from pksk.engine.service_errors import service_error, validation
from pksk.engine.texts import tables as texts

from ..state.shards import Shard
from .find_stream import FoundStream, find_stream

__all__ = ["ShardPosition", "read_iterator", "write_iterator"]

# The stream's space, the shard's number, the position in it, and when the iterator was made.
_CONTENT: Final = Struct(">QIQd")
_SEAL_BYTES: Final = 16
_LIFETIME_SECONDS: Final = 15 * 60
_VERSION: Final = "1"
_PARTS: Final = 3


class ShardPosition(NamedTuple):
    """What an iterator stands for: the next change of a shard is the first from `number` on."""

    found: FoundStream
    shard: Shard
    number: int


def write_iterator(position: ShardPosition, now: float) -> str:
    """The iterator at a position."""
    found, shard, number = position
    content = _CONTENT.pack(found.stream["space"], shard["number"], number, now)
    sealed = b64encode(content + _seal(found, content)).decode()
    return f"{found.arn}|{_VERSION}|{sealed}"


def read_iterator(core: Core, text: str, now: float) -> ShardPosition:
    """The position of an iterator; refuses one that is not ours, is too old, or whose stream or shard is gone."""
    parts = text.rsplit("|", _PARTS - 1)
    sealed = _decode(parts[-1])
    if len(parts) != _PARTS or parts[1] != _VERSION or len(sealed) != _CONTENT.size + _SEAL_BYTES:
        raise validation(texts.INVALID_ITERATOR)
    content, seal = sealed[:-_SEAL_BYTES], sealed[-_SEAL_BYTES:]
    space, shard_number, number, made = _CONTENT.unpack(content)
    found = find_stream(core, parts[0], space)
    if not compare_digest(seal, _seal(found, content)):
        raise validation(texts.INVALID_ITERATOR)
    if now - made > _LIFETIME_SECONDS:
        raise service_error("ExpiredIteratorException", texts.ITERATOR_EXPIRED)
    return ShardPosition(found, found.shard("number", shard_number, now), number)


def _seal(found: FoundStream, content: bytes) -> bytes:
    secret = f"{found.record['TableId']}/{found.stream['label']}".encode()
    return blake2b(content, digest_size=_SEAL_BYTES, key=blake2b(secret).digest()).digest()


def _decode(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError):  # or not of ASCII
        return b""
