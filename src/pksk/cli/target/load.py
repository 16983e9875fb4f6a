"""Loads a TARGET: the tables of a design, with the entities and access patterns that hang on them."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any, NoReturn

from pksk.cli.target.found import complete, named, tables_in
from pksk.cli.target.importing import importing
from pksk.cli.target.place import place
from pksk.cli.target.search_path import on_path
from pksk.cli.target.suggest import python_files
from pksk.errors import FileProblem
from pksk.model import Entity
from pksk.schema import Table

__all__ = ["Target", "load"]


@dataclass(frozen=True)
class Target:
    """A design that was loaded.

    `only` is the entity that was named, if one was. `folders` are where its modules lie: what runs its
    code later should do so `with on_path(target.folders)`.
    """

    text: str
    module: ModuleType
    tables: tuple[Table, ...]
    only: type[Entity] | None
    folders: tuple[str, ...]

    def declarations(self, table: Table) -> list[Any]:
        """The entities of a table that were asked for."""
        return [each for each in table.entities if self.only is None or each.entity is self.only]


def load(text: str) -> Target:
    """The design of a TARGET, or an error that says what is wrong with it, in its author's own lines.

    Example:
        >>> load("no_such_design")
        Traceback (most recent call last):
        pksk.errors.FileProblem: no_such_design: there is no such module or file.
        Fix: give the file, or run pksk where Python finds the module, or set PYTHONPATH.  (pksk explain target-missing)
    """
    where = place(text)
    module = importing(where)
    value = named(module, where.text, where.name) if where.name else None
    tables = tables_in(vars(module).values() if value is None else [value])
    if not tables:
        _refuse_empty(where.text, module)
    with on_path(where.folders):
        complete(tables)
    only = value if isinstance(value, type) and issubclass(value, Entity) else None
    return Target(text, module, tuple(tables), only, where.folders)


def _refuse_empty(text: str, module: ModuleType) -> NoReturn:
    from pathlib import Path

    folders = [Path(folder) for folder in getattr(module, "__path__", ())]
    inner = [name.removesuffix(".py") for folder in folders for name in python_files(folder)]
    modules = [f"{module.__name__}.{name}" for name in inner if not name.startswith("__")]
    raise FileProblem(
        "target-empty",
        f"found no Table in {text}.",
        expected=f"Modules of this package are: {', '.join(modules)}."
        if modules
        else "A design has a Table at the top of its module, and entities made with table=.",
        fix=f"name one of them: pksk design {modules[0]}."
        if modules
        else 'write shop = Table("shop") and class Order(Entity, table=shop), or begin with pksk new shop.',
    )
