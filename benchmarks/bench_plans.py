"""Building and planning requests, beside the same boto3 arguments written by hand; and importing designs."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from benchmarks.timing import Row, row
from pksk import GSI, Entity, F, Key, Put, Table, between

reference = Table("reference", indexes=[GSI("by-state", pk="g1", sk="g2")])
FIRST, LAST = date(2025, 12, 1), date(2025, 12, 31)


class ProductDate(Entity, table=reference):
    """The places of a product on one day."""

    collection: str
    activity: str
    number: int
    product: int
    day: date
    state: str = "open"
    places: int = 0
    primary = Key("productDate::{collection}::{activity}::{number}", "{product}::{day}")
    by_state = Key("state::{state}", "{day}::{product}", index="by-state")


class Zone(Entity, table=reference):
    """A part of a park."""

    collection: str
    number: int
    primary = Key("zone::{collection}", "{number}")


PARTS: dict[str, Any] = {"collection": "parks_1", "activity": "dayuse", "number": 1, "product": 1}
ONE = ProductDate(**PARTS, day=LAST)


def _planned() -> Any:
    return ProductDate.primary(**PARTS, day=between(FIRST, LAST)).plan.requests[0]


def _by_hand(collection: str, activity: str, number: int, product: int, first: date, last: date) -> Any:
    return {
        "TableName": "reference",
        "KeyConditionExpression": "pk = :v0 AND sk BETWEEN :v1 AND :v2",
        "ExpressionAttributeValues": {
            ":v0": {"S": f"productDate::{collection}::{activity}::{number}"},
            ":v1": {"S": f"{product}::{first.isoformat()}"},
            ":v2": {"S": f"{product}::{last.isoformat()}"},
        },
    }


def _filtered() -> Any:
    return ProductDate.primary(**PARTS).filter(F.places > 3).reverse().limit(10).plan.requests[0]


def _updated() -> Any:
    return ProductDate.primary.update(**PARTS, day=LAST).add(places=-1).when(F.places >= 1).request


def run(quick: bool = False) -> list[Row]:
    """One row for each kind of request, and for modules of many entities."""
    assert _planned() == _by_hand("parks_1", "dayuse", 1, 1, FIRST, LAST)
    rows = [
        row(
            "query of a range, five parts",
            _planned,
            "by hand",
            lambda: _by_hand("parks_1", "dayuse", 1, 1, FIRST, LAST),
            quick=quick,
        ),
        row("query of a partition", lambda: Zone.primary(collection="parks_1").plan.requests, quick=quick),
        row("query with filter and limit", _filtered, quick=quick),
        row("where", lambda: ProductDate.where(state="open", day=FIRST).plan.requests, quick=quick),
        row("get", lambda: ProductDate.primary.get(**PARTS, day=LAST).request, quick=quick),
        row("put, two keys", lambda: Put(ONE).request, quick=quick),
        row("update with a condition", _updated, quick=quick),
        row("explain", lambda: str(Zone.primary(collection="parks_1").explain(items=20)), quick=quick),
    ]
    return rows + _imports(quick=quick)


def _imports(*, quick: bool) -> list[Row]:
    return [_import_row(count, turns=1 if quick else 7) for count in ((10,) if quick else (10, 100))]


def _import_row(count: int, turns: int) -> Row:
    """The time to import a module of many entities, with Pydantic and pksk, beside one of plain models."""
    with TemporaryDirectory() as folder:
        Path(folder, "nothing.py").write_text("")
        Path(folder, "design.py").write_text(_design(count))
        Path(folder, "models.py").write_text(_models(count))
        times: dict[str, list[float]] = {"nothing": [], "design": [], "models": []}
        for _ in range(turns + 1):
            for module, found in times.items():
                found.append(_import_seconds(folder, module))
    # The first turn of each compiles to byte code.
    start = median(times["nothing"][1:])
    ours, theirs = (1e6 * (median(times[each][1:]) - start) for each in ("design", "models"))
    name = f"import a design of {count} entities"
    return {"name": name, "ours_us": ours, "peer": "plain models", "peer_us": theirs, "ratio": theirs / ours}


def _models(count: int) -> str:
    fields = "    owner: str\n    number: int\n    day: str\n    total: int = 0\n"
    return "from pydantic import BaseModel\n" + "".join(
        f"class Model{number}(BaseModel):\n{fields}" for number in range(count)
    )


def _import_seconds(folder: str, module: str) -> float:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = perf_counter()
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True, cwd=folder, env=environment)
    return perf_counter() - start


def _design(count: int) -> str:
    """A module with a number of entities, each with two keys and an access pattern."""
    head = (
        "from pksk import GSI, Entity, Key, Query, Table, access\n"
        "table = Table('table', indexes=[GSI('by-day', pk='g1', sk='g2')])\n"
    )
    return head + "".join(
        f"""
class Entity{number}(Entity, table=table):
    owner: str
    number: int
    day: str
    total: int = 0
    primary = Key("OWNER#{{owner}}", "ENTITY{number}#{{number:06d}}")
    by_day = Key("ENTITY{number}#{{day}}", "{{number:06d}}", index="by-day")

    @access(rate=1, items=10)
    @classmethod
    def of_owner(cls, owner: str) -> Query["Entity{number}"]:
        return cls.primary(owner=owner)
"""
        for number in range(count)
    )


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["plans", *sys.argv[1:]]))
