"""Stored items take little more memory than their bytes."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from tests.engine.operations.items import Item, Items
from tests.engine.state.catalogues import NAME, defined, index

WRITES = 200
# An item of three short texts is stored in some hundred bytes, once or twice, each time under a key.
MOST_BYTES = 2048


def in_an_index() -> Items:
    keys_only = index("gsi", "gsiPk", Projection={"ProjectionType": "KEYS_ONLY"})
    return Items(AttributeDefinitions=defined("pk", "gsiPk"), GlobalSecondaryIndexes=[keys_only])


def with_a_stream() -> Items:
    return Items(StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})


def put(items: Items, number: int, item: Item) -> None:
    items.put(item)


def transact(items: Items, number: int, item: Item) -> None:
    actions = [{"Put": {"TableName": NAME, "Item": item}}]
    items.engine.call(
        "TransactWriteItems", {"TransactItems": actions, "ClientRequestToken": f"token {number}"}
    )


@pytest.mark.parametrize(
    ("make", "write"),
    [(Items, put), (in_an_index, put), (with_a_stream, put), (Items, transact)],
    ids=["item", "index entry", "change record", "token"],
)
def test_a_stored_item_takes_little_more_memory_than_its_bytes(
    make: Callable[[], Items], write: Callable[[Items, int, Item], None]
) -> None:
    items = make()

    def write_all(numbers: range) -> None:
        for number in numbers:
            write(items, number, {"pk": {"S": str(number)}, "gsiPk": {"S": "g"}, "more": {"S": "m"}})

    write_all(range(WRITES))
    tracemalloc.start()
    try:
        write_all(range(WRITES, 2 * WRITES))
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert taken / WRITES < MOST_BYTES
