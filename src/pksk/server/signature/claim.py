"""What a request says of its signature, in the Authorization header or in its query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from pksk.client import ServiceError

from .texts import BOTH_FORMS, NO_TOKEN, header_incomplete, no_pair, query_incomplete

__all__ = ["Claim", "Pairs", "claim_of", "incomplete", "invalid"]

# A query's parameters in their order, decoded.
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
    """By whom, when and over which headers a request was signed, as it says itself; nothing is checked yet."""

    algorithm: bytes
    credential: bytes
    signed_headers: bytes
    signature: bytes
    date: bytes
    expires: bytes | None = None
    token: bytes | None = None
    in_query: bool = False


def claim_of(headers: Mapping[bytes, bytes], pairs: Pairs) -> Claim:
    """The claim of a request; raises what AWS says where there is none, or not all of one."""
    authorization = headers.get(b"authorization", b"").strip()
    query = dict(pairs) if pairs else {}
    if b"X-Amz-Algorithm" in query:
        if authorization:
            raise invalid(BOTH_FORMS)
        return _from_query(query)
    if not authorization or not authorization.startswith(_PREFIX):
        raise ServiceError("MissingAuthenticationTokenException", NO_TOKEN)
    return _from_header(authorization, headers)


def incomplete(message: str) -> ServiceError:
    """An error of a signature that lacks something, or cannot be read."""
    return ServiceError("IncompleteSignatureException", message)


def invalid(message: str) -> ServiceError:
    """An error of a signature that is wrong."""
    return ServiceError("InvalidSignatureException", message)


def _from_header(authorization: bytes, headers: Mapping[bytes, bytes]) -> Claim:
    algorithm, *parts = authorization.replace(b",", b" ").split()
    given: dict[bytes, bytes] = {}
    for part in parts:
        name, equals, value = part.partition(b"=")
        if not equals:
            raise incomplete(no_pair(authorization))
        given[name] = value
    credential, signature = given.get(b"Credential"), given.get(b"Signature")
    signed = given.get(b"SignedHeaders")
    date = headers.get(b"x-amz-date") or headers.get(b"date")
    if not (credential and signature and date) or signed is None:
        found = (credential, signature, None if signed is None else b"some")
        missing = [name for name, value in zip(_IN_HEADER, found, strict=True) if not value]
        raise incomplete(header_incomplete(missing, authorization, dated=bool(date)))
    token = headers.get(b"x-amz-security-token")
    return Claim(algorithm, credential, signed, signature, date, token=token)


def _from_query(query: Mapping[bytes, bytes]) -> Claim:
    values = [query.get(name.encode(), b"") for name in _IN_QUERY]
    if not all(values):
        missing = [name for name, value in zip(_IN_QUERY, values, strict=True) if not value]
        raise incomplete(query_incomplete(missing))
    algorithm, credential, signature, signed, date = values
    expires, token = query.get(b"X-Amz-Expires"), query.get(b"X-Amz-Security-Token")
    return Claim(algorithm, credential, signed, signature, date, expires, token, in_query=True)
