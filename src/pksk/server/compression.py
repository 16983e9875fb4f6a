"""Bodies in gzip and deflate, both ways, and the answers to unreadable ones."""

from __future__ import annotations

import re
import zlib
from typing import Final

from pksk.client import ServiceError
from pksk.engine.service_errors import error_body

from .http import TOO_LARGE

_EITHER: Final = 32 + zlib.MAX_WBITS  # gzip or zlib, by the header
_GZIP: Final = 16 + zlib.MAX_WBITS
_RAW: Final = -zlib.MAX_WBITS
_GZIP_HEAD: Final = b"\x1f\x8b"
SMALLEST_BYTES: Final = 4096  # of a body that is compressed, as on AWS
_LEVEL: Final = 1
_WEIGHT: Final = re.compile(rb"-?[0-9]+(\.[0-9]*)?")
_CODINGS: Final = (b"gzip", b"deflate")
_MAX_CODINGS: Final = 2
_MAX_MEMBERS: Final = 1000  # of a body in gzip; empty ones take time too
_PIECE_BYTES: Final = 64 * 1024


SERIALIZATION_ERROR: Final = 400, error_body(ServiceError("SerializationException"))
_BROKEN: Final = 500, error_body(ServiceError("InternalFailure"))  # AWS's answer too
_TOO_LARGE: Final = 413, TOO_LARGE.encode()


class UnreadableBody(Exception):
    """A body that cannot be decompressed, with the status and body of the answer."""

    def __init__(self, answer: tuple[int, bytes]) -> None:
        super().__init__(*answer)
        self.answer = answer


def read_body(body: bytes, coding: bytes, limit: int) -> bytes:
    """Decompress the body of a request; raises `UnreadableBody`."""
    names = coding.lower().split(b",")
    if len(names) > _MAX_CODINGS:  # each could expand the one before to the limit
        raise UnreadableBody(_BROKEN)
    for each in reversed(names):
        name = each.strip()
        if name in {b"gzip", b"x-gzip"}:
            body = _inflate(body, _EITHER, limit)
        elif name == b"deflate":
            # Some clients leave out zlib's header of two bytes.
            body = _inflate(body, _EITHER if _has_zlib_head(body) else _RAW, limit)
        elif name not in {b"", b"identity"}:
            raise UnreadableBody(_BROKEN)
    return body


def accepted_coding(accepts: bytes) -> bytes | None:
    """The coding for an Accept-Encoding header, as AWS chooses: the one of the highest weight, or of those the first.

    A star stands for a coding that the header does not list, and comes after the ones that it lists.
    """
    split = [each.partition(b";") for each in accepts.lower().split(b",")]
    entries = [(name.strip(), _weight(parameters)) for name, _, parameters in split]
    listed = {name for name, _ in entries}
    others = [coding for coding in _CODINGS if coding not in listed]
    choices: list[tuple[float, bool, int, bytes]] = []
    for order, (name, weight) in enumerate(entries):
        named = others[:1] if name == b"*" else [name]
        choices += [(-weight, name == b"*", order, each) for each in named if each in _CODINGS and weight]
    return min(choices)[-1] if choices else None


def compress(body: bytes, coding: bytes) -> bytes:
    """Compress a body."""
    return zlib.compress(body, _LEVEL, _GZIP if coding == b"gzip" else zlib.MAX_WBITS)


def _inflate(body: bytes, window: int, limit: int) -> bytes:
    """Decompress a body; one in gzip can have several members, and what follows them is ignored."""
    members = _MAX_MEMBERS if body.startswith(_GZIP_HEAD) else 1
    out, at = bytearray(), 0
    for _ in range(members):
        at += _inflate_member(memoryview(body)[at:], window, limit, out)
        if members > 1 and not body.startswith(_GZIP_HEAD, at):
            at = len(body)
        if at == len(body):
            return bytes(out)
    raise UnreadableBody(_BROKEN)


def _inflate_member(body: memoryview, window: int, limit: int, out: bytearray) -> int:
    """Decompress one member, and return its size; in pieces, as each copies what follows the member."""
    machine, at = zlib.decompressobj(window), 0
    while not machine.eof:
        piece = body[at : at + _PIECE_BYTES]
        if not piece:
            raise UnreadableBody(_BROKEN)
        try:
            out += machine.decompress(piece, limit + 1 - len(out))
        except zlib.error:
            raise UnreadableBody(_BROKEN) from None
        if len(out) > limit:
            raise UnreadableBody(_TOO_LARGE)
        at += len(piece) - len(machine.unused_data)
    return at


def _has_zlib_head(body: bytes) -> bool:
    return len(body) >= 2 and body[0] & 0x0F == zlib.DEFLATED and int.from_bytes(body[:2]) % 31 == 0


def _weight(parameters: bytes) -> float:
    """The weight among the parameters of a coding, at most 1; a malformed one is 1 too."""
    for each in parameters.split(b";"):
        name, _, value = each.partition(b"=")
        if name.strip() == b"q":
            value = value.strip()
            return min(1.0, float(value)) if _WEIGHT.fullmatch(value) else 1.0
    return 1.0
