"""Finds the tables that a pattern outside of any class reads, from the entities that its code names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from pksk.model.patterns.kinds import names_in
from pksk.schema import Table

__all__ = ["tables_of"]


def tables_of(function: Callable[..., Any]) -> list[Table]:
    """The tables of all entities that a function names in its body or annotations; nothing is called."""
    known = {**getattr(function, "__globals__", {}), **_closed_over(function)}
    names = [*_names(function.__code__), *sorted(names_in(function.__annotations__))]
    found: list[Table] = []
    for name in dict.fromkeys(names):
        table = _table(known.get(name))
        if table is not None and not any(table is each for each in found):
            found.append(table)
    return found


def _closed_over(function: Callable[..., Any]) -> dict[str, Any]:
    cells = function.__closure__ or ()
    return {
        name: cell.cell_contents
        for name, cell in zip(function.__code__.co_freevars, cells, strict=True)
        if _filled(cell)
    }


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - a variable that is assigned later raises
    except ValueError:
        return False
    return True


def _names(code: CodeType) -> Iterator[str]:
    yield from (*code.co_names, *code.co_freevars)
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)


def _table(value: Any) -> Table | None:
    if isinstance(value, Table):
        return value
    declaration = getattr(value, "__pksk__", None) if isinstance(value, type) else None
    return None if declaration is None else declaration.table
