"""What ids cost: numbers that one item counts, one by one or in blocks, against random ones that nobody counts."""

from __future__ import annotations

from collections.abc import Iterator

from pksk import Store

from .data import random_ids
from .measured import Measured, measured
from .mistakes import Numbered, Scattered, counters, numbered, numbers, scattered

__all__ = ["BLOCK", "costs_of_ids"]

BLOCK = 100


def costs_of_ids(items: int) -> Iterator[tuple[str, Measured]]:
    """So many items with ids of each kind: what all of it consumed, and what the busiest key took."""
    yield "a number for each", measured((numbered, counters), (), lambda db: one_by_one(db, items))
    yield f"numbers in blocks of {BLOCK}", measured((numbered, counters), (), lambda db: in_blocks(db, items))
    yield "random", measured((scattered,), (), lambda db: uncounted(db, items))


def one_by_one(db: Store, items: int) -> None:
    """Draw a number, then store; twice for every item, and once always the same key."""
    for _ in range(items):
        db.put(Numbered(number=db.next(numbers)))


def in_blocks(db: Store, items: int) -> None:
    """Draw many numbers at once, and use them up; those of a program that ends are lost."""
    for start in range(0, items, BLOCK):
        for number in db.take(numbers, min(BLOCK, items - start)):
            db.put(Numbered(number=number))


def uncounted(db: Store, items: int) -> None:
    """Ask nobody; a program would take `uuid4`."""
    for each in random_ids(items):
        db.put(Scattered(id=each))
