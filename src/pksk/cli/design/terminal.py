"""Writes a design for a person at a terminal: a table where it fits, else a block for each entity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pksk.cli.design.key_table import NOTHING, headings, rows, settings
from pksk.cli.design.patterns import facts, pattern_name, summary

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

__all__ = ["terminal"]

# Notes may be wrapped, templates may not: a key that is broken in two is hard to read.
_LEAST_NOTES = 24
_AROUND_A_CELL = 3


def terminal(data: dict[str, Any], width: int) -> Iterator[RenderableType]:
    """What rich prints for a design on a terminal of this width."""
    from rich.text import Text

    for table in data["tables"]:
        yield Text(f"Table {table['name']}", style="bold underline")
        yield _pairs(settings(table))
        yield from _entities(table, width)
    if data["patterns"]:
        yield Text("\nAccess patterns", style="bold underline")
    for pattern in data["patterns"]:
        yield Text.assemble("\n", (pattern_name(pattern), "bold"), f"  {summary(pattern)}")
        yield _pairs(facts(pattern), warned={"problem", "missing"})


def _entities(table: dict[str, Any], width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    if not table["entities"]:
        yield Text("\nNo entity is declared.\n")
    elif (widths := _widths(table, width)) is not None:
        yield _grid(table, widths)
    else:
        for row in rows(table):
            told = [(name, cell) for name, cell in zip(headings(table), row, strict=True) if _says(cell)]
            yield Text(f"\n{row[0]}", style="bold")
            yield _pairs(told[1:])
        yield Text()


def _says(cell: str) -> bool:
    return cell not in ("", NOTHING)


def _widths(table: dict[str, Any], width: int) -> list[int] | None:
    """The width of each column but the notes, with headings on one line or on several; None if they do not fit."""
    from rich.cells import cell_len

    columns = list(zip(headings(table), *rows(table), strict=True))
    whole = [max(map(cell_len, column)) for column in columns]
    split = [max(map(cell_len, [*cells, *name.split(" ")])) for name, *cells in columns]
    for *keys, notes in (whole, split):
        if sum(keys) + min(notes, _LEAST_NOTES) + _AROUND_A_CELL * len(columns) <= width:
            return keys
    return None


def _grid(table: dict[str, Any], widths: list[int]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, header_style="bold")
    *names, notes = headings(table)
    for name, width in zip(names, widths, strict=True):
        grid.add_column(Text(name), width=width, overflow="fold")
    grid.add_column(Text(notes), overflow="fold")
    for name, *cells in rows(table):
        # Text and not str: a key such as "[red]" is no markup.
        grid.add_row(Text(name, style="bold"), *map(Text, cells))
    return grid


def _pairs(pairs: Iterable[tuple[str, str]], warned: Iterable[str] = ()) -> Table:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=0)
    grid.add_column(style="dim", overflow="fold")
    grid.add_column(overflow="fold")
    for label, text in pairs:
        grid.add_row("", Text(label), Text(text, style="yellow" if label in set(warned) else ""))
    return grid
