"""The signature examples that AWS publishes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pksk.server.credentials import AccessKey
from pksk.server.signature import Verifier, signing_key
from pksk.server.signature_claim import Scope

KEY = AccessKey("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
AT = datetime(2015, 8, 30, 12, 36, 0, tzinfo=UTC)
Lines = list[tuple[bytes, bytes]]

GET, POST = b"GET", b"POST"
VECTORS: dict[str, tuple[bytes, bytes, Lines, bytes]] = {
    "get-vanilla": (GET, b"/", [], b"5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    "post-vanilla": (POST, b"/", [], b"5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    "get-vanilla-query-order-key-case": (
        GET,
        b"/?Param2=value2&Param1=value1",
        [],
        b"b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ),
    "get-header-key-duplicate": (
        GET,
        b"/",
        [(b"My-Header1", b"value2"), (b"My-Header1", b"value2"), (b"My-Header1", b"value1")],
        b"c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
    ),
    "get-header-value-trim": (
        GET,
        b"/",
        [(b"My-Header1", b" value1"), (b"My-Header2", b' "a   b   c"')],
        b"acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
    ),
    "get-relative-relative": (
        GET,
        b"/example1/example2/../..",
        [],
        b"5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    ),
    "get-slashes": (
        GET,
        b"//example//",
        [],
        b"9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84",
    ),
    "get-unreserved": (
        GET,
        b"/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        [],
        b"07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
    ),
}


@pytest.mark.parametrize("name", VECTORS)
def test_every_published_signature_is_accepted(name: str) -> None:
    method, target, more, signature = VECTORS[name]
    names = sorted({b"host", b"x-amz-date", *(each.lower() for each, _ in more)})
    authorization = (
        b"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
        b"SignedHeaders=%b, Signature=%b" % (b";".join(names), signature)
    )
    headers = [
        (b"Host", b"example.amazonaws.com"),
        (b"X-Amz-Date", b"20150830T123600Z"),
        *more,
        (b"Authorization", authorization),
    ]

    verifier = Verifier({"AKIDEXAMPLE": KEY}, AT.timestamp, service="service")

    assert verifier.verify(method, target, headers, b"") is None


def test_the_published_request_to_iam_is_accepted() -> None:
    headers = [
        (b"host", b"iam.amazonaws.com"),
        (b"content-type", b"application/x-www-form-urlencoded; charset=utf-8"),
        (b"x-amz-date", b"20150830T123600Z"),
        (
            b"authorization",
            b"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
            b"SignedHeaders=content-type;host;x-amz-date, "
            b"Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
        ),
    ]
    verifier = Verifier({"AKIDEXAMPLE": KEY}, AT.timestamp, service="iam")

    assert verifier.verify(b"GET", b"/?Action=ListUsers&Version=2010-05-08", headers, b"") is None


def test_the_published_signing_key_is_derived() -> None:
    scope = Scope("AKIDEXAMPLE", "20150830", "us-east-1", "iam", "aws4_request")

    derived = signing_key(KEY.secret, scope)

    assert derived.hex() == "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9"
