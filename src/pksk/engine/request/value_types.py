"""Reads the JSON types of attribute values at any depth; `attribute_values` checks the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from pksk.engine.service_errors import serialization

from . import messages, scalars
from .scalars import check_base64, check_boolean, read_blob, read_boolean, read_string
from .shapes import VALUE_MEMBERS

# Maps and lists that must still be filled, so that no function is recursive.
_Unfilled: TypeAlias = list[tuple[Any, Any]]


def _rewrite_values(source: Any) -> Any:
    """A copy without nulls and unknown members, with booleans converted and bytes as base64."""
    copy: Any = type(source)()
    unfilled: _Unfilled = [(source, copy)]
    while unfilled:
        source, target = unfilled.pop()
        if type(source) is dict:
            for name, value in source.items():
                target[name] = _rewrite_value(value, unfilled)
        else:
            target.extend(_rewrite_value(value, unfilled) for value in source)
    return copy


def _rewrite_value(value: Any, unfilled: _Unfilled) -> dict[str, Any]:
    copy: dict[str, Any] = {}
    for kind, content in (value or {}).items():
        if content is None or kind not in VALUE_MEMBERS:
            continue
        if kind in {"M", "L"}:
            copy[kind] = type(content)()
            unfilled.append((content, copy[kind]))
        else:
            copy[kind] = _REWRITERS[kind](content) if kind in _REWRITERS else content
    return copy


_REWRITERS: Final[dict[str, Callable[[Any], Any]]] = {
    "B": read_blob,
    "BS": lambda content: [read_blob(member) for member in content],
    "BOOL": read_boolean,
    "NULL": read_boolean,
}


# Contents of maps and lists that must still be checked.
_Nested: TypeAlias = list[Any]

_DEEPEST: Final = 2000
# More than a real request has; a Python caller that repeats one object gets there.
_MOST_CONTAINERS: Final = 2**19

_NAME: Final = "AttributeValue"
_JAVA: Final = messages.structure_type(_NAME)


def read_value_map(source: Any) -> dict[str, Any]:
    """Values by name, as an item has them."""
    if type(source) is not dict:
        raise scalars.not_a_map(source, _JAVA)
    nested: _Nested = []
    clean = _is_clean_map(source, nested)
    if nested:
        clean = _are_nested_clean(nested) and clean
    return source if clean else _rewrite_values(source)


def read_value_list(source: Any) -> list[Any]:
    """Values in a list."""
    if type(source) is not list:
        raise scalars.not_a_list(source)
    nested: _Nested = []
    clean = _is_clean_list(source, nested)
    if nested:
        clean = _are_nested_clean(nested) and clean
    return source if clean else _rewrite_values(source)


def read_value(source: Any) -> Any:
    """One value."""
    return read_value_list([source])[0]


def _is_clean_map(values: dict[str, Any], nested: _Nested) -> bool:
    """Whether named values need no change. Strings and numbers in line save 3 % of a PutItem."""
    clean = True
    for name, value in values.items():
        if type(value) is dict and len(value) == 1:
            (kind,) = value
            text = value[kind]
            if (
                type(kind) is type(text) is type(name) is str
                and (kind == "S" or kind == "N")  # noqa: PLR1714  # quicker than a set
                and text.isascii()
                and name.isascii()
            ):
                continue
        read_string(name)
        if not _is_clean(value, nested):
            clean = False
    return clean


def _is_clean_list(values: list[Any], nested: _Nested) -> bool:
    clean = True
    for value in values:
        if not _is_clean(value, nested):
            clean = False
    return clean


def _are_nested_clean(nested: _Nested) -> bool:
    """Whether nested values need no change, level by level."""
    clean = True
    depth = containers = 0
    while nested:
        depth += 1
        containers += len(nested)
        if depth > _DEEPEST or containers > _MOST_CONTAINERS:
            raise serialization()
        level, nested = nested, []
        for content in level:
            check = _is_clean_map if type(content) is dict else _is_clean_list
            if not check(content, nested):
                clean = False
    return clean


def _is_clean(value: Any, nested: _Nested) -> bool:
    if type(value) is not dict:
        if value is None:
            return False
        raise scalars.not_a_structure(value, _NAME)
    clean = len(value) < 2
    for kind, content in value.items():
        if type(kind) is not str:
            raise serialization()
        check = _CHECKS.get(kind)
        if check is None or content is None or not check(content, nested):
            clean = False
    return clean


def _is_text(content: Any, _nested: _Nested) -> bool:
    read_string(content)
    return True


def _is_base64(content: Any, _nested: _Nested) -> bool:
    return check_base64(content)


def _is_boolean(content: Any, _nested: _Nested) -> bool:
    return check_boolean(content)


def _are_texts(content: Any, _nested: _Nested) -> bool:
    if type(content) is not list:
        raise scalars.not_a_list(content)
    for text in content:
        read_string(_require_member(text))
    return True


def _are_base64(content: Any, _nested: _Nested) -> bool:
    if type(content) is not list:
        raise scalars.not_a_list(content)
    checked = [check_base64(_require_member(text)) for text in content]
    return all(checked)


def _is_map(content: Any, nested: _Nested) -> bool:
    if type(content) is not dict:
        raise scalars.not_a_map(content, _JAVA)
    nested.append(content)
    return True


def _is_list(content: Any, nested: _Nested) -> bool:
    if type(content) is not list:
        raise scalars.not_a_list(content)
    nested.append(content)
    return True


def _require_member(member: Any) -> Any:
    if member is None:
        raise serialization()
    return member


_CHECKS: Final[dict[str, Callable[[Any, _Nested], bool]]] = {
    "S": _is_text,
    "N": _is_text,
    "B": _is_base64,
    "BOOL": _is_boolean,
    "NULL": _is_boolean,
    "M": _is_map,
    "L": _is_list,
    "SS": _are_texts,
    "NS": _are_texts,
    "BS": _are_base64,
}
