"""Files of items read strictly: no name twice in one object, no NaN, and what is said of those."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn

from pksk.errors import FileProblem, quote

__all__ = ["Repeated", "repeated_name", "strict_decoder", "unreadable"]


class Repeated(ValueError):
    """An object with two members of one name, which its text is."""


def strict_decoder(parse_float: Callable[[str], Any] | None = None) -> json.JSONDecoder:
    """A decoder that raises `Repeated` for a name that an object has twice.

    Example:
        >>> strict_decoder().decode('{"a": 1, "a": 2}')
        Traceback (most recent call last):
        pksk.values.strict_json.Repeated: a
    """
    return json.JSONDecoder(parse_float=parse_float, parse_constant=_constant, object_pairs_hook=_object)


def repeated_name(where: str, name: str) -> FileProblem:
    """What is said of an item with a name twice."""
    return FileProblem(
        "file-repeated-name",
        f"{where}: the item names {quote(name)} twice in one object.",
        expected="The names in an item, and in a map, are distinct.",
        fix="leave one of them out; which one counts is not ours to guess.",
    )


def unreadable(label: str, error: Exception) -> FileProblem:
    """What is said of a file of items that the system does not let us read."""
    return FileProblem(
        "file-unreadable",
        f"{label}: it cannot be read ({getattr(error, 'strerror', None) or error}).",
        expected="A file of items is a regular file that you may read.",
        fix="name the file itself, and check its permissions.",
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        raise Repeated(next(name for name, _ in pairs if name in seen or seen.add(name)))  # type: ignore[func-returns-value]
    return made


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number of JSON")
