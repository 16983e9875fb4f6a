"""A table as a dict: what the engine must return, as simply as possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from pksk.capacity.index_entries import index_entry
from pksk.schema import Table
from pksk.schema.index import Index

Item = dict[str, dict[str, Any]]
Key = tuple[Any, ...]


def sort_value(wire: dict[str, Any]) -> Any:
    ((kind, inner),) = wire.items()
    return Decimal(inner) if kind == "N" else inner.encode()


class TableModel:
    """The items of a table by their keys, with nothing but a dict and `sorted`."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.items: dict[Key, Item] = {}

    def key(self, item: Item) -> Key:
        return tuple(
            sort_value(item[attribute.name]) for attribute in self.table.index(None).typed_attributes
        )

    def get(self, item: Item) -> Item | None:
        return self.items.get(self.key(item))

    def put(self, item: Item) -> None:
        self.items[self.key(item)] = item

    def delete(self, key: Item) -> None:
        self.items.pop(self.key(key), None)

    def entries(self, index_name: str | None) -> list[Item]:
        index = self.table.index(index_name)
        if index_name is None:
            return list(self.items.values())
        found = (index_entry(index, item) for item in self.items.values())
        return [entry for entry in found if entry is not None]

    def partition(
        self, index_name: str | None, values: dict[str, Any], holds: Callable[[Item], bool]
    ) -> list[Item]:
        """The entries of one partition that a condition on the sort key lets through, in order of the sort key."""
        index = self.table.index(index_name)
        found = [
            entry
            for entry in self.entries(index_name)
            if all(entry[name] == value for name, value in values.items()) and holds(entry)
        ]
        return sorted(found, key=lambda entry: sort_key(index, entry))


def sort_key(index: Index, entry: Item) -> Key:
    return tuple(sort_value(entry[attribute.name]) for attribute in index.sort_key)


def as_set(items: Iterable[Item]) -> set[str]:
    """Items without their order."""
    return {repr(sorted((name, repr(value)) for name, value in item.items())) for item in items}
