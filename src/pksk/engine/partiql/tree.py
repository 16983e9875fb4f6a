"""Statements as they are read: what they are made of, without how they are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pksk.expressions import Condition, Path
from pksk.expressions import Update as UpdateTree
from pksk.values import Wire

__all__ = ["Column", "Delete", "Exists", "Insert", "Order", "Select", "Statement", "Template", "Update"]

# A value with parameters inside: made of the values by their placeholders.
Template: TypeAlias = Callable[[Mapping[str, Any]], Wire]


@dataclass(frozen=True, slots=True)
class Column:
    """What a SELECT returns of each item, and under which name."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Order:
    """An attribute that a SELECT orders by."""

    name: str
    descending: bool


@dataclass(frozen=True, slots=True)
class Select:
    """``SELECT columns FROM table.index WHERE condition ORDER BY orders``; without columns, all of the item."""

    table: str
    index: str | None
    columns: tuple[Column, ...] | None
    where: Condition | None
    orders: tuple[Order, ...] = ()


@dataclass(frozen=True, slots=True)
class Insert:
    """``INSERT INTO table VALUE item``."""

    table: str
    item: Template


@dataclass(frozen=True, slots=True)
class Update:
    """``UPDATE table SET ... REMOVE ... WHERE condition RETURNING returning``."""

    table: str
    update: UpdateTree
    where: Condition | None
    # Such as ALL_OLD or UPDATED_NEW, in the words of UpdateItem.
    returning: str | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """``DELETE FROM table WHERE condition RETURNING returning``."""

    table: str
    where: Condition | None
    returning: str | None = None


@dataclass(frozen=True, slots=True)
class Exists:
    """``EXISTS(SELECT ...)``, which checks a condition in a transaction."""

    table: str
    where: Condition | None


Statement: TypeAlias = Select | Insert | Update | Delete | Exists
