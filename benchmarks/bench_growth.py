"""How the engine grows: the same calls at 1,000, 10,000 and 100,000 items of 1 KB, beside the smallest table."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import orjson

from benchmarks.engine_subjects import TABLE, filled, item, key, query
from benchmarks.timing import Contestant, Row, row
from pksk.engine import Engine

SIZES = (1000, 10_000, 100_000)
QUICK_SIZES = (200, 1000)
Requests = Callable[[int], list[dict[str, Any]]]
SCAN = {"TableName": TABLE, "Limit": 100}


def run(quick: bool = False) -> list[Row]:
    """GetItem, Query of 10 and a page of a scan in growing tables, and the size of memory storage."""
    sizes = QUICK_SIZES if quick else SIZES
    rows: list[Row] = []
    with TemporaryDirectory() as folder:
        for storage in ("memory", "file"):
            engines = {
                (size, partition): _filled(storage, folder, size, partition)
                for size in sizes
                for partition in (100, size)
            }
            for size in sizes[1:]:
                rows += _beside_smallest(storage, engines, sizes[0], size, quick=quick)
            rows += _pages(storage, engines[sizes[-1], 100], quick=quick)
            for engine in engines.values():
                engine.close()
    return [*rows, _memory(sizes[-1]), _start()]


def _filled(storage: str, folder: str, size: int, partition: int) -> Engine:
    path = ":memory:" if storage == "memory" else Path(folder) / f"{size}-{partition}.db"
    return filled(path, size, partition, durable=False)


def _beside_smallest(
    storage: str, engines: dict[tuple[int, int], Engine], small: int, size: int, *, quick: bool
) -> list[Row]:
    def contest(name: str, operation: str, ours: Engine, theirs: Engine, requests: Requests) -> Row:
        return row(
            f"{name}, {storage}, {size:,} items",
            _calls(ours, operation, requests(size)),
            f"{small:,} items",
            _calls(theirs, operation, requests(small)),
            quick=quick,
        )

    many, few = engines[size, 100], engines[small, 100]
    return [
        contest("GetItem", "GetItem", many, few, _gets),
        contest("Query of 10", "Query", many, few, lambda size: [query(n, 10) for n in range(size // 100)]),
        contest("Query of 10 in one partition", "Query", engines[size, size], engines[small, small], _ranges),
    ]


def _calls(engine: Engine, operation: str, requests: list[dict[str, Any]]) -> Contestant:
    """One call after another with keys from the whole table: a key that is read repeatedly stays in the cache."""
    Random(1).shuffle(requests)
    others = cycle(requests[:1000])
    return lambda: engine.call(operation, next(others))


def _gets(size: int) -> list[dict[str, Any]]:
    places = range(0, size, max(1, size // 1000))
    return [{"TableName": TABLE, "Key": key(n // 100, n % 100)} for n in places]


def _ranges(size: int) -> list[dict[str, Any]]:
    """Ten items from anywhere in the one partition."""
    places = range(0, size - 10, max(1, size // 1000))
    text = "pk = :p AND sk >= :s"
    return [
        {
            **query(0, 10),
            "KeyConditionExpression": text,
            "ExpressionAttributeValues": {":p": {"S": "p0"}, ":s": key(0, place)["sk"]},
        }
        for place in places
    ]


def _pages(storage: str, engine: Engine, *, quick: bool) -> list[Row]:
    """A page in the middle and one near the end, beside the first."""
    seen: list[Any] = [None]
    while seen[-1] is not None or len(seen) == 1:
        start = {"ExclusiveStartKey": seen[-1]} if seen[-1] else {}
        seen.append(
            engine.call("Scan", {"TableName": TABLE, "Limit": 1000 if not quick else 100, **start}).get(
                "LastEvaluatedKey"
            )
        )
    starts = {"in the middle": seen[len(seen) // 2], "near the end": seen[-3 if len(seen) > 3 else -2]}
    return [
        row(
            f"a page of a scan {where}, {storage}",
            lambda start=start: engine.call("Scan", SCAN | {"ExclusiveStartKey": start}),  # type: ignore[misc]
            "the first page",
            lambda: engine.call("Scan", SCAN),
            quick=quick,
        )
        for where, start in starts.items()
    ]


def _memory(items: int) -> Row:
    stored = items * len(orjson.dumps(item(0, 0)))
    tracemalloc.start()
    engine = filled(items=items)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    engine.close()
    return {"name": f"memory taken over bytes stored, {items:,} items", "times": taken / stored}


def _start() -> Row:
    times = []
    for _ in range(20):
        start = perf_counter()
        Engine.open().close()
        times.append((perf_counter() - start) * 1e6)
    return {"name": "open an engine in memory", "ours_us": sorted(times)[10]}


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["growth", *sys.argv[1:]]))
