"""Finds the tables of a design among the names of its module."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any, NoReturn

from pydantic.errors import PydanticUndefinedAnnotation

from pksk.errors import FileProblem, did_you_mean, quote
from pksk.model import Entity
from pksk.schema import Table

__all__ = ["complete", "named", "tables_in"]


def tables_in(values: Iterable[object]) -> list[Table]:
    """The tables among some values, and those of the entities there; each once, in order.

    Example:
        >>> orders = Table("orders")
        >>> tables_in([7, orders, [orders]])
        [Table('orders')]
    """
    # By identity: two tables with the same declaration are equal, and may hold different entities.
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


def named(module: ModuleType, text: str, name: str) -> object:
    """What a name in a module stands for, if it is a design."""
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
    raise FileProblem(
        "target-name",
        f"{text} has no {quote(name)}.",
        expected=f"Tables and entities in it are: {', '.join(designs)}." if designs else "",
        fix=f"did you mean {quote(near)}?"
        if near
        else "name a table, an entity, or nothing for all of them.",
    )


def _refuse_kind(text: str, name: str, value: object) -> NoReturn:
    what = f"of type {type(value).__name__}"
    if isinstance(value, type):
        what = "an entity without table=" if issubclass(value, Entity) else "a class, and no Entity"
    raise FileProblem(
        "target-kind",
        f"{text}: {quote(name)} is {what}.",
        expected="After the colon stands a Table, an Entity class, or a list of tables.",
        fix="name one of these, or leave the colon out to see all of them.",
    )


def complete(tables: Iterable[Table]) -> None:
    """Finish the entities that waited for a name defined after them; their keys are checked only then."""
    wanted = {id(table) for table in tables}
    for entity in _below(Entity):
        table = _table_of(entity)
        if table is not None and id(table) in wanted and not entity.__pydantic_complete__:
            _finish(entity)


def _below(kind: type[Entity]) -> Iterator[type[Entity]]:
    for child in kind.__subclasses__():
        yield child
        yield from _below(child)


def _finish(entity: type[Entity]) -> None:
    home = sys.modules.get(entity.__module__)
    try:
        entity.model_rebuild(_types_namespace=vars(home) if home else None)
    except PydanticUndefinedAnnotation as error:
        raise FileProblem(
            "target-incomplete",
            f"{entity.__name__} is not complete: {quote(error.name)} is not defined in {entity.__module__}.",
            expected="Its keys are checked when every type of its fields is known.",
            fix=f"define or import {error.name} in that module, or correct the name.",
        ) from None
