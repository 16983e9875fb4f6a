"""Pages of queries: the rows that are read for one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest

from pksk.engine.storage import Reader, Row, Storage

from .shelf import PK, Shelf, text


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
