"""Servers side by side: each takes its turn in every round, and a row has a column for each."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import cycle
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TypeVar

from benchmarks.contestants import OURS, Contestant
from benchmarks.many_connections import Load, Loader
from benchmarks.raw_http import Connection
from benchmarks.running_server import RunningServer
from benchmarks.timing import Row, Timing

ROUNDS = 15
QUICK_ROUNDS = 2
TURN_SECONDS = 0.06
QUICK_TURN_SECONDS = 0.003
# A contestant that needs seconds for a call has fewer turns.
PATIENCE_SECONDS = 6.0

Turn = Callable[[], float]
Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Cell:
    """The median of a contestant's turns, their spread, and the ratio to ours."""

    median: float
    spread: float
    beside_ours: float | None = None
    digits: int | None = None

    def __str__(self) -> str:
        digits = self.digits if self.digits is not None else int(self.median < 100)
        beside = "" if self.beside_ours is None else f" {self.beside_ours:.2f}x"
        return f"{self.median:,.{digits}f} ±{self.spread / 2:.0%}{beside}"


@contextmanager
def running(contestants: Iterable[Contestant]) -> Iterator[list[RunningServer]]:
    """Those that are there, started one after the other, with folders that go when they end."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        yield [stack.enter_context(RunningServer(each, folder)) for each in contestants if each.there]


@contextmanager
def placed(servers: Iterable[RunningServer], *, apart: bool) -> Iterator[None]:
    """This process on one core and the servers on another, or all on one.

    Left alone, the scheduler decides between the two for each pair of processes anew, and a round trip takes
    some 45 µs more when a sleeping core has to be woken for it: as much as servers differ by.
    """
    every = os.sched_getaffinity(0)
    if len(every) < 2:
        yield
        return
    mine, other = sorted(every)[:2]
    os.sched_setaffinity(0, {mine})
    for server in servers:
        server.pin({other if apart else mine})
    try:
        yield
    finally:
        os.sched_setaffinity(0, every)
        for server in servers:
            server.pin(every)


def alternate(turns: Mapping[Name, Turn], *, rounds: int) -> dict[Name, Timing]:
    """Each contestant in every round, each round beginning with another one."""
    names = list(turns)
    found: dict[Name, list[float]] = {name: [] for name in names}
    spent = dict.fromkeys(names, 0.0)
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            if spent[name] < PATIENCE_SECONDS:
                start = perf_counter()
                found[name].append(turns[name]())
                spent[name] += perf_counter() - start
    return {name: Timing(tuple(times)) for name, times in found.items()}


@contextmanager
def latencies(
    servers: Iterable[RunningServer], requests: Callable[[RunningServer], Sequence[bytes]], *, quick: bool
) -> Iterator[dict[str, Turn]]:
    """Turns on one connection to each server, without servers that reject the request; closed afterwards."""
    with ExitStack() as stack:
        turns: dict[str, Turn] = {}
        for server in servers:
            sent = requests(server)
            connection = stack.enter_context(closing(Connection(server.port)))
            if connection.exchange(sent[0])[9:12] == b"200":
                turns[server.name] = _latency(connection, sent, quick=quick)
        yield turns


def _latency(connection: Connection, requests: Sequence[bytes], *, quick: bool) -> Turn:
    """The median of a call in microseconds."""
    others = cycle(requests)

    def turn() -> float:
        connection.revive(next(others))
        until = perf_counter() + (QUICK_TURN_SECONDS if quick else TURN_SECONDS)
        times: list[float] = []
        while not times or perf_counter() < until:
            times.append(connection.timed_us(next(others)))
        return median(times)

    return turn


def rate(loader: Loader, server: RunningServer, requests: list[bytes], clients: int, seconds: float) -> Turn:
    """Turns over many connections: answers in a second, all of which must be right. None at all is a rate too."""
    load = Load(server.port, requests, clients, seconds)

    def turn() -> float:
        found = loader.rate(load)
        if found.failed:
            raise RuntimeError(f"{server.name} with {clients} connections: {found}")
        return found.per_second

    return turn


def cells(timings: Mapping[str, Timing], *, ours: str = OURS) -> Row:
    """A column for each: its time, and the ratio to ours."""
    own = timings[ours].median_us if ours in timings else None
    return {
        name: Cell(
            timing.median_us,
            timing.spread,
            timing.median_us / own if own and name != ours else None,
        )
        for name, timing in timings.items()
    }
