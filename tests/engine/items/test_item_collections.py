"""Item collections: their metrics, and their size limit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine, Partitioning
from tests.engine.operations.items import KEY, Item, Items, indexed
from tests.engine.state.catalogues import NAME

ID: Item = {**KEY, "sk": {"S": "1"}}
SMALL = {"ItemCollectionMetrics": {"ItemCollectionKey": KEY, "SizeEstimateRangeGB": [0.0, 1.0]}}
TOO_LARGE = ("ItemCollectionSizeLimitExceededException", "Collection size exceeded.")

# Metrics.


def test_every_write_to_a_table_with_local_indexes_returns_requested_metrics() -> None:
    items = indexed()

    assert items.put(ID, ReturnItemCollectionMetrics="SIZE") == SMALL
    assert items.update("SET a = :v", ID, v={"S": "x"}, ReturnItemCollectionMetrics="SIZE") == SMALL
    assert items.delete(ID, ReturnItemCollectionMetrics="SIZE") == SMALL


@pytest.mark.parametrize("wanted", [None, "NONE"])
def test_metrics_that_are_not_requested_are_not_returned(wanted: str | None) -> None:
    assert indexed().put(ID, ReturnItemCollectionMetrics=wanted) == {}


def test_a_table_without_local_indexes_has_no_collections() -> None:
    assert Items("pk", "sk").put(ID, ReturnItemCollectionMetrics="SIZE") == {}


# The limit: items of one partition key and their entries in local indexes, together.


def limited(collection_bytes: int) -> Items:
    return indexed(Engine.open(partitioning=Partitioning(collection_bytes=collection_bytes)))


def text(size: int) -> Item:
    return {"S": "x" * size}


def test_a_write_that_exceeds_the_collection_limit_is_rejected() -> None:
    items = limited(100)
    # 3 + 3 + 1 bytes and those of `a`.
    items.put({**ID, "a": text(93)})

    assert items.error_of("PutItem", Item={**ID, "a": text(94)}) == TOO_LARGE
    assert items.get(ID) == {**ID, "a": text(93)}
    assert items.error_of("PutItem", Item={**ID, "sk": {"S": "2"}}) == TOO_LARGE
    assert items.put({**ID, "pk": {"S": "b"}, "a": text(93)}) == {}


@pytest.mark.parametrize(
    "members",
    [
        {"UpdateExpression": "SET b = :v", "ExpressionAttributeValues": {":v": {"S": ""}}},
        {"AttributeUpdates": {"b": {"Value": {"S": ""}}}},
    ],
)
def test_an_update_that_exceeds_the_collection_limit_is_rejected(members: dict[str, Any]) -> None:
    items = limited(100)
    items.put({**ID, "a": text(93)})

    assert items.error_of("UpdateItem", Key=ID, **members) == TOO_LARGE
    assert items.get(ID) == {**ID, "a": text(93)}


def test_entries_of_local_indexes_count_and_those_of_global_ones_do_not() -> None:
    items = limited(100)
    items.put({**ID, "gsiPk": text(88)})

    # 3 + 3 + 5 + 39 bytes, twice.
    fits = {**ID, "lsiSk": text(39)}
    items.delete(ID)
    items.put(fits)
    assert items.error_of("PutItem", Item={**ID, "lsiSk": text(40)}) == TOO_LARGE
    assert items.entries("lsi-all") == [fits]


def test_a_full_collection_can_shrink_and_be_read() -> None:
    items = limited(100)
    items.put({**ID, "a": text(93)})

    assert items.put({**ID, "a": text(93)}) == {}
    assert items.update("SET a = :v", ID, v=text(90)) == {}
    assert items.get(ID) == {**ID, "a": text(90)}
    assert items.put({**ID, "a": text(93)}) == {}
    assert items.delete(ID) == {}
    assert items.put({**ID, "a": text(93)}) == {}


def test_a_collection_above_the_limit_can_shrink_and_not_grow(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "engine.db", partitioning=Partitioning(collection_bytes=1000)) as engine:
        indexed(engine).put({**ID, "a": text(900)})

    with Engine.open(tmp_path / "engine.db", partitioning=Partitioning(collection_bytes=100)) as engine:
        request: dict[str, Any] = {"TableName": NAME, "Key": ID, "UpdateExpression": "SET a = :v"}
        engine.call("UpdateItem", {**request, "ExpressionAttributeValues": {":v": text(800)}})
        with pytest.raises(ServiceError) as caught:
            engine.call("UpdateItem", {**request, "ExpressionAttributeValues": {":v": text(801)}})

    assert (caught.value.code, caught.value.message) == TOO_LARGE


def test_a_table_without_local_indexes_has_no_limit() -> None:
    items = Items("pk", "sk", engine=Engine.open(partitioning=Partitioning(collection_bytes=100)))

    assert items.put({**ID, "a": text(1000)}) == {}


def test_metrics_are_whole_gigabytes() -> None:
    # Writing 10 GB takes too long, so the stored size is set instead.
    items = indexed()
    core = items.engine._core
    table = core.catalogue.table("orders")
    assert table.collection_space is not None
    with core.storage.writing() as writer:
        writer.put(table.collection_space, table.layout.partition_key_bytes(KEY), 5 * 2**30, b"")

    answer = items.put(ID, ReturnItemCollectionMetrics="SIZE")

    assert answer["ItemCollectionMetrics"]["SizeEstimateRangeGB"] == [5.0, 6.0]
