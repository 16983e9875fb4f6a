"""Reads a request: what JSON gives becomes what an operation can rely on, or is refused as DynamoDB refuses it."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

from pksk.engine.faults import ServiceError, serialization, validation
from pksk.engine.texts import members as texts

from .fits import Fits, fits
from .older import OlderRequest, reads_as_older
from .plain import plain
from .readers import Reader, reader
from .shape import request_shape
from .shapes import OPERATIONS as SHAPES_OF_OPERATIONS
from .violations import violated

__all__ = ["OPERATIONS", "read_request"]

OPERATIONS: Final = frozenset(SHAPES_OF_OPERATIONS)

_Members: TypeAlias = dict[str, tuple[str, Reader, Fits | None]]


class _Form(NamedTuple):
    """What an operation's requests are held against."""

    operation: str
    members: _Members
    required: tuple[str, ...]
    wording: texts.Wording


def read_request(operation: str, raw: object) -> dict[str, Any]:
    """A request whose JSON types are right and whose members keep their constraints; `raw` is not touched.

    Nulls and unknown members are gone, booleans and numbers are such, binary content is base64. Where AWS
    would read it by its older layer it is an `OlderRequest`. Raises ServiceError and nothing else.

    Example:
        >>> read_request("GetItem", {"TableName": "cats", "Key": {"id": {"B": b"x"}}, "ConsistentRead": "true"})
        {'TableName': 'cats', 'Key': {'id': {'B': 'eA=='}}, 'ConsistentRead': True}
        >>> read_request("DescribeTable", {"TableName": 5})
        Traceback (most recent call last):
        pksk.client.ServiceError: SerializationException: NUMBER_VALUE cannot be converted to String
    """
    form = _form(operation)
    try:
        return _read(form, raw)
    except Exception as error:
        if isinstance(error, ServiceError) and error.code != "SerializationException":
            raise
        copy = plain(raw)
        if copy is None:
            raise
    return _read(form, copy)


@cache
def _form(operation: str) -> _Form:
    members = request_shape(operation).members
    return _Form(
        operation,
        {member.name: (member.name, reader(member.shape), fits(member.shape)) for member in members},
        tuple(member.name for member in members if member.required),
        texts.WORDINGS.get(operation, texts.OLDER),
    )


def _read(form: _Form, raw: Any) -> dict[str, Any]:
    if type(raw) is not dict:
        raise serialization()
    operation, members, required, wording = form
    request: dict[str, Any] = {}
    sound, rewritten = True, False
    for given_name, given in raw.items():
        member = members.get(given_name)
        if member is None:
            if type(given_name) is not str:
                raise serialization()
        elif given is not None:
            name, read, check = member
            value = request[name] = read(given)
            if check is not None and not check(value):
                sound = False
            if value is not given:
                rewritten = True
    for name in required:
        if name not in request:
            sound = False
    if rewritten and wording.newer and reads_as_older(operation, raw):
        request, wording = OlderRequest(request), texts.OLDER
    if not sound:
        raise violated(operation, request, wording)
    if operation == "BatchWriteItem" and not request["RequestItems"]:
        raise validation(texts.EMPTY_BATCH_WRITE)
    return request
