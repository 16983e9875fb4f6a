"""The errors that operations raise, with DynamoDB's own codes, and as the body of a response."""

from __future__ import annotations

from typing import Any, Final

import orjson

from pksk.client import ServiceError

__all__ = [
    "EmptyKey",
    "InvalidRequest",
    "ServiceError",
    "error_body",
    "invalid_request",
    "serialization",
    "service_error",
    "validation",
]


class InvalidRequest(ServiceError):
    """A ValidationException of the kind that PutItem, UpdateItem and DeleteItem put behind their prefix."""


def validation(message: str) -> ServiceError:
    """A ValidationException whose words stand as they are in every operation."""
    return ServiceError("ValidationException", message)


def invalid_request(message: str) -> InvalidRequest:
    """A ValidationException of a request's own faults; some operations word it with a prefix."""
    return InvalidRequest("ValidationException", message)


def serialization(message: str | None = None) -> ServiceError:
    """A SerializationException: the request cannot be read as what its members should be."""
    return ServiceError("SerializationException", message)


def service_error(kind: str, message: str | None = None, *, status: int = 400, **fields: Any) -> ServiceError:
    """Any other error of the service; named by its code, such as LimitExceededException."""
    return ServiceError(kind, message, status, fields)


class EmptyKey(ServiceError):
    """A key of the table or of an index with an empty text or binary: transactions refuse it before all else."""

    def __init__(self, message: str) -> None:
        super().__init__("ValidationException", message)


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
