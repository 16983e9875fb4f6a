"""Statements as they are read: what they are made of, without how they are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from pksk.dataclass import dataclass
from pksk.expressions import Condition, Path
from pksk.expressions import Update as UpdateTree
from pksk.values import Wire

__all__ = [
    "Column",
    "DeleteStatement",
    "ExistsStatement",
    "InsertStatement",
    "OrderBy",
    "SelectStatement",
    "Statement",
    "UpdateStatement",
    "ValueTemplate",
]

# A value with parameters inside: made of the values by their placeholders.
ValueTemplate: TypeAlias = Callable[[Mapping[str, Any]], Wire]


@dataclass(frozen=True, slots=True)
class Column:
    """What a SELECT returns of each item, and under which name."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class OrderBy:
    """An attribute that a SELECT orders by."""

    name: str
    descending: bool


@dataclass(frozen=True, slots=True)
class SelectStatement:
    """``SELECT columns FROM table.index WHERE condition ORDER BY orders``; without columns, all of the item."""

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
    # Such as ALL_OLD or UPDATED_NEW, in the words of UpdateItem.
    returning: str | None = None


@dataclass(frozen=True, slots=True)
class DeleteStatement:
    """``DELETE FROM table WHERE condition RETURNING returning``."""

    table: str
    where: Condition | None
    returning: str | None = None


@dataclass(frozen=True, slots=True)
class ExistsStatement:
    """``EXISTS(SELECT ...)``, which checks a condition in a transaction."""

    table: str
    where: Condition | None


Statement: TypeAlias = SelectStatement | InsertStatement | UpdateStatement | DeleteStatement | ExistsStatement
