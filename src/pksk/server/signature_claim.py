"""The claim of a signature: its key, time, region and service, before it is verified."""

from __future__ import annotations

import re
import time
from base64 import b64encode
from calendar import timegm
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from hashlib import sha256
from typing import Final, NamedTuple

from pksk.client import ServiceError

# The decoded parameters of a query, in their order.
Pairs = Sequence[tuple[bytes, bytes]]

_PREFIX: Final = b"AWS4-"
_IN_HEADER: Final = ("Credential", "Signature", "SignedHeaders")
_IN_QUERY: Final = (
    "X-Amz-Algorithm",
    "X-Amz-Credential",
    "X-Amz-Signature",
    "X-Amz-SignedHeaders",
    "X-Amz-Date",
)


class Claim(NamedTuple):
    """The parts of a signature as the request has them, unchecked."""

    algorithm: bytes
    credential: bytes
    signed_headers: bytes
    signature: bytes
    date: bytes
    expires: bytes | None = None
    token: bytes | None = None
    in_query: bool = False


def read_claim(headers: Mapping[bytes, bytes], pairs: Pairs) -> Claim:
    """The claim of a request; raises AWS's error if it is missing or incomplete."""
    authorization = headers.get(b"authorization", b"").strip()
    query = dict(pairs) if pairs else {}
    if b"X-Amz-Algorithm" in query:
        if authorization:
            raise invalid_signature(
                "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
            )
        return _from_query(query)
    if not authorization or not authorization.startswith(_PREFIX):
        raise ServiceError("MissingAuthenticationTokenException", "Request is missing Authentication Token")
    return _from_header(authorization, headers)


def incomplete_signature(message: str) -> ServiceError:
    """The error of an incomplete or unreadable signature."""
    return ServiceError("IncompleteSignatureException", message)


def invalid_signature(message: str) -> ServiceError:
    """The error of a wrong signature."""
    return ServiceError("InvalidSignatureException", message)


def _from_header(authorization: bytes, headers: Mapping[bytes, bytes]) -> Claim:
    algorithm, *parts = authorization.replace(b",", b" ").split()
    fields: dict[bytes, bytes] = {}
    for part in parts:
        name, equals, value = part.partition(b"=")
        if not equals:
            raise incomplete_signature(
                "Invalid key=value pair (missing equal-sign) in Authorization header (hashed with SHA-256 and "
                f"encoded with Base64): '{_hash(authorization)}'."
            )
        fields[name] = value
    credential, signature = fields.get(b"Credential"), fields.get(b"Signature")
    signed = fields.get(b"SignedHeaders")
    date = headers.get(b"x-amz-date") or headers.get(b"date")
    if not (credential and signature and date) or signed is None:
        present = (credential, signature, signed is not None)
        missing = [name for name, value in zip(_IN_HEADER, present, strict=True) if not value]
        problems = "".join(f"Authorization header requires '{name}' parameter. " for name in missing)
        if not date:
            problems += (
                "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
            )
        raise incomplete_signature(
            f"{problems}(Hashed with SHA-256 and encoded with Base64) Authorization={_hash(authorization)}"
        )
    token = headers.get(b"x-amz-security-token")
    return Claim(algorithm, credential, signed, signature, date, token=token)


def _hash(authorization: bytes) -> str:
    return b64encode(sha256(authorization).digest()).decode()


def _from_query(query: Mapping[bytes, bytes]) -> Claim:
    values = [query.get(name.encode(), b"") for name in _IN_QUERY]
    if not all(values):
        missing = [name for name, value in zip(_IN_QUERY, values, strict=True) if not value]
        problems = "".join(f"AWS query-string parameters must include '{name}'. " for name in missing)
        raise incomplete_signature(f"{problems}Re-examine the query-string parameters.")
    algorithm, credential, signature, signed, date = values
    expires, token = query.get(b"X-Amz-Expires"), query.get(b"X-Amz-Security-Token")
    return Claim(algorithm, credential, signed, signature, date, expires, token, in_query=True)


_SKEW_SECONDS: Final = 15 * 60
_LONGEST_SECONDS: Final = 7 * 24 * 60 * 60
_BASIC: Final = re.compile(r"\d{8}T\d{6}Z", re.ASCII)
_FORMAT: Final = "%Y%m%dT%H%M%SZ"
_MAX_DIGITS: Final = 9


def signing_time(claim: Claim, now: int) -> str:
    """When a request was signed, in ISO 8601's basic format; raises AWS's error unless that is about now."""
    date, seconds = _parse_date(claim.date.decode("latin-1"))
    window = _SKEW_SECONDS if claim.expires is None else _window(claim.expires.decode("latin-1"))
    if seconds < now - window:
        earliest, minutes = _format_date(now - window), window / 60
        raise invalid_signature(
            f"Signature expired: {date} is now earlier than {earliest} ({_format_date(now)} - {minutes:g} min.)"
        )
    if seconds > now + _SKEW_SECONDS:
        latest, minutes = _format_date(now + _SKEW_SECONDS), _SKEW_SECONDS / 60
        raise invalid_signature(
            f"Signature not yet current: {date} is still later than {latest} "
            f"({_format_date(now)} + {minutes:g} min.)"
        )
    return date


@lru_cache(maxsize=64)  # strptime takes a third of a verification, and the requests of a second share a date
def _parse_date(text: str) -> tuple[str, int]:
    """A date in ISO 8601's basic format, and its seconds since 1970."""
    try:
        if _BASIC.fullmatch(text):
            return text, timegm(time.strptime(text, _FORMAT))
        moment = parsedate_to_datetime(text)  # the format of a Date header
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        return moment.strftime(_FORMAT), int(moment.timestamp())
    except (ValueError, OverflowError, IndexError, TypeError):
        raise incomplete_signature(
            f"Date must be in ISO-8601 'basic format'. Got '{text}'. See http://en.wikipedia.org/wiki/ISO_8601"
        ) from None


def _window(expires: str) -> int:
    """A lifetime in seconds; the errors are in the words of S3, which are more precise."""
    if not expires.isascii() or not expires.lstrip("-").isdigit():
        raise incomplete_signature("X-Amz-Expires should be a number")
    if expires.startswith("-"):
        raise incomplete_signature("X-Amz-Expires must be non-negative")
    if len(expires) > _MAX_DIGITS or int(expires) > _LONGEST_SECONDS:
        raise incomplete_signature(
            "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less "
            "than 604800 seconds"
        )
    return int(expires)


def _format_date(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime(_FORMAT)


_TERMINATOR: Final = "aws4_request"
_PARTS: Final = 5


class Scope(NamedTuple):
    """The parts of a credential."""

    key_id: str
    day: str
    region: str
    service: str
    terminator: str

    @property
    def text(self) -> str:
        """The scope without the key, as it is signed."""
        return f"{self.day}/{self.region}/{self.service}/{self.terminator}"


def read_scope(credential: bytes) -> Scope:
    """The parts of a credential; slashes at its end are ignored."""
    text = credential.decode("latin-1")
    parts = text.rstrip("/").split("/")
    if len(parts) != _PARTS:
        raise incomplete_signature(
            "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, "
            f"got '{text}'"
        )
    return Scope(*parts)


def check_scope(scope: Scope, date: str, region: str | None, service: str) -> None:
    """Raise AWS's error, with all problems, for a scope of another day, region or service.

    Without a `region`, any region is right that is not empty.
    """
    problems = ""
    if not scope.region or (region is not None and scope.region != region):
        problems += f"Credential should be scoped to a valid region, not '{scope.region}'. "
    if scope.service != service:
        problems += f"Credential should be scoped to correct service: '{service}'. "
    if scope.terminator != _TERMINATOR:
        problems += (
            f"Credential should be scoped with a valid terminator: 'aws4_request', not '{scope.terminator}'. "
        )
    if scope.day != date[:8]:
        problems += (
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
            f"'{scope.day}' != '{date[:8]}', from '{date}'."
        )
    if problems:
        raise invalid_signature(problems)
