"""A contestant while it runs: started on a free port of loopback, polled until it answers, ended by its process id."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path
from tempfile import mkdtemp
from time import perf_counter, sleep
from types import TracebackType
from typing import Self

from benchmarks.contestants import ROOT, Contestant
from benchmarks.raw_http import Connection, call, request_bytes

START_SECONDS = 20


class RunningServer:
    """One server with a folder of its own; `start_ms` is the time from its start to its first answer."""

    def __init__(self, contestant: Contestant, folder: str | Path) -> None:
        self.contestant = contestant
        self.name = contestant.name
        self._folder = Path(mkdtemp(dir=folder))
        self.port = _free_port()
        if preparation := contestant.preparation(self._folder):
            environment = contestant.process_environment(self.port, self._folder)
            subprocess.run(preparation, env=environment, capture_output=True, check=True)

    def __enter__(self) -> Self:
        self._log = (self._folder / "log").open("wb")
        start = perf_counter()
        self._process = subprocess.Popen(
            self.contestant.command(self.port, self._folder),
            cwd=ROOT,
            env=self.contestant.process_environment(self.port, self._folder),
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )
        try:
            self._wait(start)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        self.start_ms = (perf_counter() - start) * 1000
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def resident_mb(self) -> float:
        """The memory that the process has, in MB of a million bytes."""
        return self._status_mb("VmRSS")

    @property
    def peak_mb(self) -> float:
        """The most memory that it has had."""
        return self._status_mb("VmHWM")

    def pin(self, cores: set[int]) -> None:
        """Keep every thread of the process, and those that it starts later, on these cores."""
        for thread in Path(f"/proc/{self.pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), cores)

    def call(self, operation: str, request: dict[str, object]) -> dict[str, object]:
        """One call, which must succeed."""
        status, answer = call(self.port, operation, request)
        if status != 200:
            raise RuntimeError(f"{self.name} answered {operation} with {status}: {answer}")
        return answer

    def _status_mb(self, name: str) -> float:
        status = Path(f"/proc/{self.pid}/status").read_text()
        (line,) = (line for line in status.splitlines() if line.startswith(f"{name}:"))
        return int(line.split()[1]) * 1024 / 1e6

    def _wait(self, start: float) -> None:
        asking = request_bytes(self.port, "ListTables", {})
        while True:
            try:
                connection = Connection(self.port)
                try:
                    if connection.exchange(asking)[9:12] == b"200":
                        return
                finally:
                    connection.close()
            except OSError:
                pass
            if self._process.poll() is not None or perf_counter() - start > START_SECONDS:
                log = (self._folder / "log").read_text(errors="replace")[-2000:]
                raise RuntimeError(f"{self.name} does not answer. Its log ends with:\n{log}")
            sleep(0.001)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port
