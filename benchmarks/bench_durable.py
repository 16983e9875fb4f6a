"""Durable writes over HTTP: PutItem of 1 KB, by one client and by 16, with full sync and without."""

from __future__ import annotations

import sys

from benchmarks.contestants import FULL_SYNC, NO_SYNC, OURS, contestants
from benchmarks.http_subjects import PUT, fill
from benchmarks.many_connections import Loader
from benchmarks.side_by_side import QUICK_ROUNDS, Cell, alternate, rate, running
from benchmarks.timing import Row, Timing

CLIENTS = (1, 16)
ROUNDS = 9
SECONDS = 1.0


def run(quick: bool = False) -> list[Row]:
    """Four rates, taken by turns, and the two ratios that show the effect of group commit."""
    ours = [each for storage in (FULL_SYNC, NO_SYNC) for each in contestants(storage) if each.name == OURS]
    with running(ours) as servers, Loader() as loader:
        for server in servers:
            fill(server, 100, indexed=False)
        turns = {
            (server.contestant.storage, clients): rate(
                loader, server, PUT.requests(server.port), clients, 0.1 if quick else SECONDS
            )
            for server in servers
            for clients in CLIENTS
        }
        found = alternate(turns, rounds=QUICK_ROUNDS if quick else ROUNDS)
    rows: list[Row] = [
        {"name": f"{clients} at once", "storage": storage, "unit": "/s", "rate": _cell(timing)}
        for (storage, clients), timing in found.items()
    ]
    durable = found[FULL_SYNC, 16]
    return [
        *rows,
        _ratio("16 with sync over 1 with sync", durable, found[FULL_SYNC, 1]),
        _ratio("16 with sync over 16 without", durable, found[NO_SYNC, 16]),
    ]


def _cell(timing: Timing) -> Cell:
    return Cell(timing.median_us, timing.spread)


def _ratio(name: str, one: Timing, other: Timing) -> Row:
    """Round by round."""
    ratio = Timing(tuple(a / b for a, b in zip(one.turns_us, other.turns_us, strict=True)))
    return {"name": name, "unit": "times", "rate": Cell(ratio.median_us, ratio.spread, digits=2)}


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["durable", *sys.argv[1:]]))
