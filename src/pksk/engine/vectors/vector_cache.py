"""Caches the vectors of searched indexes in memory, consistent with concurrent writes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from threading import Lock
from typing import Final, NamedTuple

from pksk.engine.storage.contract import Reader, Row, Storage

from .distance import SearchVector
from .vector_array import ArrayEntry, Neighbor, PlainVectorArray, VectorArray
from .vector_index import VectorIndex

# An index is read again if so many more rows have changed than it has.
_MOST_CHANGES: Final = 1000
# More vectors than this are ranked without holding a view of the storage, which would delay writers,
_MANY_VECTORS: Final = 1000
# unless other threads write all the time: the last of so many attempts holds it.
_ATTEMPTS: Final = 3


class VectorQuery(NamedTuple):
    """A search: the vector, the number of results, the partition, and the values of filters by position."""

    vector: SearchVector
    limit: int
    partition: Hashable
    filters: Mapping[int, Hashable]


class SearchResult(NamedTuple):
    """The nearest vectors with their rows, and how many vectors the partition has."""

    neighbors: list[tuple[Neighbor, Row]]
    compared: int


class VectorCache:
    """The searched vector indexes of one table; safe under many threads.

    A write calls `begin_change` before a row is stored and `end_change` after. A search reads these rows
    again, so it compares exactly what one view of the storage has: no change that is rolled back, no half
    of a transaction, and every write that was answered before the search began.
    """

    def __init__(self) -> None:
        self._indexes: dict[int, _CachedIndex] = {}
        self._searching = Lock()

    def begin_change(self, spaces: Iterable[int], key: bytes) -> None:
        """The row with this key is about to change in these indexes; the change may be rolled back."""
        for space in spaces:
            cached = self._indexes.get(space)
            if cached is not None and not cached.begin_change(key):
                self._indexes.pop(space, None)

    def end_change(self, spaces: Iterable[int], key: bytes) -> None:
        """The change of the row with this key is stored."""
        for space in spaces:
            cached = self._indexes.get(space)
            if cached is not None and not cached.end_change(key):
                self._indexes.pop(space, None)

    def keep_only(self, spaces: Collection[int]) -> None:
        """Drop all indexes except those in these spaces."""
        for space in list(self._indexes):
            if space not in spaces:
                self._indexes.pop(space, None)

    def search(self, storage: Storage, index: VectorIndex, query: VectorQuery) -> SearchResult:
        """Search an index, which is read first if it is not cached."""
        with self._searching:
            cached = self._indexes.get(index.space)
            if cached is None:
                # Register it before it is read, so that no change is missed.
                cached = self._indexes[index.space] = _CachedIndex(index)
            try:
                if cached.is_new:
                    _wait_for_writers(storage)  # they may have begun before it was registered
                return cached.search(storage, query)
            except BaseException:
                self._indexes.pop(index.space, None)
                raise


def _wait_for_writers(storage: Storage) -> None:
    if not storage.is_free():
        with storage.writing():
            pass


class _Ranking(NamedTuple):
    """The nearest vectors in one version of an index, and how many were compared."""

    neighbors: list[Neighbor]
    compared: int
    version: int


class _CachedIndex:
    """One index in memory: an array of vectors for each partition, and the rows that have changed since."""

    def __init__(self, index: VectorIndex) -> None:
        self._index = index
        self._new_array = _array_type()
        self._arrays: dict[Hashable, VectorArray] = {}
        self._partition_of: dict[bytes, Hashable] = {}
        # Filter values that many entries share, stored once.
        self._values: dict[Hashable, Hashable] = {}
        # Rises with each change of the arrays; 0 before the index is read.
        self._version = 0
        # Rows with stored changes, and rows with begun changes, which may be under way, rolled back, or
        # interrupted right after the commit. The latter are few; each search reads them again.
        self._changed: set[bytes] = set()
        self._changing: dict[bytes, int] = {}
        self._lock = Lock()

    @property
    def is_new(self) -> bool:
        """Whether the index has not been read yet."""
        return not self._version

    def begin_change(self, key: bytes) -> bool:
        """Note a row that is about to change; False if reading the whole index again is better."""
        with self._lock:
            self._changing[key] = self._changing.get(key, 0) + 1
            return len(self._changing) <= _MOST_CHANGES

    def end_change(self, key: bytes) -> bool:
        """Note a row that has changed; False if reading the whole index again is better."""
        with self._lock:
            self._changed.add(key)
            count = self._changing.pop(key, 0)
            if count > 1:
                self._changing[key] = count - 1
            return len(self._changed) <= len(self._partition_of) + _MOST_CHANGES

    def search(self, storage: Storage, query: VectorQuery) -> SearchResult:
        """Search one view of the storage. A ranking made before the view is used if nothing has changed."""
        ranking: _Ranking | None = None
        for attempt in range(_ATTEMPTS):
            result = self._search_view(storage, query, ranking, is_last=attempt == _ATTEMPTS - 1)
            if result is not None:
                return result
            ranking = self._rank(query)
        raise AssertionError  # the last attempt returns a result

    def _search_view(
        self, storage: Storage, query: VectorQuery, ranking: _Ranking | None, *, is_last: bool
    ) -> SearchResult | None:
        """The result in a view of the storage; None if there are too many vectors to rank meanwhile."""
        with self._lock:
            changed, self._changed = self._changed, set()
        with storage.reading() as reader:
            self._refresh(reader, changed)
            if ranking is None or ranking.version != self._version:
                if not is_last and len(self._partition_of) > _MANY_VECTORS:
                    return None
                ranking = self._rank(query)
            rows = [(each, reader.get(self._index.space, each.key)) for each in ranking.neighbors]
        return SearchResult([(each, row) for each, row in rows if row is not None], ranking.compared)

    def _rank(self, query: VectorQuery) -> _Ranking:
        array = self._arrays.get(query.partition)
        if array is None:
            return _Ranking([], 0, self._version)
        return _Ranking(array.nearest(query.vector, query.limit, query.filters), len(array), self._version)

    def _refresh(self, reader: Reader, changed: set[bytes]) -> None:
        """Bring the arrays up to a view: every change in the view had begun before the view was taken."""
        if self.is_new:
            self._build(reader)
            return
        reader.get(self._index.space, b"")  # a file's view is taken by the first read
        with self._lock:
            changed = changed.union(self._changed, self._changing)
        for key in changed:
            self._refresh_row(key, reader.get(self._index.space, key))

    def _build(self, reader: Reader) -> None:
        partitions: dict[Hashable, list[ArrayEntry]] = {}
        for row in reader.rows(self._index.space, b"", None):
            partition, entry = self._array_entry(row)
            partitions.setdefault(partition, []).append(entry)
            self._partition_of[row.key] = partition
        for partition, entries in partitions.items():
            array = self._arrays[partition] = self._new_array(self._index.dimensions)
            array.extend(entries)
        self._version = 1

    def _array_entry(self, row: Row) -> tuple[Hashable, ArrayEntry]:
        index = self._index
        if not index.search_schema:
            return None, ArrayEntry(row.key, row.data[: index.vector_size], ())
        vector, rest = index.read(row.data)
        values = self._values
        filters = tuple([values.setdefault(value, value) for value in index.filter_values(rest)])
        partition = index.partition_value(rest)
        return values.setdefault(partition, partition), ArrayEntry(row.key, vector, filters)

    def _refresh_row(self, key: bytes, row: Row | None) -> None:
        partition, entry = (None, None) if row is None else self._array_entry(row)
        if key in self._partition_of:
            before = self._partition_of[key]
            if entry is not None and before == partition and self._arrays[partition].get(key) == entry:
                return
            self._remove(key)
        if entry is not None:
            if partition not in self._arrays:
                self._arrays[partition] = self._new_array(self._index.dimensions)
            self._arrays[partition].put(entry)
            self._partition_of[key] = partition
        self._version += 1

    def _remove(self, key: bytes) -> None:
        partition = self._partition_of.pop(key)
        self._arrays[partition].remove(key)
        if not self._arrays[partition]:
            del self._arrays[partition]


def _array_type() -> Callable[[int], VectorArray]:
    """NumpyVectorArray if numpy is installed."""
    try:
        from .numpy_vector_array import NumpyVectorArray
    except ImportError:
        return PlainVectorArray
    return NumpyVectorArray
