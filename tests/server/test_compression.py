"""Bodies in gzip and deflate, both ways."""

from __future__ import annotations

import gzip
import zlib

import orjson
import pytest

from pksk.engine import Engine
from pksk.server import Server
from pksk.server.compression import UnreadableBody, accepted_coding, read_body
from tests.server.raw_http import call, connected, exchange
from tests.server.test_connections import TABLE

BODY = b'{"Limit": 1}'
RAW = zlib.compressobj(wbits=-zlib.MAX_WBITS)
PACKED = {
    "gzip": gzip.compress(BODY),
    "GZIP": gzip.compress(BODY),
    "x-gzip": gzip.compress(BODY),
    "deflate": zlib.compress(BODY),
    "identity": BODY,
    "gzip, deflate": zlib.compress(gzip.compress(BODY)),
}


@pytest.fixture
def server(engine: Engine) -> object:
    engine.call("CreateTable", TABLE)
    engine.call("PutItem", {"TableName": "orders", "Item": {"pk": {"S": "7"}, "text": {"S": "x" * 5000}}})
    with Server(engine) as running:
        yield running


@pytest.mark.parametrize("coding", PACKED)
def test_a_request_may_be_packed(server: Server, coding: str) -> None:
    answer = exchange(server, call("ListTables", PACKED[coding], f"Content-Encoding: {coding}"))

    assert (answer.status, answer.json()["TableNames"]) == (200, ["orders"])


def test_deflate_may_lack_its_two_first_bytes() -> None:
    assert read_body(RAW.compress(BODY) + RAW.flush(), b"deflate", 100) == BODY


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", gzip.compress(BODY)[:-1], gzip.compress(BODY) + b"x", gzip.compress(BODY)[:-6] + bytes(6)],
    ids=["none", "plain", "cut", "more", "checksum"],
)
@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_packed_body_that_is_broken_is_an_internal_failure(
    server: Server, body: bytes, coding: str
) -> None:
    answer = exchange(server, call("ListTables", body, f"Content-Encoding: {coding}"))

    assert answer.status == 500
    assert answer.json()["__type"].endswith("#InternalFailure")


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip, gzip"])
def test_an_unknown_coding_is_an_error(server: Server, coding: str) -> None:
    answer = exchange(server, call("ListTables", b"{}", f"Content-Encoding: {coding}"))

    assert (answer.status, answer.json()) == (
        400,
        {"__type": "com.amazon.coral.service#SerializationException"},
    )


def test_a_small_body_that_becomes_too_large_is_refused_and_the_connection_stays(server: Server) -> None:
    bomb = gzip.compress(bytes(16 * 1024 * 1024 + 1))
    with connected(server) as raw:
        raw.send(call("ListTables", bomb, "Content-Encoding: gzip") + call())

        assert [raw.response().status, raw.response().status] == [413, 200]


@pytest.mark.parametrize(
    ("body", "coding", "status"),
    [(b"x", b"gzip", 500), (gzip.compress(bytes(11)), b"gzip", 413), (b"x", b"br", 400)],
)
def test_an_unreadable_body_has_the_status_of_its_reason(body: bytes, coding: bytes, status: int) -> None:
    with pytest.raises(UnreadableBody) as raised:
        read_body(body, coding, 10)

    assert raised.value.answer[0] == status


@pytest.mark.parametrize(
    ("accepts", "coding"),
    [
        (b"gzip", b"gzip"),
        (b"gzip, deflate, br", b"gzip"),
        (b"deflate", b"deflate"),
        (b"gzip;q=0.5, deflate;q=0.8", b"deflate"),
        (b"gzip;q=0", None),
        (b"identity", None),
        (b"*", b"gzip"),
        (b"*;q=0", None),
        (b"gzip;q=nan, deflate;q=1e9", None),
        (b"", None),
        (b",;q=1,", None),
    ],
)
def test_the_coding_of_an_answer_is_one_that_the_client_takes(accepts: bytes, coding: bytes | None) -> None:
    assert accepted_coding(accepts) == coding


@pytest.mark.parametrize(("coding", "unpack"), [("gzip", gzip.decompress), ("deflate", zlib.decompress)])
def test_a_long_answer_is_packed_and_its_checksum_is_of_what_is_sent(
    server: Server, coding: str, unpack: object
) -> None:
    question = orjson.dumps({"TableName": "orders", "Key": {"pk": {"S": "7"}}})
    answer = exchange(server, call("GetItem", question, f"Accept-Encoding: {coding}"))

    assert callable(unpack)
    assert answer.headers["content-encoding"] == coding
    assert answer.headers["x-amz-crc32"] == str(zlib.crc32(answer.body))
    assert len(answer.body) < 200
    assert orjson.loads(unpack(answer.body))["Item"]["text"] == {"S": "x" * 5000}
    assert (
        "content-encoding"
        not in exchange(server, call("ListTables", b"{}", f"Accept-Encoding: {coding}")).headers
    )
