"""Verifies AWS signatures of version 4, with AWS's errors."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

from pksk.client import ServiceError

from . import signature_claim as claims
from .credentials import AccessKey
from .http import Request
from .signature_claim import Claim, Pairs, Scope

_ALGORITHM: Final = b"AWS4-HMAC-SHA256"
_CACHED_KEYS: Final = 256
MISMATCH: Final = (
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret "
    "Access Key and signing method. Consult the service documentation for details."
)


class Verifier:
    """Verifies signatures against access keys; without `region`, for any region.

    AWS has an endpoint for each region. A local server is one endpoint for clients of all regions.

    Example:
        >>> verifier = Verifier({"AKIDEXAMPLE": AccessKey("AKIDEXAMPLE", "a secret")})
        >>> print(verifier.verify(b"POST", b"/", [(b"host", b"localhost:8000")], b"{}"))
        MissingAuthenticationTokenException: Request is missing Authentication Token
    """

    def __init__(
        self,
        keys: Mapping[str, AccessKey],
        clock: Callable[[], float] = time.time,
        *,
        region: str | None = None,
        service: str = "dynamodb",
    ) -> None:
        self._keys = dict(keys)
        self._clock = clock
        self._region = region
        self._service = service
        # Deriving a key takes a third of a verification, and a seventh of a small signed request.
        self._signing_key = lru_cache(maxsize=_CACHED_KEYS)(self._derive_key)

    def verify(
        self, method: bytes, target: bytes, headers: Sequence[tuple[bytes, bytes]], body: bytes
    ) -> ServiceError | None:
        """AWS's error for the signature of a request, or None if it is right.

        The target is the path and query of the request line, and the body is what was sent, still compressed.

        Example:
            >>> verifier = Verifier({}, clock=lambda: 1_440_938_160)
            >>> signed = [
            ...     (b"Host", b"localhost:8000"),
            ...     (b"X-Amz-Date", b"20150830T123600Z"),
            ...     (b"Authorization", b"AWS4-HMAC-SHA256 Credential=me/20150830/us-east-1/dynamodb/aws4_request, "
            ...                        b"SignedHeaders=host;x-amz-date, Signature=00"),
            ... ]
            >>> print(verifier.verify(b"POST", b"/", signed, b"{}"))
            UnrecognizedClientException: The security token included in the request is invalid.
        """
        try:
            self._check(method, target, headers_by_name(headers), body)
        except ServiceError as error:
            return error
        return None

    def __call__(self, request: Request) -> ServiceError | None:
        """The same for a request of a server."""
        return self.verify(request.method, request.target, request.headers, request.body)

    def _check(self, method: bytes, target: bytes, headers: Mapping[bytes, bytes], body: bytes) -> None:
        """The checks in AWS's order."""
        path, query = split_target(target)
        pairs = query_pairs(query) if query else []
        claim = claims.read_claim(headers, pairs)
        date = claims.signing_time(claim, int(self._clock()))
        names = signed_names(claim.signed_headers)
        if claim.algorithm != _ALGORITHM:
            name = claim.algorithm.decode("latin-1")
            raise claims.incomplete_signature(
                f"Unsupported AWS 'algorithm': '{name}' (only AWS4-HMAC-SHA256 for now). "
            )
        scope = claims.read_scope(claim.credential)
        claims.check_scope(scope, date, self._region, self._service)
        key = self._keys.get(scope.key_id)
        if key is None:
            raise _unrecognized("The security token included in the request is invalid.")
        lines = canonical_headers(names, headers)
        payload = payload_hash(claim, names, headers, pairs, body)
        end = b"\n%b\n%b\n%b" % (lines, b";".join(names), payload)
        begin = b"%b\n%b\n" % (method, canonical_path(path))
        queries = {canonical_query(pairs), raw_query(query)} if query else {b""}
        if not any(self._is_signed(claim, scope, date, begin + each + end) for each in queries):
            raise claims.invalid_signature(MISMATCH)
        _check_token(claim, key)

    def _is_signed(self, claim: Claim, scope: Scope, date: str, request: bytes) -> bool:
        text = f"AWS4-HMAC-SHA256\n{date}\n{scope.text}\n{sha256(request).hexdigest()}"
        expected = hmac.digest(self._signing_key(scope), text.encode("latin-1"), "sha256").hex()
        return hmac.compare_digest(expected.encode(), claim.signature)

    def _derive_key(self, scope: Scope) -> bytes:
        return signing_key(self._keys[scope.key_id].secret, scope)


def signing_key(secret: str, scope: Scope) -> bytes:
    """The key that signs the requests of a day, region and service, derived from a secret."""
    derived = b"AWS4" + secret.encode("utf-8", "surrogateescape")
    for part in scope[1:]:
        derived = hmac.digest(derived, part.encode("latin-1"), "sha256")
    return derived


def _check_token(claim: Claim, key: AccessKey) -> None:
    """A key with a session token needs that token; other keys must not have one."""
    expected = (key.session_token or "").encode()
    if not hmac.compare_digest(expected, claim.token or b""):
        # Without the full stop that AWS puts after the same words about an unknown key.
        raise _unrecognized("The security token included in the request is invalid")


def _unrecognized(message: str) -> ServiceError:
    return ServiceError("UnrecognizedClientException", message)


_UNSIGNED: Final = b"UNSIGNED-PAYLOAD"
_SIGNATURE: Final = b"X-Amz-Signature"
_CONTENT_HASH: Final = b"x-amz-content-sha256"


def split_target(target: bytes) -> tuple[bytes, bytes]:
    """The path and the query in a request line, which may be a whole URL."""
    path, _, query = target.partition(b"?")
    if not path.startswith(b"/"):
        _, _, rest = path.partition(b"://")
        path = b"/" + rest.partition(b"/")[2]
    return path, query


def headers_by_name(headers: Sequence[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers by lower-case name; a repeated header has its values in their order, with commas."""
    by_name: dict[bytes, bytes] = {}
    for name, value in headers:
        before = by_name.get(name.lower())
        by_name[name.lower()] = value if before is None else _trim(before) + b"," + _trim(value)
    return by_name


def query_pairs(query: bytes) -> list[tuple[bytes, bytes]]:
    """The parameters of a query in their order, decoded."""
    parts = [part.partition(b"=") for part in query.split(b"&") if part]
    return [(unquote_to_bytes(name), unquote_to_bytes(value)) for name, _, value in parts]


def canonical_path(path: bytes) -> bytes:
    """A path without dot segments and repeated slashes, percent-encoded once more."""
    parts: list[bytes] = []
    for part in path.split(b"/"):
        if part == b"..":
            del parts[-1:]
        elif part not in {b"", b"."}:
            parts.append(part)
    end = "/" if parts and path.endswith(b"/") else ""
    return f"/{quote_from_bytes(b'/'.join(parts), safe='/~')}{end}".encode()


def canonical_query(pairs: Pairs) -> bytes:
    """The sorted parameters without the signature, encoded as the specification says."""
    encoded = [
        (quote_from_bytes(name, safe="~"), quote_from_bytes(value, safe="~"))
        for name, value in pairs
        if name != _SIGNATURE
    ]
    return "&".join(f"{name}={value}" for name, value in sorted(encoded)).encode()


def raw_query(query: bytes) -> bytes:
    """The sorted parameters without the signature, encoded as in the request: botocore signs URLs in this way."""
    parts = [part.partition(b"=") for part in query.split(b"&")]
    pairs = sorted((name, value) for name, _, value in parts if name != _SIGNATURE)
    return b"&".join(name + b"=" + value for name, value in pairs)


def signed_names(value: bytes) -> tuple[bytes, ...]:
    """The sorted names of the signed headers; Host must be one of them."""
    names = {name.strip() for name in value.lower().split(b";")}
    if b"host" not in names:
        raise claims.invalid_signature(
            "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."
        )
    return tuple(sorted(names))


def canonical_headers(names: Sequence[bytes], headers: Mapping[bytes, bytes]) -> bytes:
    """A line for each signed header; the request must have all of them."""
    try:
        return b"".join([b"%b:%b\n" % (name, b" ".join(headers[name].split())) for name in names])
    except KeyError as absent:
        name = absent.args[0].decode("latin-1")
        raise claims.incomplete_signature(
            f"'{name}' is named as a SignedHeader, but it does not exist in the HTTP request."
        ) from None


def payload_hash(
    claim: Claim, names: Sequence[bytes], headers: Mapping[bytes, bytes], pairs: Pairs, body: bytes
) -> bytes:
    """The hash of the body, or `UNSIGNED-PAYLOAD` if the request says so.

    Any other hash in the request is ignored: if it is wrong, the signature does not match.
    """
    in_header = headers.get(_CONTENT_HASH) == _UNSIGNED and _CONTENT_HASH in names
    in_query = any(name.lower() == _CONTENT_HASH and value == _UNSIGNED for name, value in pairs)
    if in_header or (claim.in_query and in_query):
        return _UNSIGNED
    return sha256(body).hexdigest().encode()


def _trim(value: bytes) -> bytes:
    return b" ".join(value.split())
