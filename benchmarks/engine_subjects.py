"""What the benchmarks of the engine measure: tables of 1 KB items, on each storage, and bare SQLite beside them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from pksk.engine import Engine

TABLE = "bench"
KEY_SCHEMA = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
DEFINITIONS = [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")]
CREATE = {
    "TableName": TABLE,
    "KeySchema": KEY_SCHEMA,
    "AttributeDefinitions": DEFINITIONS,
    "BillingMode": "PAY_PER_REQUEST",
}


FIELDS = {f"field{number}": {"S": f"{number}" * 100} for number in range(9)}


# The same in one attribute.
TEXT = {"text": {"S": "x" * 1000}}


def item(partition: int, place: int, n: int = 0, fields: dict[str, Any] = FIELDS) -> dict[str, Any]:
    """An item of about 1 KB; with another `n` it is another one with the same key."""
    return {"pk": {"S": f"p{partition}"}, "sk": {"S": f"{place:07d}"}, "n": {"N": str(n)}, **fields}


def key(partition: int, place: int) -> dict[str, Any]:
    """The key of that item."""
    return {"pk": {"S": f"p{partition}"}, "sk": {"S": f"{place:07d}"}}


def filled(path: str | Path = ":memory:", items: int = 1000, partition: int = 100, **options: Any) -> Engine:
    """A new engine with a number of items, and a number of them per partition key."""
    return fill(Engine.open(path, **options), items, partition)


def fill(engine: Engine, items: int, partition: int = 100, fields: dict[str, Any] = FIELDS) -> Engine:
    """The engine, with a table of a number of items."""
    engine.call("CreateTable", CREATE)
    for batch in _batches(items, partition, fields):
        engine.call("BatchWriteItem", {"RequestItems": {TABLE: batch}})
    return engine


def _batches(items: int, partition: int, fields: dict[str, Any]) -> Iterator[list[Any]]:
    for start in range(0, items, 25):
        numbers = range(start, min(start + 25, items))
        yield [{"PutRequest": {"Item": item(n // partition, n % partition, 0, fields)}} for n in numbers]


def query(partition: int, limit: int | None = None) -> dict[str, Any]:
    """A query for the items of a partition."""
    request: dict[str, Any] = {
        "TableName": TABLE,
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": {"S": f"p{partition}"}},
    }
    return request | ({"Limit": limit} if limit else {})


class BareSqlite:
    """The statements that read and write the same rows, and nothing else."""

    def __init__(self, path: str | Path, rows: int, data: bytes, *, synchronous: str) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._data = data
        for statement in (
            "PRAGMA journal_mode=WAL",
            f"PRAGMA synchronous={synchronous}",
            "CREATE TABLE rows (key BLOB PRIMARY KEY, size INTEGER, data BLOB) WITHOUT ROWID",
            "BEGIN",
        ):
            self._connection.execute(statement)
        for number in range(rows):
            self.put(number)
        self._connection.execute("COMMIT")

    def put(self, number: int) -> None:
        row = (b"partition%9d" % number, 1000, self._data)
        self._connection.execute("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)", row)

    def get(self, number: int) -> Any:
        found = self._connection.execute(
            "SELECT size, data FROM rows WHERE key = ?", (b"partition%9d" % number,)
        )
        return found.fetchone()

    def range(self, number: int, count: int) -> Any:
        low, high = b"partition%9d" % number, b"partition%9d" % (number + count)
        statement = "SELECT key, size, data FROM rows WHERE key >= ? AND key < ? ORDER BY key"
        return self._connection.execute(statement, (low, high)).fetchall()

    def parsed(self, number: int, count: int) -> Any:
        """The same, as Python objects."""
        return [orjson.loads(data) for _, _, data in self.range(number, count)]
