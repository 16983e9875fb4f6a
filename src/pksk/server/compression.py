"""Bodies in gzip and deflate, both ways, and the answers to those that cannot be read."""

from __future__ import annotations

import gzip
import re
import zlib
from typing import Final

from pksk.client import ServiceError
from pksk.engine.service_errors import error_body

from .responses import TOO_LARGE

__all__ = [
    "SERIALIZATION_ERROR",
    "WORTH_BYTES",
    "BodyTooLarge",
    "BrokenBody",
    "UnknownCoding",
    "UnreadableBody",
    "accepted_coding",
    "compress",
    "decompress",
    "read_body",
]

_EITHER: Final = 32 + zlib.MAX_WBITS  # gzip or zlib, whichever the header says
_RAW: Final = -zlib.MAX_WBITS
WORTH_BYTES: Final = 1024  # below that, headers and checksum eat up what is saved
_LEVEL: Final = 1
_QUALITY: Final = re.compile(rb"[01](\.[0-9]{0,3})?")
_CODINGS: Final = (b"gzip", b"deflate")
_MOST_CODINGS: Final = 2


class BrokenBody(Exception):
    """A compressed body that is none."""


class BodyTooLarge(Exception):
    """A body that is larger, once unpacked, than bodies may be."""


class UnknownCoding(Exception):
    """A coding that is neither gzip nor deflate."""


def decompress(body: bytes, coding: bytes, limit: int) -> bytes:
    """A request's body as it was before its client compressed it.

    Example:
        >>> decompress(gzip.compress(b"{}"), b"gzip", 100)
        b'{}'
    """
    names = coding.lower().split(b",")
    if len(names) > _MOST_CODINGS:  # each could blow up what the one before has packed
        raise UnknownCoding(f"{len(names)} codings")
    for each in reversed(names):
        name = each.strip()
        if name in {b"gzip", b"x-gzip"}:
            body = _inflate(body, _EITHER, limit)
        elif name == b"deflate":
            # Some clients leave out the two bytes that zlib begins with.
            body = _inflate(body, _EITHER if _has_zlib_head(body) else _RAW, limit)
        elif name not in {b"", b"identity"}:
            raise UnknownCoding(name.decode("latin-1"))
    return body


def accepted_coding(accepts: bytes) -> bytes | None:
    """The coding to use for a client that sent this Accept-Encoding.

    Example:
        >>> accepted_coding(b"deflate, gzip;q=0"), accepted_coding(b"identity")
        (b'deflate', None)
    """
    weights: dict[bytes, float] = {}
    for each in accepts.lower().split(b","):
        name, _, parameters = each.strip().partition(b";")
        weights[name.strip()] = _weight(parameters)
    others = weights.get(b"*", 0.0)
    best = max(_CODINGS, key=lambda name: weights.get(name, others))
    return best if weights.get(best, others) > 0 else None


def compress(body: bytes, coding: bytes) -> bytes:
    """A body compressed.

    Example:
        >>> len(compress(b"x" * 2000, b"gzip")) < 50
        True
    """
    return gzip.compress(body, _LEVEL, mtime=0) if coding == b"gzip" else zlib.compress(body, _LEVEL)


def _inflate(body: bytes, window: int, limit: int) -> bytes:
    machine = zlib.decompressobj(window)
    try:
        out = machine.decompress(body, limit + 1)
    except zlib.error as error:
        raise BrokenBody(str(error)) from None
    if len(out) > limit:
        raise BodyTooLarge
    if not machine.eof or machine.unused_data:
        raise BrokenBody("it ends too early or too late")
    return out


def _has_zlib_head(body: bytes) -> bool:
    return len(body) >= 2 and body[0] & 0x0F == zlib.DEFLATED and int.from_bytes(body[:2]) % 31 == 0


def _weight(parameters: bytes) -> float:
    name, _, value = parameters.partition(b"=")
    if name.strip() != b"q":
        return 1.0
    return float(value) if _QUALITY.fullmatch(value.strip()) else 0.0


SERIALIZATION_ERROR: Final = 400, error_body(ServiceError("SerializationException"))
_BROKEN: Final = 500, error_body(ServiceError("InternalFailure"))  # AWS answers so too
_TOO_LARGE: Final = 413, TOO_LARGE.encode()


class UnreadableBody(Exception):
    """A body that cannot be unpacked, with the status and body that answer it."""

    def __init__(self, answer: tuple[int, bytes]) -> None:
        super().__init__(*answer)
        self.answer = answer


def read_body(body: bytes, coding: bytes, limit: int) -> bytes:
    """A body that came in a coding; raises `UnreadableBody`.

    Example:
        >>> import gzip
        >>> read_body(gzip.compress(b"{}"), b"gzip", 100)
        b'{}'
    """
    try:
        return decompress(body, coding, limit)
    except BrokenBody:
        raise UnreadableBody(_BROKEN) from None
    except BodyTooLarge:
        raise UnreadableBody(_TOO_LARGE) from None
    except UnknownCoding:
        raise UnreadableBody(SERIALIZATION_ERROR) from None
