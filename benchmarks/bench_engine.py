"""The engine in process, beside the bare sqlite3 statements that write and read the same rows (1 KB each)."""

from __future__ import annotations

import sys
from itertools import count, cycle
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson

from benchmarks.engine_subjects import TABLE, TEXT, BareSqlite, fill, filled, item, key, query
from benchmarks.timing import Contestant, Row, row
from pksk.engine import Engine
from pksk.engine.storage import SqliteStorage

ITEMS = 1000
GET = {"TableName": TABLE, "Key": key(3, 7)}
GET_BODY, QUERY_BODY = orjson.dumps(GET), orjson.dumps(query(4))


def run(quick: bool = False) -> list[Row]:
    """Puts, gets and queries of 100: through `call` and `answer`, on a file, in SQLite's memory, in our own."""
    data = orjson.dumps(item(0, 0))
    memory = filled(":memory:", ITEMS)
    rows: list[Row] = []
    with TemporaryDirectory() as folder:
        for title, durable, synchronous in (("full sync", True, "FULL"), ("no sync", False, "OFF")):
            engine = filled(Path(folder) / f"{synchronous}.db", ITEMS, durable=durable)
            bare = BareSqlite(Path(folder) / f"bare-{synchronous}.db", ITEMS, data, synchronous=synchronous)
            rows += _beside_bare(f"file, {title}", engine, f"sqlite3, {title}", bare, quick=quick)
            engine.close()
        rows.append(_one_attribute(Path(folder), quick=quick))
    engine = fill(Engine.on(SqliteStorage(":memory:")), ITEMS)
    bare = BareSqlite(":memory:", ITEMS, data, synchronous="OFF")
    rows += _beside_bare("SQLite in memory", engine, "sqlite3 in memory", bare, quick=quick)
    for name, ours, theirs in zip(NAMES, _calls(memory), _calls(engine), strict=True):
        rows.append(row(f"{name}, our memory", ours, "engine on SQLite in memory", theirs, quick=quick))
    return rows + _answers(memory, quick=quick)


NAMES = ("PutItem", "GetItem", "Query of 100")


def _calls(engine: Engine) -> tuple[Contestant, ...]:
    numbers = count()

    def put() -> object:
        # Never the stored item: such a put writes nothing.
        number = next(numbers)
        return engine.call("PutItem", {"TableName": TABLE, "Item": item(0, number % ITEMS, number + 1)})

    # Not the first, which the puts above fill up.
    queries = cycle([query(partition) for partition in range(1, ITEMS // 100)])
    return put, lambda: engine.call("GetItem", GET), lambda: engine.call("Query", next(queries))


def _beside_bare(title: str, engine: Engine, peer: str, bare: BareSqlite, *, quick: bool) -> list[Row]:
    others = count()
    starts = cycle(range(100, ITEMS, 100))
    contests: list[tuple[str, Contestant, str, Contestant]] = [
        ("PutItem", _calls(engine)[0], peer, lambda: bare.put(next(others) % ITEMS)),
        ("GetItem", _calls(engine)[1], peer, lambda: bare.get(307)),
        # Another partition each time, as people read, and the same one again and again, which costs SQLite half.
        ("Query of 100", _calls(engine)[2], peer, lambda: bare.range(next(starts), 100)),
        ("Query of the same 100", _same(engine), peer, lambda: bare.range(400, 100)),
        ("Query of the same 100", _same(engine), f"{peer}, and its JSON read", lambda: bare.parsed(400, 100)),
        (
            "answer: Query of the same 100",
            lambda: engine.answer("Query", QUERY_BODY),
            peer,
            lambda: bare.range(400, 100),
        ),
    ]
    return [row(f"{name}, {title}", ours, peer, theirs, quick=quick) for name, ours, peer, theirs in contests]


def _same(engine: Engine) -> Contestant:
    return lambda: engine.call("Query", query(4))


def _one_attribute(folder: Path, *, quick: bool) -> Row:
    """What a query costs follows the number of attributes, of which every one becomes a dict."""
    engine = fill(Engine.open(folder / "text.db", durable=False), ITEMS, fields=TEXT)
    data = orjson.dumps(item(0, 0, fields=TEXT))
    bare = BareSqlite(folder / "bare-text.db", ITEMS, data, synchronous="OFF")
    starts = cycle(range(100, ITEMS, 100))
    ours, theirs = _calls(engine)[2], lambda: bare.range(next(starts), 100)
    measured = row(
        "Query of 100 with one large attribute, file", ours, "sqlite3, no sync", theirs, quick=quick
    )
    engine.close()
    return measured


def _answers(engine: Engine, *, quick: bool) -> list[Row]:
    puts = cycle([orjson.dumps({"TableName": TABLE, "Item": item(0, 5, n)}) for n in range(1000)])
    contests: list[tuple[str, Contestant]] = [
        ("GetItem", lambda: engine.answer("GetItem", GET_BODY)),
        ("PutItem", lambda: engine.answer("PutItem", next(puts))),
        ("Query of 100", lambda: engine.answer("Query", QUERY_BODY)),
    ]
    return [row(f"answer: {name}, our memory", ours, quick=quick) for name, ours in contests]


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["engine", *sys.argv[1:]]))
