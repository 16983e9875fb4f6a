"""Bodies in gzip and deflate, both ways."""

from __future__ import annotations

import gzip
import re
import zlib
from typing import Final

__all__ = [
    "WORTH_BYTES",
    "BodyTooLarge",
    "BrokenBody",
    "UnknownCoding",
    "accepted_coding",
    "packed",
    "unpacked",
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


def unpacked(body: bytes, coding: bytes, limit: int) -> bytes:
    """A request's body as it was before its client compressed it.

    Example:
        >>> unpacked(gzip.compress(b"{}"), b"gzip", 100)
        b'{}'
    """
    names = coding.lower().split(b",")
    if len(names) > _MOST_CODINGS:  # each could blow up what the one before has packed
        raise UnknownCoding(f"{len(names)} codings")
    for each in reversed(names):
        name = each.strip()
        if name in {b"gzip", b"x-gzip"}:
            body = _inflated(body, _EITHER, limit)
        elif name == b"deflate":
            # Some clients leave out the two bytes that zlib begins with.
            body = _inflated(body, _EITHER if _has_zlib_head(body) else _RAW, limit)
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


def packed(body: bytes, coding: bytes) -> bytes:
    """A body compressed.

    Example:
        >>> len(packed(b"x" * 2000, b"gzip")) < 50
        True
    """
    return gzip.compress(body, _LEVEL, mtime=0) if coding == b"gzip" else zlib.compress(body, _LEVEL)


def _inflated(body: bytes, window: int, limit: int) -> bytes:
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
