"""Kills one of three worker processes of a consumer again and again, while items change."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any

from pksk import Engine, Partitioning, Store, connect
from pksk.server import Server
from tests.changes.shop import Order, shop

WORKERS = 3
LEASE_SECONDS = 1.0
_ROUND_SECONDS = 0.3
_EFFECT_SECONDS = 0.02
_START_SECONDS = 5.0
_CALM_SECONDS = 60.0
_CUSTOMERS = 20


def work(url: str, path: Path) -> None:
    """Append every change to a file, one line each, until the process is killed."""
    logging.getLogger("pksk.changes").setLevel(logging.ERROR)  # every kill is followed by takeovers
    with connect(url) as db, path.open("a") as file:

        def handle(changes: list[Any]) -> None:
            for change in changes:
                number = None if change.new is None else change.new.total
                line = [change.key_values["customer"], change.sequence_number, change.version, number]
                file.write(json.dumps(line) + "\n")
            file.flush()
            sleep(
                Random().uniform(0, _EFFECT_SECONDS)
            )  # so that some die between the effect and the checkpoint

        db.changes(Order, consumer="audit", lease_seconds=LEASE_SECONDS).run(handle, batch_size=5)


class Kills:
    """A server, a writer, and three workers, of which one is killed in each round."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random = folder, Random(seed)
        self.engine = Engine.open(partitioning=Partitioning(partitions=4))
        self.server = Server(self.engine)
        # Forked from a process without threads, which has imported everything: a worker starts in no time.
        self.context = multiprocessing.get_context("forkserver")
        self.context.set_forkserver_preload(
            ["tests.changes.kills", "botocore.session", "pksk.changes.changes"]
        )
        self.workers: list[Any] = []
        self.stopped = threading.Event()
        self.written: dict[str, int] = {}

    def run(self, rounds: int) -> None:
        """Kill workers, then wait until the others have read everything."""
        with self.engine, self.server, connect(self.engine) as db:
            db.create_tables(shop)
            writer = threading.Thread(target=self._write, args=[db])
            writer.start()
            try:
                self._kill_workers(rounds)
            finally:
                self.stopped.set()
                writer.join()
                self._wait_until_read()
                for each in self.workers:
                    os.kill(each.pid, signal.SIGTERM)
                    each.join()

    def _write(self, db: Store) -> None:
        random = Random(self.random.random())
        while not self.stopped.wait(0.002):
            customer = f"c{random.randrange(_CUSTOMERS)}"
            self.written[customer] = total = self.written.get(customer, 0) + 1
            db.put(Order(customer=customer, number=1, total=total))
            if random.random() < 0.002:
                self.engine.roll_shards("shop")

    def _kill_workers(self, rounds: int) -> None:
        self.workers = [self._start() for _ in range(WORKERS)]
        for _ in range(rounds):
            sleep(self.random.uniform(0.05, 2 * _ROUND_SECONDS))
            victim = self.random.randrange(WORKERS)
            self._wait_until_it_works(self.workers[victim])
            os.kill(self.workers[victim].pid, signal.SIGKILL)
            self.workers[victim].join()
            self.workers[victim] = self._start()

    def _start(self) -> Any:
        path = self.folder / f"{len(list(self.folder.iterdir()))}.jsonl"
        path.touch()
        process = self.context.Process(target=work, args=[self.server.url, path], daemon=True, name=str(path))
        process.start()
        return process

    def _wait_until_it_works(self, worker: Any) -> None:
        """Wait until a worker has written something, as on a busy machine it would be killed before it begins."""
        deadline = monotonic() + _START_SECONDS
        while monotonic() < deadline and not Path(worker.name).stat().st_size:
            sleep(0.02)

    def _wait_until_read(self) -> None:
        """Wait until everything was read, or nothing is any more."""
        deadline, count = monotonic() + _CALM_SECONDS, 0
        while monotonic() < deadline and any(self._unread()):
            if len(self.delivered()) > count:
                deadline, count = monotonic() + _CALM_SECONDS, len(self.delivered())
            sleep(0.2)

    def _unread(self) -> Iterator[str]:
        last: dict[str, int] = {}
        for customer, _, _, total in self.delivered():
            last[customer] = max(last.get(customer, 0), total)
        return (each for each, total in self.written.items() if last.get(each) != total)

    def delivered(self) -> list[tuple[str, str, int, int]]:
        """Every change that a worker wrote to its file; the last line of a killed one may be cut off."""
        found = []
        for path in self.folder.iterdir():
            for line in path.read_text().splitlines():
                try:
                    found.append(tuple(json.loads(line)))
                except ValueError:
                    continue
        return found

    def check(self) -> str:
        """What is wrong; empty if every change was delivered, and versions rise with the changes of each item."""
        totals: dict[str, set[int]] = {}
        versions: dict[str, list[tuple[int, int]]] = {}
        for customer, number, version, total in self.delivered():
            totals.setdefault(customer, set()).add(total)
            versions.setdefault(customer, []).append((version, int(number)))
        for customer, last in self.written.items():
            lost = set(range(1, last + 1)) - totals.get(customer, set())
            if lost:
                return f"changes {sorted(lost)[:10]} of {customer} were lost"
            if max(versions[customer])[1] != max(number for _, number in versions[customer]):
                return f"the highest version of {customer} is not that of its last change"
        return ""
