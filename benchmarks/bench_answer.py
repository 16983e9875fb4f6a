"""Where the time of `answer` goes: each step of a GetItem and a PutItem of 1 KB, on memory storage."""

from __future__ import annotations

import sys
from itertools import cycle
from typing import Any

import orjson

from benchmarks.engine_subjects import TABLE, filled, item, key
from benchmarks.timing import Row, row
from pksk.engine.engine import Engine
from pksk.engine.items.keys import lookup_key, put_key
from pksk.engine.request import check_item, read_request
from pksk.engine.row_layout import stored_bytes


def run(quick: bool = False) -> list[Row]:
    """The whole, then its steps; the difference is the cost of calls between them."""
    engine = filled(items=1000)
    core = engine._core
    table = core.catalogue.table(TABLE)
    get: dict[str, Any] = {"TableName": TABLE, "Key": key(3, 7)}
    put: dict[str, Any] = {"TableName": TABLE, "Item": item(0, 5)}
    get_body, put_body = orjson.dumps(get), orjson.dumps(put)
    row_key, place = put_key(table, put["Item"]), lookup_key(table, get["Key"])
    found = core.storage.get(table.layout.space, place)
    assert found is not None
    stored = stored_bytes(put["Item"])

    def write() -> None:
        with core.storage.writing() as writer:
            writer.get(table.layout.space, row_key)
            writer.put(table.layout.space, row_key, 1000, stored)

    steps = {
        "GetItem, whole": _whole(engine, "GetItem", [get_body]),
        "GetItem: parse the body": lambda: orjson.loads(get_body),
        "GetItem: read the request": lambda: read_request("GetItem", get),
        "GetItem: check the key's values": lambda: check_item(get["Key"]),
        "GetItem: the row's key": lambda: lookup_key(table, get["Key"]),
        "GetItem: the storage": lambda: core.storage.get(table.layout.space, place),
        "GetItem: write the answer": lambda: orjson.dumps({"Item": orjson.Fragment(found.data)}),
        "PutItem, whole": _whole(
            engine, "PutItem", [orjson.dumps(put | {"Item": item(0, 5, n)}) for n in range(100)]
        ),
        "PutItem: parse the body": lambda: orjson.loads(put_body),
        "PutItem: read the request": lambda: read_request("PutItem", put),
        "PutItem: check and size the item": lambda: check_item(put["Item"]),
        "PutItem: the row's key": lambda: put_key(table, put["Item"]),
        "PutItem: the item's bytes": lambda: stored_bytes(put["Item"]),
        "PutItem: the storage": write,
    }
    return [row(name, step, quick=quick) for name, step in steps.items()]


def _whole(engine: Engine, operation: str, bodies: list[bytes]) -> Any:
    others = cycle(bodies)
    return lambda: engine.answer(operation, next(others))


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["answer", *sys.argv[1:]]))
