"""Reads a request: checks JSON types and constraints, or raises the error that DynamoDB raises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import is_
from typing import Any, Final, TypeAlias

from pksk.client import ServiceError
from pksk.dataclass import dataclass
from pksk.engine.service_errors import serialization, validation

from . import messages, scalars
from .scalars import read_string
from .shape import Fits, Shape, fits, request_shape, shape_named
from .shapes import OPERATIONS as SHAPES_OF_OPERATIONS
from .shapes import VALUE_MEMBERS
from .value_types import read_value, read_value_list, read_value_map
from .violations import violation_error

Reader: TypeAlias = Callable[[Any], Any]

_SCALAR_READERS: Final[dict[str, Reader]] = {
    "string": read_string,
    "name": read_string,
    "table": read_string,
    "enum": read_string,
    "boolean": scalars.read_boolean,
    "integer": scalars.whole_number("Integer", 32),
    "long": scalars.whole_number("Long", 64),
    "timestamp": scalars.read_timestamp,
    "value": read_value,
}
_JAVA: Final = {"integer": "Integer", "long": "Long", "boolean": "Boolean", "timestamp": "Date"}


@cache
def reader(name: str) -> Reader:
    """The function that reads a shape."""
    shape = shape_named(name)
    if shape.kind == "structure":
        return _structure(shape)
    if shape.kind == "list":
        return read_value_list if shape.element == "value" else _list(shape)
    if shape.kind == "map":
        return read_value_map if shape.element == "value" else _map(shape)
    return _SCALAR_READERS[shape.kind]


def _structure(shape: Shape) -> Reader:
    readers = {member.name: reader(member.shape) for member in shape.members}

    def result(source: Any) -> dict[str, Any]:
        if type(source) is not dict:
            raise scalars.not_a_structure(source, shape.name)
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
            raise scalars.not_a_list(source)
        read = [null() if element is None else read_element(element) for element in source]
        return source if all(map(is_, read, source)) else read

    return read


def _map(shape: Shape) -> Reader:
    read_element, null = reader(shape.element), _reader_of_null(shape.element)
    java_type = _java_type(shape_named(shape.element))

    def read(source: Any) -> dict[str, Any]:
        if type(source) is not dict:
            raise scalars.not_a_map(source, java_type)
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
        return messages.structure_type(shape.name)
    if shape.kind == "list":
        return f"java.util.List<{_java_type(shape_named(shape.element))}>"
    return messages.scalar_type(_JAVA.get(shape.kind, "String"))


class OlderRequest(dict[str, Any]):
    """A request that the older layer reads. Its errors have no prefix.

    One value with two types, or one BOOL or NULL spelled as a string, sends the whole request there.
    """

    __slots__ = ()


def is_older_request(operation: str, source: Mapping[str, Any]) -> bool:
    """Whether a request has such a value anywhere; its types are checked."""
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


def read_request(operation: str, raw: object, region: str = "us-east-1") -> dict[str, Any]:
    """A request with checked JSON types and constraints; `raw` is not changed.

    Nulls and unknown members are removed, booleans and numbers are converted, binary content is base64. A
    request for AWS's older layer is an `OlderRequest`. Raises ServiceError and nothing else, in the wording of
    the region.
    """
    form = _form(operation)
    try:
        return _read(form, raw, region)
    except Exception as error:
        if isinstance(error, ServiceError) and error.code != "SerializationException":
            raise
        copy = _to_plain_types(raw)
        if copy is None:
            raise
    return _read(form, copy, region)


@cache
def _form(operation: str) -> _Form:
    members = request_shape(operation).members
    return _Form(
        operation,
        {member.name: (member.name, reader(member.shape), fits(member.shape)) for member in members},
        tuple(member.name for member in members if member.required),
    )


def _read(form: _Form, raw: Any, region: str) -> dict[str, Any]:
    if type(raw) is not dict:
        raise serialization()
    members = form.members
    request: dict[str, Any] = {}
    is_valid, is_changed = True, False
    for raw_name, raw_value in raw.items():
        member = members.get(raw_name)
        if member is None:
            if type(raw_name) is not str:
                raise serialization()
        elif raw_value is not None:
            name, read, check = member
            value = request[name] = read(raw_value)
            if check is not None and not check(value):
                is_valid = False
            if value is not raw_value:
                is_changed = True
    for name in form.required:
        if name not in request:
            is_valid = False
    if is_changed and _is_for_the_older_layer(form.operation, raw, region):
        request = OlderRequest(request)
    if not is_valid:
        raise violation_error(form.operation, request, _wording(form.operation, request, region))
    if form.operation == "BatchWriteItem" and not request["RequestItems"]:
        raise validation("The requestItems parameter is required for BatchWriteItem")
    return request


def _is_for_the_older_layer(operation: str, raw: Mapping[str, Any], region: str) -> bool:
    return messages.wording(operation, region).newer and is_older_request(operation, raw)


def _wording(operation: str, request: Mapping[str, Any], region: str) -> messages.Wording:
    # An update without a key is read by the older layer too.
    if type(request) is OlderRequest or (operation == "UpdateItem" and "Key" not in request):
        return messages.OLDER
    return messages.wording(operation, region)


_PLAIN_TYPES: Final = frozenset({str, int, float, bool, bytes, type(None)})
# More than a request can have; only a mapping with generated members exceeds it.
_MOST: Final = 2**22


def _to_plain_types(source: Any) -> Any:
    """A copy with only dicts, lists, strings, numbers and bytes; None if the original has no other types.

    Subclasses become their base type, mappings dicts, and byte containers bytes. Other objects stay as they
    are, and the reader rejects them.
    """
    try:
        copier = _Copier()
        copy = copier.copy(source)
        copier.fill()
    except Exception:
        # An unknown object can raise anything when it is read.
        raise serialization() from None
    return copy if copier.foreign else None


class _Copier:
    """Makes one copy. An object that occurs several times is copied once, so that cycles end."""

    def __init__(self) -> None:
        self.foreign = False
        self._unfilled: list[tuple[Any, Any]] = []
        self._copies: dict[int, tuple[Any, Any]] = {}

    def copy(self, source: Any) -> Any:
        if type(source) in _PLAIN_TYPES:
            return source
        if id(source) in self._copies:
            return self._copies[id(source)][1]
        copy = _to_plain_type(source)
        self.foreign = self.foreign or type(copy) is not type(source)
        if type(copy) in (dict, list):
            self._copies[id(source)] = source, copy  # the source is kept, so that no other object gets its id
            self._unfilled.append((source, copy))
        return copy

    def fill(self) -> None:
        while self._unfilled:
            if len(self._copies) > _MOST:
                raise serialization()
            source, copy = self._unfilled.pop()
            if type(copy) is list:
                copy.extend(self.copy(inner) for inner in list.__iter__(source))
            else:
                copy.update((name, self.copy(inner)) for name, inner in self._named(source))

    def _named(self, source: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
        for name in source:
            if not isinstance(name, str):
                raise serialization()
            if type(name) is not str:
                self.foreign = True
            yield str.__str__(name), source[name]


def _to_plain_type(source: Any) -> Any:
    """The value with a JSON type; dicts and lists still without their contents."""
    if isinstance(source, Mapping):
        return {}
    if isinstance(source, list):
        return []
    if isinstance(source, str):
        return str.__str__(source)
    if isinstance(source, int):
        return int.__int__(source)
    if isinstance(source, float):
        return float.__float__(source)
    # boto3 wraps binary values in a class of its own.
    content = source.value if type(source).__module__ == "boto3.dynamodb.types" else source
    return bytes(content) if isinstance(content, bytes | bytearray | memoryview) else source
