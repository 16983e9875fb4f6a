"""Errors as the bytes that go over the wire."""

from __future__ import annotations

from typing import Any, Final

import orjson

from .faults import ServiceError

__all__ = ["error_body"]

_SERVICE: Final = "com.amazonaws.dynamodb.v20120810#"
_CORAL: Final = "com.amazon.coral.service#"
_PREFIXES: Final = {
    "ValidationException": "com.amazon.coral.validate#",
    "IncompleteSignatureException": _CORAL,
    "InvalidSignatureException": _CORAL,
    "MissingAuthenticationTokenException": _CORAL,
    "SerializationException": _CORAL,
    "UnknownOperationException": _CORAL,
    "UnrecognizedClientException": _CORAL,
}
# These write their message with a capital.
_CAPITAL: Final = frozenset(
    {
        "IdempotentParameterMismatchException",
        "SerializationException",
        "TransactionCanceledException",
        "TransactionInProgressException",
    }
)


def error_body(error: ServiceError) -> bytes:
    """The body of an error's answer."""
    body: dict[str, Any] = {"__type": _PREFIXES.get(error.code, _SERVICE) + error.code, **error.fields}
    if error.message is not None:
        body["Message" if error.code in _CAPITAL else "message"] = error.message
    return orjson.dumps(body)
