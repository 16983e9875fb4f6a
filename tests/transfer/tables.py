"""Tables for tests of exports and imports, and the contents of one."""

from __future__ import annotations

import gzip
import hashlib
import json
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pksk import GSI, LSI, Engine, N, Table
from pksk.transfer import Export, export_table

SHOP = Table(
    "shop",
    sk=N("number"),
    indexes=[GSI("by-status", pk="status", sk="day"), LSI("by-day", sk="day")],
)


def order(number: int, **more: Any) -> dict[str, Any]:
    return {
        "pk": {"S": f"CUST#{number % 3}"},
        "number": {"N": str(number)},
        "day": {"S": "2026-03-01"},
        **more,
    }


def shop(orders: int = 7, table: Table = SHOP) -> Engine:
    """An engine with a table of orders, every second one in its index."""
    engine = Engine.open()
    engine.call("CreateTable", table.create_request())
    put(engine, table.name, (order(n, **({"status": {"S": "open"}} if n % 2 else {})) for n in range(orders)))
    return engine


def put(engine: Engine, table: str, items: Iterable[dict[str, Any]]) -> None:
    for item in items:
        engine.call("PutItem", {"TableName": table, "Item": item})


def scanned(engine: Engine, table: str, index: str | None = None) -> list[Any]:
    """All rows of a table or an index, in an order of their own."""
    request = {"TableName": table} | ({"IndexName": index} if index else {})
    found: list[Any] = []
    while True:
        answer = engine.call("Scan", request)
        found += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return sorted(found, key=lambda item: json.dumps(item, sort_keys=True))
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def seen(engine: Engine, table: str) -> dict[str, Any]:
    """What two equal tables have in common: keys, indexes, settings, and every row of each."""
    described = engine.call("DescribeTable", {"TableName": table})["Table"]
    ttl = engine.call("DescribeTimeToLive", {"TableName": table})["TimeToLiveDescription"]
    declared = Table.from_description({**described, "TableName": "same"}, describe_ttl=ttl)
    names = [index.name for index in declared.indexes if index.kind != "vector"]
    return {
        "declared": declared.create_request(),
        "ttl": declared.ttl,
        "items": scanned(engine, table),
        **{name: scanned(engine, table, name) for name in names},
    }


def exported(engine: Engine, folder: Path, segments: int = 1) -> Export:
    return export_table(engine, engine.call("ListTables", {})["TableNames"][0], folder, segments=segments)


def rewrite(export: Export, lines: bytes) -> None:
    """Put other lines into the first file of an export, and leave its manifests as they are."""
    export.files[0].path.write_bytes(gzip.compress(lines, mtime=0))


def md5(content: bytes) -> str:
    return b64encode(hashlib.md5(content).digest()).decode()


def lines_of(*items: dict[str, Any]) -> str:
    return "".join(json.dumps({"Item": item}) + "\n" for item in items)
