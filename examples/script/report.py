"""Imports orders from a CSV file, and prints the open ones and the capacity that was consumed."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

from pydantic import ValidationError

from pksk import PkskError, Put, Store, connect

from .design import Order, orders


class BadFile(Exception):
    """A file that cannot be imported, with its name, the line, and what is wrong there."""


def import_orders(db: Store, path: Path) -> int:
    """Put the orders of a file in batches; doing it again changes nothing. A bad line raises before any is put."""
    return len(db.batch_put(*_puts(path)))


def _puts(path: Path) -> Iterator[Put[Order]]:
    rows = csv.DictReader(StringIO(_text(path), newline=""), strict=True)
    try:
        for row in rows:
            # An empty column is a missing field.
            order = Order.model_validate({name: value for name, value in row.items() if value})
            yield Put(order)
    except (csv.Error, ValidationError, PkskError) as error:
        raise BadFile(f"{path}, line {rows.reader.line_num}: {error}") from error


def _text(path: Path) -> str:
    content = path.read_bytes()
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadFile(f"{path}, line {line}: it is not UTF-8; save the file as UTF-8.") from error


def report(db: Store) -> Iterator[str]:
    """The open orders, oldest first, and their total."""
    orders = list(db.iter(Order.with_status("open")))
    for order in orders:
        yield f"{order.day}  {order.customer:<8}{order.number:>4}{order.total:>10.2f}  {order.note or ''}".rstrip()
    yield f"{len(orders)} open orders: {sum(order.total for order in orders):.2f}"


def main(arguments: list[str]) -> int:
    """Import a file and print the report; returns 1 and prints the reason if that fails."""
    if len(arguments) != 1:
        print("usage: python -m examples.script.report FILE.csv", file=sys.stderr)
        return 2
    try:
        with connect(os.environ.get("SHOP_TARGET", "memory:")) as db:
            db.ensure_tables(orders)
            with db.meter() as meter:
                print(f"{import_orders(db, Path(arguments[0]))} orders imported")
                print(*report(db), "", meter, sep="\n")
    except (OSError, BadFile, PkskError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
