"""Requests are the same however their bytes are cut, and no cut gets past a limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.server import Limits
from pksk.server.request_reader import RequestReader
from tests.server.raw_http import call, get

SMALL = Limits(head_bytes=256, body_bytes=100)
CHUNKED = "Transfer-Encoding: chunked"
STREAM = b"".join(
    [
        call(),
        get("/ping"),
        call("GetItem", b"", CHUNKED, length=False) + b"3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrail: er\r\n\r\n",
        call("Query", b'{"a":1}', "Upgrade: h2c", "Connection: upgrade"),
        get("http://elsewhere/metrics?x", method="HEAD"),
        call("Scan", b"{}", "Connection: close"),
        b"ignored bytes",
    ]
)
ENDLESS = {
    "target": [b"GET /", b"a" * 300, b"a" * 300],
    "value": [b"GET / HTTP/1.1\r\nX: ", b"a" * 300, b"a" * 300],
    "name": [b"GET / HTTP/1.1\r\n", b"a" * 300, b"a" * 300],
    "many at once": [b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200],
    "many": [b"GET / HTTP/1.1\r\n", *[b"X: y\r\n" * 20] * 10],
    "trailer": [
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\nX: ",
        b"a" * 300,
        b"a" * 300,
    ],
    "extension": [b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"a" * 300, b"a" * 300],
}


def read(*pieces: bytes, limits: Limits = SMALL) -> RequestReader:
    reader = RequestReader(limits, time=lambda: 0.0)
    for piece in pieces:
        reader.feed(piece)
    return reader


@given(cuts=st.lists(st.integers(0, len(STREAM)), max_size=40).map(sorted))
def test_requests_are_the_same_however_their_bytes_are_cut(cuts: list[int]) -> None:
    ends = [*cuts, len(STREAM)]
    pieces = [STREAM[begin:end] for begin, end in zip([0, *cuts], ends, strict=True)]

    found = read(*[piece for piece in pieces if piece])

    assert list(found.requests) == list(read(STREAM).requests)
    assert [(each.method, each.target, each.body) for each in found.requests] == [
        (b"POST", b"/", b"{}"),
        (b"GET", b"/ping", b""),
        (b"POST", b"/", b"abcde"),
        (b"POST", b"/", b'{"a":1}'),
        (b"HEAD", b"/metrics?x", b""),
        (b"POST", b"/", b"{}"),
    ]
    assert (found.is_closed, found.rejection) == (True, None)


@given(data=st.binary(max_size=300), cut=st.integers(0, 300))
def test_any_bytes_are_read_or_rejected(data: bytes, cut: int) -> None:
    found = read(call(), data[:cut], data[cut:])

    assert len(found.requests) >= 1
    assert found.rejection is None or found.is_closed


@pytest.mark.parametrize("pieces", ENDLESS.values(), ids=ENDLESS)
def test_an_endless_head_is_rejected(pieces: list[bytes]) -> None:
    assert read(*pieces).rejection == (400, "The headers are too large.")


def test_as_many_bytes_as_a_head_may_have_can_arrive_without_completing_anything() -> None:
    begin, *_ = ENDLESS["extension"]

    assert read(begin, b"a" * SMALL.head_bytes).rejection is None
    assert read(begin, b"a" * SMALL.head_bytes, b"a").rejection == (400, "The headers are too large.")


def test_many_small_headers_are_a_long_head() -> None:
    head = b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * (Limits().head_bytes // 6 + 1) + b"\r\n"

    assert read(head).rejection == (400, "The headers are too large.")


def test_a_long_body_in_small_pieces_does_not_count_as_headers() -> None:
    found = read(call("ListTables", b"", "Content-Length: 100", length=False), *[b"x"] * 99)

    assert (found.rejection, found.in_request) == (None, True)


def test_trailers_are_not_read_as_headers() -> None:
    chunks = b"2\r\n{}\r\n0\r\nX-Amz-Target: DynamoDB_20120810.DeleteTable\r\n\r\n"
    (request,) = read(call("ListTables", b"", CHUNKED, length=False) + chunks).requests

    assert request.by_name[b"x-amz-target"] == b"DynamoDB_20120810.ListTables"
    assert len(request.headers) == len(request.by_name)


def test_many_upgrade_requests_can_arrive_at_once() -> None:
    data = call("Query", b"{}", "Upgrade: h2c", "Connection: upgrade")
    reader = read(data * 2000, limits=Limits())
    assert reader.rejection is None
    assert [request.body for request in reader.requests] == [b"{}"] * 2000
