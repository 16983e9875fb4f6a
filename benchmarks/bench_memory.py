"""Memory of servers in MB: when idle, with 100,000 items of 1 KB in a table with an index, and the most so far.

It is the resident memory of the process (VmRSS and VmHWM of Linux), which includes the pages of a file that it has
mapped, and not those that only the system caches. The index projects all attributes, so it doubles what is stored.
"""

from __future__ import annotations

import sys

from benchmarks.contestants import FULL_SYNC, MEMORY, NO_SYNC, Contestant, contestants, not_there
from benchmarks.http_subjects import INDEXED_CREATE, PARTITION, fill_table
from benchmarks.side_by_side import cells, running
from benchmarks.timing import Row, Timing

ITEMS, QUICK_ITEMS = 100_000, 1000


def run(quick: bool = False) -> list[Row]:
    """One server at a time: each starts, and is filled over one connection."""
    rows: list[Row] = []
    for storage in (MEMORY, NO_SYNC, FULL_SYNC):
        rows += _storage(storage, QUICK_ITEMS if quick else ITEMS)
    return rows + [{"name": sentence} for sentence in not_there()]


def _storage(storage: str, items: int) -> list[Row]:
    moments = ("idle", f"with {items:,} items", "the most so far")
    taken = {each.name: _taken(each, items) for each in contestants(storage) if each.there}
    return [
        {
            "name": moment,
            "storage": storage,
            "unit": "MB",
            **cells({name: Timing((megabytes[position],)) for name, megabytes in taken.items()}),
        }
        for position, moment in enumerate(moments)
    ]


def _taken(contestant: Contestant, items: int) -> tuple[float, float, float]:
    with running([contestant]) as (server,):
        idle = server.resident_mb
        fill_table(server, INDEXED_CREATE, items, PARTITION)
        return idle, server.resident_mb, server.peak_mb


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["memory", *sys.argv[1:]]))
