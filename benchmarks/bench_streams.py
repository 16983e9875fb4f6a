"""Streams: their cost for a PutItem, and the speed of GetRecords, with 1, 10 and 100 shards."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from benchmarks.engine_subjects import CREATE, TABLE, item
from benchmarks.timing import Contestant, Row, row
from pksk.engine import Engine, Partitioning

VIEWS = ("KEYS_ONLY", "NEW_AND_OLD_IMAGES")
SHARDS = (1, 10, 100)
RECORDS = 20_000
QUICK_RECORDS = 2000


def run(quick: bool = False) -> list[Row]:
    """PutItem of 1 KB with and without a stream, and a stream read from its beginning to its end."""
    records = QUICK_RECORDS if quick else RECORDS
    rows: list[Row] = []
    with TemporaryDirectory() as folder:
        for storage in ("memory", "file"):
            for view in VIEWS:
                with _made(storage, folder, view) as ours, _made(storage, folder, None) as theirs:
                    name = f"PutItem with a stream, {view}, {storage}"
                    rows.append(row(name, _puts(ours), "without", _puts(theirs), quick=quick))
            for shards in SHARDS:
                with _made(storage, folder, "NEW_IMAGE", shards) as engine:
                    rows.append(_read(engine, f"GetRecords, {shards} shards, {storage}", records, shards))
    return rows


def _made(storage: str, folder: str, view: str | None, shards: int = 1) -> Engine:
    """A new engine with a table, and a stream with a number of shards."""
    path = ":memory:" if storage == "memory" else Path(folder) / f"{view}-{shards}-{perf_counter()}.db"
    engine = Engine.open(path, durable=False, partitioning=Partitioning(partitions=shards))
    stream = {"StreamEnabled": True, "StreamViewType": view} if view else {"StreamEnabled": False}
    engine.call("CreateTable", {**CREATE, "StreamSpecification": stream})
    return engine


def _puts(engine: Engine) -> Contestant:
    numbers = count()

    def put() -> object:
        number = next(numbers)
        return engine.call("PutItem", {"TableName": TABLE, "Item": item(number % 100, 0, number)})

    return put


def _read(engine: Engine, name: str, records: int, shards: int) -> Row:
    for number in range(records):
        engine.call("PutItem", {"TableName": TABLE, "Item": item(number % 1000, number)})
    pages, read, size, seconds = 0, 0, 0, 0.0
    waiting = _iterators(engine)
    while waiting:
        request = b'{"ShardIterator":"%b"}' % waiting.pop()
        start = perf_counter()
        status, body = engine.answer("GetRecords", request)
        seconds += perf_counter() - start
        assert status == 200
        found = body.count(b'"eventID"')
        pages, read, size = pages + 1, read + found, size + len(body)
        if found:
            waiting.append(body.rpartition(b'"NextShardIterator":"')[2][:-2])
    assert read == records
    return {
        "name": name,
        "ours_us": seconds / (pages - shards) * 1e6,
        "records/s": round(read / seconds),
        "MB/s": round(size / seconds / 1e6),
    }


def _iterators(engine: Engine) -> list[bytes]:
    (stream,) = engine.call("ListStreams", {})["Streams"]
    shards = engine.call("DescribeStream", {"StreamArn": stream["StreamArn"]})["StreamDescription"]["Shards"]
    requests: list[dict[str, Any]] = [
        {
            "StreamArn": stream["StreamArn"],
            "ShardId": shard["ShardId"],
            "ShardIteratorType": "TRIM_HORIZON",
        }
        for shard in shards
    ]
    return [engine.call("GetShardIterator", each)["ShardIterator"].encode() for each in requests]


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["streams", *sys.argv[1:]]))
