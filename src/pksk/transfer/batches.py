"""Writes items in batches, and again what the service gives back."""

from __future__ import annotations

from collections.abc import Callable
from random import random
from time import sleep
from typing import Any, Final

from pksk.client import Client, ServiceError
from pksk.limits import BATCH_WRITE_ITEMS
from pksk.values import WireItem

__all__ = ["Batches"]

# So often is a batch sent while nothing of it is taken: about two minutes.
_MOST_TRIES: Final = 12
_FIRST_PAUSE_SECONDS: Final = 0.05
_LONGEST_PAUSE_SECONDS: Final = 20.0
_THROTTLED: Final = {
    "LimitExceededException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
}


class Batches:
    """Items on their way into a table; of those with one key, the last stays.

    Example:
        >>> from pksk import Engine, Table
        >>> engine = Engine.open()
        >>> created = engine.call("CreateTable", Table("orders", sk=None).create_request())
        >>> batches = Batches(engine, "orders")
        >>> for number in ("1", "2"):
        ...     batches.add(("7",), {"pk": {"S": "7"}, "n": {"N": number}})
        >>> batches.flush()
        >>> engine.call("Scan", {"TableName": "orders"})["Items"], batches.written
        ([{'pk': {'S': '7'}, 'n': {'N': '2'}}], 2)
    """

    def __init__(self, client: Client, table: str, pause: Callable[[float], None] = sleep) -> None:
        self.written = 0
        self._client = client
        self._table = table
        self._pause = pause
        # A batch with two writes to one key is refused.
        self._waiting: dict[tuple[str, ...], WireItem] = {}
        self._taken = 0

    def add(self, key: tuple[str, ...], item: WireItem) -> None:
        """Write an item, now or with the next ones."""
        self._waiting[key] = item
        self._taken += 1
        if len(self._waiting) == BATCH_WRITE_ITEMS:
            self.flush()

    def flush(self) -> None:
        """Write what waits; returns when the service has taken all of it."""
        left = [{"PutRequest": {"Item": item}} for item in self._waiting.values()]
        tries, seconds = 0, _FIRST_PAUSE_SECONDS
        while left:
            again = self._send(left, last=tries >= _MOST_TRIES)
            tries = tries + 1 if len(again) == len(left) else 0
            left = again
            if left:
                self._pause(seconds * (0.5 + random() / 2))
                seconds = min(seconds * 2, _LONGEST_PAUSE_SECONDS)
        self.written += self._taken
        self._waiting.clear()
        self._taken = 0

    def _send(self, requests: list[dict[str, Any]], *, last: bool) -> list[dict[str, Any]]:
        try:
            answer = self._client.call("BatchWriteItem", {"RequestItems": {self._table: requests}})
        except ServiceError as error:
            if last or error.code not in _THROTTLED:
                raise
            return requests
        again: list[dict[str, Any]] = (answer.get("UnprocessedItems") or {}).get(self._table, [])
        if last and len(again) == len(requests):
            raise ServiceError(
                "ProvisionedThroughputExceededException", "The table took none of the items, however often."
            )
        return again
