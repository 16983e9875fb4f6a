"""The sizes of item collections, which a table with local indexes keeps."""

from __future__ import annotations

from pksk.engine.storage import Reader
from pksk.engine.tables.table import Table

from .report import Findings

__all__ = ["CollectionSizes"]


class CollectionSizes:
    """Sums up items as they come, those of one partition key after each other, and compares."""

    def __init__(self, findings: Findings, reader: Reader, table: Table, space: int) -> None:
        self._findings, self._reader, self._table, self._space = findings, reader, table, space
        self._where = f"{table.name}: item collections"
        self._key = b""
        self._size = self._matched = 0

    def add(self, key: bytes, row_key: bytes, size: int) -> None:
        """One more item of the collection with a key, and the bytes of it and its entries in local indexes."""
        if key != self._key:
            self._compare()
            self._key, self._size = key, 0
        self._size += size
        find = self._table.partitions.find
        if find(key) is not find(row_key):
            self._findings.problem(
                self._where, f"{key.hex()} lies on two partitions, and local indexes keep it on one."
            )

    def finish(self) -> None:
        """Compare the last, and look whether there are others."""
        self._compare()
        rows, _ = self._reader.totals(self._space)
        if rows != self._matched:
            self._findings.problem(self._where, f"{rows} have a size, and {self._matched} should.")

    def _compare(self) -> None:
        if not self._key:
            return
        self._findings.count("item collections")
        row = self._reader.get(self._space, self._key)
        stored = 0 if row is None else row.size
        self._matched += row is not None
        if stored != self._size:
            self._findings.problem(
                self._where, f"the size of {self._key.hex()} is stored as {stored}, and is {self._size}."
            )
