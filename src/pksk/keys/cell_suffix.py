"""Checks that the cells in the sort keys of one partition have one length."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from pksk.errors import TemplateError
from pksk.keys.parts.part import Part


def check_cell_suffix(where: str, partition: Sequence[Part], sort: Sequence[Part]) -> None:
    """Raise an error if sort keys of one partition can have parts of a cell in several lengths.

    A shorter name sorts before the longer ones that begin with it, so a range of keys would return cells of other
    sizes, or miss some.

    Example:
        >>> from typing import Annotated
        >>> from pksk import Template
        >>> from pksk.cells import CellLevel
        >>> fields = {"cell": Annotated[str, CellLevel(3, 8)]}
        >>> sort = Template("{cell}", fields, role="sort")
        >>> check_cell_suffix("Cell.primary", Template("ShCe").parts, sort.parts)
        Traceback (most recent call last):
        pksk.errors.TemplateError: Cell.primary: sort keys of one partition can have 3 or 4 characters of 'cell'.
        A shorter name sorts before the names that begin with it, so a range would return cells of other sizes.
        Fix: use {cell[:-3]} and {cell[-3:]}, or one level: CellLevel(8).  (pksk explain template-cell-suffix)
    """
    for part in sort:
        lengths = _lengths(part, partition)
        if len(lengths) > 1:
            few, more = lengths[:2]
            raise TemplateError(
                "template-cell-suffix",
                f"{where}: sort keys of one partition can have {few} or {more} characters of {part.field!r}.",
                expected="A shorter name sorts before the names that begin with it, so a range would return cells of "
                "other sizes.",
                fix=f"use {{{part.field}[:-3]}} and {{{part.field}[-3:]}}, or one level: CellLevel(8).",
            )


def _lengths(part: Part, partition: Sequence[Part]) -> list[int]:
    """The lengths that a part of a cell can have in one partition; of several partitions, those that differ."""
    same_field = [each for each in partition if each.field == part.field]

    def of_partition(level: int) -> tuple[int, ...]:
        return tuple(_length(each, level) for each in same_field)

    for _, levels in groupby(sorted(part.cell_levels, key=of_partition), of_partition):
        lengths = sorted({_length(part, level) for level in levels})
        if len(lengths) > 1:
            return lengths
    return []


def _length(part: Part, level: int) -> int:
    cut: slice | None = getattr(part, "slice", None)
    return level if cut is None else len(range(level)[cut])
