"""Checks stored items, and their entries in indexes and in the order of expiry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any, Final

import orjson

from pksk.client import ServiceError
from pksk.engine.items.derived_rows import SECOND_BYTES, expires_at, second_key
from pksk.engine.request import check_item, read_request
from pksk.engine.row_layout import RowLayout
from pksk.engine.state import Expiry, Table
from pksk.engine.storage import Reader, Row
from pksk.engine.vectors.vector_index import VectorIndex, billed_size
from pksk.values import WireItem, item_size

from .report import Findings

_LONGEST_NAME: Final = 120


def check_stored_item(
    findings: Findings, where: str, rows: RowLayout, row: Row, vectors: Collection[VectorIndex]
) -> tuple[WireItem | None, int]:
    """The item of a row and its billed size; None for an invalid item, which is a problem."""
    try:
        item, size = _parse_row(rows, row)
    except ValueError as error:
        findings.problem(where, f"{item_name(rows, row)}: {error}")
        return None, 0
    billed = billed_size(vectors, item, size) if vectors else size
    if billed != row.size:
        problem = f"its stored size is {row.size}, and its actual size is {billed}."
        findings.problem(where, f"{item_name(rows, row)}: {problem}")
    return item, billed


def _parse_row(rows: RowLayout, row: Row) -> tuple[WireItem, int]:
    """The item of a row and its size; raises ValueError with the problem."""
    item, size = parse_item(row.data)
    for attribute in rows.keys:
        value = item.get(attribute.name)
        if value is None or not rows.accepts(attribute, value):
            raise ValueError(f"its key attribute {attribute.name} is missing or invalid.")
    if rows.key_of(item) != row.key:
        raise ValueError("it is stored under another key.")
    return item, size


def parse_item(data: bytes) -> tuple[WireItem, int]:
    """An item from its JSON, and its size; raises ValueError if it is invalid, or not in the stored form."""
    try:
        raw: Any = orjson.loads(data)
        item, size = check_item(read_request("PutItem", {"TableName": "any", "Item": raw})["Item"])
    except ServiceError as error:
        raise ValueError(f"it is not an item: {error.message or error.code}") from None
    except ValueError as error:
        raise ValueError(f"it is not JSON: {error}.") from None
    if item != raw:
        raise ValueError("its values are not in the form in which an engine stores them.")
    return item, size


def item_name(rows: RowLayout, row: Row) -> str:
    """The name of an item in problems: its key, if that is readable."""
    try:
        item = orjson.loads(row.data)
        text = orjson.dumps({attribute.name: item[attribute.name] for attribute in rows.keys}).decode()
    except (ValueError, LookupError, TypeError):
        text = row.key.hex()
    return f"item {text[:_LONGEST_NAME]}"


class ImpliedEntries(ABC):
    """The rows of a space that follow from the items of a table.

    Each item's entry is looked up. Only if the space has more rows than that, all of it is read.
    """

    kind: str
    is_local = False  # whether entries count for the size of item collections

    def __init__(self, findings: Findings, reader: Reader, table: Table, name: str, space: int) -> None:
        self._findings, self._reader, self._table = findings, reader, table
        self._where = f"{table.name}: {name}"
        self._space = space
        self._matched = 0

    def check(self, item: WireItem, row: Row) -> int:
        """Check the entry of an item; returns the size of the entry."""
        implied = self._implied(item, row)
        if implied is None:
            return 0
        self._findings.count(self.kind)
        stored = self._reader.get(self._space, implied.key)
        if stored is None:
            self._add_problem(row, "is missing.")
        else:
            self._matched += 1
            if stored.size != implied.size or not self._same(stored.data, implied.data):
                self._add_problem(row, "does not match the item.")
        return implied.size

    def finish(self) -> None:
        """Check that there are no other entries."""
        rows, _ = self._reader.totals(self._space)
        if rows == self._matched:
            return
        for row in self._reader.rows(self._space, b"", None):
            if not self._is_implied(row):
                self._findings.problem(self._where, f"the entry {row.key.hex()} has no item.")

    def _add_problem(self, row: Row, problem: str) -> None:
        name = item_name(self._table.layout, row)
        self._findings.problem(self._where, f"the entry of {name} {problem}")

    def _is_implied(self, row: Row) -> bool:
        try:
            stored = self._reader.get(self._table.layout.space, self._item_key(row.key))
            implied = None if stored is None else self._implied(orjson.loads(stored.data), stored)
        except (ValueError, LookupError, TypeError, AttributeError):
            return False
        return implied is not None and implied.key == row.key

    @abstractmethod
    def _implied(self, item: WireItem, row: Row) -> Row | None:
        """The entry of an item, if it has one."""

    @abstractmethod
    def _item_key(self, key: bytes) -> bytes:
        """The key of the item with this entry."""

    def _same(self, stored: bytes, implied: bytes) -> bool:
        """Whether an entry has the expected content; the order of members may differ."""
        return stored == implied or _load_json(stored) == orjson.loads(implied)


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
        # Entries have vectors as lists of numbers, unlike the billed size of items.
        whole = row._replace(size=item_size(item)) if self._table.vectors else row
        return self._index.row(item, whole)

    def _item_key(self, key: bytes) -> bytes:
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

    def _item_key(self, key: bytes) -> bytes:
        return key

    def _same(self, stored: bytes, implied: bytes) -> bool:
        end = self._index.vector_size
        return stored[:end] == implied[:end] and super()._same(stored[end:], implied[end:])


class ExpiryEntries(ImpliedEntries):
    """The entries in the order of expiry."""

    kind = "expiry entries"

    def __init__(self, findings: Findings, reader: Reader, table: Table, expiry: Expiry) -> None:
        super().__init__(findings, reader, table, "time to live", expiry.space)
        self._attribute = expiry.attribute

    def _implied(self, item: WireItem, row: Row) -> Row | None:
        second = expires_at(item, self._attribute)
        return None if second is None else Row(second_key(second) + row.key, 0, b"")

    def _item_key(self, key: bytes) -> bytes:
        return key[SECOND_BYTES:]


def implied_entries(findings: Findings, reader: Reader, table: Table) -> list[ImpliedEntries]:
    """The checks of all entries that the items of a table have."""
    entries: list[ImpliedEntries] = [
        IndexEntries(findings, reader, table, index) for index in table.indexes.values()
    ]
    entries += [VectorEntries(findings, reader, table, index) for index in table.vectors.values()]
    if table.expiry is not None:
        entries.append(ExpiryEntries(findings, reader, table, table.expiry))
    return entries


def _load_json(data: bytes) -> object:
    try:
        content: object = orjson.loads(data)
    except ValueError:
        return None
    return content
