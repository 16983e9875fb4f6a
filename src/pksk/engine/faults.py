"""The errors that operations raise, with DynamoDB's own codes."""

from __future__ import annotations

from typing import Any

from pksk.client import ServiceError

__all__ = ["RequestRefused", "ServiceError", "fault", "refused", "serialization", "validation"]


class RequestRefused(ServiceError):
    """A ValidationException of the kind that PutItem, UpdateItem and DeleteItem put behind their prefix."""


def validation(message: str) -> ServiceError:
    """A ValidationException whose words stand as they are in every operation."""
    return ServiceError("ValidationException", message)


def refused(message: str) -> RequestRefused:
    """A ValidationException of a request's own faults; some operations word it with a prefix."""
    return RequestRefused("ValidationException", message)


def serialization(message: str | None = None) -> ServiceError:
    """A SerializationException: the request cannot be read as what its members should be."""
    return ServiceError("SerializationException", message)


def fault(kind: str, message: str | None = None, *, status: int = 400, **fields: Any) -> ServiceError:
    """Any other error of the service; named by its code, such as LimitExceededException."""
    return ServiceError(kind, message, status, fields)
