"""Pages: what is gone since it was looked up, and how much is read for one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

import pytest

from pksk.client import ServiceError
from pksk.engine.reading.page import Page, read_page
from pksk.engine.storage import Reader, Row, Storage

from .shelf import PK, Shelf, shelf_of, text


def test_a_table_that_was_deleted_since_it_was_looked_up_is_not_there() -> None:
    shelf = shelf_of("a")
    shelf.table.alive = False

    with pytest.raises(ServiceError) as caught:
        shelf.query("pk = :p", PK)

    assert (caught.value.code, caught.value.message) == (
        "ResourceNotFoundException",
        "Requested resource not found",
    )


@pytest.mark.parametrize("made_anew", [False, True])
def test_an_index_that_was_deleted_since_it_was_looked_up_is_not_there(made_anew: bool) -> None:
    shelf = Shelf()
    shelf.index("new", "g:S")
    rows = shelf.table.indexes.pop("new")
    if made_anew:
        shelf.table.indexes["new"] = replace(rows, space=rows.space + 1)

    with pytest.raises(ServiceError) as caught:
        read_page(shelf.core, {}, Page(shelf.table, rows, b"", None))

    assert caught.value.message == "The table does not have the specified index: new"


class Counting:
    """A storage that counts the rows it gives."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self.count = 0

    @contextmanager
    def reading(self) -> Iterator[Any]:
        with self._storage.reading() as self._reader:
            yield self

    def rows(self, *where: Any, **direction: Any) -> Iterator[Row]:
        reader: Reader = self._reader
        for row in reader.rows(*where, **direction):
            self.count += 1
            yield row


@pytest.mark.parametrize("forward", [True, False])
def test_a_page_reads_no_more_rows_than_it_evaluates(forward: bool) -> None:
    shelf = Shelf()
    shelf.put(*(text(pk="p", sk=f"{number:03}") for number in range(200)))
    counting = Counting(shelf.core.storage)
    shelf.core.storage = cast(Storage, counting)

    shelf.query("pk = :p", PK, Limit=10, ScanIndexForward=forward)

    assert counting.count == 10
