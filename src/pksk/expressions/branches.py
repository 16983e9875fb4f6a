"""Document paths as a tree: each element leads to what is inside it, or to what is at the path's end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from .tree import Path

__all__ = ["Branches", "branches", "leads_into_list"]

Branches: TypeAlias = dict[Any, Any]


def branches(paths: Iterable[tuple[Path, Any]]) -> Branches:
    """The tree of paths that do not overlap, with what stands at the end of each.

    Example:
        >>> branches([(Path(("a", "b")), 1), (Path(("a", "c")), 2), (Path(("d",)), 3)])
        {'a': {'b': 1, 'c': 2}, 'd': 3}
    """
    root: Branches = {}
    for path, end in paths:
        *before, last = path.elements
        branch = root
        for element in before:
            branch = branch.setdefault(element, {})
        branch[last] = end
    return root


def leads_into_list(inner: Branches) -> bool:
    """Whether these are elements of a list, and not members of a map.

    Example:
        >>> leads_into_list({0: None}), leads_into_list({"a": None})
        (True, False)
    """
    return isinstance(next(iter(inner)), int)
