"""The entity that benchmarks of the store are about: ten fields, 1 KB, as pksk and as PynamoDB declare it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from itertools import cycle
from typing import Any

from pksk import GSI, Engine, Entity, Key, Put, Store, Table, connect

SHOP = Table("shop", indexes=[GSI("by-status", pk="g1", sk="g2")])
PARTITION = 100


class Order(Entity, table=SHOP):
    """An order, in the table and in one index."""

    customer: str
    number: int
    day: date
    status: str = "open"
    total: Decimal = Decimal(0)
    note: str = ""
    lines: int = 1
    weight: int = 2
    city: str = "Victoria"
    paid: bool = True

    primary = Key("CUST#{customer}", "ORDER#{number:06d}")
    by_status = Key("STATUS#{status}", "{day}#{customer}#{number:06d}", index="by-status")


def order(number: int, change: int = 0) -> Order:
    """The order with this number: a hundred to a customer. Another change is another total."""
    customer, own = divmod(number, PARTITION)
    return Order(
        customer=str(customer),
        number=own,
        day=date(2025, 1, 1 + own % 28),
        total=Decimal(change),
        note="x" * 700,
    )


def filled(items: int = 1000) -> tuple[Store, Engine]:
    """A store in memory with a number of orders, and its engine."""
    engine = Engine.open()
    db = connect(engine)
    db.create_tables(SHOP)
    for start in range(0, items, 1000):
        db.batch_put(*(order(number) for number in range(start, min(start + 1000, items))))
    return db, engine


def changing(items: int = 200) -> Callable[[], Order]:
    """Orders one after the other, of which each differs from the one that was put under its key before."""
    numbers = cycle([order(number, change) for change in (1, 2) for number in range(items)])
    return lambda: next(numbers)


def requests(items: int = 200) -> Callable[[], dict[str, Any]]:
    """The same as requests."""
    made = cycle([Put(order(number, change)).request for change in (3, 4) for number in range(items)])
    return lambda: next(made)
