"""Reads orders from a CSV file into a table, and prints what is open and what all of it consumed."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from pksk import PkskError, Store, connect

from .design import Order, orders

__all__ = ["import_orders", "main", "report"]


def import_orders(db: Store, path: Path) -> int:
    """Put the orders of a file, in batches; doing it again changes nothing."""
    with path.open(encoding="utf-8", newline="") as file:
        return len(db.batch_put(*map(_order, csv.DictReader(file))))


def _order(row: dict[str, str]) -> Order:
    # A column with nothing in it is nothing.
    return Order.model_validate({name: value for name, value in row.items() if value})


def report(db: Store) -> Iterator[str]:
    """The open orders, the oldest first, and what they come to."""
    waiting = list(db.iter(Order.with_status("open")))
    for order in waiting:
        yield f"{order.day}  {order.customer:<8}{order.number:>4}{order.total:>10.2f}  {order.note or ''}".rstrip()
    yield f"{len(waiting)} open orders: {sum(order.total for order in waiting):.2f}"


def main(arguments: list[str]) -> int:
    """Import a file and print the report; 1 where that fails, with the reason."""
    if len(arguments) != 1:
        print("usage: python -m examples.script.report FILE.csv", file=sys.stderr)
        return 2
    try:
        with connect(os.environ.get("SHOP_TARGET", "memory:")) as db:
            db.ensure_tables(orders)
            with db.meter() as meter:
                print(f"{import_orders(db, Path(arguments[0]))} orders imported")
                print(*report(db), "", meter, sep="\n")
    except (OSError, PkskError, ValidationError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
