"""A design with counts in cells, and files with its table."""

from __future__ import annotations

from pathlib import Path

from pksk import Engine

DESIGN = """
from typing import Annotated

from pksk import Entity, Key, Table, Version
from pksk.cells import CellLevel
from pksk.geo import CellCounts

heat = Table("heat", stream=True)


class Cell(Entity, table=heat):
    cell: Annotated[str, CellLevel(3, 5)]
    reports: int = 0
    version: Annotated[int, Version()] = 0

    primary = Key("CELL#{cell[:-3]}", "{cell[-3:]}")


counts = CellCounts(Cell, add="reports")
"""


def write_counted_cells(*files: str, **reports: int) -> None:
    """Write the design to cells.py, and files with these cells."""
    Path("cells.py").write_text(DESIGN, encoding="utf-8")
    for file in files:
        with Engine.open(file) as engine:
            engine.call(
                "CreateTable",
                {
                    "TableName": "heat",
                    "BillingMode": "PAY_PER_REQUEST",
                    "AttributeDefinitions": [
                        {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")
                    ],
                    "KeySchema": [
                        {"AttributeName": "pk", "KeyType": "HASH"},
                        {"AttributeName": "sk", "KeyType": "RANGE"},
                    ],
                },
            )
            for cell, number in reports.items():
                item = {
                    "pk": {"S": f"CELL#{cell[:-3]}"},
                    "sk": {"S": cell[-3:]},
                    "type": {"S": "Cell"},
                    "cell": {"S": cell},
                    "reports": {"N": str(number)},
                    "version": {"N": "1"},
                }
                engine.call("PutItem", {"TableName": "heat", "Item": item})
