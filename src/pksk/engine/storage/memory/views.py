"""How blocks read and write what a storage in memory keeps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from ..contract import Reader, Row, SpaceMissing, Writer, row_of
from .kept import Kept, SortedRows, Space, Spaces

__all__ = ["MemoryReader", "MemoryWriter"]

_CHUNK: Final = 100


class MemoryReader(Reader):
    """Reads while its block holds the lock."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def get(self, space: int, key: bytes) -> Row | None:
        return self._kept.spaces[space].rows.get(key)

    def rows(self, space: int, low: bytes, high: bytes | None, *, backwards: bool = False) -> Iterator[Row]:
        rows = self._kept.spaces[space].rows
        return map(rows.__getitem__, rows.irange(low, high, (True, False), backwards))

    def totals(self, space: int) -> tuple[int, int]:
        held = self._kept.spaces[space]
        return len(held.rows), held.size


class MemoryWriter(MemoryReader, Writer):
    """Writes in place, and remembers what was there."""

    def rows(self, space: int, low: bytes, high: bytes | None, *, backwards: bool = False) -> Iterator[Row]:
        return _changing_rows(self._kept.spaces[space].rows, low, high, backwards=backwards)

    def put(self, space: int, key: bytes, size: int, data: bytes) -> None:
        self._put(self._kept.spaces[space], key, size, data)

    def delete(self, space: int, key: bytes) -> None:
        self._delete(self._kept.spaces[space], key)

    def make_space(self) -> int:
        return self._add(Space())

    def copy_space(self, space: int) -> int:
        return self._add(self._kept.spaces[space].copy())

    def drop_space(self, space: int) -> None:
        kept = self._kept
        spaces = Spaces(kept.spaces)
        if spaces.pop(space, None) is None:
            raise SpaceMissing(space)
        kept.spaces = spaces

    def note(self, name: str, data: bytes | None) -> None:
        if data is None:
            self._delete(self._kept.notes, name.encode())
        else:
            self._put(self._kept.notes, name.encode(), 0, data)

    def _add(self, space: Space) -> int:
        kept = self._kept
        number = kept.next_space
        kept.next_space += 1
        spaces = Spaces(kept.spaces)
        spaces[number] = space
        kept.spaces = spaces
        return number

    def _put(self, held: Space, key: bytes, size: int, data: bytes) -> None:
        rows, sum_before = held.rows, held.size
        old = rows.get(key)
        self._kept.undo.append((held, key, old, sum_before))
        if old is None:
            held.size = sum_before + size
        else:
            held.size = sum_before + size - old.size
            key = old.key  # the one that the dict keeps, lest each row has two
        rows[key] = row_of((key, size, data))

    def _delete(self, held: Space, key: bytes) -> None:
        old = held.rows.get(key)
        if old is not None:
            self._kept.undo.append((held, key, old, held.size))
            held.size -= old.size
            held.rows.pop(key, None)


def _changing_rows(rows: SortedRows, low: bytes, high: bytes | None, *, backwards: bool) -> Iterator[Row]:
    """Rows that may be written between one and the next: their keys are looked up a hundred at a time."""
    while keys := list(islice(rows.irange(low, high, (True, False), backwards), _CHUNK)):
        for key in keys:
            row = rows.get(key)
            if row is not None:
                yield row
        if backwards:
            high = keys[-1]
        else:
            low = keys[-1] + b"\0"
