"""Reads JSON files of items strictly: rejects duplicate names and NaN."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn

from pksk.errors import FileError, quote


class RepeatedName(ValueError):
    """A JSON object contains a name twice; the text of the error is the name."""


def strict_decoder(parse_float: Callable[[str], Any] | None = None) -> json.JSONDecoder:
    """A decoder that raises `RepeatedName` for a name that an object has twice.

    Example:
        >>> strict_decoder().decode('{"a": 1, "a": 2}')
        Traceback (most recent call last):
        pksk.values.strict_json.RepeatedName: a
    """
    return json.JSONDecoder(parse_float=parse_float, parse_constant=_constant, object_pairs_hook=_object)


def repeated_name_error(where: str, name: str) -> FileError:
    """The error for an item with a duplicate name."""
    return FileError(
        "file-repeated-name",
        f"{where}: the item names {quote(name)} twice in one object.",
        expected="The names in an item, and in a map, are distinct.",
        fix="remove one of them.",
    )


def unreadable_file_error(label: str, error: Exception) -> FileError:
    """The error for a file that cannot be read."""
    return FileError(
        "file-unreadable",
        f"{label}: the file cannot be read ({getattr(error, 'strerror', None) or error}).",
        expected="A file of items is a regular file that you may read.",
        fix="name the file itself, and check its permissions.",
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        raise RepeatedName(next(name for name, _ in pairs if name in seen or seen.add(name)))  # type: ignore[func-returns-value]
    return made


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number of JSON")
