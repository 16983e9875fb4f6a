"""Reads items in CSV as AWS's import does: one a line, with the names in the first line.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataImport.Format.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, NoReturn

from pksk.errors import FileError, quote
from pksk.values import WireItem

from .item_file import LONGEST_LINE, ItemFile, Lines
from .json_lines import check_item, decode_line

# The delimiters by name: a tab and a space are hard to write on a command line.
DELIMITERS: Final = {
    ",": "comma", "\t": "tab", ":": "colon", ";": "semicolon", "|": "pipe", " ": "space",
}  # fmt: skip


_QUOTING: Final = 'A value with a double quote is in quotes, and the quote is written twice: "6"" nails".'


def read_csv(
    data: ItemFile, lines: Lines, types: Mapping[str, str]
) -> Iterator[tuple[int, WireItem | FileError]]:
    """Each line's number with its item, or with the error of a wrong line.

    Attributes in `types` have these types, all others are strings; an empty column is left out.
    """
    records = _records(lines)
    names = data.header or _header(records, data.delimiter, lines.label)
    for number, record in records:
        where = f"{lines.label}, line {number}"
        try:
            text = decode_line(record, where)
            if text.strip():
                yield number, _item(names, _columns(text, data.delimiter, where), types, where)
        except FileError as problem:
            yield number, problem


def _records(lines: Lines) -> Iterator[tuple[int, bytes]]:
    """The records, which have several lines if a quoted value does."""
    remaining = iter(lines)
    for number, first in remaining:
        record = first
        if first.count(b'"') % 2:
            record = b"\n".join([first, *_to_closing_quote(remaining, f"{lines.label}, line {number}")])
        yield number, record.removesuffix(b"\r")


def _to_closing_quote(lines: Iterator[tuple[int, bytes]], where: str) -> Iterator[bytes]:
    """The lines up to the one that closes the double quote."""
    room = LONGEST_LINE
    for _, line in lines:
        yield line
        if line.count(b'"') % 2:
            return
        room -= len(line) + 1
        if room < 0:
            break
    _reject_csv(
        f"{where}: a double quote begins there and does not end.",
        _QUOTING,
        "close the quote, or write it twice.",
    )


def _header(records: Iterator[tuple[int, bytes]], delimiter: str, label: str) -> tuple[str, ...]:
    number, record = next(records, (1, b""))
    where = f"{label}, line {number}"
    names = _columns(decode_line(record, where), delimiter, where)
    if not all(names):
        _reject_csv(
            f"{where}: column {names.index('') + 1} has no name.",
            "The first line has the attribute name of each column.",
            "write the name, or all names with --header; check the delimiter.",
        )
    repeated = next((name for index, name in enumerate(names) if name in names[:index]), None)
    if repeated is not None:
        _reject_csv(
            f"{where}: two columns are called {quote(repeated)}.",
            "Each column is another attribute.",
            "rename one of them.",
        )
    return tuple(names)


def _columns(text: str, delimiter: str, where: str) -> list[str]:
    if '"' not in text:  # saves a tenth of an import
        return text.split(delimiter)
    columns, at = [], 0
    for match in _pattern(delimiter).finditer(text):
        if match.start() != at:
            break
        at = match.end()
        columns.append(match[1] if match[2] is None else match[2].replace('""', '"'))
        if not match[3]:
            break
    if at != len(text):
        _reject_csv(
            f"{where}: column {len(columns) + 1} has a double quote that is not written twice: "
            f"{quote(text[at : at + 40])}.",
            _QUOTING,
            "write the value in quotes, and the quotes in it twice.",
        )
    return columns


@cache
def _pattern(delimiter: str) -> re.Pattern[str]:
    mark = re.escape(delimiter)
    return re.compile(rf'(?:([^"{mark}]*)|"((?:[^"]|"")*)")({mark}|\Z)')


def _item(names: tuple[str, ...], columns: list[str], types: Mapping[str, str], where: str) -> WireItem:
    if len(columns) != len(names):
        _reject_csv(
            f"{where}: it has {len(columns):,} columns, and the header has {len(names):,}.",
            f"The columns are: {', '.join(names)[:200]}.",
            "add the missing columns, or write a value with the delimiter in double quotes.",
        )
    item = {
        name: {types.get(name, "S"): column} for name, column in zip(names, columns, strict=True) if column
    }
    return check_item(item, where)


def _reject_csv(problem: str, expected: str, fix: str) -> NoReturn:
    raise FileError("import-csv", problem, expected=expected, fix=fix)
