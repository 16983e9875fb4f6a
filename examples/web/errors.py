"""The HTTP status and message of each error of the store."""

from __future__ import annotations

from typing import Any, Final

from fastapi import Request
from fastapi.responses import JSONResponse

from pksk import (
    AlreadyExists,
    ConditionFailed,
    InvalidCursor,
    InvalidValue,
    NotFound,
    OutcomeUnknown,
    PkskError,
    ReferenceMissing,
    StaleVersion,
    StoreError,
)

# Subclasses come before their base classes.
_STATUS: Final[dict[type[PkskError], int]] = {
    InvalidValue: 422,  # such as a name that is too long for a key
    NotFound: 404,
    ReferenceMissing: 404,
    AlreadyExists: 409,
    StaleVersion: 412,
    ConditionFailed: 409,
    InvalidCursor: 400,
    OutcomeUnknown: 504,
    StoreError: 503,  # the table, the network, DynamoDB itself: nothing that the client can fix
}


async def answer_error(_request: Request, error: Exception) -> JSONResponse:
    status = next(status for kind, status in _STATUS.items() if isinstance(error, kind))
    # Details of the server's own trouble are for its log.
    detail = getattr(error, "problem", "") if status < 500 else "try again later"
    return JSONResponse({"code": getattr(error, "code", ""), "detail": detail}, status)


error_handlers: Final[dict[Any, Any]] = {StoreError: answer_error, InvalidValue: answer_error}
