"""What searches have in memory: the vectors of an index, read once and kept up with what is written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from threading import Lock
from typing import NamedTuple

from pksk.engine.storage.contract import Reader, Row, Storage

from .block import Block, Kept, Nearest
from .plain_block import PlainBlock
from .scores import SearchVector
from .vector_index import VectorIndex

__all__ = ["Found", "Searched", "Wanted"]

# Where more rows than this have changed than an index has, it is read anew.
_FEW = 1000


class Wanted(NamedTuple):
    """What a search asks for: how many, near what, in which part, with which values of which filters."""

    search: SearchVector
    count: int
    part: Hashable
    filters: Mapping[int, Hashable]


class Found(NamedTuple):
    """What a search has found: the nearest with their rows, and how many vectors its part has."""

    nearest: list[tuple[Nearest, Row]]
    vectors: int


class Searched:
    """The vector indexes of one table that were searched; safe under many threads.

    A write says which rows it changes before it is stored, and again when it is. A search reads these rows
    anew, and so compares what one view of the storage has: nothing that is taken back, no half of a
    transaction, and everything that was answered before the search began.
    """

    def __init__(self) -> None:
        self._indexes: dict[int, _Vectors] = {}
        self._searching = Lock()

    def begin(self, spaces: Iterable[int], key: bytes) -> None:
        """Note that the row with a key changes in the spaces of indexes, but may be taken back."""
        for space in spaces:
            vectors = self._indexes.get(space)
            if vectors is not None and not vectors.begin(key):
                self._indexes.pop(space, None)

    def touch(self, spaces: Iterable[int], key: bytes) -> None:
        """Note that the row with a key, whose change had begun, is stored."""
        for space in spaces:
            vectors = self._indexes.get(space)
            if vectors is not None and not vectors.touch(key):
                self._indexes.pop(space, None)

    def keep(self, spaces: Collection[int]) -> None:
        """Forget all indexes but those in these spaces."""
        for space in list(self._indexes):
            if space not in spaces:
                self._indexes.pop(space, None)

    def find(self, storage: Storage, index: VectorIndex, wanted: Wanted) -> Found:
        """What a search of an index finds."""
        with self._searching:
            vectors = self._indexes.get(index.space)
            if vectors is None:
                # It is there to be told of changes before it is read.
                vectors = self._indexes[index.space] = _Vectors(index)
            try:
                return vectors.find(storage, wanted)
            except BaseException:
                self._indexes.pop(index.space, None)
                raise


class _Vectors:
    """One index in memory: a block of vectors for each part of it, and which rows have changed since."""

    def __init__(self, index: VectorIndex) -> None:
        self._index = index
        self._block = block_kind()
        self._blocks: dict[Hashable, Block] = {}
        self._parts: dict[bytes, Hashable] = {}
        self._known: dict[Hashable, Hashable] = {}
        self._built = False
        self._touched: set[bytes] = set()
        # Rows whose change has begun and not ended: it may be under way, taken back, or interrupted when
        # it was stored. They are read with each search, and there are few.
        self._begun: dict[bytes, int] = {}
        self._lock = Lock()

    def begin(self, key: bytes) -> bool:
        """Note a row that changes; False where it is better to read everything anew."""
        with self._lock:
            self._begun[key] = self._begun.get(key, 0) + 1
            return len(self._begun) <= _FEW

    def touch(self, key: bytes) -> bool:
        """Note a row that has changed; False where it is better to read everything anew."""
        with self._lock:
            self._touched.add(key)
            begun = self._begun.pop(key, 0)
            if begun > 1:
                self._begun[key] = begun - 1
            return len(self._touched) <= len(self._parts) + _FEW

    def find(self, storage: Storage, wanted: Wanted) -> Found:
        """What a search finds in one view of the storage.

        Ranking takes long, and nobody should wait for a view meanwhile: so it is done between two of them,
        and again where the second one has something else.
        """
        for _ in range(_ATTEMPTS):
            self._view(storage, None)
            ranked = self._ranked(wanted)
            found = self._view(storage, ranked)
            if found is not None:
                return found
        return self._view(storage, None, wanted)  # type: ignore[return-value]  # with something to rank

    def _build(self, reader: Reader) -> None:
        parts: dict[Hashable, list[Kept]] = {}
        for row in reader.rows(self._index.space, b"", None):
            part, kept = self._kept(row)
            parts.setdefault(part, []).append(kept)
            self._parts[row.key] = part
        for part, entries in parts.items():
            block = self._blocks[part] = self._block(self._index.dimensions)
            block.extend(entries)
        self._built = True

    def _kept(self, row: Row) -> tuple[Hashable, Kept]:
        index = self._index
        if not index.searched:
            return None, Kept(row.key, row.data[: index.vector_size], ())
        vector, rest = index.read(row.data)
        known = self._known
        filters = tuple([known.setdefault(value, value) for value in index.filtered_by(rest)])
        part = index.part_of(rest)
        return known.setdefault(part, part), Kept(row.key, vector, filters)

    def _renew(self, key: bytes, row: Row | None) -> None:
        part, kept = (None, None) if row is None else self._kept(row)
        if key in self._parts and (kept is None or self._parts[key] != part):
            self._drop(key)
        if kept is not None:
            block = self._blocks.get(part)
            if block is None:
                block = self._blocks[part] = self._block(self._index.dimensions)
            block.put(kept)
            self._parts[key] = part

    def _drop(self, key: bytes) -> None:
        part = self._parts.pop(key)
        block = self._blocks[part]
        block.remove(key)
        if not block:
            del self._blocks[part]


def block_kind() -> Callable[[int], Block]:
    """The quickest kind of block that there is: with numpy where that is installed."""
    try:
        from .numpy_block import NumpyBlock
    except ImportError:
        return PlainBlock
    return NumpyBlock
