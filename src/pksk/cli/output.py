"""Prints: tables and colour on a terminal, plain columns in a pipe, JSON on request."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from io import TextIOWrapper
from typing import Any

import click

__all__ = [
    "as_json",
    "encodable",
    "format_count",
    "format_number",
    "json_option",
    "on_terminal",
    "print_json",
    "print_pairs",
    "print_table",
]

json_option = click.option("--json", "wants_json", is_flag=True, help="Print one JSON document.")


def on_terminal() -> bool:
    """Whether a person looks at the output and wants it in colour."""
    quiet = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout is not None and sys.stdout.isatty() and not quiet


def as_json(document: object, indent: int | None = 2) -> str:
    """A document as JSON, in characters as they are where they can be printed.

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


def encodable() -> None:
    """Let standard output write every character: one that its encoding lacks as its escape, and none fails.

    In JSON, all characters but those of ASCII are then written as JSON's own escapes.
    """
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
    """Print names and what they are, one a line.

    Example:
        >>> print_pairs([("condition", "sk = 'A'"), ("exact", "yes")])
        condition  sk = 'A'
        exact      yes
    """
    rows = list(pairs)
    if not on_terminal():
        _print_columns(rows, right=())
        return
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column(overflow="fold")
    _print_rich(grid, rows)


def print_table(headers: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> None:
    """Print a table; the columns in `right` are of numbers.

    Example:
        >>> print_table(["item", "bytes"], [["1", "23"], ["2", "1,024"]], right=[1])
        item  bytes
        1        23
        2     1,024
    """
    if not on_terminal():
        _print_columns([headers, *rows], right=right)
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

    # Text and not str: a key such as "[red]" is no markup.
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


def _print_columns(rows: Sequence[Sequence[str]], *, right: Sequence[int]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())


def format_count(value: float, thing: str) -> str:
    """So many of something.

    Example:
        >>> format_count(1, "call"), format_count(0.5, "call")
        ('1 call', '0.5 calls')
    """
    text = format_number(value)
    return f"{text} {thing}" if text == "1" else f"{text} {thing}s"


def format_number(value: float) -> str:
    """A number without digits that say nothing.

    Example:
        >>> format_number(12000.0), format_number(0.5), format_number(1 / 3)
        ('12,000', '0.5', '0.33')
    """
    if value and abs(value) < 0.01:
        return f"{value:.2g}"
    return f"{value:,.2f}".rstrip("0").rstrip(".")
