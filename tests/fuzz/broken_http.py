"""Requests that are not HTTP or break off: rejected with a 4xx, after the responses to earlier requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from .bodies import a_mark
from .exchange import ANY, REJECTED, Expected
from .framing import head, plain
from .random_choices import RandomChoices
from .sample_tables import SampleTables

__all__ = ["BROKEN", "Broken"]

_OVER_BODY: Final = (16 << 20) + 1


class Broken(NamedTuple):
    """Bytes, the checks of their responses, the least number of responses, and whether the connection then ends."""

    data: bytes
    expected: list[Expected]
    least: int
    ends: bool | None


def _rejected(data: bytes) -> Broken:
    """A request that must be rejected, with any bytes after it."""
    return Broken(data, [REJECTED], 1, True)


def _unsure(data: bytes, least: int = 0, most: int = 4) -> Broken:
    """A request that may be accepted, rejected, or waited for."""
    return Broken(data, [ANY] * most, least, None)


def _call(world: SampleTables, chance: RandomChoices, *lines: str) -> tuple[bytes, bytes]:
    """The head of a call, without its end, and its body."""
    body = a_mark(chance)
    return head(world, body, *lines).encode("latin-1"), body.body


def _bad_length(world: SampleTables, chance: RandomChoices) -> Broken:
    first, body = _call(world, chance)
    length = chance.pick([
        b"-1", b"-0", b"0x10", b"1e3", b"5 5", b"five", b"5.0", b"9" * 20, b"9" * 400, b"%d" % _OVER_BODY, b"\xe9",
        b"18446744073709551616", b"+5", b"5;",
    ])  # fmt: skip
    return _rejected(first + b"Content-Length: " + length + b"\r\n\r\n" + body)


def _lengths(world: SampleTables, chance: RandomChoices) -> Broken:
    """Several lengths, or a length and chunks: two readers would see two requests."""
    first, body = _call(world, chance)
    size = len(body)
    lines = chance.pick([
        b"Content-Length: %d\r\nContent-Length: %d" % (size, size + 1),
        b"Content-Length: %d\r\nContent-Length: 0" % size,
        b"Content-Length: %d, %d" % (size, size + 1),
        b"Transfer-Encoding: chunked\r\nContent-Length: %d" % size,
        b"Content-Length: %d\r\nTransfer-Encoding: chunked" % size,
    ])  # fmt: skip
    return _rejected(first + lines + b"\r\n\r\n" + body)


def _short_length(world: SampleTables, chance: RandomChoices) -> Broken:
    """A length that is too small: the rest of the body is not a request."""
    first, body = _call(world, chance)
    cut = chance.number(0, len(body) - 1)
    return Broken(first + b"Content-Length: %d\r\n\r\n" % cut + body, [ANY, REJECTED], 1, None)


def _long_length(world: SampleTables, chance: RandomChoices) -> Broken:
    """A length too large: the rest never comes."""
    first, body = _call(world, chance)
    return _unsure(
        first + b"Content-Length: %d\r\n\r\n" % (len(body) + chance.pick([1, 100, 10**7])) + body, most=1
    )


def _bad_coding(world: SampleTables, chance: RandomChoices) -> Broken:
    first, body = _call(world, chance)
    coding = chance.pick(
        [b"gzip", b"identity", b"xchunked", b"chunked, gzip", b"chunked;q=1", b",", b"\x0bchunked"]
    )
    return _unsure(
        first + b"Transfer-Encoding: " + coding + b"\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    )


def _bad_chunks(world: SampleTables, chance: RandomChoices) -> Broken:
    first, body = _call(world, chance)
    size = b"%x" % len(body)
    chunks = chance.pick([
        b"zz\r\n" + body, b"-1\r\n" + body, b"f" * 17 + b"\r\n" + body, b"\r\n" + body, b" \r\n" + body,
        size + b"\r\n" + body + b"XX", size + b"\r\n" + body + b"0\r\n\r\n", b"0x" + size + b"\r\n" + body,
        b"1000001\r\n" + body, size + b"\x00\r\n" + body, b"2\r\n{}\r\nq\r\n", b"0\r\nno colon\r\n\r\n",
        b"5 5\r\n" + body, size + b";" + b"x" * 70_000, b"0\r\n" + b"x-a: b\r\n" * 20_000 + b"\r\n",
    ])  # fmt: skip
    # Invalid trailers may be detected only at their end.
    return _unsure(first + b"Transfer-Encoding: chunked\r\n\r\n" + chunks, 0)


def _over_body(world: SampleTables, chance: RandomChoices) -> Broken:
    """More than a body may have, and all of it sent."""
    first, _ = _call(world, chance)
    if chance.number(0, 1):
        return _rejected(first + b"Content-Length: %d\r\n\r\n" % _OVER_BODY + b" " * _OVER_BODY)
    return _rejected(
        first + b"Transfer-Encoding: chunked\r\n\r\n" + (b"100000\r\n" + b" " * (1 << 20) + b"\r\n") * 17
    )


def _over_head(world: SampleTables, chance: RandomChoices) -> Broken:
    first, _ = _call(world, chance)
    size = chance.pick([66_000, 200_000, 3_000_000])
    data = chance.pick([
        first + b"x: " + b"y" * size, first + b"x" * size, first + b"x: y\r\n" * (size // 3),
        b"POST /" + b"y" * size, b"G" * size, b"GET /?" + b"a=b&" * (size // 4),
        first + b"x: \r\n" + b" y\r\n" * (size // 2),
    ])  # fmt: skip
    # How much is read before it is counted is the server's own affair, within reason.
    return _rejected(data) if size > 1_000_000 else _unsure(data, most=1)


def _bad_head(world: SampleTables, chance: RandomChoices) -> Broken:
    first, body = _call(world, chance)
    line = chance.pick([
        b"no colon", b": no name", b"two words: x", b"space : x", b"nul: \x00", b"cr: a\rb", b"lf: a\nb", b"\xe9: x",
        b"tab\t: x", b" folded", b"\tfolded: x", b"x: y\n", b"(comment): x", b"x: \x7f\x01", b"Host: other", b"@: x",
    ])  # fmt: skip
    return _unsure(first + line + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def _request_line(world: SampleTables, chance: RandomChoices) -> Broken:
    line = chance.pick([
        b"GET /", b"GET / HTTP/0.9", b"GET / HTTP/2.0", b"GET / HTTP/3", b"GET / HTTP/1.9", b"GET / http/1.1",
        b"GET  / HTTP/1.1", b"GET / HTTP/1.1 ", b"GET HTTP/1.1", b"get / HTTP/1.1", b"FOO / HTTP/1.1", b"/ HTTP/1.1",
        b"GET / HTTP/11", b"\x00", b"GET /\x00 HTTP/1.1", b"GET / FTP/1.1", b"GET \xff\xfe HTTP/1.1",
        b" GET / HTTP/1.1", b"CONNECT a:80 HTTP/1.1", b"GET\t/\tHTTP/1.1", b"GET / HTTP/1.", b"POST",
        b"SOURCE / ICE/1.0", b"PRI * HTTP/2.0", b"GET http://[::1 HTTP/1.1", b"GET a HTTP/1.1", b"OPTIONS * HTTP/1.1",
        b"DESCRIBE / RTSP/1.0", b"M-SEARCH * HTTP/1.1", b"GET /#a HTTP/1.1", b"PUT x HTTP/1.0",
    ])  # fmt: skip
    end = chance.pick([b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r", b"\r\r\n"])
    # No HEAD among them: its answer has no body, which only the client knows.
    return Broken(line + end + b"Host: a" + end + end, [ANY] * 2, 0, None)


def _garbage(world: SampleTables, chance: RandomChoices) -> Broken:
    data = chance.pick([
        chance.noise(chance.number(1, 400)), b"\x00" * chance.number(1, 5000), b"\r\n" * chance.number(1, 40_000),
        _TLS, _HTTP2,
        b"SSH-2.0-OpenSSH_9.6\r\n", b"\xff" * 100, b"{}", b'{"TableName": "orders"}', b"*1\r\n$4\r\nPING\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    ])  # fmt: skip
    return _unsure(data)


def _flipped(world: SampleTables, chance: RandomChoices) -> Broken:
    """A request in order but for a few of its bits."""
    data = bytearray(plain(world, a_mark(chance)).data)
    for _ in range(chance.number(1, 3)):
        data[chance.number(0, len(data) - 1)] ^= 1 << chance.number(0, 7)
    # HEAD cannot come of it: no method of three or four letters is so near to POST.
    return _unsure(bytes(data))


_TLS: Final = bytes.fromhex(
    "16030100f8010000f40303000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"
) + bytes(200)
_HTTP2: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"
BROKEN: Final[list[tuple[str, float, Callable[[SampleTables, RandomChoices], Broken]]]] = [
    ("bad length", 10, _bad_length),
    ("several lengths", 6, _lengths),
    ("short length", 8, _short_length),
    ("long length", 6, _long_length),
    ("bad coding", 5, _bad_coding),
    ("bad chunks", 12, _bad_chunks),
    ("body too large", 0.1, _over_body),
    ("head too large", 0.5, _over_head),
    ("bad head", 12, _bad_head),
    ("request line", 16, _request_line),
    ("garbage", 12, _garbage),
    ("flipped bits", 16, _flipped),
]
