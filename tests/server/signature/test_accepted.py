"""Whatever botocore signs is accepted."""

from __future__ import annotations

import string
from datetime import timedelta
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.server.credentials import AccessKey

from .signed_requests import HEADERS, KEY, NOW, presigned, signed, verdict

VISIBLE = "".join(chr(code) for code in range(0x21, 0x7F))
IDS = st.text(string.ascii_letters + string.digits + "_-.=", min_size=1, max_size=40)
SECRETS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=60)
TOKENS = st.none() | st.text(string.ascii_letters + string.digits + "+/=", min_size=1, max_size=80)
KEYS = st.builds(AccessKey, IDS, SECRETS, TOKENS)
REGIONS = st.sampled_from(["us-east-1", "eu-central-1", "local", "ddblocal", "us_gov", "REGION"])
# Spaces anywhere but at the ends, where HTTP has none.
VALUES = st.text(VISIBLE + "  \t", max_size=40).map(str.strip)
NAMES = st.sampled_from(
    ["X-Amz-Meta", "x-custom", "Accept", "Amz-Sdk-Request", "X-Amz-Api-Version", "Cookie"]
)
EXTRA = st.lists(st.tuples(NAMES, VALUES), max_size=5)
UNRESERVED = string.ascii_letters + string.digits + "-._~"
QUERY_TEXT = st.text(UNRESERVED, max_size=10) | st.sampled_from(
    ["%20", "a%2Fb", "%E2%82%AC", "+", "*", "a%2B"]
)
QUERIES = st.lists(st.tuples(QUERY_TEXT.filter(bool), QUERY_TEXT), max_size=5).map(
    lambda pairs: "&".join(f"{name}={value}" for name, value in pairs)
)
HOSTS = st.sampled_from(["http://localhost:8000", "https://127.0.0.1:8443", "http://[::1]:8000"])
PATHS = st.text(UNRESERVED + "/", max_size=12).map(lambda path: "/" + path.lstrip("/"))


@given(KEYS, REGIONS, st.binary(max_size=300), EXTRA, QUERIES, HOSTS, PATHS)
def test_whatever_botocore_signs_in_a_header_is_accepted(
    key: AccessKey, region: str, body: bytes, extra: list[tuple[str, str]], query: str, host: str, path: str
) -> None:
    url = f"{host}{path}?{query}" if query else f"{host}{path}"

    sent = signed(body, key=key, region=region, url=url, headers=[*HEADERS, *extra])

    assert verdict(sent, key) is None


@given(KEYS, REGIONS, EXTRA, st.integers(1, 604_800), HOSTS)
def test_whatever_botocore_signs_in_a_query_is_accepted(
    key: AccessKey, region: str, extra: list[tuple[str, str]], expires: int, host: str
) -> None:
    sent = presigned(key=key, region=region, url=f"{host}/", headers=[*HEADERS, *extra], expires=expires)

    assert verdict(sent, key) is None


@given(st.integers(-900, 900))
def test_a_signature_within_a_quarter_of_an_hour_is_accepted(seconds: int) -> None:
    assert verdict(signed(), at=NOW + timedelta(seconds=seconds)) is None


def test_a_date_header_replaces_x_amz_date() -> None:
    sent = signed(headers=[*HEADERS, ("Date", "any")])

    assert sent.header(b"date").startswith(b"Sun, 01 Mar 2026 12:00:00")
    assert verdict(sent) is None


def test_headers_can_be_in_another_order_and_case() -> None:
    sent = signed()
    turned = [(name.upper(), value) for name, value in reversed(sent.headers)]

    assert verdict(type(sent)(sent.method, sent.target, tuple(turned), sent.body)) is None


def test_unsigned_headers_can_have_any_value() -> None:
    sent = signed().having(b"x-forwarded-for", b"\xff\x00 , ;")

    assert verdict(sent) is None


def test_a_whole_url_in_the_request_line_is_the_same_as_its_path() -> None:
    sent = signed(url="http://localhost:8000/a?b=c")

    assert verdict(type(sent)(sent.method, b"http://localhost:8000/a?b=c", sent.headers, sent.body)) is None


def test_each_of_several_keys_can_sign() -> None:
    other = AccessKey("OTHER", "another secret")

    assert verdict(signed(), KEY, other) is None
    assert verdict(signed(key=other), KEY, other) is None


def test_a_presigned_request_is_accepted_until_it_expires() -> None:
    sent = presigned(expires=7200)

    assert verdict(sent, at=NOW + timedelta(hours=2)) is None


def test_parameters_with_another_encoding_have_the_same_signature() -> None:
    sent = presigned()
    lower = sent.target.replace(b"%2F", b"%2f").replace(b"%3B", b";")

    assert lower != sent.target
    assert verdict(type(sent)(sent.method, lower, sent.headers, sent.body)) is None


@pytest.mark.parametrize("body", [b"", b"{}", b"\x1f\x8b\x00"])
def test_a_request_can_have_the_hash_of_its_body(body: bytes) -> None:
    headers = [*HEADERS, ("X-Amz-Content-SHA256", sha256(body).hexdigest())]

    assert verdict(signed(body, headers=headers)) is None


def test_a_request_with_unsigned_payload_can_have_any_body() -> None:
    sent = signed(headers=[*HEADERS, ("X-Amz-Content-SHA256", "UNSIGNED-PAYLOAD")])

    assert verdict(sent) is None
    assert verdict(type(sent)(sent.method, sent.target, sent.headers, b"other")) is None
