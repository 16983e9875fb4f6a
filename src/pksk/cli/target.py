"""Loads the design of a TARGET: the tables of a module, a file or a package, or a name in one."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from pydantic.errors import PydanticUndefinedAnnotation

from pksk.cli.target_import import import_target, on_path
from pksk.cli.target_location import locate_target, python_files
from pksk.dataclass import dataclass
from pksk.errors import FileError, did_you_mean, quote
from pksk.model import Entity
from pksk.schema import Table


@dataclass(frozen=True)
class Target:
    """A design that was loaded.

    `only` is the entity that the TARGET names, if it names one. `folders` hold its modules.
    """

    text: str
    module: ModuleType
    tables: tuple[Table, ...]
    only: type[Entity] | None
    folders: tuple[str, ...]

    def importable(self) -> AbstractContextManager[None]:
        """A block in which code of the design can import its modules."""
        return on_path(self.folders)


def load(text: str) -> Target:
    """The design of a TARGET; the error of a wrong one shows the lines of its author.

    Example:
        >>> load("no_such_design")
        Traceback (most recent call last):
        pksk.errors.FileError: no_such_design: there is no such module or file.
        Fix: write a file, or run pksk where Python finds the module, or set PYTHONPATH.  (pksk explain target-missing)
    """
    where = locate_target(text)
    module = import_target(where)
    value = find_name(module, where.text, where.name) if where.name else None
    tables = tables_in(vars(module).values() if value is None else [value])
    if not tables:
        _refuse_empty(where.text, module)
    with on_path(where.folders):
        complete_entities(tables)
    only = value if isinstance(value, type) and issubclass(value, Entity) else None
    return Target(text, module, tuple(tables), only, where.folders)


def _refuse_empty(text: str, module: ModuleType) -> NoReturn:
    folders = [Path(folder) for folder in getattr(module, "__path__", ())]
    inner = [name.removesuffix(".py") for folder in folders for name in python_files(folder)]
    modules = [f"{module.__name__}.{name}" for name in inner if not name.startswith("__")]
    raise FileError(
        "target-empty",
        f"found no Table in {text}.",
        expected=f"Modules of this package are: {', '.join(modules)}."
        if modules
        else "A design has a Table at the top of its module, and entities made with table=.",
        fix=f"write one of them: pksk design {modules[0]}."
        if modules
        else 'write shop = Table("shop") and class Order(Entity, table=shop), or begin with pksk new shop.',
    )


def tables_in(values: Iterable[object]) -> list[Table]:
    """The tables among some values, and those of the entities there; each once, in order.

    Example:
        >>> orders = Table("orders")
        >>> tables_in([7, orders, [orders]])
        [Table('orders')]
    """
    # By identity: two tables with equal declarations may have different entities.
    found = {id(table): table for value in values for table in _tables_of(value)}
    return list(found.values())


def _tables_of(value: object) -> Iterator[Table]:
    if isinstance(value, Table):
        yield value
    elif isinstance(value, type) and issubclass(value, Entity):
        table = _table_of(value)
        if table is not None:
            yield table
    elif isinstance(value, list | tuple):
        yield from (each for each in value if isinstance(each, Table))


def _table_of(entity: type[Entity]) -> Table | None:
    options: dict[str, Any] = vars(entity).get("__pksk_options__", {})
    return options.get("table")


def find_name(module: ModuleType, text: str, name: str) -> object:
    """The table, entity or list of tables that a name in a module refers to."""
    value: object = module
    for part in name.split("."):
        if not hasattr(value, part):
            _refuse_name(text, name, part, value)
        value = getattr(value, part)
    if not tables_in([value]):
        _refuse_kind(text, name, value)
    return value


def _refuse_name(text: str, name: str, part: str, inside: object) -> NoReturn:
    designs = [each for each, value in vars(inside).items() if tables_in([value])]
    near = did_you_mean(part, designs) or did_you_mean(part, vars(inside))
    raise FileError(
        "target-name",
        f"{text} has no {quote(name)}.",
        expected=f"Tables and entities in it are: {', '.join(designs)}." if designs else "",
        fix=f"did you mean {quote(near)}?"
        if near
        else "write a table or an entity, or leave the name out to see all of them.",
    )


def _refuse_kind(text: str, name: str, value: object) -> NoReturn:
    what = f"of type {type(value).__name__}"
    if isinstance(value, type):
        what = "an entity without table=" if issubclass(value, Entity) else "a class, but not an Entity"
    raise FileError(
        "target-kind",
        f"{text}: {quote(name)} is {what}.",
        expected="The name after the colon is a Table, an Entity class, or a list of tables.",
        fix="write one of these, or leave the colon out to see all of them.",
    )


def complete_entities(tables: Iterable[Table]) -> None:
    """Complete the entities with forward references, which checks their keys."""
    wanted = {id(table) for table in tables}
    for entity in _subclasses(Entity):
        table = _table_of(entity)
        if table is not None and id(table) in wanted and not entity.__pydantic_complete__:
            _complete_entity(entity)


def _subclasses(kind: type[Entity]) -> Iterator[type[Entity]]:
    for child in kind.__subclasses__():
        yield child
        yield from _subclasses(child)


def _complete_entity(entity: type[Entity]) -> None:
    home = sys.modules.get(entity.__module__)
    try:
        entity.model_rebuild(_types_namespace=vars(home) if home else None)
    except PydanticUndefinedAnnotation as error:
        raise FileError(
            "target-incomplete",
            f"{entity.__name__} is not complete: {quote(error.name)} is not defined in {entity.__module__}.",
            expected="pksk checks its keys once the types of all its fields are known.",
            fix=f"define or import {error.name} in that module, or correct the name.",
        ) from None
