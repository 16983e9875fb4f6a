"""The syntax tree of statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from pksk.dataclass import dataclass
from pksk.expressions import Condition, Path
from pksk.expressions import Update as UpdateTree
from pksk.values import Wire

# Makes a value that contains parameters, from the parameters by placeholder.
ValueTemplate: TypeAlias = Callable[[Mapping[str, Any]], Wire]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a SELECT: its name and its path in the item."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class OrderBy:
    """An attribute in ORDER BY."""

    name: str
    descending: bool


@dataclass(frozen=True, slots=True)
class SelectStatement:
    """``SELECT columns FROM table.index WHERE condition ORDER BY orders``; None for `*`."""

    table: str
    index: str | None
    columns: tuple[Column, ...] | None
    where: Condition | None
    orders: tuple[OrderBy, ...] = ()


@dataclass(frozen=True, slots=True)
class InsertStatement:
    """``INSERT INTO table VALUE item``."""

    table: str
    item: ValueTemplate


@dataclass(frozen=True, slots=True)
class UpdateStatement:
    """``UPDATE table SET ... REMOVE ... WHERE condition RETURNING returning``."""

    table: str
    update: UpdateTree
    where: Condition | None
    # A value of ReturnValues, such as ALL_OLD.
    returning: str | None = None


@dataclass(frozen=True, slots=True)
class DeleteStatement:
    """``DELETE FROM table WHERE condition RETURNING returning``."""

    table: str
    where: Condition | None
    returning: str | None = None


@dataclass(frozen=True, slots=True)
class ExistsStatement:
    """``EXISTS(SELECT ...)``, a condition check in a transaction."""

    table: str
    where: Condition | None


Statement: TypeAlias = SelectStatement | InsertStatement | UpdateStatement | DeleteStatement | ExistsStatement
