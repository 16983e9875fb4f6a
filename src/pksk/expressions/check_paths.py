"""Paths that get in each other's way: one inside the other, or one attribute as both map and list."""

from __future__ import annotations

from collections.abc import Sequence

from pksk.errors import ExpressionError

from .check import path_text
from .texts import Parameter, refusal
from .tree import Path

__all__ = ["check_paths"]


def check_paths(paths: Sequence[Path], parameter: Parameter) -> None:
    """Refuse two paths that overlap, or else two that conflict, in the order they are written.

    Example:
        >>> check_paths([Path(("a",)), Path(("a", "b"))], "ProjectionExpression")
        Traceback (most recent call last):
        pksk.errors.ExpressionError: Invalid ProjectionExpression: Two document paths overlap ...
    """
    conflict: ExpressionError | None = None
    heads: dict[object, list[Path]] = {}
    for path in paths:
        # Only paths of one attribute can meet, and mostly there is one of each.
        before = heads.setdefault(path.elements[0], [])
        for other in before:
            meeting = _meeting(other, path)
            if meeting == "overlap":
                one, two = path_text(other), path_text(path)
                raise refusal("expression-paths-overlap", parameter, one=one, two=two)
            if meeting and conflict is None:
                one, two = path_text(other), path_text(path)
                conflict = refusal("expression-paths-conflict", parameter, one=one, two=two)
        before.append(path)
    if conflict:
        raise conflict


def _meeting(one: Path, two: Path) -> str:
    for first, second in zip(one.elements, two.elements, strict=False):
        if isinstance(first, int) is not isinstance(second, int):
            return "conflict"
        if first != second:
            return ""
    return "overlap"
