"""The engine in process, beside the bare sqlite3 statements that write and read the same rows (1 KB each)."""

from __future__ import annotations

import sys
from itertools import count, cycle
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson

from benchmarks.engine_subjects import TABLE, BareSqlite, filled, item, key, query
from benchmarks.timing import Contestant, Row, row
from pksk.engine import Engine

ITEMS = 1000


def run(quick: bool = False) -> list[Row]:
    """Puts, gets and queries of 100: on a file, in memory, and through `answer`."""
    with TemporaryDirectory() as folder:
        rows: list[Row] = []
        data = orjson.dumps(item(0, 0))
        for title, durable, synchronous in (("full sync", True, "FULL"), ("no sync", False, "OFF")):
            engine = filled(Path(folder) / f"{synchronous}.db", ITEMS, durable=durable)
            bare = BareSqlite(Path(folder) / f"bare-{synchronous}.db", ITEMS, data, synchronous=synchronous)
            rows += _rows(f"file, {title}", engine, f"sqlite3, {title}", bare, quick=quick)
            engine.close()
        memory = filled(":memory:", ITEMS)
        bare = BareSqlite(":memory:", ITEMS, data, synchronous="OFF")
        rows += _rows("memory", memory, "sqlite3 in memory", bare, quick=quick)
        return rows + _answers(memory, quick=quick)


def _rows(title: str, engine: Engine, peer: str, bare: BareSqlite, *, quick: bool) -> list[Row]:
    numbers, others = count(), count()

    def put() -> object:
        # Never the item that is there: such a put writes nothing.
        number = next(numbers)
        return engine.call("PutItem", {"TableName": TABLE, "Item": item(0, number % ITEMS, number + 1)})

    contests: list[tuple[str, Contestant, Contestant]] = [
        ("PutItem", put, lambda: bare.put(next(others) % ITEMS)),
        (
            "GetItem",
            lambda: engine.call("GetItem", {"TableName": TABLE, "Key": key(3, 7)}),
            lambda: bare.get(307),
        ),
        ("Query of 100", lambda: engine.call("Query", query(4)), lambda: bare.range(400, 100)),
    ]
    return [row(f"{name}, {title}", ours, peer, theirs, quick=quick) for name, ours, theirs in contests]


def _answers(engine: Engine, *, quick: bool) -> list[Row]:
    get, some = orjson.dumps({"TableName": TABLE, "Key": key(3, 7)}), orjson.dumps(query(4))
    puts = cycle([orjson.dumps({"TableName": TABLE, "Item": item(0, 5, n)}) for n in range(1000)])
    contests: list[tuple[str, Contestant]] = [
        ("GetItem", lambda: engine.answer("GetItem", get)),
        ("PutItem", lambda: engine.answer("PutItem", next(puts))),
        ("Query of 100", lambda: engine.answer("Query", some)),
    ]
    return [row(f"answer: {name}, memory", ours, quick=quick) for name, ours in contests]


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["engine", *sys.argv[1:]]))
