"""AWS's messages about signatures, word for word."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

NO_TOKEN: Final = "Request is missing Authentication Token"
BOTH_FORMS: Final = "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
DATE_MISSING: Final = "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
HOST_NOT_SIGNED: Final = "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."
MISMATCH: Final = (
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret "
    "Access Key and signing method. Consult the service documentation for details."
)
# AWS writes one with a full stop and the other one without.
UNKNOWN_KEY: Final = "The security token included in the request is invalid."
WRONG_TOKEN: Final = "The security token included in the request is invalid"


def not_a_pair(authorization: bytes) -> str:
    """A part of the header is not a key=value pair; AWS shows the hash of the header."""
    return (
        "Invalid key=value pair (missing equal-sign) in Authorization header (hashed with SHA-256 and encoded "
        f"with Base64): '{_hash(authorization)}'."
    )


def header_incomplete(missing: Sequence[str], authorization: bytes, *, has_date: bool) -> str:
    """The header lacks parameters, or the request lacks a date."""
    problems = "".join(f"Authorization header requires '{name}' parameter. " for name in missing)
    date = "" if has_date else DATE_MISSING
    return (
        f"{problems}{date}(Hashed with SHA-256 and encoded with Base64) Authorization={_hash(authorization)}"
    )


def query_incomplete(missing: Sequence[str]) -> str:
    """The query lacks parameters."""
    problems = "".join(f"AWS query-string parameters must include '{name}'. " for name in missing)
    return f"{problems}Re-examine the query-string parameters."


def not_iso_8601(date: str) -> str:
    """The date of the request is unreadable."""
    return f"Date must be in ISO-8601 'basic format'. Got '{date}'. See http://en.wikipedia.org/wiki/ISO_8601"


def expired(date: str, earliest: str, now: str, minutes: float) -> str:
    """The signature is too old."""
    return f"Signature expired: {date} is now earlier than {earliest} ({now} - {minutes:g} min.)"


def not_yet_current(date: str, latest: str, now: str, minutes: float) -> str:
    """The signature is from the future."""
    return f"Signature not yet current: {date} is still later than {latest} ({now} + {minutes:g} min.)"


def wrong_expiry(expires: str) -> str:
    """The lifetime is not a number of seconds up to a week; in the words of S3, which are more precise."""
    if not expires.isascii() or not expires.lstrip("-").isdigit():
        return "X-Amz-Expires should be a number"
    if expires.startswith("-"):
        return "X-Amz-Expires must be non-negative"
    return (
        "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than "
        "604800 seconds"
    )


def header_missing(name: str) -> str:
    """A signed header is missing."""
    return f"'{name}' is named as a SignedHeader, but it does not exist in the HTTP request."


def unsupported_algorithm(name: str) -> str:
    """The request has a signature of another algorithm."""
    return f"Unsupported AWS 'algorithm': '{name}' (only AWS4-HMAC-SHA256 for now). "


def wrong_credential(credential: str) -> str:
    """The credential does not have five parts."""
    return (
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, "
        f"got '{credential}'"
    )


def wrong_region(region: str) -> str:
    """The credential is scoped to another region."""
    return f"Credential should be scoped to a valid region, not '{region}'. "


def wrong_service(expected: str) -> str:
    """The credential is scoped to another service."""
    return f"Credential should be scoped to correct service: '{expected}'. "


def wrong_terminator(terminator: str) -> str:
    """The credential has the wrong last part."""
    return f"Credential should be scoped with a valid terminator: 'aws4_request', not '{terminator}'. "


def wrong_date(scoped: str, day: str, date: str) -> str:
    """The credential is scoped to another day."""
    return (
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
        f"'{scoped}' != '{day}', from '{date}'."
    )


def _hash(authorization: bytes) -> str:
    return b64encode(sha256(authorization).digest()).decode()
