"""The cache of vectors during concurrent writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from pksk.engine.storage import Reader, Storage, Writer, open_storage
from pksk.engine.vectors.distance import SearchVector, pack_floats
from pksk.engine.vectors.vector_cache import VectorCache, VectorQuery
from pksk.engine.vectors.vector_index import VectorEntry, VectorIndex

from .pictures import numbers, picture

NEAREST = SearchVector("EUCLIDEAN", pack_floats(numbers((0,))) or b"")


class Stored:
    """A storage with the rows of an index of one dimension, and the cache of its searches."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        with storage.writing() as writer:
            space = writer.make_space()
        self.index = VectorIndex("near", space, "v", 1, "EUCLIDEAN", None, (), None)
        self.cache = VectorCache()
        # Called before each of the next views is taken, and once when one has been.
        self.firsts: list[Callable[[], Any]] = []
        self.then: Callable[[], Any] | None = None

    def write(self, name: str, number: float | None) -> None:
        """Store or remove a row without notice to the cache."""
        self.write_all({name: number})

    def write_all(self, numbers: Mapping[str, float | None]) -> None:
        thread = Thread(target=self.store, args=(numbers,))
        thread.start()
        thread.join()

    def store(self, written: Mapping[str, float | None], then: Callable[[], Any] = lambda: None) -> None:
        """Store rows in this thread, and do something else before they are committed."""
        with self.storage.writing() as writer:
            for name, number in written.items():
                if number is None:
                    writer.delete(self.index.space, name.encode())
                else:
                    entry = VectorEntry(pack_floats(numbers((number,))) or b"", picture(name))
                    writer.put(self.index.space, *self.index.row(name.encode(), entry))
            then()

    def begin_change(self, name: str) -> None:
        self.cache.begin_change([self.index.space], name.encode())

    def end_change(self, name: str) -> None:
        self.cache.end_change([self.index.space], name.encode())

    def found(self) -> list[str]:
        query = VectorQuery(NEAREST, 2, None, {})
        neighbors = self.cache.search(self, self.index, query).neighbors  # type: ignore[arg-type]
        return [each.key.decode() for each, _ in neighbors]

    def is_free(self) -> bool:
        return self.storage.is_free()

    def writing(self) -> AbstractContextManager[Writer]:
        return self.storage.writing()

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        if self.firsts:
            self.firsts.pop(0)()
        act, self.then = self.then, None
        with ExitStack() as stack:
            with nullcontext() if act is None else self._with_another_reader():
                reader = stack.enter_context(self.storage.reading())
                list(reader.rows(self.index.space, b"", None))
            if act is not None:
                act()
            yield reader

    @contextmanager
    def _with_another_reader(self) -> Iterator[None]:
        """Work while another thread reads: a single reader may use the writing connection."""
        reads, done = Event(), Event()

        def read() -> None:
            with self.storage.reading():
                reads.set()
                done.wait()

        other = Thread(target=read)
        other.start()
        reads.wait()
        yield
        done.set()
        other.join()


@pytest.fixture(params=["memory", "file"])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stored]:
    path = ":memory:" if request.param == "memory" else tmp_path / "rows.db"
    with open_storage(path, durable=False) as storage:
        yield filled(storage)


@pytest.fixture
def in_a_file(tmp_path: Path) -> Iterator[Stored]:
    """A storage where others write while one reads."""
    with open_storage(tmp_path / "rows.db", durable=False) as storage:
        yield filled(storage)


def filled(storage: Storage) -> Stored:
    made = Stored(storage)
    made.write_all({name: number for number, name in enumerate("abcd", 1)})
    return made


def test_a_stored_change_is_found_completely_before_its_end_is_noted(stored: Stored, arithmetic: str) -> None:
    assert stored.found() == ["a", "b"]
    for name in ("a", "d"):
        stored.begin_change(name)
    stored.write("a", None)
    stored.write("d", 0)

    assert stored.found() == ["d", "b"]


@pytest.mark.parametrize("built", [False, True])
def test_a_change_while_a_search_has_its_view_is_seen_by_the_next(
    in_a_file: Stored, arithmetic: str, built: bool
) -> None:
    stored = in_a_file
    if built:
        stored.found()

    def change() -> None:
        stored.begin_change("e")
        stored.write("e", 0)
        stored.end_change("e")

    stored.then = change
    assert stored.found() == ["a", "b"]
    assert stored.found() == ["e", "a"]


def test_a_change_right_before_the_view_is_found_completely(stored: Stored, arithmetic: str) -> None:
    stored.found()

    def change() -> None:
        for name in ("a", "d"):
            stored.begin_change(name)
        stored.write("a", None)
        stored.write("d", 0)

    stored.firsts = [change]
    assert stored.found() == ["d", "b"]


def test_a_ranking_is_repeated_if_the_index_has_changed(stored: Stored, arithmetic: str) -> None:
    stored.write_all({f"far-{number:04}": 1000 + number for number in range(1100)})
    assert stored.found() == ["a", "b"]
    for name in ("a", "b", "c"):

        def change(name: str = name) -> None:
            stored.begin_change(name)
            stored.write(name, 9000)
            stored.end_change(name)

        # The first view refreshes the cache, the second fetches the ranked rows.
        stored.firsts = [lambda: None, change]
        assert name not in stored.found()
    assert stored.found() == ["d", "far-0000"]


def test_a_change_that_was_interrupted_after_it_was_stored_is_found(stored: Stored) -> None:
    stored.found()
    stored.begin_change("e")
    stored.found()

    stored.write("e", 0)

    assert stored.found() == ["e", "a"]


def test_a_row_with_two_begun_changes_is_read_until_both_have_ended(stored: Stored) -> None:
    stored.found()
    stored.begin_change("e")
    stored.begin_change("e")
    stored.end_change("e")
    stored.found()

    stored.write("e", 0)

    assert stored.found() == ["e", "a"]


def test_after_very_many_changes_the_index_is_read_again(stored: Stored) -> None:
    stored.found()
    for number in range(3000):
        stored.begin_change(f"none-{number}")
        stored.end_change(f"none-{number}")
    for number in range(3000):
        stored.begin_change(f"none-{number}")
    stored.write("e", 0)

    assert stored.cache._indexes == {}
    assert stored.found() == ["e", "a"]


def test_the_first_search_waits_for_a_change_that_had_begun_before_it(stored: Stored) -> None:
    stored.write_all({"a": 3, "b": 4, "c": 5, "d": 6})
    begun, go_on = Event(), Event()

    def stay() -> None:
        begun.set()
        assert go_on.wait(10)

    changing = Thread(target=stored.store, args=({"c": 1, "d": 2}, stay))
    changing.start()
    assert begun.wait(10)
    searching = Thread(target=stored.found)
    searching.start()
    searching.join(0.1)  # one that does not wait is done by then
    go_on.set()
    changing.join()
    searching.join()
    stored.end_change("c")

    assert stored.found() == ["c", "d"]


def test_a_failed_search_clears_the_cache(stored: Stored) -> None:
    stored.found()

    def fail() -> None:
        raise KeyboardInterrupt

    stored.write("e", 0)
    stored.end_change("e")
    stored.firsts = [fail]
    with pytest.raises(KeyboardInterrupt):
        stored.found()

    assert stored.found() == ["e", "a"]
