"""Every storage, for tests that all of them must pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pksk.engine.storage import MemoryStorage, SqliteStorage, Storage

OPEN: dict[str, Callable[[Path], Storage]] = {
    "memory": lambda _: MemoryStorage(),
    "sqlite": lambda folder: SqliteStorage(folder / "tables.db", durable=False),
    "sqlite durable": lambda folder: SqliteStorage(folder / "tables.db"),
    "sqlite in memory": lambda _: SqliteStorage(":memory:"),
}


@pytest.fixture(params=OPEN)
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    with OPEN[request.param](tmp_path) as opened:
        yield opened


@pytest.fixture
def space(storage: Storage) -> int:
    """A space with the rows a, b and c, of sizes 1, 2 and 3."""
    with storage.writing() as writer:
        made = writer.make_space()
        for size, key in enumerate((b"a", b"b", b"c"), 1):
            writer.put(made, key, size, key * 3)
    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tables.db"
