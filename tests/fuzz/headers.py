"""Additional headers of requests, and replacements for the usual ones: data."""

from __future__ import annotations

from typing import Final

from .random_choices import RandomChoices

__all__ = ["EXCHANGED", "HARMLESS", "a_claim"]

# These change nothing of an answer but its form. Of each line, one form or another.
HARMLESS: Final = [
    [f"Accept-Encoding: {each}" for each in ("gzip", "deflate", "gzip;q=0", "*", ",,;=", "br, gzip;q=x", "")],
    ["Accept: */*", "Accept: text/html", "Accept:"],
    ["Origin: http://localhost:3000", "Origin: null"],
    ["Expect: 100-continue"],
    ["x-long: " + "y" * 9000, "x-long: y"],
    ["x-bytes: \xe9\xff\x80"],
    ["x-empty:", "x-spaces: \t  a  \t"],
    ["Connection: keep-alive"],
    ["Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"],
    ["\r\n".join(f"x-{number}: {number}" for number in range(count)) for count in (1, 30, 300)],
]

# The headers of every call, and replacements that make it another call or none.
EXCHANGED: Final[list[tuple[bytes, list[str]]]] = [
    (
        b"X-Amz-Target: DynamoDB",
        ["X-Amz-Target: Dynamo", "X-Other: ", "X-Amz-Target: \xe9", "X-Amz-Target:\r\nX: "],
    ),
    (b"_20120810.", ["_20120810..", ".", "_20111205.", "_20120810.Other", "_20120810." + "x" * 5000]),
    (
        b"application/x-amz-json-1.0",
        [
            "application/json",
            "text/plain",
            "",
            "application/x-amz-json-1.1",
            "a" * 3000,
            "application/cbor",
            "application/x-amz-json-1.0; charset=utf-8",
            "\xe9",
            "multipart/form-data; boundary=x",
        ],
    ),
    (
        b"POST / ",
        [f"POST {each} " for each in ("/x", "//", "/?a=b", "/%", "/?X-Amz-Signature=1", "*", "http://a/")],
    ),
    (
        b"Host: localhost\r\n",
        [
            f"Host: localhost\r\nX-Amz-Date: {each}\r\n"
            for each in ("", "20260101T000000Z", "x", "99999999T999999Z")
        ],
    ),
    (
        b"Host: localhost\r\n",
        [
            f"Host: localhost\r\nContent-Encoding: {each}\r\n"
            for each in ("br", "", "identity", "zstd,", "\xe9")
        ],
    ),
]
_CLAIMED: Final = [
    "AWS4-HMAC-SHA256", "Credential=AKIAFUZZ/20260101/us-east-1/dynamodb/aws4_request", "Credential=a",
    "Credential=", "SignedHeaders=host;x-amz-date", "SignedHeaders=", "SignedHeaders=host;host",
    "Signature=" + "0" * 64, "Signature=", "Signature=\xe9", "AWS4-ECDSA-P256-SHA256", "Bearer abc", "=", ",",
    "Basic Og==", "x" * 2000,
]  # fmt: skip


def a_claim(chance: RandomChoices) -> str:
    """Something after Authorization that looks like a signature, and may be none."""
    parts = (f"{chance.pick(_CLAIMED)}{chance.pick(['', ','])}" for _ in range(chance.number(0, 6)))
    return f"Authorization: {' '.join(parts)}"
