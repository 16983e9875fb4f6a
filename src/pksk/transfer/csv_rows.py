"""Reads items in CSV, as AWS's import does: one a line, under the names of the first line.

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

__all__ = ["DELIMITERS", "read_csv"]

# What each delimiter is called; a tab and a blank are hard to write on a command line.
DELIMITERS: Final = {
    ",": "comma", "\t": "tab", ":": "colon", ";": "semicolon", "|": "pipe", " ": "space",
}  # fmt: skip


def read_csv(
    data: ItemFile, lines: Lines, types: Mapping[str, str]
) -> Iterator[tuple[int, WireItem | FileError]]:
    """Each item with its line, or what is wrong with that line.

    Attributes in `types` are of these types, all others are strings; an empty column is no attribute.
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
    """Lines, and several as one where a quoted value goes over them."""
    following = iter(lines)
    for number, first in following:
        record = first
        if first.count(b'"') % 2:
            record = b"\n".join([first, *_to_closing_quote(following, f"{lines.label}, line {number}")])
        yield number, record.removesuffix(b"\r")


def _to_closing_quote(lines: Iterator[tuple[int, bytes]], where: str) -> Iterator[bytes]:
    """The lines up to the one that closes a double quote, which was opened before them."""
    room = LONGEST_LINE
    for _, line in lines:
        yield line
        if line.count(b'"') % 2:
            return
        room -= len(line) + 1
        if room < 0:
            break
    _refuse_csv(
        f"{where}: a double quote is opened there and never closed.",
        'A value with a double quote is written in quotes, and the quote twice: "6"" nails".',
        "close the quote, or write it twice.",
    )


def _header(records: Iterator[tuple[int, bytes]], delimiter: str, label: str) -> tuple[str, ...]:
    number, record = next(records, (1, b""))
    where = f"{label}, line {number}"
    names = _columns(decode_line(record, where), delimiter, where)
    if not all(names):
        named = "The first line" if len(names) > 1 or names[0] else "The file"
        _refuse_csv(
            f"{where}: column {names.index('') + 1} has no name.",
            f"{named} has a name for each column, which the attribute is called by.",
            "name it, or name all columns with --header; check the delimiter.",
        )
    twice = next((name for index, name in enumerate(names) if name in names[:index]), None)
    if twice is not None:
        _refuse_csv(
            f"{where}: two columns are called {quote(twice)}.",
            "Each column is an attribute of its own.",
            "rename one of them.",
        )
    return tuple(names)


def _columns(text: str, delimiter: str, where: str) -> list[str]:
    if '"' not in text:
        return text.split(delimiter)
    found, at = [], 0
    for match in _pattern(delimiter).finditer(text):
        if match.start() != at:
            break
        at = match.end()
        found.append(match[1] if match[2] is None else match[2].replace('""', '"'))
        if not match[3]:
            break
    if at != len(text):
        _refuse_csv(
            f"{where}: column {len(found) + 1} has a double quote that is not written twice: "
            f"{quote(text[at : at + 40])}.",
            'A value with a double quote is written in quotes, and the quote twice: "6"" nails".',
            "write the value in quotes, and the quotes in it twice.",
        )
    return found


@cache
def _pattern(delimiter: str) -> re.Pattern[str]:
    mark = re.escape(delimiter)
    return re.compile(rf'(?:([^"{mark}]*)|"((?:[^"]|"")*)")({mark}|\Z)')


def _item(names: tuple[str, ...], columns: list[str], types: Mapping[str, str], where: str) -> WireItem:
    if len(columns) != len(names):
        _refuse_csv(
            f"{where}: it has {len(columns):,} columns, and the header has {len(names):,}.",
            f"The columns are: {', '.join(names)[:200]}.",
            "add what is missing, or put a value that holds the delimiter in double quotes.",
        )
    item = {
        name: {types.get(name, "S"): column} for name, column in zip(names, columns, strict=True) if column
    }
    return check_item(item, where)


def _refuse_csv(problem: str, expected: str, fix: str) -> NoReturn:
    raise FileError("import-csv", problem, expected=expected, fix=fix)
