"""What searches have in memory, beside writes at the worst of moments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from pksk.engine.storage import MemoryStorage, Reader, Storage, open_storage
from pksk.engine.vectors.floats import packed
from pksk.engine.vectors.scores import SearchVector
from pksk.engine.vectors.searched import Searched, Wanted
from pksk.engine.vectors.vector_index import Entry, VectorIndex

from .pictures import numbers, picture

NEAREST = SearchVector("EUCLIDEAN", packed(numbers((0,))) or b"")


class Stored:
    """A storage with the rows of one index of one dimension, and what searches of it have in memory."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        with storage.writing() as writer:
            space = writer.make_space()
        self.index = VectorIndex("near", space, "v", 1, "EUCLIDEAN", None, (), None)
        self.searched = Searched()
        # Called once when the next view has been taken.
        self.then: Callable[[], Any] | None = None

    def write(self, name: str, number: float | None) -> None:
        """Store a row, or remove it, and tell nobody."""

        def store() -> None:
            with self.storage.writing() as writer:
                if number is None:
                    writer.delete(self.index.space, name.encode())
                else:
                    entry = Entry(packed(numbers((number,))) or b"", picture(name))
                    writer.put(*(self.index.space, *self.index.row(name.encode(), entry)))

        thread = Thread(target=store)
        thread.start()
        thread.join()

    def begin(self, name: str) -> None:
        self.searched.begin([self.index.space], name.encode())

    def tell(self, name: str) -> None:
        self.searched.touch([self.index.space], name.encode())

    def found(self) -> list[str]:
        wanted = Wanted(NEAREST, 2, None, {})
        nearest = self.searched.find(self, self.index, wanted).nearest  # type: ignore[arg-type]
        return [each.key.decode() for each, _ in nearest]

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        with self.storage.reading() as reader:
            list(reader.rows(self.index.space, b"", None))
            if self.then is not None:
                act, self.then = self.then, None
                act()
            yield reader


@pytest.fixture(params=["memory", "file"])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stored]:
    storage = (
        MemoryStorage() if request.param == "memory" else open_storage(tmp_path / "rows.db", durable=False)
    )
    with storage:
        made = Stored(storage)
        for name, number in zip("abcd", range(1, 5), strict=True):
            made.write(name, number)
        yield made


def test_a_change_that_was_stored_and_not_told_yet_is_never_half_seen(
    stored: Stored, arithmetic: str
) -> None:
    assert stored.found() == ["a", "b"]

    stored.write("a", None)
    assert stored.found() == ["b", "c"]
    stored.write("b", 9)
    assert stored.found() == ["c", "d"]


@pytest.mark.parametrize("built", [False, True])
def test_a_change_while_a_search_begins_is_seen_by_the_next(
    stored: Stored, arithmetic: str, built: bool
) -> None:
    if built:
        stored.found()

    def change() -> None:
        stored.write("e", 0)
        stored.tell("e")

    stored.then = change
    assert stored.found() == ["a", "b"]
    assert stored.found() == ["e", "a"]


def test_a_change_that_was_interrupted_when_it_was_stored_is_seen(stored: Stored) -> None:
    stored.found()
    stored.begin("e")
    stored.found()

    stored.write("e", 0)

    assert stored.found() == ["e", "a"]


def test_a_change_that_was_told_twice_under_way_is_told_once_more(stored: Stored) -> None:
    stored.found()
    stored.begin("e")
    stored.begin("e")
    stored.tell("e")
    stored.found()

    stored.write("e", 0)

    assert stored.found() == ["e", "a"]


def test_very_many_changes_are_read_anew(stored: Stored) -> None:
    stored.found()
    for number in range(3000):
        stored.begin(f"none-{number}")
        stored.tell(f"none-{number}")
    for number in range(3000):
        stored.begin(f"none-{number}")
    stored.write("e", 0)

    assert stored.searched._indexes == {}
    assert stored.found() == ["e", "a"]


def test_a_search_that_fails_is_forgotten(stored: Stored) -> None:
    stored.found()

    def fail() -> None:
        raise KeyboardInterrupt

    stored.write("e", 0)
    stored.tell("e")
    stored.then = fail
    with pytest.raises(KeyboardInterrupt):
        stored.found()

    assert stored.found() == ["e", "a"]
