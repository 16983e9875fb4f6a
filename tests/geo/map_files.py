"""Designs, items and shapes for tests of maps, written to the current folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from pksk.cli.target import load
from pksk.connection import connect
from tests.cli.run_pksk import forget_modules

HEAT: Final = """
from typing import Annotated

from pksk import Entity, Key, Table
from pksk.cells import CellLevel

heat = Table("heat")


class Cell(Entity, table=heat):
    cell: Annotated[str, CellLevel(3, 8)]
    reports: int = 0
    primary = Key("ShCe#{cell[:-3]}", "{cell[-3:]}")
"""
SPOTS: Final = (
    HEAT
    + '''

class Spot(Entity, table=heat):
    """A place with a name, which may be hostile."""

    id: str
    lat: float
    lng: float
    name: str = ""
    visits: int = 0
    rating: float = 0
    primary = Key("SPOT#{id}", "SPOT")
'''
)
SHOP: Final = """
from pksk import Entity, Key, Table

shop = Table("shop")


class Order(Entity, table=shop):
    id: str
    total: int = 0
    primary = Key("ORDER#{id}", "META")
"""
PARK: Final = {
    "type": "Feature",
    "properties": {"name": "Stanley Park"},
    "geometry": {
        "type": "Polygon",
        "coordinates": [
            [[-123.16, 49.29], [-123.13, 49.29], [-123.13, 49.31], [-123.16, 49.31], [-123.16, 49.29]]
        ],
    },
}
CELLS: Final = {"gcpvj0d1": 5, "gcpvj0d2": 1, "gcpvj0e0": 2, "u09tunqu": 9, "xn76urx4": 1}


def write_map_files() -> None:
    """Write heat.py, spots.py, shop.py with databases, cells.jsonl and park.geojson."""
    for name, text in {"heat.py": HEAT, "spots.py": SPOTS, "shop.py": SHOP}.items():
        Path(name).write_text(text)
    Path("park.geojson").write_text(json.dumps(PARK))
    items = [
        {"pk": f"ShCe#{cell[:-3]}", "sk": cell[-3:], "cell": cell, "reports": n} for cell, n in CELLS.items()
    ]
    Path("cells.jsonl").write_text("".join(f"{json.dumps({**each, 'type': 'Cell'})}\n" for each in items))
    for name in ("heat", "spots"):
        with forget_modules():
            fill(name)
    with forget_modules(), connect("empty.db") as db:
        db.create_tables(load("heat.py").tables[0])


def fill(name: str) -> None:
    """A database with the items of a design."""
    module = load(f"{name}.py").module
    with connect(f"{name}.db") as db:
        db.create_tables(module.heat)
        db.batch_put(*(module.Cell(cell=cell, reports=n) for cell, n in CELLS.items()))
        if name == "spots":
            db.batch_put(
                *(module.Spot(id=str(n), lat=50 + n, lng=n, name=f"Spot {n}", visits=n) for n in range(7))
            )
