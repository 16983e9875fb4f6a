"""The fields that a condition is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from pksk.expressions import Path, Value

__all__ = ["condition_fields"]


def condition_fields(tree: Any) -> tuple[str, ...]:
    """The first elements of all paths in an expression, each once.

    Example:
        >>> from pksk import F
        >>> condition_fields((F.total > 5) & F.lines[0].sku.exists() & (F.total < 9))
        ('total', 'lines')
    """
    return tuple(dict.fromkeys(_names(tree)))


def _names(tree: Any) -> Iterator[str]:
    if isinstance(tree, Path):
        if isinstance(tree.elements[0], str):
            yield tree.elements[0]
    elif isinstance(tree, tuple):
        for each in tree:
            yield from _names(each)
    elif is_dataclass(tree) and not isinstance(tree, (type, Value)):
        for each in fields(tree):
            yield from _names(getattr(tree, each.name))
