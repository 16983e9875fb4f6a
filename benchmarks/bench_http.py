"""Over HTTP beside other servers: µs a call on one connection, calls a second on 16, start and memory (1 KB items).

Each column: the median, its spread, and how many times ours it is. Rows name what a write has become when it
is acknowledged, and compare only servers of which that is true. On two cores, client and server each have one;
on one core they share it, and nothing but their work is left.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from time import sleep

from benchmarks.contestants import (
    ECHO,
    FULL_SYNC,
    MEMORY,
    NO_SYNC,
    Contestant,
    bare_echo,
    contestants,
    not_there,
)
from benchmarks.http_subjects import GET, PUT, SUBJECTS, Subject, fill
from benchmarks.many_connections import Loader
from benchmarks.running_server import RunningServer
from benchmarks.side_by_side import (
    QUICK_ROUNDS,
    ROUNDS,
    Turn,
    alternate,
    cells,
    latencies,
    placed,
    rate,
    running,
)
from benchmarks.timing import Row

CONNECTIONS = 16
LOAD_SECONDS = 1.0
LOAD_ROUNDS = 7
STARTS = 7


def run(quick: bool = False) -> list[Row]:
    """In memory, in a file without sync, and in a file with it, which none of the peers has."""
    rows: list[Row] = []
    for storage in (MEMORY, NO_SYNC, FULL_SYNC):
        rows += _storage(storage, quick=quick)
    for storage in (MEMORY, NO_SYNC):
        rows += _starts(storage, quick=quick)
    return rows + [{"name": sentence} for sentence in not_there()]


def _storage(storage: str, *, quick: bool) -> list[Row]:
    entrants = contestants(storage) + ([bare_echo()] if storage == MEMORY else [])
    rounds = QUICK_ROUNDS if quick else ROUNDS
    with running(entrants) as servers, Loader() as loader:
        for server in servers:
            if server.name != ECHO:
                fill(server)
        rows: list[Row] = []
        for apart in (True, False):
            with placed(servers, apart=apart):
                where = {"storage": storage, "cores": "two" if apart else "one"}
                rows += [_row(subject, where, servers, rounds, quick=quick) for subject in SUBJECTS]
        for subject in (GET, PUT):
            rows.append(_rates(subject, storage, servers, loader, quick=quick))
    return rows


def _row(
    subject: Subject, where: dict[str, str], servers: list[RunningServer], rounds: int, *, quick: bool
) -> Row:
    entrants = [server for server in servers if server.name != ECHO or subject in (GET, PUT)]
    with latencies(entrants, lambda server: subject.requests(server.port), quick=quick) as turns:
        timings = alternate(turns, rounds=rounds)
    return {"name": subject.name, **where, "unit": "µs", **cells(timings)}


def _rates(
    subject: Subject, storage: str, servers: list[RunningServer], loader: Loader, *, quick: bool
) -> Row:
    seconds = 0.1 if quick else LOAD_SECONDS
    turns = {
        server.name: rate(loader, server, subject.requests(server.port), CONNECTIONS, seconds)
        for server in servers
    }
    timings = alternate(turns, rounds=QUICK_ROUNDS if quick else LOAD_ROUNDS)
    return {"name": f"16 connections, {subject.name}", "storage": storage, "unit": "/s", **cells(timings)}


def _starts(storage: str, *, quick: bool) -> list[Row]:
    """From the start of the process to its first answer, and its memory a moment later."""
    memory: dict[str, list[float]] = {}

    def turn(contestant: Contestant) -> Turn:
        def turn() -> float:
            with ExitStack() as stack:
                (server,) = stack.enter_context(running([contestant]))
                sleep(0 if quick else 0.3)
                memory.setdefault(contestant.name, []).append(server.resident_mb)
                return server.start_ms

        return turn

    turns = {each.name: turn(each) for each in contestants(storage) if each.there}
    started = alternate(turns, rounds=1 if quick else STARTS)
    rows: list[Row] = [
        {"name": "start to first answer", "storage": storage, "unit": "ms", **cells(started)},
    ]
    taken = alternate({name: iter(found).__next__ for name, found in memory.items()}, rounds=1)
    return [*rows, {"name": "memory when idle", "storage": storage, "unit": "MB", **cells(taken)}]


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["http", *sys.argv[1:]]))
