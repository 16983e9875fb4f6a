"""Writes a design as plain columns, for pipes and files: nothing is cut, however wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pksk.cli.design.key_table import headings, rows, settings
from pksk.cli.design.patterns import facts, pattern_name, summary

__all__ = ["columns", "plain"]


def plain(data: dict[str, Any]) -> str:
    """The text of a design.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> from pksk.cli.design.data import design_data
        >>> orders = Table("orders")
        >>> class Order(Entity, table=orders, items=500):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> print(plain(design_data([orders])))
        Table orders
          keys      pk S, sk S
          settings  on-demand, class standard, no stream, no TTL, discriminator type
        <BLANKLINE>
        Entity  PK          SK    Notes
        Order   ORDER#{id}  META  500 items
    """
    blocks = [block for table in data["tables"] for block in _table(table)]
    if data["patterns"]:
        blocks += ["Access patterns", *("\n".join(_pattern(each)) for each in data["patterns"])]
    return "\n\n".join(blocks)


def _table(table: dict[str, Any]) -> Iterator[str]:
    yield "\n".join([f"Table {table['name']}", *columns(settings(table), indent="  ")])
    entities = rows(table)
    yield "\n".join(columns([headings(table), *entities])) if entities else "No entity is declared."


def _pattern(pattern: dict[str, Any]) -> Iterator[str]:
    yield f"{pattern_name(pattern)}: {summary(pattern)}"
    yield from columns(list(facts(pattern)), indent="  ")


def columns(lines: Sequence[Sequence[str]], indent: str = "") -> list[str]:
    """Rows with their cells one below the other.

    Example:
        >>> columns([["a", "bb", "c"], ["aaa", "b", ""]])
        ['a    bb  c', 'aaa  b']
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = (
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines
    )
    return [f"{indent}{line}".rstrip() for line in padded]
