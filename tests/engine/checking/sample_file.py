"""A file with every kind of data that an engine writes, and ways to read and damage it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from pksk.engine import Clock, Engine
from tests.engine.valid_requests import VALID, set_up

__all__ = ["DamagedFile", "damaged_file", "write_sample_file"]

WRITES = ("PutItem", "UpdateItem", "BatchWriteItem")


def write_sample_file(path: Path) -> None:
    """Write the file: tables with indexes of all kinds, streams open, closed and left, backups, tokens, splits."""
    with Engine.open(path, durable=False, clock=Clock(1_790_000_000.0)) as engine:
        set_up(engine)
        for operation, request in VALID:
            if operation in WRITES:
                engine.answer(operation, orjson.dumps(request))
        _expiring(engine, "x")
        engine.split("orders")
        engine.roll_shards("orders")
        _expiring(engine, "y")
        _leave_stream(engine)


def _expiring(engine: Engine, pk: str) -> None:
    for number in range(12):
        item = {
            "pk": {"S": f"{pk}{number}"}, "sk": {"N": "1"}, "amount": {"N": str(number)}, "status": {"S": "open"},
            "day": {"B": "AAE="}, "expires": {"N": "1999999999"},
        }  # fmt: skip
        engine.call("PutItem", {"TableName": "orders", "Item": item})
    actions = [{"Put": {"TableName": "guarded", "Item": {"n": {"N": "5"}}}}]
    engine.call("TransactWriteItems", {"ClientRequestToken": "token", "TransactItems": actions})


def _leave_stream(engine: Engine) -> None:
    """A deleted table whose stream can still be read, and a table whose stream is disabled."""
    for name in ("gone", "off"):
        engine.call(
            "CreateTable",
            {
                "TableName": name,
                "BillingMode": "PAY_PER_REQUEST",
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
            },
        )
        engine.call("PutItem", {"TableName": name, "Item": {"pk": {"S": "a"}}})
    engine.call("DeleteTable", {"TableName": "gone"})
    engine.call("UpdateTable", {"TableName": "off", "StreamSpecification": {"StreamEnabled": False}})


class DamagedFile:
    """A file that something else than an engine writes to."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def run(self, sql: str, *values: Any) -> list[Any]:
        return self._connection.execute(sql, values).fetchall()

    def note(self, name: str) -> Any:
        ((data,),) = self.run("SELECT data FROM notes WHERE name = ?", name)
        return orjson.loads(data)

    def save(self, name: str, record: Any) -> None:
        self.run("UPDATE notes SET data = ? WHERE name = ?", orjson.dumps(record), name)

    def space(self, index: str | None = None, table: str = "orders") -> str:
        """SQLite's table with the rows of a table or an index of it."""
        record = self.note(f"table/{table}")
        if index is None:
            return f"space_{record['space']}"
        members = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes", "VectorIndexes")
        entries = [entry for member in members for entry in record.get(member, ())]
        return next(f"space_{entry['space']}" for entry in entries if entry["IndexName"] == index)

    def first(self, space: str) -> tuple[bytes, int, bytes]:
        """The first row of a space."""
        row: tuple[bytes, int, bytes] = self.run(f"SELECT key, size, data FROM {space} ORDER BY key LIMIT 1")[
            0
        ]
        return row

    def change(self, space: str, row_key: bytes, **columns: Any) -> None:
        for column, value in columns.items():
            self.run(f"UPDATE {space} SET {column} = ? WHERE key = ?", value, row_key)


@contextmanager
def damaged_file(path: Path) -> Iterator[DamagedFile]:
    """A file as `sqlite3` has it open."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        yield DamagedFile(connection)
    finally:
        connection.close()
