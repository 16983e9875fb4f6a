"""Whether a request was signed with one of the keys that a server knows."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Final

from pksk.client import ServiceError
from pksk.server.request import Request

from .canonical import (
    by_name,
    canonical_headers,
    canonical_path,
    canonical_query,
    payload_hash,
    query_pairs,
    raw_query,
    signed_names,
    split_target,
)
from .claim import Claim, claim_of, incomplete, invalid
from .key import Key
from .moment import moment_of
from .scope import Scope, check_scope, read_scope
from .texts import MISMATCH, UNKNOWN_KEY, WRONG_TOKEN, unsupported_algorithm

__all__ = ["Verifier", "signing_key"]

_ALGORITHM: Final = b"AWS4-HMAC-SHA256"
_KEYS_KEPT: Final = 256


class Verifier:
    """Checks signatures against some keys; without a `region`, those of any region will do.

    AWS has an endpoint for each region and takes no other. Here there is one for all, and people name
    whatever region their code is set to; the signature binds it either way.

    Example:
        >>> verifier = Verifier({"AKIDEXAMPLE": Key("AKIDEXAMPLE", "a secret")})
        >>> print(verifier.verify(b"POST", b"/", [(b"host", b"localhost:8000")], b"{}"))
        MissingAuthenticationTokenException: Request is missing Authentication Token
    """

    def __init__(
        self,
        keys: Mapping[str, Key],
        clock: Callable[[], float] = time.time,
        *,
        region: str | None = None,
        service: str = "dynamodb",
    ) -> None:
        self._keys = dict(keys)
        self._clock = clock
        self._region = region
        self._service = service
        self._signing_key = lru_cache(maxsize=_KEYS_KEPT)(self._derived)

    def verify(
        self, method: bytes, target: bytes, headers: Sequence[tuple[bytes, bytes]], body: bytes
    ) -> ServiceError | None:
        """What AWS says of a request's signature, or nothing where it is right; raises nothing.

        The target is the path and query of the request line, and the body what was sent, before it is unpacked.

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
            self._check(method, target, by_name(headers), body)
        except ServiceError as error:
            return error
        return None

    def __call__(self, request: Request) -> ServiceError | None:
        """The same of a request as a server has it."""
        return self.verify(request.method, request.target, request.headers, request.body)

    def _check(self, method: bytes, target: bytes, headers: Mapping[bytes, bytes], body: bytes) -> None:
        """The checks in AWS's order."""
        path, query = split_target(target)
        pairs = query_pairs(query) if query else []
        claim = claim_of(headers, pairs)
        date = moment_of(claim, int(self._clock()))
        names = signed_names(claim.signed_headers)
        if claim.algorithm != _ALGORITHM:
            raise incomplete(unsupported_algorithm(claim.algorithm.decode("latin-1")))
        scope = read_scope(claim.credential)
        check_scope(scope, date, self._region, self._service)
        key = self._keys.get(scope.key_id)
        if key is None:
            raise ServiceError("UnrecognizedClientException", UNKNOWN_KEY)
        lines = canonical_headers(names, headers)
        payload = payload_hash(claim, names, headers, pairs, body)
        end = b"\n%b\n%b\n%b" % (lines, b";".join(names), payload)
        begin = b"%b\n%b\n" % (method, canonical_path(path))
        queries = {canonical_query(pairs), raw_query(query)} if query else {b""}
        if not any(self._is_signed(claim, scope, date, begin + each + end) for each in queries):
            raise invalid(MISMATCH)
        _check_token(claim, key)

    def _is_signed(self, claim: Claim, scope: Scope, date: str, request: bytes) -> bool:
        text = f"AWS4-HMAC-SHA256\n{date}\n{scope.text}\n{sha256(request).hexdigest()}"
        expected = hmac.digest(self._signing_key(scope), text.encode("latin-1"), "sha256").hex()
        return hmac.compare_digest(expected.encode(), claim.signature)

    def _derived(self, scope: Scope) -> bytes:
        return signing_key(self._keys[scope.key_id].secret, scope)


def signing_key(secret: str, scope: Scope) -> bytes:
    """The key that requests of a scope are signed with, which a secret gives for a day, region and service."""
    derived = b"AWS4" + secret.encode("utf-8", "surrogateescape")
    for part in scope[1:]:
        derived = hmac.digest(derived, part.encode("latin-1"), "sha256")
    return derived


def _check_token(claim: Claim, key: Key) -> None:
    """A key with a session token is used with that token, and any other with none."""
    expected = (key.session_token or "").encode()
    if not hmac.compare_digest(expected, claim.token or b""):
        raise ServiceError("UnrecognizedClientException", WRONG_TOKEN)
