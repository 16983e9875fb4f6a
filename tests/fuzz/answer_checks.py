"""Checks that responses are a result, one of DynamoDB's errors, or a 4xx."""

from __future__ import annotations

from functools import cache
from typing import Any, Final
from zlib import crc32

import orjson

from tests.engine.botocore_model import operation_model, result

from .answers import Answer, Wrong
from .exchange import Expected

__all__ = ["judge"]

# Errors that any operation may return besides those of its model; all but the first three are about signatures.
_ALWAYS: Final = {
    "ValidationException",
    "SerializationException",
    "AccessDeniedException",
    "IncompleteSignatureException",
    "InvalidSignatureException",
    "MissingAuthenticationTokenException",
    "UnrecognizedClientException",
}
_BROKEN_BODY: Final = {"InternalFailure"}
_SERVICE: Final = (b"application/x-amz-json-1.0", b"application/json")


def judge(answer: Answer, expected: Expected) -> None:
    """Raise `Wrong` for an answer that does not become its request."""
    if answer.status not in expected.statuses:
        raise Wrong(f"status {answer.status}; it may be {_shown(expected.statuses)}: {answer.sent[:500]!r}")
    if not expected.has_body:
        return
    if expected.body is not None and answer.body != expected.body:
        raise Wrong(f"the answer to another request; expected was {expected.body!r}")
    if answer.headers.get(b"content-type") in _SERVICE:
        _judge_service(answer, expected)
    elif answer.status == 400 and expected.operation:
        raise Wrong("an error of an operation that is not JSON")


def _judge_service(answer: Answer, expected: Expected) -> None:
    if answer.headers.get(b"x-amz-crc32") != b"%d" % crc32(answer.sent):
        raise Wrong("its checksum is not that of its body")
    if not answer.headers.get(b"x-amzn-requestid"):
        raise Wrong("it has no request id")
    if answer.status == 413:
        return
    shown = _parsed(answer, expected.operation)
    if answer.status == 200:
        if "__type" in shown:
            raise Wrong("a result that is an error")
        return
    error_type = shown.get("__type")
    code = error_type.rpartition("#")[2] if isinstance(error_type, str) else ""
    if not code:
        raise Wrong("an error without __type")
    if expected.operation and code not in _known(expected.operation) and answer.status != 500:
        raise Wrong(f"{expected.operation} has no error {code!r}")
    if answer.status == 500 and code not in _BROKEN_BODY:
        raise Wrong(f"a failure: {code!r}")


def _parsed(answer: Answer, operation: str) -> dict[str, Any]:
    try:
        if answer.status != 200:
            shown = orjson.loads(answer.body)
        elif operation:
            shown = result(operation, answer.body)
        else:  # of an operation that is not known here, and may have no result
            shown = orjson.loads(answer.body or b"{}")
    except ValueError as error:
        raise Wrong(f"not JSON: {error}") from None
    if not isinstance(shown, dict):
        raise Wrong("not a JSON object")
    return shown


@cache
def _known(operation: str) -> set[str]:
    """The errors of an operation."""
    return _ALWAYS | {shape.name for shape in operation_model(operation).error_shapes}


def _shown(statuses: frozenset[int]) -> str:
    return "4xx or 200" if len(statuses) > 20 else ", ".join(map(str, sorted(statuses)))
