"""Bodies in gzip and deflate, both ways, and the answers to unreadable ones."""

from __future__ import annotations

import re
import zlib
from typing import Final

from pksk.client import ServiceError
from pksk.engine.service_errors import error_body

from .responses import TOO_LARGE

_EITHER: Final = 32 + zlib.MAX_WBITS  # gzip or zlib, by the header
_GZIP: Final = 16 + zlib.MAX_WBITS
_RAW: Final = -zlib.MAX_WBITS
SMALLEST_BYTES: Final = 1024  # smaller bodies do not shrink by more than the headers and the checksum take
_LEVEL: Final = 1
_QUALITY: Final = re.compile(rb"[01](\.[0-9]{0,3})?")
_CODINGS: Final = (b"gzip", b"deflate")
_MOST_CODINGS: Final = 2


SERIALIZATION_ERROR: Final = 400, error_body(ServiceError("SerializationException"))
_BROKEN: Final = 500, error_body(ServiceError("InternalFailure"))  # AWS's answer too
_TOO_LARGE: Final = 413, TOO_LARGE.encode()


class UnreadableBody(Exception):
    """A body that cannot be decompressed, with the status and body of the answer."""

    def __init__(self, answer: tuple[int, bytes]) -> None:
        super().__init__(*answer)
        self.answer = answer


def read_body(body: bytes, coding: bytes, limit: int) -> bytes:
    """Decompress the body of a request; raises `UnreadableBody`.

    Example:
        >>> import gzip
        >>> read_body(gzip.compress(b"{}"), b"gzip", 100)
        b'{}'
    """
    names = coding.lower().split(b",")
    if len(names) > _MOST_CODINGS:  # each could expand the one before to the limit
        raise UnreadableBody(SERIALIZATION_ERROR)
    for each in reversed(names):
        name = each.strip()
        if name in {b"gzip", b"x-gzip"}:
            body = _inflate(body, _EITHER, limit)
        elif name == b"deflate":
            # Some clients leave out zlib's header of two bytes.
            body = _inflate(body, _EITHER if _has_zlib_head(body) else _RAW, limit)
        elif name not in {b"", b"identity"}:
            raise UnreadableBody(SERIALIZATION_ERROR)
    return body


def accepted_coding(accepts: bytes) -> bytes | None:
    """The best coding for an Accept-Encoding header.

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
    """Compress a body.

    Example:
        >>> len(compress(b"x" * 2000, b"gzip")) < 50
        True
    """
    return zlib.compress(body, _LEVEL, _GZIP if coding == b"gzip" else zlib.MAX_WBITS)


def _inflate(body: bytes, window: int, limit: int) -> bytes:
    machine = zlib.decompressobj(window)
    try:
        out = machine.decompress(body, limit + 1)
    except zlib.error:
        raise UnreadableBody(_BROKEN) from None
    if len(out) > limit:
        raise UnreadableBody(_TOO_LARGE)
    if not machine.eof or machine.unused_data:
        raise UnreadableBody(_BROKEN)
    return out


def _has_zlib_head(body: bytes) -> bool:
    return len(body) >= 2 and body[0] & 0x0F == zlib.DEFLATED and int.from_bytes(body[:2]) % 31 == 0


def _weight(parameters: bytes) -> float:
    name, _, value = parameters.partition(b"=")
    if name.strip() != b"q":
        return 1.0
    return float(value) if _QUALITY.fullmatch(value.strip()) else 0.0
