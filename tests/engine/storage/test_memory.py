"""What memory storage takes of it."""

from __future__ import annotations

import tracemalloc

import pytest

from pksk.engine.storage import MemoryStorage

ROWS = 3000


@pytest.mark.parametrize(("data_bytes", "most"), [(100, 2.5), (1024, 1.4)])
def test_rows_take_little_more_than_their_bytes(data_bytes: int, most: float) -> None:
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    storage = MemoryStorage()
    stored = _fill(storage, data_bytes)
    stored = _fill(storage, data_bytes)  # replaced: the same keys, made anew
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    storage.close()

    assert (after - before) / stored < most


def _fill(storage: MemoryStorage, data_bytes: int) -> int:
    with storage.writing() as writer:
        space = 1 if storage.notes("space") else writer.make_space()
        writer.note("space", b"")
    stored = 0
    for number in range(ROWS):
        key = b"%040d" % (number * 7919 % ROWS)
        with storage.writing() as writer:
            writer.put(space, key, data_bytes, number.to_bytes(4) * (data_bytes // 4))
        stored += len(key) + data_bytes
    return stored
