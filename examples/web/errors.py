"""What each error of the store is to whoever asked: one status, and the message."""

from __future__ import annotations

from typing import Final

from fastapi import FastAPI, Request
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

__all__ = ["answer_errors"]

# The most particular first.
_STATUS: Final[dict[type[PkskError], int]] = {
    # Such as a name that is too long for a key.
    InvalidValue: 422,
    NotFound: 404,
    ReferenceMissing: 404,
    AlreadyExists: 409,
    StaleVersion: 412,
    ConditionFailed: 409,
    InvalidCursor: 400,
    OutcomeUnknown: 504,
    # The table, the network, DynamoDB itself: nothing that the caller can mend.
    StoreError: 503,
}


def answer_errors(app: FastAPI) -> None:
    """Let all errors of the store become answers."""
    app.add_exception_handler(StoreError, _answered)
    app.add_exception_handler(InvalidValue, _answered)


async def _answered(_request: Request, error: Exception) -> JSONResponse:
    status = next(status for kind, status in _STATUS.items() if isinstance(error, kind))
    # What the store says of its own troubles is for the log.
    said = getattr(error, "problem", "") if status < 500 else "try again later"
    return JSONResponse({"code": getattr(error, "code", ""), "detail": said}, status)
