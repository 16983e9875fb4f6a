"""Requests with an invalid signature, and the messages of their errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.engine.service_errors import error_body
from pksk.server.credentials import AccessKey
from pksk.server.signature import MISMATCH

from .signed_requests import KEY, NOW, Sent, presigned, signed, verdict

INCOMPLETE, INVALID = "IncompleteSignatureException", "InvalidSignatureException"
SESSION = AccessKey("AKIDEXAMPLE", KEY.secret, "the token")


def error_of(sent: Sent, *keys: AccessKey, **options: object) -> tuple[str, str | None]:
    error = verdict(sent, *keys, **options)  # type: ignore[arg-type]
    assert error is not None
    assert error.status == 400
    return error.code, error.message


@pytest.mark.parametrize("authorization", [None, b"", b"Basic YTpi", b"Bearer x", b"aws4-hmac-sha256 x=y"])
def test_a_request_without_a_signature_is_rejected(authorization: bytes | None) -> None:
    sent = signed().having(b"authorization", authorization)

    assert error_of(sent) == (
        "MissingAuthenticationTokenException",
        "Request is missing Authentication Token",
    )


def test_a_request_with_two_signatures_is_rejected() -> None:
    sent = replace(signed(), target=presigned().target)

    assert error_of(sent) == (
        INVALID,
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
    )


def test_missing_parameters_of_the_header_are_listed() -> None:
    sent = signed().having(b"authorization", b"AWS4-HMAC-SHA256 a=b").having(b"x-amz-date", None)

    assert error_of(sent) == (
        INCOMPLETE,
        "Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' "
        "parameter. Authorization header requires 'SignedHeaders' parameter. Authorization header requires "
        "existence of either a 'X-Amz-Date' or a 'Date' header. (Hashed with SHA-256 and encoded with Base64) "
        "Authorization=tQMSUCqjFonXdxKG2efiX/o+qpOi15V3d11zOi3G62w=",
    )


@pytest.mark.parametrize("name", ["Credential", "Signature", "SignedHeaders"])
def test_a_missing_parameter_of_the_header_is_named(name: str) -> None:
    code, message = error_of(signed().authorized(name.encode() + b"=", b"Other="))

    assert code == INCOMPLETE
    assert str(message).startswith(f"Authorization header requires '{name}' parameter. (Hashed")


def test_a_part_of_the_header_that_is_not_a_pair_is_rejected() -> None:
    code, message = error_of(signed().authorized(b"Credential=", b"Credential= "))

    assert code == INCOMPLETE
    assert str(message).startswith(
        "Invalid key=value pair (missing equal-sign) in Authorization header (hashed with SHA-256 and encoded "
        "with Base64): '"
    )


def test_missing_parameters_of_the_query_are_listed() -> None:
    assert error_of(replace(presigned(), target=b"/?X-Amz-Algorithm")) == (
        INCOMPLETE,
        "AWS query-string parameters must include 'X-Amz-Algorithm'. AWS query-string parameters must include "
        "'X-Amz-Credential'. AWS query-string parameters must include 'X-Amz-Signature'. AWS query-string "
        "parameters must include 'X-Amz-SignedHeaders'. AWS query-string parameters must include 'X-Amz-Date'. "
        "Re-examine the query-string parameters.",
    )


@pytest.mark.parametrize(
    "date", ["201", "2026-03-01T12:00:00Z", "20260301T120000", "20261341T999999Z", "\xff"]
)
def test_an_invalid_date_is_rejected(date: str) -> None:
    assert error_of(signed().having(b"x-amz-date", date.encode("latin-1"))) == (
        INCOMPLETE,
        f"Date must be in ISO-8601 'basic format'. Got '{date}'. See http://en.wikipedia.org/wiki/ISO_8601",
    )


def test_an_expired_signature_is_rejected() -> None:
    assert error_of(signed(), at=NOW + timedelta(minutes=15, seconds=1)) == (
        INVALID,
        "Signature expired: 20260301T120000Z is now earlier than 20260301T120001Z (20260301T121501Z - 15 min.)",
    )


def test_a_signature_of_the_future_is_rejected() -> None:
    assert error_of(signed(), at=NOW - timedelta(minutes=15, seconds=1)) == (
        INVALID,
        "Signature not yet current: 20260301T120000Z is still later than 20260301T115959Z "
        "(20260301T114459Z + 15 min.)",
    )


def test_an_expired_presigned_request_is_rejected() -> None:
    assert error_of(presigned(expires=60), at=NOW + timedelta(seconds=61)) == (
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
def test_an_invalid_expiry_of_a_presigned_request_is_rejected(expires: bytes, message: str) -> None:
    sent = presigned()
    target = sent.target.replace(b"X-Amz-Expires=3600", b"X-Amz-Expires=" + expires)

    assert error_of(replace(sent, target=target)) == (INCOMPLETE, message)


@pytest.mark.parametrize("listed", [b"", b"x-amz-date", b"hosts;x-host"])
def test_host_must_be_signed(listed: bytes) -> None:
    sent = signed()
    names = sent.header(b"authorization").split(b"SignedHeaders=")[1].split(b",")[0]

    assert error_of(sent.authorized(b"SignedHeaders=" + names, b"SignedHeaders=" + listed)) == (
        INVALID,
        "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.",
    )


def test_another_algorithm_is_rejected() -> None:
    assert error_of(signed().authorized(b"AWS4-HMAC-SHA256", b"AWS4-HMAC-SHA25")) == (
        INCOMPLETE,
        "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). ",
    )


def test_a_credential_must_have_five_parts() -> None:
    assert error_of(signed().authorized(b"/aws4_request", b"")) == (
        INCOMPLETE,
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, "
        "got 'AKIDEXAMPLE/20260301/us-east-1/dynamodb'",
    )


def test_all_errors_of_a_scope_are_listed() -> None:
    sent = signed().authorized(b"/20260301/us-east-1/dynamodb/aws4_request", b"/b/c/d/e")

    assert error_of(sent, region="us-east-1") == (
        INVALID,
        "Credential should be scoped to a valid region, not 'c'. Credential should be scoped to correct service: "
        "'dynamodb'. Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. Date in "
        "Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: 'b' != '20260301', "
        "from '20260301T120000Z'.",
    )


def test_an_empty_region_is_rejected_even_if_any_region_is_valid() -> None:
    assert error_of(signed().authorized(b"/us-east-1/", b"//")) == (
        INVALID,
        "Credential should be scoped to a valid region, not ''. ",
    )


def test_another_service_is_rejected() -> None:
    assert error_of(signed(service="execute-api")) == (
        INVALID,
        "Credential should be scoped to correct service: 'dynamodb'. ",
    )


def test_an_unknown_access_key_is_rejected() -> None:
    assert error_of(signed(key=AccessKey("OTHER", KEY.secret))) == (
        "UnrecognizedClientException",
        "The security token included in the request is invalid.",
    )


def test_a_missing_signed_header_is_rejected() -> None:
    assert error_of(signed().having(b"x-amz-target", None)) == (
        INCOMPLETE,
        "'x-amz-target' is named as a SignedHeader, but it does not exist in the HTTP request.",
    )


def test_a_signature_with_another_secret_is_rejected() -> None:
    assert error_of(signed(key=AccessKey("AKIDEXAMPLE", "another"))) == (INVALID, MISMATCH)


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
def test_an_altered_request_is_rejected(what: str) -> None:
    assert error_of(ALTERED[what](signed())) == (INVALID, MISMATCH)


@pytest.mark.parametrize("old", [b"Expires=3600", b"us-east-1", b"T120000Z", b"content-type%3B"])
def test_an_altered_presigned_request_is_rejected(old: bytes) -> None:
    sent = presigned()
    new = {b"Expires=3600": b"Expires=3601", b"us-east-1": b"us-east-2", b"T120000Z": b"T120001Z"}.get(
        old, b""
    )

    assert error_of(replace(sent, target=sent.target.replace(old, new))) == (INVALID, MISMATCH)


def test_a_presigned_request_with_an_unsigned_body_is_rejected() -> None:
    assert error_of(replace(presigned(), body=b"{}")) == (INVALID, MISMATCH)


def test_a_body_cannot_be_removed_after_signing() -> None:
    sent = signed().having(b"x-amz-content-sha256", b"UNSIGNED-PAYLOAD")

    assert verdict(sent) is None  # not signed: the body still counts
    assert error_of(replace(sent, body=b"other")) == (INVALID, MISMATCH)


@pytest.mark.parametrize(
    "key", [KEY, AccessKey("AKIDEXAMPLE", KEY.secret, "another token")], ids=["none", "another"]
)
@pytest.mark.parametrize("sign", [signed, presigned])
def test_a_missing_or_wrong_session_token_is_rejected(sign: Callable[..., Sent], key: AccessKey) -> None:
    assert error_of(sign(key=key), SESSION) == (
        "UnrecognizedClientException",
        "The security token included in the request is invalid",
    )


def test_a_session_token_for_a_key_without_one_is_rejected() -> None:
    assert error_of(signed(key=SESSION), KEY)[0] == "UnrecognizedClientException"


def test_no_response_contains_a_secret_or_the_valid_signature() -> None:
    right = signed().header(b"authorization").rpartition(b"=")[2].decode()
    for alter in ALTERED.values():
        error = verdict(alter(signed()))
        assert error is not None
        assert KEY.secret not in error_body(error).decode()
        assert right not in error_body(error).decode()


def test_errors_have_the_body_of_a_coral_error() -> None:
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
def test_garbage_without_a_request_never_raises(
    method: bytes, target: bytes, headers: list[tuple[bytes, bytes]]
) -> None:
    assert verdict(Sent(method, target, tuple(headers), b"")) is not None
