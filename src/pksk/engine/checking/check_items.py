"""Verifies stored items, and the entries of indexes and of expiry that each of them implies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any, Final

import orjson

from pksk.engine.items.expiry import SECOND_BYTES, expires_at, second_key
from pksk.engine.request import read_request
from pksk.engine.request.attribute_values import check_item
from pksk.engine.row_layout import RowLayout
from pksk.engine.service_errors import ServiceError
from pksk.engine.state.table import Expiry, Table
from pksk.engine.storage import Reader, Row
from pksk.engine.vectors.vector_entries import billed_size
from pksk.engine.vectors.vector_index import VectorIndex
from pksk.values import WireItem
from pksk.values.size import item_size

from .report import Findings

__all__ = ["ImpliedEntries", "check_stored_item", "implied_entries", "item_name", "parse_item"]

_LONGEST_NAME: Final = 120


def check_stored_item(
    findings: Findings, where: str, rows: RowLayout, row: Row, vectors: Collection[VectorIndex]
) -> tuple[WireItem | None, int]:
    """The item of a row, and the size that it is billed by; None where it is no item, which is told."""
    try:
        item, size = _parse_row(rows, row)
    except ValueError as error:
        findings.problem(where, f"{item_name(rows, row)}: {error}")
        return None, 0
    billed = billed_size(vectors, item, size) if vectors else size
    if billed != row.size:
        told = f"its size is stored as {row.size}, and is {billed}."
        findings.problem(where, f"{item_name(rows, row)}: {told}")
    return item, billed


def _parse_row(rows: RowLayout, row: Row) -> tuple[WireItem, int]:
    """The item of a row, and its size; raises ValueError with what is wrong with it."""
    item, size = parse_item(row.data)
    for attribute in rows.keys:
        value = item.get(attribute.name)
        if value is None or not rows.accepts(attribute, value):
            raise ValueError(f"its key attribute {attribute.name} is missing, or cannot be a key.")
    if rows.key_of(item) != row.key:
        raise ValueError("it stands where another key belongs.")
    return item, size


def parse_item(data: bytes) -> tuple[WireItem, int]:
    """An item from its JSON, and its size; raises ValueError where it is none, or not as items are stored."""
    try:
        raw: Any = orjson.loads(data)
        read = read_request("PutItem", {"TableName": "any", "Item": raw})["Item"]
        item, size = check_item(read)
    except ServiceError as refused:
        raise ValueError(f"it is no item: {refused.message or refused.code}") from None
    except ValueError as error:
        raise ValueError(f"it is no JSON: {error}.") from None
    if item != raw:
        raise ValueError("its values are not in the form in which they are stored.")
    return item, size


def item_name(rows: RowLayout, row: Row) -> str:
    """An item as lines about it call it: by its key where that can be read."""
    try:
        item = orjson.loads(row.data)
        text = orjson.dumps({attribute.name: item[attribute.name] for attribute in rows.keys}).decode()
    except (ValueError, LookupError, TypeError):
        text = row.key.hex()
    return f"item {text[:_LONGEST_NAME]}"


class ImpliedEntries(ABC):
    """The rows of a space that follow from the items of a table, verified both ways.

    Each item's entry is looked up. Where the space has more than those that were found, it is read through.
    """

    kind: str
    is_local = False  # whether it counts to the item's collection

    def __init__(self, findings: Findings, reader: Reader, table: Table, name: str, space: int) -> None:
        self._findings, self._reader, self._table = findings, reader, table
        self._where = f"{table.name}: {name}"
        self._space = space
        self._matched = 0

    def follow(self, item: WireItem, row: Row) -> int:
        """Verify what one item implies; gives the size of its entry."""
        implied = self._implied(item, row)
        if implied is None:
            return 0
        self._findings.count(self.kind)
        found = self._reader.get(self._space, implied.key)
        if found is None:
            self._tell(row, "is missing.")
        else:
            self._matched += 1
            if found.size != implied.size or not self._same(found.data, implied.data):
                self._tell(row, "is not what the item implies.")
        return implied.size

    def finish(self) -> None:
        """Verify that there is nothing else."""
        rows, _ = self._reader.totals(self._space)
        if rows == self._matched:
            return
        for row in self._reader.rows(self._space, b"", None):
            if not self._is_implied(row):
                self._findings.problem(self._where, f"the entry {row.key.hex()} follows from no item.")

    def _tell(self, row: Row, problem: str) -> None:
        name = item_name(self._table.layout, row)
        self._findings.problem(self._where, f"the entry of {name} {problem}")

    def _is_implied(self, row: Row) -> bool:
        try:
            stored = self._reader.get(self._table.layout.space, self._own_key(row.key))
            implied = None if stored is None else self._implied(orjson.loads(stored.data), stored)
        except (ValueError, LookupError, TypeError, AttributeError):
            return False
        return implied is not None and implied.key == row.key

    @abstractmethod
    def _implied(self, item: WireItem, row: Row) -> Row | None:
        """The entry that an item implies."""

    @abstractmethod
    def _own_key(self, key: bytes) -> bytes:
        """The key of the item whose entry has a key."""

    def _same(self, found: bytes, implied: bytes) -> bool:
        """Whether an entry holds what it should; members may stand in another order."""
        return found == implied or _load_json(found) == orjson.loads(implied)


class IndexEntries(ImpliedEntries):
    """The entries of a global or local index."""

    kind = "index entries"

    def __init__(self, findings: Findings, reader: Reader, table: Table, index: RowLayout) -> None:
        super().__init__(findings, reader, table, f"index {index.name}", index.space)
        self._index = index
        self.is_local = index.kind == "lsi"

    def _implied(self, item: WireItem, row: Row) -> Row | None:
        if not self._index.includes(item):
            return None
        # Entries hold vectors as lists of numbers, which the table is not billed by.
        whole = row._replace(size=item_size(item)) if self._table.vectors else row
        return self._index.row(item, whole)

    def _own_key(self, key: bytes) -> bytes:
        return self._index.base_key(key)


class VectorEntries(ImpliedEntries):
    """The entries of a vector index."""

    kind = "vector entries"

    def __init__(self, findings: Findings, reader: Reader, table: Table, index: VectorIndex) -> None:
        super().__init__(findings, reader, table, f"vector index {index.name}", index.space)
        self._index = index

    def _implied(self, item: WireItem, row: Row) -> Row | None:
        entry = self._index.entry(item)
        return None if entry is None else self._index.row(row.key, entry)

    def _own_key(self, key: bytes) -> bytes:
        return key

    def _same(self, found: bytes, implied: bytes) -> bool:
        end = self._index.vector_size
        return found[:end] == implied[:end] and super()._same(found[end:], implied[end:])


class ExpiryEntries(ImpliedEntries):
    """When each item expires."""

    kind = "expiry entries"

    def __init__(self, findings: Findings, reader: Reader, table: Table, expiry: Expiry) -> None:
        super().__init__(findings, reader, table, "time to live", expiry.space)
        self._attribute = expiry.attribute

    def _implied(self, item: WireItem, row: Row) -> Row | None:
        second = expires_at(item, self._attribute)
        return None if second is None else Row(second_key(second) + row.key, 0, b"")

    def _own_key(self, key: bytes) -> bytes:
        return key[SECOND_BYTES:]


def implied_entries(findings: Findings, reader: Reader, table: Table) -> list[ImpliedEntries]:
    """All that follows from the items of a table."""
    found: list[ImpliedEntries] = [
        IndexEntries(findings, reader, table, index) for index in table.indexes.values()
    ]
    found += [VectorEntries(findings, reader, table, index) for index in table.vectors.values()]
    if table.expiry is not None:
        found.append(ExpiryEntries(findings, reader, table, table.expiry))
    return found


def _load_json(data: bytes) -> object:
    try:
        found: object = orjson.loads(data)
    except ValueError:
        return None
    return found
