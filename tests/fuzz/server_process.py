"""A server in another process, observed from outside."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import IO, Final, NamedTuple
from urllib.request import urlopen

from .answers import Wrong

__all__ = ["Running", "Usage"]

_BEGINS_SECONDS: Final = 60.0
_STOPS_SECONDS: Final = 60.0
_PROC: Final = Path("/proc")
# Texts that a log has only after an unexpected error.
_ALARMING: Final = re.compile(r"Traceback|Exception|Error|Warning|Fatal|never awaited|never retrieved")


class Usage(NamedTuple):
    """The resources of a process; all zero if the system does not report them.

    Its memory is counted without files that are mapped into it: those are the system's to keep or not.
    """

    memory_kb: int
    descriptors: int
    threads: int

    def __str__(self) -> str:
        return f"{self.memory_kb / 1024:.1f} MB, {self.descriptors} descriptors, {self.threads} threads"


class Running:
    """`pksk serve`, from its start to its end."""

    def __init__(
        self,
        log: Path,
        data: str = ":memory:",
        options: Sequence[str] = (),
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._log = log
        command = [
            sys.executable,
            "-X",
            "faulthandler",
            "-m",
            "pksk",
            "serve",
            "--port",
            "0",
            "--data",
            data,
            *options,
        ]
        with log.open("wb") as stderr:
            self._process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=stderr, env={**os.environ, **(variables or {})}
            )
        self.port = self._announced()

    def __enter__(self) -> Running:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._stdout.close()

    @property
    def _stdout(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    def _announced(self) -> int:
        """The port that it prints."""
        for line in self._stdout:
            found = re.search(rb"http://[^:]+:(\d+)", line)
            if found:
                return int(found[1])
        self._process.wait()
        raise Wrong(f"the server did not begin:\n{self.log()}")

    def usage(self) -> Usage:
        """Its current resources."""
        if not _PROC.is_dir():
            return Usage(0, 0, 0)
        process = _PROC / str(self._process.pid)
        status = (process / "status").read_text()
        numbers = dict(re.findall(r"^(RssAnon|Threads):\s+(\d+)", status, re.MULTILINE))
        return Usage(int(numbers["RssAnon"]), len(list((process / "fd").iterdir())), int(numbers["Threads"]))

    def connections(self) -> int:
        """The number of its connections, without this one."""
        with urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=30) as page:
            found = re.search(rb"^pksk_connections (\d+)", page.read(), re.MULTILINE)
        assert found
        return int(found[1]) - 1

    def await_no_connections(self, *, but: int = 0) -> None:
        """Wait until only a number of connections is left; connections of disconnected clients must end."""
        until = monotonic() + _STOPS_SECONDS
        while (left := self.connections()) > but:
            if monotonic() > until:
                raise Wrong(f"{left} connections are left")
            sleep(0.05)

    def check_alive(self) -> None:
        """Raise if it has ended, or if something went wrong in it."""
        if self._process.poll() is not None:
            raise Wrong(f"the server has ended with {self._process.returncode}:\n{self.log()}")
        self.check_log()

    def check_log(self) -> None:
        """Raise if its log has an unexpected error."""
        log = self.log()
        if _ALARMING.search(log):
            raise Wrong(f"the server's log:\n{log[-4000:]}")

    def stop(self) -> None:
        """Stop it as an administrator does, and see that it ends well."""
        self._process.terminate()
        try:
            status = self._process.wait(_STOPS_SECONDS)
        except subprocess.TimeoutExpired:
            raise Wrong("the server does not stop") from None
        if status not in (0, -15):
            raise Wrong(f"the server ended with {status}:\n{self.log()}")
        self.check_log()

    def log(self) -> str:
        """What it has written."""
        return self._log.read_text(errors="replace")
