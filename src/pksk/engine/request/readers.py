"""Functions that read what JSON gives for a shape, made once for each shape when it is first met.

A reader gives back what it was given where nothing has to change, and never touches it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import is_
from typing import Any, Final, TypeAlias

from pksk.engine.faults import serialization
from pksk.engine.texts import members as texts

from .scalars import read_boolean, read_string, read_timestamp, whole_number
from .shape import Shape, shape_named
from .unreadable import no_list, no_map, no_structure
from .values import read_value, read_value_list, read_value_map

__all__ = ["Reader", "reader"]

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
    """What reads a shape.

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

    def read(given: Any) -> dict[str, Any]:
        if type(given) is not dict:
            raise no_structure(given, shape.name)
        read, same = {}, True
        for name, value in given.items():
            if type(name) is not str:
                raise serialization()
            read_member = readers.get(name)
            if read_member is None or value is None:
                same = False
            else:
                read[name] = read_member(value)
                if read[name] is not value:
                    same = False
        return given if same else read

    return read


def _list(shape: Shape) -> Reader:
    read_element, null = reader(shape.element), _of_null(shape.element)

    def read(given: Any) -> list[Any]:
        if type(given) is not list:
            raise no_list(given)
        read = [null() if element is None else read_element(element) for element in given]
        return given if all(map(is_, read, given)) else read

    return read


def _map(shape: Shape) -> Reader:
    read_element, null = reader(shape.element), _of_null(shape.element)
    java_type = _java_type(shape_named(shape.element))

    def read(given: Any) -> dict[str, Any]:
        if type(given) is not dict:
            raise no_map(given, java_type)
        read = {
            read_string(name): null() if element is None else read_element(element)
            for name, element in given.items()
        }
        return given if all(map(is_, read.values(), given.values())) else read

    return read


def _of_null(element: str) -> Callable[[], Any]:
    """What null is inside a list or a map: a structure without members, or nothing that can be read."""
    kind = shape_named(element).kind
    if kind in {"structure", "map"}:
        return dict
    return list if kind == "list" else _refuse_null


def _refuse_null() -> Any:
    raise serialization()


def _java_type(shape: Shape) -> str:
    if shape.kind == "structure":
        return texts.structure_type(shape.name)
    if shape.kind == "list":
        return texts.list_type(_java_type(shape_named(shape.element)))
    return texts.scalar_type(_JAVA.get(shape.kind, "String"))
