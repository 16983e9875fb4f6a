"""How large the items of an entity are, and which indexes they can be in."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from pydantic import BaseModel

from pksk.capacity import billed_size, index_entry, vector_entry_size
from pksk.dataclass import dataclass
from pksk.keys.parts.part_types import field_type
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.model.sample_values import NoSample, sample_model
from pksk.model.storing.attributes import Field
from pksk.schema import Index, Table, VectorIndex
from pksk.values import WireItem, item_size


def sample_item(declaration: Declaration) -> WireItem | None:
    """An item with a value in every field; None if the model rejects made-up values."""
    return declaration.once("sample", lambda: _make_sample(declaration))


def _make_sample(declaration: Declaration) -> WireItem | None:
    try:
        sample = sample_model(declaration.entity)
        return declaration.to_item(sample.model_copy(update=_sample_vectors(declaration, sample)))
    except (NoSample, ValueError):
        return None


def _sample_vectors(declaration: Declaration, sample: BaseModel) -> dict[str, Any]:
    """The vectors of an entity with as many numbers as their indexes have dimensions."""
    indexes = [index for index in declaration.table.indexes if isinstance(index, VectorIndex)]
    dimensions = {index.attribute: index.dimensions for index in indexes}
    return {
        name: value[:1] * dimensions[each.attribute]
        for name, each in declaration.fields.items()
        if each.attribute in dimensions and isinstance(value := getattr(sample, name), list | tuple)
    }


@dataclass(frozen=True)
class ItemSizes:
    """The sizes of an entity's items, in the table and in each index; `source` says who declared the size."""

    declaration: Declaration
    declared: int | None = None
    source: str = "as declared"

    @cached_property
    def _sample(self) -> WireItem | None:
        return sample_item(self.declaration)

    @cached_property
    def item(self) -> int | None:
        """The bytes of a whole item; None if unknown."""
        if self.declared is not None:
            return self.declared
        return None if self._sample is None else billed_size(self.declaration.table, self._sample)

    def entry(self, index: Index) -> int | None:
        """The bytes of an entry in an index, or of the item in the table itself."""
        if index.projection == "all":
            return self.item
        if self._sample is None:
            return None
        entry = _entry_size(index, self._sample)
        return entry if self.declared is None else min(entry, self.declared)

    @property
    def assumption(self) -> str:
        """In words, where the size comes from."""
        name = self.declaration.name
        if self.declared is not None:
            return f"{name}: {self.declared:,} bytes an item, {self.source}"
        if self.item is None:
            return ""
        return f"{name}: {self.item:,} bytes an item, measured on a sample item"

    def entry_assumption(self, index: Index) -> str:
        """In words, the size of an entry where it is not that of the item."""
        entry = self.entry(index)
        if index.kind == "table" or entry is None or entry == self.item:
            return ""
        return f"{self.declaration.name} in {index.name!r}: {entry:,} bytes an entry, measured on one made up"


def _entry_size(index: Index, item: WireItem) -> int:
    if isinstance(index, VectorIndex):
        size = vector_entry_size(index, item)
        return item_size(_projected_item(index, item)) if size is None else size
    entry = index_entry(index, item)
    return item_size(entry if entry is not None else _projected_item(index, item))


def _projected_item(index: Index, item: WireItem) -> WireItem:
    """What the index would hold of an item that happens not to be in it."""
    return {name: value for name, value in item.items() if index.projects(name)}


def indexes_of(declaration: Declaration) -> list[Index]:
    """The indexes that an item of the entity can be in, by a declared key or by plain fields; vector indexes too."""
    return [index for index in declaration.table.indexes if may_hold(index, declaration)]


def may_hold(index: Index, declaration: Declaration) -> bool:
    """Whether items of an entity have every attribute that an entry needs."""
    return needed_attributes(index) <= _possible_attributes(declaration)


def always_holds(index: Index, declaration: Declaration) -> bool:
    """Whether every item of an entity is in the table, or in an index by a key of its own."""
    keys = declaration.keys.values()
    return index.kind == "table" or any(
        key.index == index.name and not is_sparse(declaration, key) for key in keys
    )


def least_items(table: Table, index: Index) -> int:
    """How many items are in a table or an index at least, by the entities that declare it."""
    return sum(each.item_count or 0 for each in table.entities if always_holds(index, each))


def is_sparse(declaration: Declaration, key: EntityKey) -> bool:
    """Whether only some items of an entity are in the index of a key."""
    if key.index is None:
        return False
    return key.when is not None or any(may_be_missing(declaration.fields[name]) for name in key.fields)


def may_be_missing(field: Field) -> bool:
    """Whether a stored item may lack a field: it is optional, and the store does not set it."""
    is_set = any(marker.is_store_managed for marker in field.markers)
    return field_type(field.annotation).optional and not is_set


def needed_attributes(index: Index) -> frozenset[str]:
    """The attributes without which an item is not in an index."""
    if isinstance(index, VectorIndex):
        return frozenset((*index.partition, index.attribute))
    return frozenset((*index.partition, *index.sort))


def _possible_attributes(declaration: Declaration) -> frozenset[str]:
    """What an item can hold: stored fields, key attributes, and the discriminator."""
    fields = {each.attribute for each in declaration.fields.values() if not each.computed}
    return declaration.key_attributes | fields | {declaration.table.discriminator or ""}
