"""Reads a request: checks JSON types and constraints, or raises the error that DynamoDB raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from operator import is_
from typing import Any, Final, TypeAlias

from pksk.client import ServiceError
from pksk.dataclass import dataclass
from pksk.engine.service_errors import serialization, validation
from pksk.engine.texts import members as texts

from .constraints import Fits, fits
from .python_types import to_plain_types
from .scalars import (
    not_a_list,
    not_a_map,
    not_a_structure,
    read_boolean,
    read_string,
    read_timestamp,
    whole_number,
)
from .shape import Shape, request_shape, shape_named
from .shapes import OPERATIONS as SHAPES_OF_OPERATIONS
from .shapes import VALUE_MEMBERS
from .value_types import read_value, read_value_list, read_value_map
from .violations import violation_error

Reader: TypeAlias = Callable[[Any], Any]

_SCALARS: Final[dict[str, Reader]] = {
    "string": read_string,
    "name": read_string,
    "table": read_string,
    "enum": read_string,
    "boolean": read_boolean,
    "integer": whole_number("Integer", 32),
    "long": whole_number("Long", 64),
    "timestamp": read_timestamp,
    "value": read_value,
}
_JAVA: Final = {"integer": "Integer", "long": "Long", "boolean": "Boolean", "timestamp": "Date"}


@cache
def reader(name: str) -> Reader:
    """The function that reads a shape.

    Example:
        >>> reader("Projection")({"ProjectionType": "ALL", "NonKeyAttributes": None, "Other": 1})
        {'ProjectionType': 'ALL'}
    """
    shape = shape_named(name)
    if shape.kind == "structure":
        return _structure(shape)
    if shape.kind == "list":
        return read_value_list if shape.element == "value" else _list(shape)
    if shape.kind == "map":
        return read_value_map if shape.element == "value" else _map(shape)
    return _SCALARS[shape.kind]


def _structure(shape: Shape) -> Reader:
    readers = {member.name: reader(member.shape) for member in shape.members}

    def result(source: Any) -> dict[str, Any]:
        if type(source) is not dict:
            raise not_a_structure(source, shape.name)
        result, same = {}, True
        for name, value in source.items():
            if type(name) is not str:
                raise serialization()
            read_member = readers.get(name)
            if read_member is None or value is None:
                same = False
            else:
                result[name] = read_member(value)
                if result[name] is not value:
                    same = False
        return source if same else result

    return result


def _list(shape: Shape) -> Reader:
    read_element, null = reader(shape.element), _reader_of_null(shape.element)

    def read(source: Any) -> list[Any]:
        if type(source) is not list:
            raise not_a_list(source)
        read = [null() if element is None else read_element(element) for element in source]
        return source if all(map(is_, read, source)) else read

    return read


def _map(shape: Shape) -> Reader:
    read_element, null = reader(shape.element), _reader_of_null(shape.element)
    java_type = _java_type(shape_named(shape.element))

    def read(source: Any) -> dict[str, Any]:
        if type(source) is not dict:
            raise not_a_map(source, java_type)
        read = {
            read_string(name): null() if element is None else read_element(element)
            for name, element in source.items()
        }
        return source if all(map(is_, read.values(), source.values())) else read

    return read


def _reader_of_null(element: str) -> Callable[[], Any]:
    """What null means in a list or a map: an empty structure, or an error."""
    kind = shape_named(element).kind
    if kind in {"structure", "map"}:
        return dict
    return list if kind == "list" else _reject_null


def _reject_null() -> Any:
    raise serialization()


def _java_type(shape: Shape) -> str:
    if shape.kind == "structure":
        return texts.structure_type(shape.name)
    if shape.kind == "list":
        return texts.list_type(_java_type(shape_named(shape.element)))
    return texts.scalar_type(_JAVA.get(shape.kind, "String"))


class OlderRequest(dict[str, Any]):
    """A request that the older layer reads. Its errors have no prefix.

    One value with two types, or one BOOL or NULL spelled as a string, sends the whole request there.
    """

    __slots__ = ()


def is_older_request(operation: str, source: Mapping[str, Any]) -> bool:
    """Whether a request has such a value anywhere; its types are checked.

    Example:
        >>> is_older_request("GetItem", {"Key": {"pk": {"S": "a"}}})
        False
        >>> is_older_request("PutItem", {"Item": {"pk": {"S": "a"}, "done": {"BOOL": "true"}}})
        True
    """
    return _has_older_value(request_shape(operation), source)


def _has_older_value(shape: Shape, value: Any) -> bool:
    if value is None:
        return False
    if shape.kind == "value":
        return _is_older_value(value)
    if shape.kind == "structure":
        return any(
            _has_older_value(shape_named(member.shape), value.get(member.name)) for member in shape.members
        )
    if shape.kind in {"list", "map"}:
        element = shape_named(shape.element)
        return any(
            _has_older_value(element, member) for member in (value.values() if shape.kind == "map" else value)
        )
    return False


def _is_older_value(value: Any) -> bool:
    """Whether a value sends its request to the older layer: two types, or BOOL or NULL as a string."""
    pending = [value]
    while pending:
        part = pending.pop() or {}
        kinds = [kind for kind, content in part.items() if content is not None and kind in VALUE_MEMBERS]
        if len(kinds) > 1 or (kinds and kinds[0] in {"BOOL", "NULL"} and type(part[kinds[0]]) is str):
            return True
        pending.extend(part["M"].values() if "M" in kinds else part["L"] if "L" in kinds else ())
    return False


OPERATIONS: Final = frozenset(SHAPES_OF_OPERATIONS)

_Members: TypeAlias = dict[str, tuple[str, Reader, Fits | None]]


@dataclass(frozen=True, slots=True)
class _Form:
    """What an operation's requests are checked against."""

    operation: str
    members: _Members
    required: tuple[str, ...]
    wording: texts.Wording


def read_request(operation: str, raw: object) -> dict[str, Any]:
    """A request with checked JSON types and constraints; `raw` is not changed.

    Nulls and unknown members are removed, booleans and numbers are converted, binary content is base64. A
    request for AWS's older layer is an `OlderRequest`. Raises ServiceError and nothing else.

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
        copy = to_plain_types(raw)
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
    members = form.members
    request: dict[str, Any] = {}
    sound, rewritten = True, False
    for raw_name, raw_value in raw.items():
        member = members.get(raw_name)
        if member is None:
            if type(raw_name) is not str:
                raise serialization()
        elif raw_value is not None:
            name, read, check = member
            value = request[name] = read(raw_value)
            if check is not None and not check(value):
                sound = False
            if value is not raw_value:
                rewritten = True
    for name in form.required:
        if name not in request:
            sound = False
    wording = form.wording
    if rewritten and wording.newer and is_older_request(form.operation, raw):
        request, wording = OlderRequest(request), texts.OLDER
    if not sound:
        raise violation_error(form.operation, request, wording)
    if form.operation == "BatchWriteItem" and not request["RequestItems"]:
        raise validation(texts.EMPTY_BATCH_WRITE)
    return request
