"""Requests in every form that HTTP allows, with responses in order."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from typing import Final, NamedTuple

from .bodies import Body
from .exchange import Expected
from .headers import EXCHANGED, HARMLESS, a_claim
from .random_choices import RandomChoices
from .sample_tables import SampleTables, http_target, signature_headers

__all__ = ["Request", "chunked", "framed", "head", "plain"]

_HOST: Final = b"Host: localhost\r\n"
_RIGHT: Final = frozenset({200})
_CALLED: Final = frozenset({200, 400})
_REFUSED: Final = frozenset({400, 404, 413, 415})
_BROKEN: Final = frozenset({400, 413, 500})  # to a broken gzip body and an unknown coding AWS answers 500


class Request(NamedTuple):
    """The bytes of a request, and the check of its response."""

    data: bytes
    expected: Expected


def head(world: SampleTables, body: Body, *lines: str, sent: bytes | None = None) -> str:
    """The head of a call, but for how long its body is."""
    target = http_target(body.operation)
    if world.signed:
        claim = signature_headers(target, body.body if sent is None else sent)
        lines = (*(f"{name}: {value}" for name, value in claim.items()), *lines)
    more = "".join(f"{line}\r\n" for line in lines)
    return (
        f"POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: {target}\r\n"
        f"Content-Type: application/x-amz-json-1.0\r\n{more}"
    )


def plain(world: SampleTables, body: Body, *lines: str) -> Request:
    """With a Content-Length, as every SDK sends it."""
    first = f"{head(world, body, *lines)}Content-Length: {len(body.body)}\r\n\r\n"
    return Request(first.encode("latin-1") + body.body, _expected(body))


def framed(world: SampleTables, body: Body, chance: RandomChoices) -> Request:
    """In any way that HTTP allows, on a connection that stays open."""
    make = chance.weighted(_MAKERS, _WEIGHTS)
    return plain(world, body) if make is None else make(world, body, chance)


def chunked(body: bytes, chance: RandomChoices) -> bytes:
    """A chunked body, with everything that is allowed between chunks."""
    out = []
    for piece in chance.pieces(body, chance.pick([1, 2, 5, 40])) if body else []:
        size = chance.pick([b"%x", b"%X", b"000%x", b"%x;name=value", b'%x;q="a\\"b"']) % len(piece)
        out.append(size + b"\r\n" + piece + b"\r\n")
    trailer = chance.pick([b"", b"", b"", b"X-Trailer: yes\r\n", b"X-A: b\r\nX: y\r\n"])
    return b"".join(out) + b"0\r\n" + trailer + b"\r\n"


def _expected(body: Body) -> Expected:
    if body.answer is not None:
        return Expected(body.kind, _RIGHT, body.operation, body.answer)
    return Expected(body.kind, _CALLED, body.operation, request_body=body.body)


def _chunked(world: SampleTables, body: Body, chance: RandomChoices) -> Request:
    first = f"{head(world, body)}Transfer-Encoding: {chance.pick(['chunked', 'Chunked'])}\r\n\r\n"
    return Request(first.encode() + chunked(body.body, chance), _expected(body))


def _packed(world: SampleTables, body: Body, chance: RandomChoices) -> Request:
    """Compressed as HTTP defines it, or as many clients do."""
    coding, pack = chance.pick(_PACKERS)
    return _encoded(world, body, coding, pack(body.body), _expected(body))


def _broken_packed(world: SampleTables, body: Body, chance: RandomChoices) -> Request:
    """A body that is declared as compressed, and is not or is incomplete."""
    coding, pack = chance.pick(_PACKERS)
    data = bytearray(pack(body.body))
    way = chance.number(0, 3)
    if way == 0:
        data = data[: chance.number(0, len(data) - 1)]
    elif way == 1:
        data[chance.number(0, len(data) - 1)] ^= 1 << chance.number(0, 7)
    elif way == 2:
        data += chance.noise(chance.number(1, 20))
    else:
        data = bytearray(chance.pick([b"", b"\x1f\x8b", body.body, chance.noise(40)]))
    expected = Expected("broken coding", _BROKEN | {200}, body.operation)
    return _encoded(world, body, coding, bytes(data), expected)


def _bomb(world: SampleTables, body: Body, chance: RandomChoices) -> Request:
    """Little that becomes much: blanks around an object, more or fewer than a body may have."""
    size = chance.pick([1, 15, 17, 64])
    data = _blanks(size)
    statuses = frozenset({413}) if size > 16 else _CALLED
    return _encoded(world, body, "gzip", data, Expected("bomb", statuses, body.operation))


def _gzipped(body: bytes) -> bytes:
    return gzip.compress(body, 6, mtime=0)  # the same every time


@cache
def _blanks(megabytes: int) -> bytes:
    return _gzipped(b"{" + b" " * (megabytes << 20) + b"}")


def _encoded(world: SampleTables, body: Body, coding: str, data: bytes, expected: Expected) -> Request:
    lines = [f"Content-Encoding: {coding}"] if coding else []
    first = f"{head(world, body, *lines, sent=data)}Content-Length: {len(data)}\r\n\r\n"
    return Request(first.encode() + data, expected)


def _with_headers(world: SampleTables, body: Body, chance: RandomChoices) -> Request:
    """With headers that change nothing of the answer but its form."""
    chosen = {chance.number(0, len(HARMLESS) - 1) for _ in range(3)}
    return plain(world, body, *(chance.pick(HARMLESS[each]) for each in sorted(chosen)))


def _odd_call(world: SampleTables, body: Body, chance: RandomChoices) -> Request:
    """With a target, type, coding or claim that makes the call another, or none."""
    old, options = chance.pick(EXCHANGED)
    new = (
        f"Host: localhost\r\n{a_claim(chance)}\r\n"
        if old == _HOST and chance.number(0, 1)
        else chance.pick(options)
    )
    data = plain(world, body).data.replace(old, new.encode("latin-1"), 1)
    statuses = _REFUSED | _CALLED | (_BROKEN if "Content-Encoding" in new else frozenset())
    return Request(data, Expected("odd call", statuses))


_PACKERS: Final[list[tuple[str, Callable[[bytes], bytes]]]] = [
    ("gzip", _gzipped),
    ("GZIP", _gzipped),
    ("x-gzip", _gzipped),
    ("deflate", zlib.compress),
    ("deflate", lambda body: zlib.compress(body, wbits=-15)),
    ("gzip, deflate", lambda body: zlib.compress(_gzipped(body))),
]
_Make = Callable[[SampleTables, Body, RandomChoices], Request]
_KINDS: Final[list[tuple[float, _Make | None]]] = [
    (80, None),
    (8, _chunked),
    (4, _packed),
    (3, _broken_packed),
    (0.05, _bomb),
    (4, _with_headers),
    (4, _odd_call),
]
_MAKERS: Final = [make for _, make in _KINDS]
_WEIGHTS: Final = list(accumulate(weight for weight, _ in _KINDS))
