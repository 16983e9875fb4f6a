"""What is refused, and in which words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.engine.service_errors import error_body
from pksk.server.credentials import AccessKey
from pksk.server.signature_messages import MISMATCH

from .signed_requests import KEY, NOW, Sent, presigned, signed, verdict

INCOMPLETE, INVALID = "IncompleteSignatureException", "InvalidSignatureException"
SESSION = AccessKey("AKIDEXAMPLE", KEY.secret, "the token")


def said(sent: Sent, *keys: AccessKey, **options: object) -> tuple[str, str | None]:
    error = verdict(sent, *keys, **options)  # type: ignore[arg-type]
    assert error is not None
    assert error.status == 400
    return error.code, error.message


@pytest.mark.parametrize("authorization", [None, b"", b"Basic YTpi", b"Bearer x", b"aws4-hmac-sha256 x=y"])
def test_a_request_without_a_signature(authorization: bytes | None) -> None:
    sent = signed().having(b"authorization", authorization)

    assert said(sent) == ("MissingAuthenticationTokenException", "Request is missing Authentication Token")


def test_a_request_signed_in_both_ways() -> None:
    sent = replace(signed(), target=presigned().target)

    assert said(sent) == (
        INVALID,
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
    )


def test_parameters_that_the_header_lacks() -> None:
    sent = signed().having(b"authorization", b"AWS4-HMAC-SHA256 a=b").having(b"x-amz-date", None)

    assert said(sent) == (
        INCOMPLETE,
        "Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' "
        "parameter. Authorization header requires 'SignedHeaders' parameter. Authorization header requires "
        "existence of either a 'X-Amz-Date' or a 'Date' header. (Hashed with SHA-256 and encoded with Base64) "
        "Authorization=tQMSUCqjFonXdxKG2efiX/o+qpOi15V3d11zOi3G62w=",
    )


@pytest.mark.parametrize("name", ["Credential", "Signature", "SignedHeaders"])
def test_a_parameter_that_the_header_lacks(name: str) -> None:
    code, message = said(signed().authorized(name.encode() + b"=", b"Other="))

    assert code == INCOMPLETE
    assert str(message).startswith(f"Authorization header requires '{name}' parameter. (Hashed")


def test_a_part_of_the_header_that_is_not_a_pair() -> None:
    code, message = said(signed().authorized(b"Credential=", b"Credential= "))

    assert code == INCOMPLETE
    assert str(message).startswith(
        "Invalid key=value pair (missing equal-sign) in Authorization header (hashed with SHA-256 and encoded "
        "with Base64): '"
    )


def test_parameters_that_the_query_lacks() -> None:
    assert said(replace(presigned(), target=b"/?X-Amz-Algorithm")) == (
        INCOMPLETE,
        "AWS query-string parameters must include 'X-Amz-Algorithm'. AWS query-string parameters must include "
        "'X-Amz-Credential'. AWS query-string parameters must include 'X-Amz-Signature'. AWS query-string "
        "parameters must include 'X-Amz-SignedHeaders'. AWS query-string parameters must include 'X-Amz-Date'. "
        "Re-examine the query-string parameters.",
    )


@pytest.mark.parametrize(
    "date", ["201", "2026-03-01T12:00:00Z", "20260301T120000", "20261341T999999Z", "\xff"]
)
def test_a_date_that_cannot_be_read(date: str) -> None:
    assert said(signed().having(b"x-amz-date", date.encode("latin-1"))) == (
        INCOMPLETE,
        f"Date must be in ISO-8601 'basic format'. Got '{date}'. See http://en.wikipedia.org/wiki/ISO_8601",
    )


def test_a_signature_past_its_window() -> None:
    assert said(signed(), at=NOW + timedelta(minutes=15, seconds=1)) == (
        INVALID,
        "Signature expired: 20260301T120000Z is now earlier than 20260301T120001Z (20260301T121501Z - 15 min.)",
    )


def test_a_signature_of_a_time_to_come() -> None:
    assert said(signed(), at=NOW - timedelta(minutes=15, seconds=1)) == (
        INVALID,
        "Signature not yet current: 20260301T120000Z is still later than 20260301T115959Z "
        "(20260301T114459Z + 15 min.)",
    )


def test_a_presigned_request_past_its_window() -> None:
    assert said(presigned(expires=60), at=NOW + timedelta(seconds=61)) == (
        INVALID,
        "Signature expired: 20260301T120000Z is now earlier than 20260301T120001Z (20260301T120101Z - 1 min.)",
    )


@pytest.mark.parametrize(
    ("expires", "message"),
    [
        (b"soon", "X-Amz-Expires should be a number"),
        (b"", "X-Amz-Expires should be a number"),
        (b"-1", "X-Amz-Expires must be non-negative"),
        (b"9" * 5000, "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must "
         "be less than 604800 seconds"),
    ],
    ids=["word", "empty", "negative", "huge"],
)  # fmt: skip
def test_a_window_that_cannot_be(expires: bytes, message: str) -> None:
    sent = presigned()
    target = sent.target.replace(b"X-Amz-Expires=3600", b"X-Amz-Expires=" + expires)

    assert said(replace(sent, target=target)) == (INCOMPLETE, message)


@pytest.mark.parametrize("listed", [b"", b"x-amz-date", b"hosts;x-host"])
def test_host_must_be_signed(listed: bytes) -> None:
    sent = signed()
    names = sent.header(b"authorization").split(b"SignedHeaders=")[1].split(b",")[0]

    assert said(sent.authorized(b"SignedHeaders=" + names, b"SignedHeaders=" + listed)) == (
        INVALID,
        "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.",
    )


def test_another_algorithm() -> None:
    assert said(signed().authorized(b"AWS4-HMAC-SHA256", b"AWS4-HMAC-SHA25")) == (
        INCOMPLETE,
        "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). ",
    )


def test_a_credential_of_other_than_five_parts() -> None:
    assert said(signed().authorized(b"/aws4_request", b"")) == (
        INCOMPLETE,
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, "
        "got 'AKIDEXAMPLE/20260301/us-east-1/dynamodb'",
    )


def test_all_that_is_wrong_with_a_scope() -> None:
    sent = signed().authorized(b"/20260301/us-east-1/dynamodb/aws4_request", b"/b/c/d/e")

    assert said(sent, region="us-east-1") == (
        INVALID,
        "Credential should be scoped to a valid region, not 'c'. Credential should be scoped to correct service: "
        "'dynamodb'. Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. Date in "
        "Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: 'b' != '20260301', "
        "from '20260301T120000Z'.",
    )


def test_an_empty_region_is_refused_where_any_will_do() -> None:
    assert said(signed().authorized(b"/us-east-1/", b"//")) == (
        INVALID,
        "Credential should be scoped to a valid region, not ''. ",
    )


def test_another_service() -> None:
    assert said(signed(service="execute-api")) == (
        INVALID,
        "Credential should be scoped to correct service: 'dynamodb'. ",
    )


def test_an_unknown_access_key() -> None:
    assert said(signed(key=AccessKey("OTHER", KEY.secret))) == (
        "UnrecognizedClientException",
        "The security token included in the request is invalid.",
    )


def test_a_signed_header_that_did_not_come() -> None:
    assert said(signed().having(b"x-amz-target", None)) == (
        INCOMPLETE,
        "'x-amz-target' is named as a SignedHeader, but it does not exist in the HTTP request.",
    )


def test_another_secret() -> None:
    assert said(signed(key=AccessKey("AKIDEXAMPLE", "another"))) == (INVALID, MISMATCH)


ALTERED: dict[str, Callable[[Sent], Sent]] = {
    "method": lambda sent: replace(sent, method=b"GET"),
    "path": lambda sent: replace(sent, target=b"/other"),
    "query": lambda sent: replace(sent, target=b"/?a=b"),
    "body": lambda sent: replace(sent, body=b"{ }"),
    "header": lambda sent: sent.having(b"x-amz-target", b"DynamoDB_20120810.DeleteTable"),
    "host": lambda sent: sent.having(b"host", b"localhost"),
    "a second value": lambda sent: replace(sent, headers=(*sent.headers, (b"Content-Type", b"text/plain"))),
    "time": lambda sent: sent.having(b"x-amz-date", b"20260301T120001Z"),
    "region": lambda sent: sent.authorized(b"/us-east-1/", b"/eu-west-1/"),
    "signed headers": lambda sent: sent.authorized(b";x-amz-target", b""),
    "signature": lambda sent: sent.authorized(b"Signature=", b"Signature=0"),
    "signature beyond ASCII": lambda sent: sent.authorized(b"Signature=", b"Signature=\xff"),
}


@pytest.mark.parametrize("what", ALTERED)
def test_a_request_that_was_altered(what: str) -> None:
    assert said(ALTERED[what](signed())) == (INVALID, MISMATCH)


@pytest.mark.parametrize("old", [b"Expires=3600", b"us-east-1", b"T120000Z", b"content-type%3B"])
def test_a_presigned_request_that_was_altered(old: bytes) -> None:
    sent = presigned()
    new = {b"Expires=3600": b"Expires=3601", b"us-east-1": b"us-east-2", b"T120000Z": b"T120001Z"}.get(
        old, b""
    )

    assert said(replace(sent, target=sent.target.replace(old, new))) == (INVALID, MISMATCH)


def test_a_presigned_request_with_a_body_that_was_not_signed() -> None:
    assert said(replace(presigned(), body=b"{}")) == (INVALID, MISMATCH)


def test_a_body_cannot_be_removed_after_signing() -> None:
    sent = signed().having(b"x-amz-content-sha256", b"UNSIGNED-PAYLOAD")

    assert verdict(sent) is None  # said by somebody who did not sign it: the body still counts
    assert said(replace(sent, body=b"other")) == (INVALID, MISMATCH)


@pytest.mark.parametrize(
    "key", [KEY, AccessKey("AKIDEXAMPLE", KEY.secret, "another token")], ids=["none", "another"]
)
@pytest.mark.parametrize("sign", [signed, presigned])
def test_a_session_token_that_is_missing_or_wrong(sign: Callable[..., Sent], key: AccessKey) -> None:
    assert said(sign(key=key), SESSION) == (
        "UnrecognizedClientException",
        "The security token included in the request is invalid",
    )


def test_a_session_token_with_a_key_that_has_none() -> None:
    assert said(signed(key=SESSION), KEY)[0] == "UnrecognizedClientException"


def test_no_answer_holds_a_secret_or_the_right_signature() -> None:
    right = signed().header(b"authorization").rpartition(b"=")[2].decode()
    for alter in ALTERED.values():
        error = verdict(alter(signed()))
        assert error is not None
        assert KEY.secret not in error_body(error).decode()
        assert right not in error_body(error).decode()


def test_errors_go_over_the_wire_as_those_of_the_framework() -> None:
    error = verdict(signed().having(b"authorization", None))

    assert error is not None
    assert error_body(error) == (
        b'{"__type":"com.amazon.coral.service#MissingAuthenticationTokenException",'
        b'"message":"Request is missing Authentication Token"}'
    )


GARBAGE = st.binary(max_size=30) | st.sampled_from(
    [
        b"%",
        b"%zz",
        b"//",
        b"=",
        b",",
        b";;",
        b"\xff\xfe",
        b"0" * 3000,
        b"Sun, 99 Foo 99999 25:61:61 GMT",
        b"-1",
    ]
)


@given(
    st.sampled_from(
        [b"authorization", b"x-amz-date", b"date", b"host", b"x-amz-target", b"x-amz-content-sha256"]
    ),
    GARBAGE,
)
def test_garbage_in_a_header_never_raises(name: bytes, garbage: bytes) -> None:
    sent = signed().having(name, garbage)

    error = verdict(sent if name != b"date" else sent.having(b"x-amz-date", None))

    if error is not None:
        assert error_body(error)


@given(st.sampled_from([b"Credential=", b"SignedHeaders=", b"Signature=", b"AWS4-HMAC-SHA256"]), GARBAGE)
def test_garbage_in_a_parameter_never_raises(where: bytes, garbage: bytes) -> None:
    error = verdict(signed().authorized(where, where + garbage))

    assert error is None or error_body(error)


@given(st.lists(GARBAGE, min_size=5, max_size=5), GARBAGE)
def test_garbage_in_every_part_of_a_credential_never_raises(parts: list[bytes], body: bytes) -> None:
    sent = signed().authorized(b"AKIDEXAMPLE/20260301/us-east-1/dynamodb/aws4_request", b"/".join(parts))

    assert verdict(replace(sent, body=body)) is not None


@given(
    st.sampled_from([b"Algorithm", b"Credential", b"Date", b"Expires", b"SignedHeaders", b"Signature"]),
    GARBAGE,
)
def test_garbage_in_a_query_never_raises(name: bytes, garbage: bytes) -> None:
    sent = presigned()
    target = sent.target.replace(b"X-Amz-%b=" % name, b"X-Amz-%b=%b" % (name, garbage))

    error = verdict(replace(sent, target=target))

    assert error is None or error_body(error)


@given(st.binary(max_size=20), st.binary(max_size=80), st.lists(st.tuples(GARBAGE, GARBAGE), max_size=5))
def test_garbage_alone_never_raises(method: bytes, target: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    assert verdict(Sent(method, target, tuple(headers), b"")) is not None
