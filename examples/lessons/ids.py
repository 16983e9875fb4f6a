"""What ids cost: numbers that one item counts, one by one or in blocks, against random ones that nobody counts."""

from __future__ import annotations

from pksk import Store

from .data import random_ids
from .mistakes import Numbered, Scattered, counters, numbered, numbers, scattered
from .pairs import COLD, Pair, Side, nothing

__all__ = ["BLOCK", "IDS"]

BLOCK = 100


def one_by_one(db: Store, items: int) -> int:
    """Draw a number, then store; twice for every item, and once always the same key."""
    return len({db.put(Numbered(number=db.next(numbers))).number for _ in range(items)})


def in_blocks(db: Store, items: int) -> int:
    """Draw many numbers at once, and use them up; those of a program that ends are lost."""
    used = set()
    for start in range(0, items, BLOCK):
        for number in db.take(numbers, min(BLOCK, items - start)):
            used.add(db.put(Numbered(number=number)).number)
    return len(used)


def uncounted(db: Store, items: int) -> int:
    """Ask nobody; a program would take `uuid4`."""
    return len({db.put(Scattered(id=each)).id for each in random_ids(items)})


IDS = Pair(
    "Ids",
    "each new item stored with an id of its own",
    (
        Side("a number for each", (numbered, counters), nothing, one_by_one),
        Side(f"numbers in blocks of {BLOCK}", (numbered, counters), nothing, in_blocks),
        Side("random", (scattered,), nothing, uncounted),
    ),
    "The item that counts is the hot key: blocks make it cold, and random ids do without it.",
    lambda items: items,
    lambda found: (
        # One item more is the one that counts.
        [each.stored - each.answer for each in found] == [1, 1, 0]
        and found[0].hottest == 0.5
        and max(found[1].hottest, found[2].hottest) <= COLD
    ),
)
