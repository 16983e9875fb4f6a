"""The errors of operations, with DynamoDB's codes, and their response bodies."""

from __future__ import annotations

from typing import Any, Final

import orjson

from pksk.client import ServiceError
from pksk.engine import texts


class InvalidRequest(ServiceError):
    """A ValidationException whose message PutItem, UpdateItem and DeleteItem prefix.

    `older_message` is that of the service's older layer, if it has another one.
    """

    older_message: str | None = None


def validation(message: str) -> ServiceError:
    """A ValidationException with the same message in every operation."""
    return ServiceError("ValidationException", message)


def invalid_parameter(message: str) -> ServiceError:
    """A ValidationException that begins as most of them do: parameter values were invalid."""
    return validation(f"{texts.INVALID}{message}")


def invalid_request(message: str, older_message: str | None = None) -> InvalidRequest:
    """A ValidationException for an invalid request. Some operations add a prefix to it."""
    error = InvalidRequest("ValidationException", message)
    error.older_message = older_message
    return error


def with_older_wording(error: ServiceError) -> ServiceError:
    """The error as the older layer words it."""
    older = error.older_message if isinstance(error, InvalidRequest) else None
    return error if older is None else invalid_request(older)


def serialization(message: str | None = None) -> ServiceError:
    """A SerializationException: the request has the wrong JSON types."""
    return ServiceError("SerializationException", message)


def service_error(kind: str, message: str | None = None, *, status: int = 400, **fields: Any) -> ServiceError:
    """Any other service error, by its code, such as LimitExceededException."""
    return ServiceError(kind, message, status, fields)


def resource_not_found(what: str = "") -> ServiceError:
    """A ResourceNotFoundException; operations on items do not say what is missing."""
    message = "Requested resource not found"
    return service_error("ResourceNotFoundException", f"{message}: {what} not found" if what else message)


def internal_error(message: str) -> ServiceError:
    """An InternalServerError: a bug, or a storage that failed."""
    return ServiceError("InternalServerError", message, 500)


class EmptyKey(ServiceError):
    """An empty string or binary as a key. In transactions, this error comes before all others."""

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
# These spell the member "Message".
_CAPITAL: Final = frozenset(
    {
        "IdempotentParameterMismatchException",
        "SerializationException",
        "TransactionCanceledException",
        "TransactionInProgressException",
    }
)


def error_body(error: ServiceError) -> bytes:
    """The response body of an error."""
    body: dict[str, Any] = {"__type": _PREFIXES.get(error.code, _SERVICE) + error.code, **error.fields}
    if error.message is not None:
        body["Message" if error.code in _CAPITAL else "message"] = error.message
    return orjson.dumps(body)
