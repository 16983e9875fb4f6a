"""How servers grow: a page of a scan (1 MB) and a query of 10, at 1,000 to 100,000 items of 1 KB, over HTTP.

Pages have the same 1,000 items at every size. The first 1 MB is requested without a limit, and is 6 % more in the
larger tables; in the smallest one no page begins in the middle. The rows named "from ... to ..." are the times of
the largest table over those of the smallest, 1.0 being no growth.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from random import Random
from typing import Any

from benchmarks.contestants import MEMORY, NO_SYNC, contestants, not_there
from benchmarks.engine_subjects import CREATE, key
from benchmarks.http_subjects import PARTITION, fill_table
from benchmarks.raw_http import Connection, request_bytes
from benchmarks.running_server import RunningServer
from benchmarks.side_by_side import (
    QUICK_ROUNDS,
    ROUNDS,
    Cell,
    Turn,
    alternate,
    cells,
    latencies,
    placed,
    running,
)
from benchmarks.timing import Row, Timing

SIZES = (1000, 10_000, 100_000)
QUICK_SIZES = (1000, 1250)
PAGE_ITEMS = 1000
PAGE_BYTES = 1_000_000
Requests = Callable[[RunningServer, int], list[bytes]]


def run(quick: bool = False) -> list[Row]:
    """Servers of one storage at a time, every size in each, all taking turns."""
    rows: list[Row] = []
    for storage in (MEMORY, NO_SYNC):
        rows += _storage(storage, QUICK_SIZES if quick else SIZES, quick=quick)
    return rows + [{"name": sentence} for sentence in not_there()]


def _storage(storage: str, sizes: tuple[int, ...], *, quick: bool) -> list[Row]:
    # Quick measures only ours: filling the tables of the others takes a while.
    entrants = contestants(storage)[:1] if quick else contestants(storage)
    kinds: dict[str, Requests] = {
        "Scan, first 1 MB": _first_megabyte,
        "Scan, first page": _first_page,
        "Scan, a page from the middle": _middle_page,
        "Query of 10": _queries,
    }
    with running(entrants) as servers:
        for server in servers:
            for size in sizes:
                fill_table(server, CREATE | {"TableName": _table(size)}, size, PARTITION)
        return [
            row
            for name, requests in kinds.items()
            for row in _rows(name, storage, servers, sizes[requests is _middle_page :], requests, quick=quick)
        ]


def _rows(
    name: str,
    storage: str,
    servers: list[RunningServer],
    sizes: tuple[int, ...],
    requests: Requests,
    *,
    quick: bool,
) -> list[Row]:
    with ExitStack() as stack:
        turns: dict[tuple[str, int], Turn] = {}
        for size in sizes:
            found = stack.enter_context(latencies(servers, partial(_of, requests, size), quick=quick))
            turns |= {(name, size): turn for name, turn in found.items()}
        with placed(servers, apart=True):
            timings = alternate(turns, rounds=QUICK_ROUNDS if quick else ROUNDS)
    by_size = {size: {server.name: timings[server.name, size] for server in servers} for size in sizes}
    rows: list[Row] = [
        {"name": f"{name}, {size:,} items", "storage": storage, "unit": "µs", **cells(by_size[size])}
        for size in sizes
    ]
    growth = {server.name: _growth(by_size, sizes, server.name) for server in servers}
    title = f"{name}, from {sizes[0]:,} to {sizes[-1]:,}"
    return [*rows, {"name": title, "storage": storage, "unit": "times", **growth}]


def _of(requests: Requests, size: int, server: RunningServer) -> list[bytes]:
    return requests(server, size)


def _growth(by_size: dict[int, dict[str, Timing]], sizes: tuple[int, ...], name: str) -> Cell:
    """Turn by turn: both sizes had theirs in the same round."""
    small, large = by_size[sizes[0]][name].turns_us, by_size[sizes[-1]][name].turns_us
    ratio = Timing(tuple(most / least for least, most in zip(small, large, strict=False)))
    return Cell(ratio.median_us, ratio.spread, digits=2)


def _table(size: int) -> str:
    return f"grows{size}"


def _first_megabyte(server: RunningServer, size: int) -> list[bytes]:
    """Without a limit, which some servers need to read no further than the page goes."""
    return [request_bytes(server.port, "Scan", {"TableName": _table(size)})]


def _first_page(server: RunningServer, size: int) -> list[bytes]:
    return [request_bytes(server.port, "Scan", {"TableName": _table(size), "Limit": PAGE_ITEMS})]


def _middle_page(server: RunningServer, size: int) -> list[bytes]:
    """From a key that a whole page follows."""
    connection = Connection(server.port)
    best: dict[int, bytes] = {}
    for partition in Random(1).sample(range(size // PARTITION), min(size // PARTITION, 20)):
        start: dict[str, Any] = {"ExclusiveStartKey": key(partition, 0), "Limit": PAGE_ITEMS}
        request = request_bytes(server.port, "Scan", {"TableName": _table(size), **start})
        length = len(connection.exchange(request))
        best[length] = request
        if length > PAGE_BYTES:
            break
    connection.close()
    return [best[max(best)]]


def _queries(server: RunningServer, size: int) -> list[bytes]:
    """Anywhere in the table."""
    partitions = Random(1).choices(range(size // PARTITION), k=100)
    requests = [
        {
            "TableName": _table(size),
            "KeyConditionExpression": "pk = :p AND sk >= :s",
            "ExpressionAttributeValues": {
                ":p": {"S": f"p{partition}"},
                ":s": key(0, partition * 7 % 90)["sk"],
            },
            "Limit": 10,
        }
        for partition in partitions
    ]
    return [request_bytes(server.port, "Query", request) for request in requests]


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["http_growth", *sys.argv[1:]]))
