"""The errors of files of items: missing, damaged, not text, or not strict JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from pksk.errors import FileError, InvalidValue, did_you_mean, quote, quote_path

_TEXT = "A file is text in UTF-8, plain or compressed with gzip."


def missing_file_error(
    path: Path, *, what: str = "file", expected: str = "", ignore: tuple[str, ...] = ()
) -> FileError:
    """The error of a file that does not exist; suggests the nearest name, unless it ends as in `ignore`."""
    try:
        names = [name for name in os.listdir(path.parent) if not name.endswith(ignore)]
    except OSError:
        names = []
    near = did_you_mean(path.name, names)
    fix = f"did you mean {quote_path(str(path.parent / near))}?" if near else "check the name and the folder."
    return FileError("file-missing", f"{path}: there is no such {what}.", expected=expected, fix=fix)


def gzip_error(label: str, line: int, error: Exception) -> FileError:
    """The error of a gzip file that is damaged or cut off after a line."""
    return FileError(
        "file-gzip",
        f"{label}, after line {line}: the gzip data is damaged or cut off ({error}).",
        expected="A gzip file is gzip data from beginning to end.",
        fix="copy or download the file again, and check it with gzip -t.",
    )


def utf16_error(label: str) -> FileError:
    """The error of a file that begins with the byte order mark of UTF-16."""
    return FileError(
        "file-encoding",
        f"{label}, line 1: it begins like UTF-16 text.",
        expected=_TEXT,
        fix="save the file as UTF-8 (iconv -f UTF-16 -t UTF-8), or decompress it first.",
    )


def not_utf8_error(where: str, error: UnicodeDecodeError) -> FileError:
    """The error of a line with a byte that is not UTF-8."""
    return FileError(
        "file-encoding",
        f"{where}: byte 0x{error.object[error.start]:02x} is not UTF-8.",
        expected=_TEXT,
        fix="save the file as UTF-8 (iconv -f LATIN1 -t UTF-8), or decompress it first.",
    )


class RepeatedName(ValueError):
    """A JSON object contains a name twice; the text of the error is the name."""


def strict_decoder(parse_float: Callable[[str], Any] | None = None) -> json.JSONDecoder:
    """A decoder that raises `RepeatedName` for a name that an object has twice."""
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


def pipe_error(path: Path) -> FileError:
    """The error of a path that is not a regular file; it would have to be read twice."""
    return FileError(
        "file-unreadable",
        f"{path}: it is a pipe or a device.",
        expected="An import needs a regular file, since it reads it twice: to check it, and to write its items.",
        fix="write its content to a file, and import that.",
    )


def not_an_item_error(where: str, value: object) -> FileError:
    """The error of a JSON value that is not an object."""
    return FileError(
        "file-not-an-item",
        f"{where}: {quote(value)} is not an item.",
        expected='An item is an object, such as {"id": "a"} or {"id": {"S": "a"}}.',
        fix="use a file of items: one object, an array of objects, or one object a line.",
    )


def item_error(where: str, error: InvalidValue) -> FileError:
    """The error of an item with a value that DynamoDB does not store."""
    return FileError(
        "file-item",
        f"{where}: {error.problem}",
        expected=error.expected,
        fix=f"{error.fix}  See also: pksk explain {error.code}.",
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        names: set[str] = set()
        raise RepeatedName(next(name for name, _ in pairs if name in names or names.add(name)))  # type: ignore[func-returns-value]
    return document


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number of JSON")
