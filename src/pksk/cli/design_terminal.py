"""Writes a design as a table that fits the width of a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from pksk.cli.design_cells import HEADINGS, cell_tables
from pksk.cli.design_rows import EMPTY_CELL, facts, headings, pattern_name, rows, settings, summary

# Notes may wrap, templates may not: a key that is broken in two is hard to read.
_LEAST_NOTES = 24
_CELL_PADDING = 3


def print_design_table(data: dict[str, Any]) -> None:
    """Print the table of a design on a terminal."""
    console = Console()
    for each in terminal_blocks(data, console.width):
        console.print(each)


def terminal_blocks(data: dict[str, Any], width: int) -> Iterator[RenderableType]:
    """The parts of a design for a terminal of this width."""
    for table in data["tables"]:
        yield Text(f"Table {table['name']}", style="bold underline")
        yield _pairs(settings(table))
        yield from _entity_blocks(table, width)
        for title, levels in cell_tables(table):
            yield Text(title, style="bold")
            yield _level_grid(levels)
    if data["patterns"]:
        yield Text("\nAccess patterns", style="bold underline")
    for pattern in data["patterns"]:
        yield Text.assemble("\n", (pattern_name(pattern), "bold"), f"  {summary(pattern)}")
        yield _pairs(facts(pattern), warnings={"problem", "missing"})


def _entity_blocks(table: dict[str, Any], width: int) -> Iterator[RenderableType]:
    if not table["entities"]:
        yield Text("\nNo entity is declared.\n")
    elif (widths := _column_widths(table, width)) is not None:
        yield _grid(table, widths)
    else:
        for row in rows(table):
            cells = zip(headings(table), row, strict=True)
            yield Text(f"\n{row[0]}", style="bold")
            yield _pairs([(name, cell) for name, cell in cells if cell not in ("", EMPTY_CELL)][1:])
        yield Text()


def _column_widths(table: dict[str, Any], width: int) -> list[int] | None:
    """The widths of all columns but the notes, with headings on one line or wrapped; None if they do not fit."""
    columns = list(zip(headings(table), *rows(table), strict=True))
    whole = [max(map(cell_len, column)) for column in columns]
    split = [max(map(cell_len, [*cells, *name.split(" ")])) for name, *cells in columns]
    for *keys, notes in (whole, split):
        if sum(keys) + min(notes, _LEAST_NOTES) + _CELL_PADDING * len(columns) <= width:
            return keys
    return None


def _grid(table: dict[str, Any], widths: list[int]) -> Table:
    grid = Table(box=box.SIMPLE_HEAD, header_style="bold")
    *names, notes = headings(table)
    for name, width in zip(names, widths, strict=True):
        grid.add_column(Text(name), width=width, overflow="fold")
    grid.add_column(Text(notes), overflow="fold")
    for name, *cells in rows(table):
        # Text and not str: rich would read a key such as "[red]" as markup.
        grid.add_row(Text(name, style="bold"), *map(Text, cells))
    return grid


def _level_grid(levels: list[list[str]]) -> Table:
    grid = Table(box=box.SIMPLE_HEAD, header_style="bold")
    for name in HEADINGS:
        grid.add_column(Text(name), overflow="fold")
    for cells in levels:
        grid.add_row(*map(Text, cells))
    return grid


def _pairs(pairs: Iterable[tuple[str, str]], warnings: Iterable[str] = ()) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=0)
    grid.add_column(style="dim", overflow="fold")
    grid.add_column(overflow="fold")
    for label, text in pairs:
        grid.add_row("", Text(label), Text(text, style="yellow" if label in set(warnings) else ""))
    return grid
