"""How the store grows: the same reads and writes at 1,000, 10,000 and 100,000 items, beside the smallest table."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import cycle
from random import Random

from benchmarks.store_subjects import PARTITION, Order, filled, order
from benchmarks.timing import Contestant, Row, row
from pksk import Store

SIZES = (1000, 10_000, 100_000)
QUICK_SIZES = (200, 1000)
Subject = Callable[[Store, int], Contestant]


def run(quick: bool = False) -> list[Row]:
    """Put, get, a query of ten, a page deep inside of an index, and how a long list is gone through."""
    sizes = QUICK_SIZES if quick else SIZES
    stores = {size: filled(size)[0] for size in sizes}
    return [
        row(
            f"{name}, {size:,} items",
            subject(stores[size], size),
            f"{sizes[0]:,} items",
            subject(stores[sizes[0]], sizes[0]),
            quick=quick,
        )
        for size in sizes[1:]
        for name, subject in SUBJECTS.items()
    ]


def _places(size: int) -> list[tuple[str, int]]:
    """Keys all over a table, always the same ones."""
    chance = Random(size)
    return [(str(n // PARTITION), n % PARTITION) for n in (chance.randrange(size) for _ in range(500))]


def _put(db: Store, size: int) -> Contestant:
    orders = cycle([order(n * 7 % size, change) for change in (1, 2) for n in range(200)])
    return lambda: db.put(next(orders))


def _get(db: Store, size: int) -> Contestant:
    gets = cycle([Order.primary.get(customer=customer, number=n) for customer, n in _places(size)])
    return lambda: db.get(next(gets))


def _query(db: Store, size: int) -> Contestant:
    queries = cycle([Order.primary(customer=customer).limit(10) for customer, _ in _places(size)])
    return lambda: list(db.iter(next(queries)))


def _page(db: Store, size: int) -> Contestant:
    """The page behind a row in the middle: all orders are in one partition of the index."""
    query = Order.by_status(status="open").limit(10)
    middle = db.page(query.limit(size // 2)).cursor(-1)
    return lambda: db.page(query, after=middle)


def _first(db: Store, _size: int) -> Contestant:
    return lambda: db.first(Order.by_status(status="open").reverse())


SUBJECTS: dict[str, Subject] = {
    "put": _put,
    "get": _get,
    "query of 10": _query,
    "page of 10 from the middle of an index": _page,
    "the last of an index": _first,
}


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["store_growth", *sys.argv[1:]]))
