"""Requests as botocore signs them, in the form in which a server gets them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from unittest import mock
from urllib.parse import urlsplit

from botocore.auth import SigV4Auth, SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from pksk.client import ServiceError
from pksk.server.credentials import AccessKey
from pksk.server.signature import Verifier

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
KEY = AccessKey("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
Lines = Sequence[tuple[str, str]]
HEADERS: Lines = (
    ("Content-Type", "application/x-amz-json-1.0"),
    ("X-Amz-Target", "DynamoDB_20120810.ListTables"),
)


@dataclass(frozen=True)
class Sent:
    """The parts of a request that a signature is about."""

    method: bytes
    target: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    def having(self, name: bytes, value: bytes | None) -> Sent:
        """The same with another value of a header, or without it."""
        kept = tuple(each for each in self.headers if each[0].lower() != name)
        return replace(self, headers=kept if value is None else (*kept, (name, value)))

    def header(self, name: bytes) -> bytes:
        return next(value for each, value in self.headers if each.lower() == name)

    def authorized(self, old: bytes, new: bytes) -> Sent:
        """The same with some text of its Authorization header replaced."""
        return self.having(b"authorization", self.header(b"authorization").replace(old, new))


def signed(
    body: bytes = b"{}",
    *,
    key: AccessKey = KEY,
    url: str = "http://localhost:8000/",
    headers: Lines = HEADERS,
    method: str = "POST",
    region: str = "us-east-1",
    service: str = "dynamodb",
    at: datetime = NOW,
) -> Sent:
    """A request with botocore's Authorization header."""
    request = _request(method, url, body, headers)
    with _time(at):
        SigV4Auth(_credentials(key), service, region).add_auth(request)
    return _sent(request, body)


def presigned(
    *,
    key: AccessKey = KEY,
    url: str = "http://localhost:8000/",
    headers: Lines = HEADERS,
    region: str = "us-east-1",
    expires: int = 3600,
    at: datetime = NOW,
) -> Sent:
    """A request without body with botocore's query parameters."""
    request = _request("POST", url, b"", headers)
    with _time(at):
        SigV4QueryAuth(_credentials(key), "dynamodb", region, expires=expires).add_auth(request)
    return _sent(request, b"")


def verdict(
    sent: Sent, *keys: AccessKey, at: datetime = NOW, region: str | None = None
) -> ServiceError | None:
    """What a verifier that knows these keys says of a request."""
    verifier = Verifier({key.key_id: key for key in keys or (KEY,)}, at.timestamp, region=region)
    return verifier.verify(sent.method, sent.target, sent.headers, sent.body)


def _request(method: str, url: str, body: bytes, headers: Lines) -> AWSRequest:
    request = AWSRequest(method, url, data=body)
    for name, value in headers:
        request.headers.add_header(name, value)
    return request


def _credentials(key: AccessKey) -> Credentials:
    return Credentials(key.key_id, key.secret, key.session_token)


@contextmanager
def _time(at: datetime) -> Iterator[None]:
    with mock.patch("botocore.auth.get_current_datetime", return_value=at.replace(tzinfo=None)):
        yield


def _sent(request: AWSRequest, body: bytes) -> Sent:
    parts = urlsplit(request.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = [(name.encode(), str(value).encode("latin-1")) for name, value in request.headers.items()]
    return Sent(request.method.encode(), target.encode(), ((b"Host", parts.netloc.encode()), *headers), body)
