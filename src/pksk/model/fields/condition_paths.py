"""Finds the fields that an expression names, and replaces them by their attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from pksk.expressions import Action, Condition, Operand, Path, Value

Tree = TypeVar("Tree", bound=Condition | Action | Operand)


def condition_fields(tree: object) -> tuple[str, ...]:
    """The first elements of all paths in an expression, each once."""
    return tuple(dict.fromkeys(_field_names(tree)))


def _field_names(tree: object) -> Iterator[str]:
    if isinstance(tree, Path):
        if isinstance(tree.elements[0], str):
            yield tree.elements[0]
    elif isinstance(tree, tuple):
        for each in tree:
            yield from _field_names(each)
    elif is_dataclass(tree) and not isinstance(tree, (type, Value)):
        for each in fields(tree):
            yield from _field_names(getattr(tree, each.name))


def rename_fields(tree: Tree, attribute: Callable[[str], str]) -> Tree:
    """A condition, an action or an operand with attribute names in place of field names."""
    renamed: Tree = _renamed(tree, attribute)
    return renamed


def _renamed(tree: Any, attribute: Callable[[str], str]) -> Any:
    if isinstance(tree, Path):
        first, *rest = tree.elements
        return Path((attribute(first) if isinstance(first, str) else first, *rest))
    if isinstance(tree, tuple):
        return tuple(_renamed(each, attribute) for each in tree)
    if is_dataclass(tree) and not isinstance(tree, (type, Value)):
        changed = {each.name: _renamed(getattr(tree, each.name), attribute) for each in fields(tree)}
        return replace(tree, **changed)
    return tree
