"""Load over many connections at once: one thread with epoll, in a process of its own.

Run as `python -m benchmarks.many_connections`, it answers one pickled `Load` after the other from its input.
"""

from __future__ import annotations

import pickle
import select
import socket
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from itertools import cycle
from time import perf_counter
from typing import Any

from benchmarks.raw_http import CLOSE, connect, whole_length


@dataclass(frozen=True)
class Load:
    """Many connections, each of which sends its next request after each response."""

    port: int
    requests: list[bytes]
    connections: int
    seconds: float


@dataclass(frozen=True)
class Rate:
    """What a load came to; `failed` is how many answers were none of 200."""

    per_second: float
    failed: int


class Loader:
    """The process that makes load, so that measuring does not slow down the server."""

    def __enter__(self) -> Loader:
        command = [sys.executable, "-m", "benchmarks.many_connections"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self

    def __exit__(self, *error: object) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        self._process.wait()

    def rate(self, load: Load) -> Rate:
        """Run that load and return its result."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pickle.dump(load, self._process.stdin)
        self._process.stdin.flush()
        answer: Rate = pickle.load(self._process.stdout)
        return answer


def make(load: Load) -> Rate:
    """Send until the time has passed, then wait for open requests, which do not count."""
    poll = select.epoll()
    requests = cycle(load.requests)
    sockets = {each.fileno(): each for each in (connect(load.port) for _ in range(load.connections))}
    begun: dict[int, bytearray] = {}
    for number, each in sockets.items():
        poll.register(number, select.EPOLLIN)
        each.sendall(next(requests))
    start = perf_counter()
    end = start + load.seconds
    done = failed = 0
    while perf_counter() < end:
        for number, _ in poll.poll(1):
            data = _answer(sockets[number], begun, number)
            if data is None:
                continue
            done += 1
            failed += data[9:12] != b"200"
            closes = CLOSE.search(data, 0, 1000)
            connection = _again(poll, sockets, number, load.port) if closes else sockets[number]
            connection.sendall(next(requests))
    seconds = perf_counter() - start
    for each in sockets.values():
        each.close()
    poll.close()
    return Rate(done / seconds, failed)


def _answer(connection: socket.socket, begun: dict[int, bytearray], number: int) -> Any:
    """The answer once it is whole, or None."""
    data: Any = connection.recv(262_144)
    if not data:
        raise ConnectionError("a connection was closed in the middle of an answer")
    if number in begun:
        data = begun.pop(number) + data
    length = whole_length(data)
    if length is None or len(data) < length:
        begun[number] = bytearray(data)
        return None
    return data


def _again(poll: select.epoll, sockets: dict[int, socket.socket], number: int, port: int) -> socket.socket:
    """A new connection in the place of one that its server closes."""
    poll.unregister(number)
    sockets.pop(number).close()
    new = connect(port)
    sockets[new.fileno()] = new
    poll.register(new.fileno(), select.EPOLLIN)
    return new


def main() -> None:
    while True:
        try:
            load = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(make(load), sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    # The classes must be those that the other process knows, not those of `__main__`.
    import_module("benchmarks.many_connections").main()
