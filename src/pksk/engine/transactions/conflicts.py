"""Which items calls are at work on, so that overlapping ones fail where the engine is told to let them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TypeAlias

__all__ = ["Conflicts", "ItemId"]

# The space of a table's rows, and the key of one.
ItemId: TypeAlias = tuple[int, bytes]


class Conflicts:
    """The items that transactions and single writes are holding at this moment.

    A transaction fails beside any other write of one of its items, a single write beside a
    transaction; single writes among themselves only wait.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._transactions: Counter[ItemId] = Counter()
        self._writes: Counter[ItemId] = Counter()

    @contextmanager
    def transaction(self, items: Collection[ItemId]) -> Iterator[set[ItemId]]:
        """Hold items for a transaction; gives those that others hold, and then holds nothing."""
        with self._lock:
            taken = {item for item in items if self._transactions[item] or self._writes[item]}
            held = () if taken else items
            self._transactions.update(held)
        try:
            yield taken
        finally:
            self._release(self._transactions, held)

    @contextmanager
    def write(self, item: ItemId) -> Iterator[bool]:
        """Hold an item for a single write; gives whether a transaction holds it."""
        with self._lock:
            taken = bool(self._transactions[item])
            held = () if taken else (item,)
            self._writes.update(held)
        try:
            yield taken
        finally:
            self._release(self._writes, held)

    def _release(self, holders: Counter[ItemId], held: Collection[ItemId]) -> None:
        with self._lock:
            for item in held:
                holders[item] -= 1
                if not holders[item]:
                    del holders[item]
