"""Reads a register from a CSV file, and refuses one of which something would be lost."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .refusals import Unfit

__all__ = ["read_register"]


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
    if "" in row:
        raise Unfit(f"{file}: column {row.index('') + 1} has no name, and its values would be lost.")
    twice = [name for name, many in Counter(row).items() if many > 1]
    if twice:
        raise Unfit(f"{file}: more than one column has the name {twice[0]!r}; only one could be kept.")
    return row


def _line(names: list[str], row: list[str], where: str) -> dict[str, str]:
    if len(row) != len(names):
        raise Unfit(f"{where} has not a value for each column: values {len(row)}, columns {len(names)}.")
    return {name: value for name, value in zip(names, row, strict=True) if value}
