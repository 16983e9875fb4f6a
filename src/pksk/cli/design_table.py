"""Writes a design as a table in plain columns; `design_terminal` fits it to a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pksk.cli.design_cells import HEADINGS, cell_tables
from pksk.cli.design_rows import facts, headings, pattern_name, rows, settings, summary
from pksk.cli.output import align_columns


def design_table(data: dict[str, Any]) -> str:
    """The text of a design."""
    blocks = [block for table in data["tables"] for block in _table_blocks(table)]
    if data["patterns"]:
        blocks += ["Access patterns", *("\n".join(_pattern_lines(each)) for each in data["patterns"])]
    return "\n\n".join(blocks)


def _table_blocks(table: dict[str, Any]) -> Iterator[str]:
    yield "\n".join([f"Table {table['name']}", *align_columns(settings(table), indent="  ")])
    entities = rows(table)
    yield "\n".join(align_columns([headings(table), *entities])) if entities else "No entity is declared."
    for title, levels in cell_tables(table):
        yield "\n".join([title, *align_columns([HEADINGS, *levels], indent="  ")])


def _pattern_lines(pattern: dict[str, Any]) -> Iterator[str]:
    yield f"{pattern_name(pattern)}: {summary(pattern)}"
    yield from align_columns(list(facts(pattern)), indent="  ")
