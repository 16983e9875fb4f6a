"""A full or failing disk: the block is rolled back, and the storage can be used afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pksk.engine.storage import SqliteStorage, StorageProblem, Writer
from tests.project.tree import SOURCE

LARGE = b"x" * 100_000


@pytest.fixture
def storage(path: Path) -> Iterator[SqliteStorage]:
    with SqliteStorage(path, durable=False) as opened:
        yield opened


@pytest.fixture
def space(storage: SqliteStorage) -> int:
    """A space with one row, in a file that has no room for many more."""
    with storage.writing() as writer:
        made = writer.make_space()
        writer.put(made, b"a", 1, b"small")
        writer.totals(made)
    _allow_pages(storage, 20)
    return made


def _allow_pages(storage: SqliteStorage, pages: int) -> None:
    storage._write_lock.connection.execute(f"PRAGMA max_page_count = {pages}")


def _check_usable(storage: SqliteStorage, space: int) -> None:
    with storage.reading() as reader:
        assert reader.totals(space) == (1, 1)
        assert [row.key for row in reader.rows(space, b"", None)] == [b"a"]
    with storage.writing() as writer:
        writer.put(space, b"b", 2, b"small too")
    _allow_pages(storage, 1000)
    with storage.writing() as writer:
        writer.put(space, b"large", 3, LARGE)
    with storage.reading() as reader:
        assert reader.totals(space) == (3, 6)


def _put_too_much(writer: Writer, space: int) -> None:
    writer.put(space, b"b", 2, b"fits")
    for number in range(10):
        writer.put(space, b"large%d" % number, 3, LARGE)


def test_a_full_disk_rolls_back_the_block(storage: SqliteStorage, space: int) -> None:
    with pytest.raises(StorageProblem) as raised, storage.writing() as writer:
        _put_too_much(writer, space)

    assert raised.value.problem == (
        "The disk is full, and this write is not stored: database or disk is full."
    )
    _check_usable(storage, space)


def test_a_block_that_continues_after_a_full_disk_is_not_stored(storage: SqliteStorage, space: int) -> None:
    took_back = pytest.raises(StorageProblem, match="rolled back")
    with took_back, storage.writing() as writer, suppress(StorageProblem):
        _put_too_much(writer, space)

    _check_usable(storage, space)


def test_a_full_disk_fails_all_blocks_that_share_a_commit(storage: SqliteStorage, space: int) -> None:
    problems: list[str] = []
    with pytest.raises(StorageProblem, match="rolled back everything"), storage.sharing_commit():
        _share_with_too_much(storage, space, problems)

    first, second = problems
    assert "full" in first
    assert "rolled back" in second
    _check_usable(storage, space)


def _share_with_too_much(storage: SqliteStorage, space: int, problems: list[str]) -> None:
    with storage.writing() as writer:
        writer.put(space, b"b", 2, b"fits")
    for put in (_put_too_much, _put_little):
        try:
            with storage.writing() as writer:
                put(writer, space)
        except StorageProblem as problem:
            problems.append(problem.problem)


def _put_little(writer: Writer, space: int) -> None:
    writer.put(space, b"c", 2, b"fits")


# A limit on file sizes acts as the disk: writes above it fail as on a full disk.
LIMITED = """
import resource, sys
from pksk.engine.storage import SqliteStorage, StorageProblem

storage = SqliteStorage(sys.argv[1])
with storage.writing() as writer:
    space = writer.make_space()
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, most))
stored = 0
try:
    while True:
        with storage.writing() as writer:
            for part in range(3):
                writer.put(space, b"%06d %d" % (stored, part), 1, b"x" * 20_000)
        stored += 1
except StorageProblem as problem:
    print(problem)
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
with storage.reading() as reader:
    assert len(list(reader.rows(space, b"", None))) == stored * 3, stored
with storage.writing() as writer:
    writer.put(space, b"after", 1, b"x" * 20_000)
storage.close()
with SqliteStorage(sys.argv[1]) as storage, storage.reading() as reader:
    assert len(list(reader.rows(space, b"", None))) == stored * 3 + 1
print("stored", stored > 5)
"""


def test_a_write_that_the_file_system_rejects_is_rolled_back(path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)],
        check=False,
        env=environment,
        capture_output=True,
        text=True,
    )

    assert ran.stderr == ""
    problem, stored = ran.stdout.splitlines()
    assert problem.startswith("SQLite failed: ")
    assert stored == "stored True"
