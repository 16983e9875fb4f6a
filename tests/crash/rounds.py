"""Rounds of a crash test: a process writes, is killed, and its file is compared with the writes it acknowledged."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from itertools import islice, product
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

from pksk.engine import Engine, check_file
from tests.engine.agreement import check_agreement, scanned

from .workload import COUNTER, PARTITIONING, Batch, Items, Owned, batches, owner_of
from .writers import MOST_AT_ONCE, OWNERS, call_over_http, serve, write_in_process

__all__ = ["Crashes"]

# Rounds per file, so that no file becomes too large to check quickly.
_ROUNDS_OF_A_FILE = 8
_LONGEST_SECONDS = 0.1
_AFTER_THE_FIRST = 0.8
_MOST_READ = 1 << 16


class Crashes:
    """Rounds on a file, each of which goes on where the one before was killed."""

    def __init__(self, folder: Path, draw: str) -> None:
        self._folder, self._draw = folder, draw
        self._random = Random(draw)
        self._round = 0
        self._owned: list[Owned] = []
        self._path = folder / "tables.db"
        self.acknowledged = self.unacknowledged = 0

    def round(self, *, http: bool) -> None:
        """Let a process write, kill it, and verify its file; raises AssertionError."""
        if self._round % _ROUNDS_OF_A_FILE == 0:
            self._begin_anew()
        self._round += 1
        draw = f"{self._draw}/{self._round}"
        acknowledged = self._killed_over_http(draw) if http else self._killed(draw)
        self._verify(draw, acknowledged, whole=not http)

    def _begin_anew(self) -> None:
        for path in self._folder.iterdir():
            path.unlink()
        self._owned = [Owned() for _ in range(OWNERS)]

    def _killed(self, draw: str) -> list[int]:
        reading, writing = os.pipe()
        child = _forked(lambda: write_in_process(str(self._path), draw, writing))
        os.close(writing)
        first = self._wait(reading)
        _kill(child)
        return _acknowledged_batches(first, reading)

    def _killed_over_http(self, draw: str) -> list[int]:
        port_reading, port_writing = os.pipe()
        server = _forked(lambda: serve(str(self._path), port_writing))
        os.close(port_writing)
        with os.fdopen(port_reading) as file:
            port = int(file.readline())
        reading, writing = os.pipe()
        client = _forked(lambda: call_over_http(port, draw, writing))
        os.close(writing)
        first = self._wait(reading)
        _kill(server)
        acknowledged = _acknowledged_batches(first, reading)
        os.waitpid(client, 0)
        return acknowledged

    def _wait(self, reading: int) -> bytes:
        """Wait for a random moment: mostly after the first batch was acknowledged, sometimes before."""
        first = os.read(reading, _MOST_READ) if self._random.random() < _AFTER_THE_FIRST else b""
        sleep(self._random.uniform(0, _LONGEST_SECONDS))
        return first

    def _verify(self, draw: str, acknowledged: list[int], *, whole: bool) -> None:
        report = check_file(self._path) if self._path.exists() else None
        assert report is None or report.is_sound, str(report)
        with Engine.open(self._path, durable=False, partitioning=PARTITIONING) as engine:
            if "orders" not in engine.call("ListTables", {})["TableNames"]:
                assert not any(acknowledged), (
                    f"the table is gone, and {acknowledged} batches were acknowledged"
                )
                return
            check_agreement(engine)
            found, counted = _found(engine)
        after = [
            self._matching(draw, owner, acknowledged[owner], found[owner], whole=whole)
            for owner in range(OWNERS)
        ]
        totals = {sum(each.raised for each in chosen) for chosen in product(*after)}
        assert counted in totals, f"the counter is {counted}, and the transactions are {totals}"
        self._owned = [each[0] for each in after]
        self.acknowledged += sum(acknowledged)

    def _matching(
        self, draw: str, owner: int, acknowledged: int, found: Items, *, whole: bool
    ) -> list[Owned]:
        """The states of a writer that match the items found: every acknowledged batch, with or without the next one.

        Requests sent one by one are stored one by one; those sent together are stored together.
        """
        *done, last = islice(batches(draw, owner, MOST_AT_ONCE[owner]), acknowledged + 1)
        owned = self._owned[owner]
        for batch in done:
            owned = _after(owned, batch)
        possible = [owned]
        for step in last:
            possible.append(_after(possible[-1], [step]))
        if whole:
            possible = [possible[0], possible[-1]]
        matching = [each for each in reversed(possible) if each.items == found]
        assert matching, (
            f"writer {owner}: after {acknowledged} batches it has {_differences(owned.items, found)} (found, expected)"
        )
        self.unacknowledged += matching[0] is not owned
        return matching


def _after(owned: Owned, batch: Batch) -> Owned:
    after = owned.copy()
    for step in batch:
        step.apply(after)
    return after


def _found(engine: Engine) -> tuple[list[Items], int]:
    """All items by writer, and the value of the counter."""
    found: list[Items] = [{} for _ in range(OWNERS)]
    counted = 0
    for item in scanned(engine, "orders"):
        if item["pk"] == COUNTER["pk"]:
            counted = int(item["n"]["N"])
        else:
            found[owner_of(item)][item["pk"]["S"], item["sk"]["N"]] = item
    return found, counted


def _differences(expected: Items, found: Items) -> dict[Any, Any]:
    keys = [key for key in expected.keys() | found.keys() if expected.get(key) != found.get(key)]
    return {key: (found.get(key), expected.get(key)) for key in sorted(keys)}


def _forked(work: Callable[[], None]) -> int:
    """A process that does some work; everything that it needs is loaded already."""
    child = os.fork()
    if child:
        return child
    try:
        work()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(1)


def _kill(child: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _acknowledged_batches(first: bytes, reading: int) -> list[int]:
    """The acknowledged batches of each writer, with those read before."""
    acknowledged = [0] * OWNERS
    with os.fdopen(reading, "rb") as file:
        lines = (first + file.read()).splitlines()
    for line in lines:
        assert not line.startswith(b"!"), line.decode()
        owner, count = map(int, line.split())
        acknowledged[owner] = max(acknowledged[owner], count)
    return acknowledged
