"""Requests in the one form that is signed, however they are written on the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

from .claim import Claim, Pairs, incomplete, invalid
from .texts import HOST_NOT_SIGNED, header_missing

__all__ = [
    "by_name",
    "canonical_headers",
    "canonical_path",
    "canonical_query",
    "payload_hash",
    "query_pairs",
    "raw_query",
    "signed_names",
    "split_target",
]

_UNSIGNED: Final = b"UNSIGNED-PAYLOAD"
_SIGNATURE: Final = b"X-Amz-Signature"
_CONTENT_HASH: Final = b"x-amz-content-sha256"


def split_target(target: bytes) -> tuple[bytes, bytes]:
    """The path and the query of what stands in a request line, which may be a whole URL."""
    path, _, query = target.partition(b"?")
    if not path.startswith(b"/"):
        _, _, rest = path.partition(b"://")
        path = b"/" + rest.partition(b"/")[2]
    return path, query


def by_name(headers: Sequence[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers by their names in small letters; the values of one that came several times stand in their order."""
    found = {name.lower(): value for name, value in headers}
    if len(found) < len(headers):
        values: dict[bytes, list[bytes]] = {}
        for name, value in headers:
            values.setdefault(name.lower(), []).append(_trimmed(value))
        found = {name: b",".join(each) for name, each in values.items()}
    return found


def query_pairs(query: bytes) -> list[tuple[bytes, bytes]]:
    """The parameters of a query in their order, decoded."""
    parts = [part.partition(b"=") for part in query.split(b"&") if part]
    return [(unquote_to_bytes(name), unquote_to_bytes(value)) for name, _, value in parts]


def canonical_path(path: bytes) -> bytes:
    """A path without dots and doubled slashes, encoded once more than it is."""
    if path == b"/":
        return path
    kept: list[bytes] = []
    for part in path.split(b"/"):
        if part == b"..":
            del kept[-1:]
        elif part not in {b"", b"."}:
            kept.append(part)
    end = "/" if kept and path.endswith(b"/") else ""
    return f"/{quote_from_bytes(b'/'.join(kept), safe='/~')}{end}".encode()


def canonical_query(pairs: Pairs) -> bytes:
    """The parameters but the signature, each encoded in the one strict way, in order."""
    encoded = [
        (quote_from_bytes(name, safe="~"), quote_from_bytes(value, safe="~"))
        for name, value in pairs
        if name != _SIGNATURE
    ]
    return "&".join(f"{name}={value}" for name, value in sorted(encoded)).encode()


def raw_query(query: bytes) -> bytes:
    """The parameters but the signature, in order, encoded as they came: as botocore signs a URL."""
    parts = [part.partition(b"=") for part in query.split(b"&")]
    kept = sorted((name, value) for name, _, value in parts if name != _SIGNATURE)
    return b"&".join(name + b"=" + value for name, value in kept)


@lru_cache(maxsize=256)
def signed_names(listed: bytes) -> tuple[bytes, ...]:
    """The names of the signed headers, in order; Host must be one of them."""
    names = {name.strip() for name in listed.lower().split(b";")}
    if b"host" not in names:
        raise invalid(HOST_NOT_SIGNED)
    return tuple(sorted(names))


def canonical_headers(names: Sequence[bytes], headers: Mapping[bytes, bytes]) -> bytes:
    """A line for each signed header; all of them must have come."""
    try:
        return b"".join([b"%b:%b\n" % (name, b" ".join(headers[name].split())) for name in names])
    except KeyError as absent:
        raise incomplete(header_missing(absent.args[0].decode("latin-1"))) from None


def payload_hash(
    claim: Claim, names: Sequence[bytes], headers: Mapping[bytes, bytes], pairs: Pairs, body: bytes
) -> bytes:
    """The hash of the body, or the words that whoever signed the request put in its place.

    What else the request may say of its hash is not looked at: where it is wrong, the signature does not match.
    """
    says_header = headers.get(_CONTENT_HASH) == _UNSIGNED and _CONTENT_HASH in names
    if says_header or (claim.in_query and _says_unsigned(pairs)):
        return _UNSIGNED
    return sha256(body).hexdigest().encode()


def _says_unsigned(pairs: Pairs) -> bool:
    return any(name.lower() == _CONTENT_HASH and value == _UNSIGNED for name, value in pairs)


def _trimmed(value: bytes) -> bytes:
    return b" ".join(value.split())
