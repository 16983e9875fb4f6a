"""A table with a stream, and its entities."""

from __future__ import annotations

from typing import Any

from pksk import Entity, Key, Store, Table, connect

shop = Table("shop", stream="NEW_AND_OLD_IMAGES")


class Order(Entity, table=shop):
    """An order of a customer."""

    customer: str
    number: int
    total: int = 0
    primary = Key("CUST#{customer}", "ORDER#{number:06d}")


class Note(Entity, table=shop):
    """Another entity of the table."""

    id: str
    primary = Key("NOTE#{id}", "META")


def fill(db: Store, count: int, *, first: int = 0) -> None:
    """Write this many orders of ten customers; their numbers are in the order of the writes."""
    for number in range(first, first + count):
        db.put(Order(customer=f"c{number % 10}", number=number))


def fill_consumer(path: str) -> None:
    """Write two orders to a file, a consumer that could process neither, and another change."""
    with connect(path) as db:
        db.create_tables(shop)
        fill(db, 2)

        def fail(changes: list[Any]) -> None:
            raise ValueError("no")

        db.changes(Order, consumer="audit").run(fail, follow=False, attempts=1)
        db.update(Order.primary.update(customer="c0", number=0).set(total=5))
