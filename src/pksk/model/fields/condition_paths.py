"""Finds the fields that an expression names, and replaces them by their attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from pksk.expressions import Path, Value


def condition_fields(tree: Any) -> tuple[str, ...]:
    """The first elements of all paths in an expression, each once.

    Example:
        >>> from pksk import F
        >>> condition_fields((F.total > 5) & F.lines[0].sku.exists() & (F.total < 9))
        ('total', 'lines')
    """
    return tuple(dict.fromkeys(_field_names(tree)))


def _field_names(tree: Any) -> Iterator[str]:
    if isinstance(tree, Path):
        if isinstance(tree.elements[0], str):
            yield tree.elements[0]
    elif isinstance(tree, tuple):
        for each in tree:
            yield from _field_names(each)
    elif is_dataclass(tree) and not isinstance(tree, (type, Value)):
        for each in fields(tree):
            yield from _field_names(getattr(tree, each.name))


def rename_fields(tree: Any, attribute: Callable[[str], str]) -> Any:
    """The condition with attribute names in place of field names."""
    if isinstance(tree, Path):
        first, *rest = tree.elements
        return Path((attribute(first) if isinstance(first, str) else first, *rest))
    if isinstance(tree, tuple):
        return tuple(rename_fields(each, attribute) for each in tree)
    if is_dataclass(tree) and not isinstance(tree, (type, Value)):
        changed = {each.name: rename_fields(getattr(tree, each.name), attribute) for each in fields(tree)}
        return replace(tree, **changed)
    return tree
