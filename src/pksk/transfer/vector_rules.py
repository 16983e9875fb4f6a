"""Holds the vectors of items against the vector indexes of a table, before any of them is written."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index as as_index
from struct import pack
from typing import Any, NoReturn

from pksk.errors import FileProblem, quote
from pksk.values import WireItem

from .definition import Definition

__all__ = ["VectorRules"]


class VectorRules:
    """What the vector indexes of a table ask of its items.

    Example:
        >>> index = {"IndexName": "near", "VectorAttribute": {"AttributeName": "at"}, "Dimensions": 2}
        >>> rules = VectorRules(Definition({"VectorIndexes": [index]}))
        >>> rules.check({"at": {"L": [{"N": "0.5"}, {"N": "1"}]}}, "line 1")
        >>> rules.check({"at": {"L": [{"N": "0.5"}]}}, "line 2")
        Traceback (most recent call last):
        pksk.errors.FileProblem: line 2: 'at' has 1 elements; it is the vector of index 'near'.
        There a vector is a list of 2 numbers, each of which a 32-bit float can hold.
        Fix: correct it, or leave it out.  (pksk explain import-item)
    """

    def __init__(self, definition: Definition) -> None:
        indexes = definition.create.get("VectorIndexes") or ()
        self._rules = [
            _Rule(
                index["VectorAttribute"]["AttributeName"], as_index(index["Dimensions"]), index["IndexName"]
            )
            for index in indexes
        ]

    def check(self, item: WireItem, where: str) -> None:
        """Refuse an item with a vector that an index cannot hold."""
        for rule in self._rules:
            value = item.get(rule.name)
            if value is not None:
                rule.check(value, where)


@dataclass(frozen=True, slots=True)
class _Rule:
    """An attribute that an index finds items by."""

    name: str
    dimensions: int
    index: str

    def check(self, value: Any, where: str) -> None:
        """Refuse what is not a vector of this index."""
        (kind,) = value
        if kind != "L":
            self._refuse(f"is of type {kind}", where)
        elements = value["L"]
        if len(elements) != self.dimensions:
            self._refuse(f"has {len(elements):,} elements", where)
        other = next((element for element in elements if "N" not in element), None)
        if other is not None:
            self._refuse(f"holds {quote(other)}", where)
        try:
            pack(f"<{len(elements)}f", *[float(element["N"]) for element in elements])
        except OverflowError:
            self._refuse("holds a number that is too large", where)

    def _refuse(self, wrong: str, where: str) -> NoReturn:
        raise FileProblem(
            "import-item",
            f"{where}: {quote(self.name)} {wrong}; it is the vector of index {quote(self.index)}.",
            expected=f"There a vector is a list of {self.dimensions:,} numbers, each of which a 32-bit float can hold.",
            fix="correct it, or leave it out.",
        )
