"""What an estimate adds up: charges, assumptions, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pksk.capacity import Charge
from pksk.model.cost.sizes import Sizes
from pksk.model.patterns.declared import Declared

__all__ = ["Tally"]


@dataclass
class Tally:
    """The sum of an estimate in the making.

    `share` is how many requests share the declared items; `checked` are the entities that a transaction checks
    or writes itself, so that a reference to one of them asks for no check more.
    """

    declared: Declared
    share: int = 1
    checked: set[type] = field(default_factory=set)
    charges: list[Charge] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def sizes(self, declaration: Any) -> Sizes:
        """The sizes of an entity's items, noted as an assumption, or as missing where there are none."""
        sizes = Sizes(declaration, self.declared.item_size)
        if sizes.item is None:
            self.missing.append(f"how large the items of {declaration.name} are (item_size=)")
        else:
            self.assumptions.append(sizes.assumption)
        return sizes

    def charge(self, table: str, index: str | None = None, *, read: float = 0.0, write: float = 0.0) -> None:
        """Add units to a table or an index."""
        self.charges.append(Charge(table, index, read, write))
