"""Items that calls are working on, so that overlapping calls can fail as on AWS.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-
handling
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TypeAlias

from pksk.engine.service_errors import service_error

# The space of a table's rows, and a row key.
ItemId: TypeAlias = tuple[int, bytes]


class Conflicts:
    """The items that transactions and single writes hold, and the tokens in use.

    A transaction fails if any other write holds one of its items. A single write fails if a transaction holds
    its item; single writes wait for each other. Reads hold nothing.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._transactions: Counter[ItemId] = Counter()
        self._writes: Counter[ItemId] = Counter()
        self._tokens: set[str] = set()

    def items_in_use(self, items: Iterable[ItemId]) -> set[ItemId]:
        """The items that a write holds."""
        with self._lock:
            return self._ongoing(items)

    @contextmanager
    def hold_for_transaction(self, items: Collection[ItemId]) -> Iterator[set[ItemId]]:
        """Hold items for a transaction of writes; yields those that other calls hold, and then holds none."""
        with self._lock:
            conflicting = self._ongoing(items)
            held = () if conflicting else items
            self._transactions.update(held)
        try:
            yield conflicting
        finally:
            self._release(self._transactions, held)

    @contextmanager
    def hold_for_writes(self, items: Collection[ItemId]) -> Iterator[set[ItemId]]:
        """Hold items for independent writes; yields those that transactions hold, which it leaves out."""
        with self._lock:
            conflicting = {item for item in items if item in self._transactions}
            held = [item for item in items if item not in conflicting]
            self._writes.update(held)
        try:
            yield conflicting
        finally:
            self._release(self._writes, held)

    @contextmanager
    def hold_for_write(self, item: ItemId) -> Iterator[bool]:
        """Hold an item for a single write; yields whether a transaction holds it."""
        with self.hold_for_writes((item,)) as conflicting:
            yield bool(conflicting)

    @contextmanager
    def hold_token(self, token: str | None) -> Iterator[None]:
        """Hold a transaction's token, if it has one; raises if another call uses it."""
        if token is None:
            yield
            return
        with self._lock:
            if token in self._tokens:
                raise service_error(
                    "TransactionInProgressException", "Transaction from previous request is still in progress"
                )
            self._tokens.add(token)
        try:
            yield
        finally:
            with self._lock:
                self._tokens.discard(token)

    def _ongoing(self, items: Iterable[ItemId]) -> set[ItemId]:
        return {item for item in items if item in self._transactions or item in self._writes}

    def _release(self, holders: Counter[ItemId], held: Collection[ItemId]) -> None:
        with self._lock:
            for item in held:
                holders[item] -= 1
                if not holders[item]:
                    del holders[item]
