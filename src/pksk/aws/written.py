"""Requests as the bytes that are sent."""

from __future__ import annotations

import json
from binascii import b2a_base64
from collections.abc import Mapping
from datetime import datetime
from typing import Final

import orjson

from pksk.client import ServiceError

__all__ = ["written"]

_OPTIONS: Final = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS


def written(request: object) -> bytes:
    """A request in JSON, whose binary content is base64 text or bytes; what it says is the service's to check.

    Example:
        >>> written({"Item": {"pk": {"S": "a"}, "data": {"B": b"x"}}})
        b'{"Item":{"pk":{"S":"a"},"data":{"B":"eA=="}}}'
    """
    try:
        return orjson.dumps(request, _in_json, _OPTIONS)
    except TypeError:
        pass  # an int beyond 64 bits, a broken text, deep nesting: Python writes these, and the service refuses
    try:
        return json.dumps(request, default=_in_json).encode()
    except (RecursionError, TypeError, ValueError) as error:
        raise ServiceError(
            "SerializationException", f"The request cannot be written as JSON: {error}"
        ) from None


def _in_json(value: object) -> object:
    if isinstance(value, bytes | bytearray | memoryview):
        return b2a_base64(value, newline=False).decode()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, datetime):  # boto3's form of a time
        return value.timestamp()
    raise TypeError(f"{type(value).__name__} is not a value of DynamoDB's JSON")
