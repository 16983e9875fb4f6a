"""Exchanges of all kinds, each derived from its number."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Final

from .bodies import a_body, a_mark
from .broken_http import BROKEN
from .exchange import ANY, Act, Exchange, Expected
from .framing import Request, framed, plain
from .random_choices import RandomChoices
from .sample_tables import SampleTables

__all__ = ["exchange_of"]

_BROKEN_KINDS: Final = [(kind, make) for kind, _, make in BROKEN]
_BROKEN_WEIGHTS: Final = list(accumulate(weight for _, weight, _ in BROKEN))


def exchange_of(number: int, world: SampleTables) -> Exchange:
    """The exchange of a number."""
    chance = RandomChoices(number)
    made = chance.weighted(_MAKERS, _WEIGHTS)(world, chance)
    made.number = number
    return made


def _requests(world: SampleTables, chance: RandomChoices, most: int) -> list[Request]:
    return [framed(world, a_body(world, chance), chance) for _ in range(chance.number(1, most))]


def _joined(requests: list[Request]) -> tuple[bytes, list[Expected]]:
    return b"".join(request.data for request in requests), [request.expected for request in requests]


def _pipelined(world: SampleTables, chance: RandomChoices) -> Exchange:
    data, expected = _joined(_requests(world, chance, chance.pick([1, 4, 16, 24])))
    steps = chance.pieces(data, chance.number(2, 6)) if chance.is_one_in(10) else [data]
    return Exchange.in_order("pipelined", steps, expected)


def _slow(world: SampleTables, chance: RandomChoices) -> Exchange:
    """A request that comes in many pieces, or byte by byte."""
    data, expected = _joined(_requests(world, chance, 2))
    steps = chance.pieces(data, 40)
    if chance.is_one_in(5):
        mark = plain(world, a_mark(chance))
        data, expected = mark.data, [mark.expected]
        steps = [data[position : position + 1] for position in range(len(data))]
    return Exchange.in_order("slow", steps, expected)


def _half_closed(world: SampleTables, chance: RandomChoices) -> Exchange:
    """Nothing further comes, but the answers are still wanted."""
    data, expected = _joined(_requests(world, chance, 8))
    return Exchange("half-closed", [data, Act.HALF_CLOSE], expected, len(expected), ends=True)


def _last(world: SampleTables, chance: RandomChoices) -> Exchange:
    """A request that closes the connection, followed by bytes of no request."""
    before = _requests(world, chance, 3)
    data, expected = _joined(before)
    body = a_body(world, chance)
    request = plain(world, body, *chance.pick([["Connection: close"], ["Connection: Close, x"], []]))
    last = request.data if b"onnection" in request.data else request.data.replace(b"HTTP/1.1", b"HTTP/1.0", 1)
    behind = chance.pick([b"", b"", chance.noise(40), plain(world, a_mark(chance)).data])
    expected = [*expected, request.expected]
    return Exchange("last request", [data + last + behind], expected, len(expected), ends=True)


def _dropped(world: SampleTables, chance: RandomChoices) -> Exchange:
    """The client is gone: in the midst of a request, or before its answers."""
    data, _ = _joined(_requests(world, chance, 3))
    cut = chance.pick([len(data), chance.number(0, len(data)), chance.number(0, min(200, len(data)))])
    waits = [Act.WAIT] * chance.number(0, 2)
    return Exchange("dropped", [data[:cut], *waits, chance.pick([Act.RESET, Act.CLOSE])], [ANY])


def _broken_off(world: SampleTables, chance: RandomChoices) -> Exchange:
    """Half a request, and no more; whole ones before it are answered."""
    data, expected = _joined(_requests(world, chance, 3))
    rest = plain(world, a_body(world, chance)).data
    cut = rest[: chance.number(0, len(rest) - 1)]
    return Exchange("broken off", [data + cut, Act.HALF_CLOSE], [*expected, ANY], len(expected), ends=True)


def _broken(world: SampleTables, chance: RandomChoices) -> Exchange:
    """No HTTP, alone or after whole requests, with more behind it."""
    kind, make = chance.weighted(_BROKEN_KINDS, _BROKEN_WEIGHTS)
    broken = make(world, chance)
    data, expected = _joined(_requests(world, chance, 4) if chance.number(0, 1) else [])
    whole = data + broken.data
    steps: list[bytes | Act] = [*chance.pieces(whole, 4)] if chance.is_one_in(8) else [whole]
    if broken.ends is None or chance.number(0, 1):
        steps.append(Act.HALF_CLOSE)
    least = len(expected) + broken.least
    return Exchange(kind, steps, [*expected, *broken.expected], least, ends=True)


def _page(world: SampleTables, chance: RandomChoices) -> Exchange:
    """Other methods and paths, between calls."""
    parts: list[Request] = []
    for _ in range(chance.number(1, 6)):
        method = chance.pick(_METHODS)
        address = chance.pick(
            ["/", "/health", "/metrics", "/x", "/?a", "//", "/%00", "/../x", "*", "http://a/health"]
        )
        lines = chance.pick(
            ["", "Accept: text/html\r\n", "Origin: http://a\r\n", "Access-Control-Request-Headers: \xe9\r\n"]
        )
        body = chance.pick(
            ["\r\n", "Content-Length: 2\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"]
        )
        data = f"{method} {address} HTTP/1.1\r\nHost: a\r\n{lines}{body}".encode("latin-1")
        parts.append(Request(data, Expected("page", ANY.statuses, has_body=method != "HEAD")))
        parts.append(framed(world, a_mark(chance), chance))
    return Exchange.in_order("pages", *_joined_steps(parts))


def _joined_steps(parts: list[Request]) -> tuple[list[bytes], list[Expected]]:
    data, expected = _joined(parts)
    return [data], expected


_METHODS: Final = [
    "GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "M-SEARCH", "PURGE", "QUERY",
]  # fmt: skip
_KINDS: Final[list[tuple[float, Callable[[SampleTables, RandomChoices], Exchange]]]] = [
    (60, _pipelined),
    (3, _slow),
    (4, _half_closed),
    (3, _last),
    (5, _dropped),
    (4, _broken_off),
    (17, _broken),
    (3, _page),
]
_MAKERS: Final = [make for _, make in _KINDS]
_WEIGHTS: Final = list(accumulate(weight for weight, _ in _KINDS))
