"""Loads the design of a TARGET: the tables of a module, a file or a package, or a name in one."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from pydantic.errors import PydanticUndefinedAnnotation

from pksk.cli.target_import import TargetLocation, import_target, locate_target, on_path
from pksk.dataclass import dataclass, replace
from pksk.errors import FileError, did_you_mean, quote
from pksk.model import Entity
from pksk.model.patterns.entity_patterns import PATTERN_ATTRIBUTE
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
    """The design of a TARGET; the error of a wrong one shows the lines of its author."""
    where = locate_target(text)
    module = import_target(where)
    value = find_name(module, where.text, where.name) if where.name else None
    tables = tables_in(vars(module).values() if value is None else [value])
    if not tables:
        tables = _tables_of_modules(where, module)
    if not tables:
        _reject_empty(where.text)
    with on_path(where.folders):
        complete_entities(tables)
    only = value if isinstance(value, type) and issubclass(value, Entity) else None
    return Target(text, module, tuple(tables), only, where.folders)


def _tables_of_modules(where: TargetLocation, package: ModuleType) -> list[Table]:
    """The tables of all modules of a package whose `__init__.py` has none."""
    names = (name for folder in getattr(package, "__path__", ()) for name in _module_names(Path(folder)))
    modules = [replace(where, module=f"{package.__name__}.{name}", file=None) for name in names]
    return tables_in(value for each in modules for value in vars(import_target(each)).values())


def _module_names(folder: Path) -> Iterator[str]:
    """The dotted names of the modules below a package folder that mention pksk, except programs and tests."""
    for file in sorted(folder.rglob("*.py")):
        parts = file.relative_to(folder).with_suffix("").parts
        plain = not any(
            part.startswith(("__", "test_", ".")) or part in ("tests", "conftest") for part in parts
        )
        if plain and all(part.isidentifier() for part in parts) and b"pksk" in file.read_bytes():
            yield ".".join(parts)


def _reject_empty(text: str) -> NoReturn:
    raise FileError(
        "target-empty",
        f"there is no Table in {text}.",
        expected="A design has a Table at the top of its module, and entities made with table=.",
        fix='write shop = Table("shop") and class Order(Entity, table=shop), or begin with pksk new shop.',
    )


def tables_in(values: Iterable[object]) -> list[Table]:
    """The tables among some values, and those of the entities there; each once, in order."""
    # By identity: two tables with equal declarations may have different entities.
    tables = {id(table): table for value in values for table in _tables_of(value)}
    return list(tables.values())


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
            _reject_name(text, name, part, value)
        value = getattr(value, part)
    if not tables_in([value]):
        _reject_kind(text, name, value)
    return value


def _reject_name(text: str, name: str, part: str, inside: object) -> NoReturn:
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


def _reject_kind(text: str, name: str, value: object) -> NoReturn:
    what = f"of type {type(value).__name__}"
    fix = "write one of these, or leave the colon out to see all of them."
    if isinstance(value, type):
        what = "an entity without table=" if issubclass(value, Entity) else "a class, but not an Entity"
    elif hasattr(value, PATTERN_ATTRIBUTE):
        what, fix = "an access pattern", f"plan a call of it: pksk plan {text} {name}."
    raise FileError(
        "target-kind",
        f"{text}: {quote(name)} is {what}.",
        expected="The name after the colon is a Table, an Entity class, or a list of tables.",
        fix=fix,
    )


def complete_entities(tables: Iterable[Table]) -> None:
    """Complete the entities with forward references, which checks their keys."""
    table_ids = {id(table) for table in tables}
    for entity in _subclasses(Entity):
        table = _table_of(entity)
        if table is not None and id(table) in table_ids and not entity.__pydantic_complete__:
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
