"""Prints: tables and colour on a terminal, plain columns in a pipe, JSON on request."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from io import TextIOWrapper
from typing import Any

import click

json_option = click.option("--json", "wants_json", is_flag=True, help="Print one JSON document.")


def on_terminal() -> bool:
    """Whether the output goes to a terminal and the user wants colour."""
    quiet = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout is not None and sys.stdout.isatty() and not quiet


def as_json(document: object, indent: int | None = 2) -> str:
    """A document as JSON; escapes the characters that standard output cannot encode.

    Example:
        >>> as_json({"key": "größe"}, indent=None)
        '{"key": "größe"}'
    """
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    return text if _fits(text) else json.dumps(document, indent=indent)


def print_json(document: object) -> None:
    """Print one JSON document.

    Example:
        >>> print_json({"exact": True})
        {
          "exact": true
        }
    """
    click.echo(as_json(document))


def escape_unencodable() -> None:
    """Let standard output write an escape for each character that its encoding lacks, instead of failing."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _fits(text: str) -> bool:
    """Whether the encoding of standard output has all these characters."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def print_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names and values, one pair a line.

    Example:
        >>> print_pairs([("condition", "sk = 'A'"), ("exact", "yes")])
        condition  sk = 'A'
        exact      yes
    """
    rows = list(pairs)
    if not on_terminal():
        _print_lines(align_columns(rows))
        return
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column(overflow="fold")
    _print_rich(grid, rows)


def print_table(headers: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> None:
    """Print a table; the columns in `right` are aligned to the right.

    Example:
        >>> print_table(["item", "bytes"], [["1", "23"], ["2", "1,024"]], right=[1])
        item  bytes
        1        23
        2     1,024
    """
    if not on_terminal():
        _print_lines(align_columns([headers, *rows], right=right))
        return
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="bold")
    for index, header in enumerate(headers):
        table.add_column(header, justify="right" if index in right else "left", overflow="fold")
    _print_rich(table, rows)


def _print_rich(table: Any, rows: Iterable[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.text import Text

    # Text and not str: rich would read a key such as "[red]" as markup.
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


def align_columns(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), indent: str = "") -> list[str]:
    """Lines with the cells of each column one below the other.

    Example:
        >>> align_columns([["a", "bb", "c"], ["aaa", "b", ""]])
        ['a    bb  c', 'aaa  b']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = (
        "  ".join(
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return [f"{indent}{line}".rstrip() for line in aligned]


def format_count(value: float, thing: str) -> str:
    """A number of things, with a plural.

    Example:
        >>> format_count(1, "call"), format_count(0.5, "call")
        ('1 call', '0.5 calls')
    """
    text = format_number(value)
    return f"{text} {thing}" if text == "1" else f"{text} {thing}s"


def format_number(value: float) -> str:
    """A number without trailing zeros.

    Example:
        >>> format_number(12000.0), format_number(0.5), format_number(1 / 3)
        ('12,000', '0.5', '0.33')
    """
    if value and abs(value) < 0.01:
        return f"{value:.2g}"
    return f"{value:,.2f}".rstrip("0").rstrip(".")
