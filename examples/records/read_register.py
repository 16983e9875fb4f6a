"""Reads a register from a CSV file, and refuses one of which something would be lost."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .refusals import Unfit

__all__ = ["read_register"]

# What stands between columns in files that are called CSV and are none.
_OTHERS = (";", "\t", "|")


def read_register(file: Path) -> list[dict[str, str]]:
    """The lines of a CSV file by the names of its columns, without what is empty."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            rows = _rows(text, file)
            names = _names(next(rows, (1, []))[1], file)
            lines = [_line(names, row, f"{file}, line {number}") for number, row in rows]
    except UnicodeDecodeError as error:
        raise Unfit(f"{file} is no CSV file in UTF-8: {error}.") from error
    if not lines:
        raise Unfit(f"{file} has no lines below the names of its columns.")
    return lines


def _rows(text: Iterator[str], file: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the line where it ends."""
    reader = csv.reader(text, strict=True)
    try:
        yield from ((reader.line_num, row) for row in reader if row)
    except csv.Error as error:
        raise Unfit(f"{file}, line {reader.line_num}: this is no CSV: {error}.") from error


def _names(row: list[str], file: Path) -> list[str]:
    if not row:
        raise Unfit(f"{file} is empty: its first line must have the names of its columns.")
    if len(row) == 1 and (other := next((each for each in _OTHERS if each in row[0]), None)):
        raise Unfit(
            f"{file}, line 1 has one column, {row[0]!r}: are columns separated by {other!r}? "
            "Fix: separate them by commas."
        )
    for place, name in enumerate(row, 1):
        if not name.strip():
            raise Unfit(f"{file}: column {place} has no name, and its values would be lost.")
        _check_text(name, f"{file}: the name of column {place}")
    twice = [name for name, many in Counter(row).items() if many > 1]
    if twice:
        raise Unfit(f"{file}: more than one column has the name {twice[0]!r}; only one could be kept.")
    return row


def _line(names: list[str], row: list[str], where: str) -> dict[str, str]:
    if len(row) != len(names):
        raise Unfit(f"{where} has not a value for each column: values {len(row)}, columns {len(names)}.")
    for name, value in zip(names, row, strict=True):
        _check_text(value, f"{where}, column {name!r}")
    told = {name: value for name, value in zip(names, row, strict=True) if value}
    if not any(value.strip() for value in told.values()):
        raise Unfit(f"{where} has no value in any column. Fix: take the line out.")
    return told


def _check_text(value: str, where: str) -> None:
    if "\0" in value:
        raise Unfit(f"{where} has the character NUL, which no text has: is this a CSV file?")
