"""What it costs to keep counts in cells of levels 3 to 8: read units, write units and requests of a list of changes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random
from time import perf_counter
from typing import Annotated

from benchmarks.timing import Row
from pksk import Entity, Key, Store, Table, Version, connect
from pksk.cells import ALPHABET, CellLevel
from pksk.geo import CellCounts

heat = Table("heat", stream=True)
CHANGES = 100
QUICK_CHANGES = 5


class Cell(Entity, table=heat):
    """A cell of about 100 bytes."""

    cell: Annotated[str, CellLevel(3, 8)]
    reports: int = 0
    newest: int | None = None
    version: Annotated[int, Version()] = 0
    primary = Key("CELL#{cell[:-3]}", "{cell[-3:]}")


counts = CellCounts(Cell, add="reports", maximum="newest")


def run(quick: bool = False) -> list[Row]:
    """A row for a lone insert, and for lists of inserts that are near each other or not."""
    many = QUICK_CHANGES if quick else CHANGES
    lists = {
        "1 insert": ["gcpjfy6d"],
        f"{many} inserts in a cell of level 6": [*_cells("gcpjfy", many)],
        f"{many} inserts in a cell of level 4": [*_cells("gcpj", many)],
        f"{many} inserts anywhere": [*_cells("", many)],
    }
    return [_row(name, cells) for name, cells in lists.items()]


def _cells(prefix: str, count: int) -> Iterator[str]:
    random = Random(1)
    for _ in range(count):
        yield prefix + "".join(random.choices(ALPHABET, k=8 - len(prefix)))


def _row(name: str, cells: list[str]) -> Row:
    with connect("memory:") as db:
        db.create_tables(heat)
        for cell in dict.fromkeys(cells):
            db.put(Cell(cell=cell, reports=1))
        changes = list(db.changes(Cell, consumer="bench"))
        handle = counts.handler(db)
        with db.meter(everywhere=True) as meter:
            start = perf_counter()
            handle(changes)
            took_ms = (perf_counter() - start) * 1000
        return {
            "name": name,
            "cells": sum(1 for _ in db.scan(Cell.scan())) - len(changes),
            "read units": meter.consumed.read,
            "write units": meter.consumed.write,
            "requests": meter.calls,
            "ms": took_ms,
            "correct": _is_correct(db),
        }


def _is_correct(db: Store) -> str:
    return "yes" if counts.verify(db).is_correct else "no"


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["counts", *sys.argv[1:]]))
