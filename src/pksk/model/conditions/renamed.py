"""Turns conditions on fields into conditions on the attributes that hold them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from pksk.expressions import Path, Value

__all__ = ["renamed"]


def renamed(tree: Any, attribute: Callable[[str], str]) -> Any:
    """A condition on fields as one on the attributes that hold them."""
    if isinstance(tree, Path):
        first, *rest = tree.elements
        return Path((attribute(first) if isinstance(first, str) else first, *rest))
    if isinstance(tree, tuple):
        return tuple(renamed(each, attribute) for each in tree)
    if is_dataclass(tree) and not isinstance(tree, (type, Value)):
        changed = {each.name: renamed(getattr(tree, each.name), attribute) for each in fields(tree)}
        return replace(tree, **changed)
    return tree
