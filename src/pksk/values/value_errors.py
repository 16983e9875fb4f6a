"""Errors about values, and the path inside an item at which each was found."""

from __future__ import annotations

from typing import TypeVar

from pksk.errors import InvalidValue, quote

Error = TypeVar("Error", bound=InvalidValue)


def map_member_path(path: str, name: str) -> str:
    """The path of a map's member, as people write it."""
    if not path:
        return name if name.isprintable() and name else quote(name)
    return f"{path}.{name}" if name.isidentifier() else f"{path}[{quote(name)}]"


def list_element_path(path: str, index: int) -> str:
    """The path of a list's element."""
    return f"{path}[{index}]"


def with_path(error: Error, path: str) -> Error:
    """The same error, with the path of the value."""
    if not path:
        return error
    problem = f"{path}: {error.problem}"
    return type(error)(error.code, problem, expected=error.expected, fix=error.fix)


def nesting_error(path: str, limit: int) -> InvalidValue:
    """The error for lists and maps nested too deeply."""
    return InvalidValue(
        "value-too-deep",
        f"{path or 'The value'} is nested more than {limit} levels deep.",
        expected=f"DynamoDB accepts {limit} levels of lists and maps in an attribute.",
        fix="flatten the value, or store the inner part as a JSON string or as an item of its own.",
    )


def surrogate_error(text: str) -> InvalidValue:
    """The error for text that has no UTF-8 form."""
    return InvalidValue(
        "value-surrogate",
        f"{quote(text)} contains half of a surrogate pair, which is not a character.",
        expected="DynamoDB stores text as UTF-8.",
        fix="decode the text with the right codec, or store the raw bytes.",
    )


def empty_name_error() -> InvalidValue:
    """The error for an empty attribute name."""
    return InvalidValue(
        "value-empty-name",
        "'' is used as an attribute name.",
        expected="DynamoDB rejects empty names, in items and in maps.",
        fix="name the attribute, or leave it out.",
    )


def empty_set_error() -> InvalidValue:
    """The error for an empty set."""
    return InvalidValue(
        "value-empty-set",
        "the set is empty.",
        expected="DynamoDB stores sets of one member or more.",
        fix="leave the attribute out, or store an empty list.",
    )
