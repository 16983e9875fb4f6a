"""The memory that a storage uses for its rows."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from pksk.engine.storage import MemoryStorage
from tests.project.tree import SOURCE

ROWS = 3000
PROCESS_STATUS = Path("/proc/self/status")
# Writes 60 MB to a file, reads all of it in four threads beside a writer, and prints by how many MB the process grew.
FILL_A_FILE = """
import sys
from threading import Thread
from pksk.engine.storage import SqliteStorage

def resident_mb():
    (line,) = (line for line in open("/proc/self/status") if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1000

def read():
    with storage.reading() as reader:
        assert sum(1 for _ in reader.rows(space, b"", None)) == 60_000

storage = SqliteStorage(sys.argv[1], durable=False)
with storage.writing() as writer:
    space = writer.make_space()
before = resident_mb()
for start in range(0, 60_000, 500):
    with storage.writing() as writer:
        for number in range(start, start + 500):
            writer.put(space, b"%06d" % number, 1000, b"x" * 1000)
with storage.writing():
    threads = [Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(resident_mb() - before)
"""


@pytest.mark.parametrize(("data_bytes", "most"), [(100, 2.5), (1024, 1.4)])
def test_rows_take_little_more_memory_than_their_bytes(data_bytes: int, most: float) -> None:
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    storage = MemoryStorage()
    stored = _fill(storage, data_bytes)
    stored = _fill(storage, data_bytes)  # replaced: the same keys, made anew
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    storage.close()

    assert (after - before) / stored < most


@pytest.mark.skipif(not PROCESS_STATUS.exists(), reason="reads the memory of a process from /proc")
def test_a_file_of_any_size_takes_bounded_memory(path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", FILL_A_FILE, str(path)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)

    assert float(run.stdout) < 45  # 17 for the writer, and a little for each reader


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
