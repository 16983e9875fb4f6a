"""What the command line draws with rich: tables, pages and progress bars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich import box, progress
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

_PAGE_WIDTH = 100


def draw_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names and values, one pair a line."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column(overflow="fold")
    _print(grid, pairs)


def draw_table(headers: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int]) -> None:
    """Print a table; the columns in `right` are aligned to the right."""
    table = Table(box=box.SIMPLE_HEAD, header_style="bold")
    for index, header in enumerate(headers):
        table.add_column(header, justify="right" if index in right else "left", overflow="fold")
    _print(table, rows)


def draw_markdown(text: str) -> None:
    """Print a page of Markdown."""
    width = min(_PAGE_WIDTH, Console().width)
    Console(width=width).print(Markdown(text, code_theme="ansi_dark"))


@contextmanager
def draw_progress(columns: Callable[[Any], tuple[Any, ...]]) -> Iterator[progress.Progress]:
    """A bar on standard error with these columns of `rich.progress`; it is removed at its end."""
    with progress.Progress(*columns(progress), console=Console(stderr=True), transient=True) as bar:
        yield bar


def _print(table: Table, rows: Iterable[Sequence[str]]) -> None:
    # Text and not str: rich would read a key such as "[red]" as markup.
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)
