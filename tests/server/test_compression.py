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
    "gzip": gzip.compress(BODY[:5]) + gzip.compress(b"") + gzip.compress(BODY[5:]),
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
def test_a_request_can_be_compressed(server: Server, coding: str) -> None:
    answer = exchange(server, call("ListTables", PACKED[coding], f"Content-Encoding: {coding}"))

    assert (answer.status, answer.json()["TableNames"]) == (200, ["orders"])


def test_deflate_can_lack_its_header() -> None:
    assert read_body(RAW.compress(BODY) + RAW.flush(), b"deflate", 100) == BODY


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        gzip.compress(BODY)[:-1],
        gzip.compress(BODY)[:-6] + bytes(6),
        gzip.compress(BODY) + gzip.compress(b"")[:-1],
        zlib.compress(BODY) + b"x",
    ],
    ids=["none", "plain", "cut", "checksum", "second member cut", "more"],
)
@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_damaged_compressed_body_is_an_internal_failure(server: Server, body: bytes, coding: str) -> None:
    answer = exchange(server, call("ListTables", body, f"Content-Encoding: {coding}"))

    assert answer.status == 500
    assert answer.json()["__type"].endswith("#InternalFailure")


def test_bytes_after_the_last_member_are_ignored() -> None:
    assert read_body(gzip.compress(BODY) + b"x", b"gzip", 100) == BODY


def test_all_members_together_are_limited() -> None:
    assert read_body(gzip.compress(bytes(5)) * 2, b"gzip", 10) == bytes(10)
    with pytest.raises(UnreadableBody) as raised:
        read_body(gzip.compress(bytes(5)) * 3, b"gzip", 10)

    assert raised.value.answer[0] == 413


def test_a_body_with_very_many_members_is_an_internal_failure() -> None:
    assert read_body(gzip.compress(b"") * 1000, b"gzip", 10) == b""
    with pytest.raises(UnreadableBody) as raised:
        read_body(gzip.compress(b"") * 1001, b"gzip", 10)

    assert raised.value.answer[0] == 500


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip, gzip", "no such coding"])
def test_an_unknown_coding_is_an_internal_failure(server: Server, coding: str) -> None:
    answer = exchange(server, call("ListTables", b"{}", f"Content-Encoding: {coding}"))

    assert (answer.status, answer.json()) == (
        500,
        {"__type": "com.amazonaws.dynamodb.v20120810#InternalFailure"},
    )


@pytest.mark.parametrize("operation", ["ListTables", "DescribeEndpoints"])
def test_a_body_that_is_too_large_after_decompression_is_rejected_and_the_connection_stays_open(
    server: Server, operation: str
) -> None:
    bomb = gzip.compress(bytes(16 * 1024 * 1024 + 1))
    with connected(server) as raw:
        raw.send(call(operation, bomb, "Content-Encoding: gzip") + call())

        assert [raw.response().status, raw.response().status] == [413, 200]


@pytest.mark.parametrize(
    ("body", "coding", "status"),
    [(b"x", b"gzip", 500), (gzip.compress(bytes(11)), b"gzip", 413), (b"x", b"br", 500)],
    ids=[
        "broken",
        "too large",
        "unknown",
    ],  # the bytes of gzip have the time in them, and workers must agree on names
)
def test_the_status_of_an_unreadable_body_shows_the_reason(body: bytes, coding: bytes, status: int) -> None:
    with pytest.raises(UnreadableBody) as raised:
        read_body(body, coding, 10)

    assert raised.value.answer[0] == status


@pytest.mark.parametrize(
    ("accepts", "coding"),
    [
        (b"gzip", b"gzip"),
        (b"GZip", b"gzip"),
        (b"gzip, deflate, br", b"gzip"),
        (b"deflate, gzip", b"deflate"),
        (b"br, deflate", b"deflate"),
        (b"gzip;q=0.5, deflate;q=0.8", b"deflate"),
        (b"deflate;q=0.5, gzip;q=0.5", b"deflate"),
        (b"gzip;q=0", None),
        (b"gzip;q=0.", None),
        (b"gzip;q=0.x", b"gzip"),
        (b"gzip;q=2, deflate", b"gzip"),
        (b"gzip;q=-1, deflate;q=0.1", b"deflate"),
        (b"gzip;q=0;q=1", None),
        (b"gzip;nq=1;q=0", None),
        (b"gzip;q=0, gzip;q=1, gzip;q=0", b"gzip"),
        (b"identity", None),
        (b"identity, gzip;q=0.1", b"gzip"),
        (b"*", b"gzip"),
        (b"*, deflate", b"deflate"),
        (b"*, gzip;q=0.5", b"deflate"),
        (b"*, gzip;q=0.5, deflate;q=0", b"gzip"),
        (b"*;q=0", None),
        (b"x-gzip", None),
        (b'"gzip"', None),
        (b"gzip br", None),
        (b"", None),
        (b",;q=1,", None),
    ],
)
def test_a_response_is_compressed_as_the_client_accepts(accepts: bytes, coding: bytes | None) -> None:
    assert accepted_coding(accepts) == coding


@pytest.mark.parametrize(("coding", "unpack"), [("gzip", gzip.decompress), ("deflate", zlib.decompress)])
def test_a_long_response_is_compressed_and_its_checksum_is_of_the_sent_bytes(
    server: Server, coding: str, unpack: object
) -> None:
    body = orjson.dumps({"TableName": "orders", "Key": {"pk": {"S": "7"}}})
    answer = exchange(server, call("GetItem", body, f"Accept-Encoding: {coding}"))

    assert callable(unpack)
    assert answer.headers["content-encoding"] == coding
    assert answer.headers["x-amz-crc32"] == str(zlib.crc32(answer.body))
    assert len(answer.body) < 200
    assert orjson.loads(unpack(answer.body))["Item"]["text"] == {"S": "x" * 5000}
    assert (
        "content-encoding"
        not in exchange(server, call("ListTables", b"{}", f"Accept-Encoding: {coding}")).headers
    )


@pytest.mark.parametrize(("size", "is_compressed"), [(4096, True), (4095, False)])
def test_only_responses_of_4_kb_and_more_are_compressed(
    server: Server, size: int, is_compressed: bool
) -> None:
    text = "x" * (size - len(b'{"Item":{"pk":{"S":"8"},"text":{"S":""}}}'))
    item = {"pk": {"S": "8"}, "text": {"S": text}}
    exchange(server, call("PutItem", orjson.dumps({"TableName": "orders", "Item": item})))
    body = orjson.dumps({"TableName": "orders", "Key": {"pk": {"S": "8"}}})

    answer = exchange(server, call("GetItem", body, "Accept-Encoding: gzip"))

    assert ("content-encoding" in answer.headers) is is_compressed
    assert len(gzip.decompress(answer.body) if is_compressed else answer.body) == size


def test_of_several_accept_encoding_headers_the_first_counts(server: Server) -> None:
    body = orjson.dumps({"TableName": "orders", "Key": {"pk": {"S": "7"}}})

    answers = [
        exchange(server, call("GetItem", body, *(f"Accept-Encoding: {each}" for each in codings)))
        for codings in (("deflate", "gzip"), ("br", "gzip"))
    ]

    assert [answer.headers.get("content-encoding") for answer in answers] == ["deflate", None]
