"""Folds: how a field of a cell follows from its children, or from the items in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import Any, Final, Literal, TypeAlias

from pksk.dataclass import dataclass

FoldKind: TypeAlias = Literal["count", "add", "minimum", "maximum"]


@dataclass(frozen=True)
class Fold:
    """A field of a cell and the field of the items in it; `default` is its value in an empty cell.

    Example:
        >>> Fold("add", "reports", "reports", 0).of([3, None, 4]), Fold("maximum", "newest", "at", None).of([])
        (7, None)
    """

    kind: FoldKind
    target: str
    source: str
    default: Any

    def of(self, values: Sequence[Any]) -> Any:
        """The value of a cell with these values in it."""
        return _FOLDS[self.kind]([each for each in values if each is not None], self.default)


def _sum(values: Sequence[Any], default: Any) -> Any:
    # Exact in any order, so that two computations of one cell never differ.
    if any(isinstance(each, float) for each in values):
        return fsum(values)
    return sum(values, start=type(default)())


_FOLDS: Final[Mapping[FoldKind, Callable[[Sequence[Any], Any], Any]]] = {
    "count": _sum,
    "add": _sum,
    "minimum": lambda values, default: min(values, default=default),
    "maximum": lambda values, default: max(values, default=default),
}


class Totals:
    """The values of a cell, from what is in it, part by part.

    Example:
        >>> folds = (Fold("add", "reports", "weight", 0), Fold("minimum", "first", "at", None))
        >>> totals = Totals(folds, of_items=True)
        >>> totals.take({"weight": 2, "at": 7}.get)
        >>> totals.take({"weight": 3, "at": 5}.get)
        >>> totals.values
        {'reports': 5, 'first': 5}
    """

    def __init__(self, folds: Iterable[Fold], *, of_items: bool) -> None:
        self._folds, self._of_items = tuple(folds), of_items
        self._parts: dict[str, list[Any]] = {each.target: [] for each in self._folds}

    def take(self, value_of: Callable[[str], Any]) -> None:
        """Add an item, or a child, by a function that returns its fields."""
        for fold in self._folds:
            value: Any = 1
            if not self._of_items:
                value = value_of(fold.target)
            elif fold.kind != "count":
                value = value_of(fold.source)
            self._parts[fold.target].append(value)

    def shorten(self) -> None:
        """Keep one value for each field, so that a cell with many items needs little memory."""
        # Floats wait for the end: sums of sums would round differently.
        for fold in self._folds:
            parts = self._parts[fold.target]
            if parts and not any(isinstance(each, float) for each in parts):
                self._parts[fold.target] = [fold.of(parts)]

    @property
    def values(self) -> dict[str, Any]:
        """The value of each field of the cell."""
        return {each.target: each.of(self._parts[each.target]) for each in self._folds}
