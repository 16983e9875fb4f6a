"""The files and tables that examples of exports, imports and backups speak of."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pksk import Engine, N, Table
from pksk.transfer import Export, export_table
from pksk.transfer.import_target import UNFINISHED_TAG
from tests.transfer.tables import lines_of, md5, put

ORDERS = Table("orders", pk="customer", sk=N("number"))
ROWS = [
    {"customer": {"S": "ann"}, "number": {"N": "1"}, "total": {"N": "12.5"}},
    {"customer": {"S": "bob"}, "number": {"N": "1"}, "total": {"N": "3"}},
]
BY_ID = Table("filled", pk="id", sk=None)


def fill(path: str | Path = "pksk.db", tables: Iterable[Table] = (ORDERS,)) -> None:
    """A file with tables of two orders each."""
    with Engine.open(path, durable=False) as engine:
        for table in tables:
            engine.call("CreateTable", table.create_request())
            if table.pk == "customer":
                put(engine, table.name, ROWS)


def export_into(folder: str) -> Export:
    with Engine.open("pksk.db", durable=False) as engine:
        return export_table(engine, "orders", folder)


def rewrite_manifest(export: Export, **members: object) -> None:
    path = export.folder / "manifest-files.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | members))
    path.with_suffix(".md5").write_text(md5(path.read_bytes()))
    summary = export.folder / "manifest-summary.json"
    summary.write_text(json.dumps(json.loads(summary.read_text()) | members))
    summary.with_suffix(".md5").write_text(md5(summary.read_bytes()))


def broken_exports() -> None:
    """Folders with exports, each wrong in the way that its name says."""
    (Path("without-exports") / "AWSDynamoDB").mkdir(parents=True)
    for _ in range(2):
        export_into("twice")
    (export_into("killed").folder / "manifest-summary.json").unlink()
    export_into("file-missing").files[0].path.unlink()
    with export_into("changed").files[0].path.open("ab") as file:
        file.write(b"more")
    rewrite_manifest(export_into("other-count"), itemCount=7)


def files() -> None:
    """Files of items, right and wrong."""
    item: dict[str, Any] = {"id": {"S": "a"}, "total": {"N": "1"}}
    Path("orders.json").write_text(lines_of(item))
    Path("orders.ion").write_text("$ion_1_0 {Item:{id:1.}}\n")
    Path("orders.csv").write_text("customer,number,total\nann,1,12.50\nbob,2,3\n")
    Path("uneven.csv").write_text("id,total\na,1,2\n")
    request = BY_ID.create_request() | {"BillingMode": "PROVISIONED"}
    Path("impossible.json").write_text(json.dumps(request))


def unusual_tables() -> None:
    """A table with items, and one that an import was killed over."""
    with Engine.open("pksk.db", durable=False) as engine:
        for name in ("filled", "half"):
            made = engine.call("CreateTable", BY_ID.create_request() | {"TableName": name})[
                "TableDescription"
            ]
            engine.call("PutItem", {"TableName": name, "Item": {"id": {"S": "b"}}})
        tag = {"Key": UNFINISHED_TAG, "Value": "yes"}
        engine.call("TagResource", {"ResourceArn": made["TableArn"], "Tags": [tag]})


def backups(*names: str) -> None:
    """Backups of the orders, under these names."""
    with Engine.open("pksk.db", durable=False) as engine:
        for name in names:
            engine.call("CreateBackup", {"TableName": "orders", "BackupName": name})
