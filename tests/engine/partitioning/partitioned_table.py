"""Tables for tests of partitions: with a global index, and optionally a local one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pksk.engine import Engine, Partitioning
from tests.engine.state.catalogues import defined, index, table

__all__ = ["NAME", "create", "item", "open_engine", "put", "scan"]

NAME = "orders"
Item = dict[str, Any]


def open_engine(path: str | Path = ":memory:", **partitioning: Any) -> Engine:
    return Engine.open(path, durable=False, partitioning=Partitioning(**partitioning))


def create(engine: Engine, *, local: bool = False, indexed: bool = True, **members: Any) -> Engine:
    """The engine, with a table whose items have a partition key, a sort key and perhaps `status`."""
    if local:
        members["LocalSecondaryIndexes"] = [index("by-day", "pk", "day")]
    names = ["pk", "sk", *(["status"] if indexed else ()), *(["day"] if local else ())]
    if indexed:
        members.setdefault("GlobalSecondaryIndexes", [index("by-status", "status", "sk")])
    engine.call("CreateTable", table("pk", "sk", AttributeDefinitions=defined(*names), **members))
    return engine


def item(pk: object, sk: object, size: int = 0, **texts: str) -> Item:
    made: Item = {
        "pk": {"S": str(pk)},
        "sk": {"S": str(sk)},
        **{name: {"S": text} for name, text in texts.items()},
    }
    return made | {"text": {"S": "x" * size}} if size else made


def put(engine: Engine, *items: Item) -> None:
    for each in items:
        engine.call("PutItem", {"TableName": NAME, "Item": each})


def scan(engine: Engine, index_name: str | None = None, **request: Any) -> list[Item]:
    """All items in the order of a scan, read in pages."""
    if index_name is not None:
        request["IndexName"] = index_name
    found: list[Item] = []
    page: Item = {}
    while True:
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]} if page else {}
        page = engine.call("Scan", {"TableName": NAME, **request, **start})
        found += page["Items"]
        if "LastEvaluatedKey" not in page:
            return found
