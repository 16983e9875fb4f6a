"""How large the items of an entity are: as declared, or as an item that is made up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pksk.capacity import index_entry
from pksk.model.patterns.sample import NoSample, sample_model
from pksk.values import WireItem, item_size

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.schema import Index

__all__ = ["Sizes", "sample_item"]


def sample_item(declaration: Declaration[Any]) -> WireItem | None:
    """An item with a value in every field; None where the model refuses what is made up."""
    if "sample" not in declaration.remembered:
        declaration.remembered["sample"] = _made_up(declaration)
    found: WireItem | None = declaration.remembered["sample"]
    return found


def _made_up(declaration: Declaration[Any]) -> WireItem | None:
    try:
        return declaration.to_item(sample_model(declaration.entity))
    except (NoSample, ValueError):
        return None


@dataclass(frozen=True)
class Sizes:
    """The sizes of an entity's items, in the table and in each index."""

    declaration: Declaration[Any]
    declared: int | None = None

    @cached_property
    def _sample(self) -> WireItem | None:
        return sample_item(self.declaration)

    @cached_property
    def item(self) -> int | None:
        """The bytes of a whole item; None where nothing is known."""
        if self.declared is not None:
            return self.declared
        return None if self._sample is None else item_size(self._sample)

    def entry(self, index: Index) -> int | None:
        """The bytes of an entry in an index, or of the item in the table itself."""
        if index.projection == "all":
            return self.item
        if self._sample is None:
            return None
        made = index_entry(index, self._sample)
        entry = item_size(made if made is not None else _held(index, self._sample))
        return entry if self.declared is None else min(entry, self.declared)

    @property
    def assumption(self) -> str:
        """In words, where the size comes from."""
        name = self.declaration.name
        if self.declared is not None:
            return f"{name}: {self.declared:,} bytes an item, as declared"
        if self.item is None:
            return ""
        return f"{name}: {self.item:,} bytes an item, measured on one made up from its types"


def _held(index: Index, item: WireItem) -> WireItem:
    """What the index would hold of an item that happens not to be in it."""
    return {name: value for name, value in item.items() if index.projects(name)}
