"""Batches have 25 items; unprocessed items are sent again after growing pauses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from pksk import Engine, ServiceError, Table
from pksk.transfer.import_target import BatchWriter

from .tables import scanned

ACCEPTS_ALL = 25


class Slow:
    """A client that processes a number of items of each batch; a ServiceError instead of a number is raised."""

    def __init__(self, *takes: int | ServiceError) -> None:
        self.engine = Engine.open()
        self.engine.call("CreateTable", Table("orders", sk=None).create_request())
        self.takes = list(takes)
        self.sizes: list[int] = []
        self.pauses: list[float] = []

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        [requests] = request["RequestItems"].values()
        self.sizes.append(len(requests))
        takes = self.takes.pop(0) if self.takes else ACCEPTS_ALL
        if isinstance(takes, ServiceError):
            raise takes
        left = requests[takes:]
        if requests[:takes]:
            self.engine.call(operation, {"RequestItems": {"orders": requests[:takes]}})
        return {"UnprocessedItems": {"orders": left} if left else {}}

    def filled(self, count: int) -> list[Any]:
        batches = BatchWriter(self, "orders", self.pauses.append)
        for number in range(count):
            batches.add((str(number),), {"pk": {"S": str(number)}})
        batches.flush()
        assert batches.written == count
        return scanned(self.engine, "orders")


def test_items_are_written_25_at_a_time() -> None:
    client = Slow()

    assert len(client.filled(60)) == 60
    assert client.sizes == [25, 25, 10]
    assert client.pauses == []


def test_unprocessed_items_are_sent_again_after_growing_pauses() -> None:
    client = Slow(10, 0, 0, 5)

    assert len(client.filled(25)) == 25
    assert client.sizes == [25, 15, 15, 15, 10]
    assert len(client.pauses) == 4
    assert all(0.025 * 2**n <= pause <= 0.05 * 2**n for n, pause in enumerate(client.pauses))


@pytest.mark.parametrize(
    "kind",
    [
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
    ],
)
def test_a_batch_that_is_throttled_is_sent_again(kind: str) -> None:
    client = Slow(ServiceError(kind), ServiceError(kind))

    assert len(client.filled(25)) == 25
    assert client.sizes == [25, 25, 25]


def test_other_errors_are_not_retried() -> None:
    client = Slow(ServiceError("AccessDeniedException"))

    with pytest.raises(ServiceError, match="AccessDenied"):
        client.filled(25)
    assert client.sizes == [25]


@pytest.mark.parametrize("takes", [0, ServiceError("ThrottlingException")])
def test_a_batch_fails_after_a_dozen_tries_without_a_write(takes: int | ServiceError) -> None:
    client = Slow(*[takes] * 100)

    with pytest.raises(ServiceError):
        client.filled(25)
    assert len(client.sizes) == 13
    assert max(client.pauses) <= 20


def test_a_batch_continues_while_some_items_are_written() -> None:
    client = Slow(*[1] * 24)

    assert len(client.filled(25)) == 25
