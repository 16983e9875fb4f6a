"""Caches the vectors of searched indexes in memory, kept consistent with what is written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from threading import Lock
from typing import Final, NamedTuple

from pksk.engine.storage.contract import Reader, Row, Storage

from .distance import SearchVector
from .vector_array import ArrayEntry, Neighbor, PlainVectorArray, VectorArray
from .vector_index import VectorIndex

__all__ = ["SearchResult", "VectorCache", "VectorQuery"]

# Where so many more rows have changed than an index has, it is read anew.
_MOST_CHANGES: Final = 1000
# With more vectors than this, ranking takes so long that no view of the storage is held meanwhile.
_MANY_VECTORS: Final = 1000
# So often it is tried without, where others write all the time.
_ATTEMPTS: Final = 3


class VectorQuery(NamedTuple):
    """What a search asks for: near what, how many, in which part, with which values of which filters."""

    search: SearchVector
    most: int
    part: Hashable
    filters: Mapping[int, Hashable]


class SearchResult(NamedTuple):
    """What a search has found: the nearest with their rows, and how many vectors its part has."""

    nearest: list[tuple[Neighbor, Row]]
    vectors: int


class VectorCache:
    """The vector indexes of one table that were searched; safe under many threads.

    A write says which rows it changes before it is stored, and again when it is. A search reads these rows
    anew, and so compares what one view of the storage has: nothing that is taken back, no half of a
    transaction, and everything that was answered before the search began.
    """

    def __init__(self) -> None:
        self._indexes: dict[int, _CachedIndex] = {}
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

    def find(self, storage: Storage, index: VectorIndex, wanted: VectorQuery) -> SearchResult:
        """What a search of an index finds."""
        with self._searching:
            vectors = self._indexes.get(index.space)
            if vectors is None:
                # It is there to be told of changes before it is read.
                vectors = self._indexes[index.space] = _CachedIndex(index)
            try:
                if vectors.is_new:
                    _wait_for_writers(storage)  # and what had begun before it was there is over
                return vectors.find(storage, wanted)
            except BaseException:
                self._indexes.pop(index.space, None)
                raise


def _wait_for_writers(storage: Storage) -> None:
    if not storage.is_free():
        with storage.writing():
            pass


class _Ranking(NamedTuple):
    """The nearest in one version of an index, and how many vectors were compared."""

    nearest: list[Neighbor]
    vectors: int
    version: int


class _CachedIndex:
    """One index in memory: a block of vectors for each part of it, and which rows have changed since."""

    def __init__(self, index: VectorIndex) -> None:
        self._index = index
        self._block = _array_type()
        self._blocks: dict[Hashable, VectorArray] = {}
        self._parts: dict[bytes, Hashable] = {}
        # Values that many entries have, each once.
        self._values: dict[Hashable, Hashable] = {}
        # It rises with each change of what is compared; 0 is before it was read.
        self._version = 0
        # Rows whose change is stored, and those whose change has begun: that may be under way, taken back,
        # or interrupted just when it was stored. There are few of these; each search reads them anew.
        self._touched: set[bytes] = set()
        self._begun: dict[bytes, int] = {}
        self._lock = Lock()

    @property
    def is_new(self) -> bool:
        """Whether it was not read yet."""
        return not self._version

    def begin(self, key: bytes) -> bool:
        """Note a row that changes; False where it is better to read everything anew."""
        with self._lock:
            self._begun[key] = self._begun.get(key, 0) + 1
            return len(self._begun) <= _MOST_CHANGES

    def touch(self, key: bytes) -> bool:
        """Note a row that has changed; False where it is better to read everything anew."""
        with self._lock:
            self._touched.add(key)
            begun = self._begun.pop(key, 0)
            if begun > 1:
                self._begun[key] = begun - 1
            return len(self._touched) <= len(self._parts) + _MOST_CHANGES

    def find(self, storage: Storage, wanted: VectorQuery) -> SearchResult:
        """What a search finds in one view of the storage; ranked before, if nothing has changed since."""
        ranked: _Ranking | None = None
        for attempt in range(_ATTEMPTS):
            found = self._found(storage, wanted, ranked, held=attempt == _ATTEMPTS - 1)
            if found is not None:
                return found
            ranked = self._ranked(wanted)
        raise AssertionError  # the last attempt finds what there is

    def _found(
        self, storage: Storage, wanted: VectorQuery, ranked: _Ranking | None, *, held: bool
    ) -> SearchResult | None:
        """What a view of the storage has of what was ranked; None where that was something else.

        It is ranked while the view is held if that does not take long, or if it must be.
        """
        touched = self._taken()
        with storage.reading() as reader:
            self._refresh(reader, touched)
            if ranked is None or ranked.version != self._version:
                if not held and len(self._parts) > _MANY_VECTORS:
                    return None
                ranked = self._ranked(wanted)
            rows = [(each, reader.get(self._index.space, each.key)) for each in ranked.nearest]
        return SearchResult([(each, row) for each, row in rows if row is not None], ranked.vectors)

    def _taken(self) -> set[bytes]:
        """The rows whose changes were stored since this was last asked."""
        with self._lock:
            touched, self._touched = self._touched, set()
            return touched

    def _told(self) -> set[bytes]:
        """The rows that change or have changed; nothing is forgotten of them."""
        with self._lock:
            return self._touched.union(self._begun)

    def _ranked(self, wanted: VectorQuery) -> _Ranking:
        block = self._blocks.get(wanted.part)
        if block is None:
            return _Ranking([], 0, self._version)
        nearest = block.nearest(wanted.search, wanted.most, wanted.filters)
        return _Ranking(nearest, len(block), self._version)

    def _refresh(self, reader: Reader, touched: set[bytes]) -> None:
        """Make this what a view has: all changes in the view had begun before it was taken."""
        if self.is_new:
            self._build(reader)
            return
        reader.get(self._index.space, b"")  # a file's view is taken when it is first read
        for key in touched.union(self._told()):
            self._renew(key, reader.get(self._index.space, key))

    def _build(self, reader: Reader) -> None:
        parts: dict[Hashable, list[ArrayEntry]] = {}
        for row in reader.rows(self._index.space, b"", None):
            part, kept = self._kept(row)
            parts.setdefault(part, []).append(kept)
            self._parts[row.key] = part
        for part, entries in parts.items():
            block = self._blocks[part] = self._block(self._index.dimensions)
            block.extend(entries)
        self._version = 1

    def _kept(self, row: Row) -> tuple[Hashable, ArrayEntry]:
        index = self._index
        if not index.searched:
            return None, ArrayEntry(row.key, row.data[: index.vector_size], ())
        vector, rest = index.read(row.data)
        values = self._values
        filters = tuple([values.setdefault(value, value) for value in index.filtered_by(rest)])
        part = index.part_of(rest)
        return values.setdefault(part, part), ArrayEntry(row.key, vector, filters)

    def _renew(self, key: bytes, row: Row | None) -> None:
        part, kept = (None, None) if row is None else self._kept(row)
        if key in self._parts:
            if kept is not None and self._parts[key] == part and self._blocks[part].get(key) == kept:
                return
            self._drop(key)
        if kept is not None:
            if part not in self._blocks:
                self._blocks[part] = self._block(self._index.dimensions)
            self._blocks[part].put(kept)
            self._parts[key] = part
        self._version += 1

    def _drop(self, key: bytes) -> None:
        part = self._parts.pop(key)
        self._blocks[part].remove(key)
        if not self._blocks[part]:
            del self._blocks[part]


def _array_type() -> Callable[[int], VectorArray]:
    """The quickest kind of block that there is: with numpy where that is installed."""
    try:
        from .numpy_vector_array import NumpyVectorArray
    except ImportError:
        return PlainVectorArray
    return NumpyVectorArray
