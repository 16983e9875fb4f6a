"""A process that is killed while it writes leaves every acknowledged write, and no transaction in part."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from pksk.engine.storage import Reader, SqliteStorage, Storage
from tests.conftest import LONG
from tests.project.tree import SOURCE

# Writes numbers from the one after the last stored on: each into two spaces and a note, in one block.
WRITE = """
import sys
from pksk.engine.storage import SqliteStorage

path, together = sys.argv[1], int(sys.argv[2])
storage = SqliteStorage(path)
with storage.writing() as writer:
    if not storage.notes("spaces"):
        writer.note("spaces", b"%d %d" % (writer.make_space(), writer.make_space()))
spaces = [int(each) for each in storage.notes("spaces")["spaces"].split()]
number = int(storage.notes("last").get("last", b"0"))
while True:
    with storage.sharing_commit():
        for _ in range(together):
            number += 1
            with storage.writing() as writer:
                for space in spaces:
                    writer.put(space, b"%08d" % number, number, b"x" * (number * 997 % 30000))
                    writer.put(space, b"last", number, b"")
                    writer.delete(space, b"%08d" % (number - 50))
                writer.note("last", b"%d" % number)
    print(number, flush=True)
"""
KILLS = 40 if LONG else 5


@pytest.mark.parametrize("together", [1, 3])
def test_acknowledged_writes_of_a_killed_process_are_stored(together: int, path: Path) -> None:
    random = Random()
    acknowledged = 0
    for _ in range(KILLS):
        acknowledged = _killed_while_writing(path, together, random.uniform(0, 0.1)) or acknowledged

        with SqliteStorage(path, durable=False) as storage:
            last = _check_whole(storage)
        assert last >= acknowledged
        assert last % together == 0

    assert acknowledged > 0


def _killed_while_writing(path: Path, together: int, seconds: float) -> int:
    """Let a process write for some seconds after its first number; returns the last number that it printed."""
    command = [sys.executable, "-c", WRITE, str(path), str(together)]
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        time.sleep(seconds)
        process.kill()
        lines += process.stdout.readlines()
    return int(next(line for line in reversed(lines) if line.endswith("\n")))


def _check_whole(storage: Storage) -> int:
    """All that one block wrote has the same number; gives that."""
    spaces = [int(each) for each in storage.notes("spaces")["spaces"].split()]
    last = int(storage.notes("last")["last"])
    with storage.reading() as reader:
        for space in spaces:
            assert _numbers(reader, space) == [*range(max(1, last - 49), last + 1), last]
    return last


def _numbers(reader: Reader, space: int) -> list[int]:
    rows = list(reader.rows(space, b"", None))
    assert all(len(row.data) == row.size * 997 % 30000 for row in rows if row.key != b"last")
    return [row.size for row in rows]


def test_a_process_killed_while_it_creates_a_file_leaves_one_that_opens(path: Path) -> None:
    random = Random()
    for _ in range(KILLS):
        command = [sys.executable, "-c", WRITE, str(path), "1"]
        environment = os.environ | {"PYTHONPATH": str(SOURCE)}
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment) as process:
            while not path.exists():
                time.sleep(0.0005)
            time.sleep(random.uniform(0, 0.003))
            process.kill()

        with SqliteStorage(path, durable=False) as storage, storage.writing() as writer:
            writer.drop_space(writer.make_space())
        path.unlink()
