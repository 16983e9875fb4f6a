"""Partitions that grow too large split by themselves, also during concurrent writes."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from random import Random
from threading import Barrier, Thread
from typing import Any, cast

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine, Partitioning
from pksk.engine.settings import Settings
from pksk.engine.storage import MemoryStorage, StorageProblem
from pksk.partitions import key_hash
from tests.engine.agreement import check_agreement
from tests.engine.faulty import FaultyStorage
from tests.engine.state.catalogues import defined, index

from .partitioned_table import NAME, create, item, open_engine, put, scan

LONG = bool(os.environ.get("PKSK_LONG"))
LIMIT = 5000


@pytest.fixture(params=[":memory:", "tables.db"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    path = request.param if request.param == ":memory:" else tmp_path / request.param
    with open_engine(path, partitions=1, partition_bytes=LIMIT) as found:
        yield found


def _sizes(engine: Engine, index_name: str | None = None) -> list[int]:
    return [part.bytes for part in engine.partitions(NAME, index_name)]


def test_a_partition_that_grows_past_the_limit_splits(engine: Engine) -> None:
    create(engine)
    for number in range(200):
        put(engine, item(number, 0, 100))
        assert max(_sizes(engine)) <= LIMIT

    assert 200 * 100 / LIMIT <= len(_sizes(engine)) <= 4 * 200 * 100 / LIMIT


def test_batches_and_transactions_grow_partitions_too(engine: Engine) -> None:
    create(engine)
    for start in range(0, 200, 20):
        items = [item(number, 0, 100) for number in range(start, start + 10)]
        engine.call("BatchWriteItem", {"RequestItems": {NAME: [{"PutRequest": {"Item": i}} for i in items]}})
        assert max(_sizes(engine)) <= LIMIT
        items = [item(number, 0, 100) for number in range(start + 10, start + 20)]
        engine.call(
            "TransactWriteItems", {"TransactItems": [{"Put": {"TableName": NAME, "Item": i}} for i in items]}
        )
        assert max(_sizes(engine)) <= LIMIT


def test_the_items_of_one_partition_key_split_by_sort_key_as_they_grow(engine: Engine) -> None:
    create(engine)
    put(engine, *(item("same", f"{number:03d}", 100) for number in range(150)))

    parts = engine.partitions(NAME)
    assert len(parts) > 3
    assert max(part.bytes for part in parts) <= LIMIT
    bounds = [part.high_key for part in parts[:-1]]
    assert bounds == [part.low_key for part in parts[1:]]
    assert all(bound is not None for bound in bounds)
    assert [each["sk"]["S"] for each in scan(engine)] == [f"{number:03d}" for number in range(150)]


def test_an_index_grows_and_splits_independently(engine: Engine) -> None:
    create(engine)
    put(engine, *(item(number, 0, 100) for number in range(30)))
    assert len(_sizes(engine, "by-status")) == 1

    for number in range(100):
        put(engine, item(number % 30, number, 100, status="open"))
        assert max(_sizes(engine, "by-status")) <= LIMIT
    assert len(_sizes(engine, "by-status")) > 2


def test_with_a_local_index_a_partition_of_one_key_does_not_split(engine: Engine) -> None:
    create(engine, local=True)
    put(engine, *(item("same", number, 100, day="1") for number in range(60)))
    assert len(_sizes(engine)) == 1
    assert _sizes(engine)[0] > LIMIT

    put(engine, *(item(f"other{number}", 0, 100, day="1") for number in range(60)))
    large = [part for part in engine.partitions(NAME) if part.bytes > LIMIT * 1.2]
    assert len(large) == 1
    assert large[0].low_key is large[0].high_key is None
    where = key_hash(b"S" + b"same\0\0").hex()
    assert large[0].low <= where < (large[0].high or "g")


def test_deleting_frees_headroom(engine: Engine) -> None:
    create(engine)
    for number in range(300):
        put(engine, item(number, 0, 100))
        engine.call("DeleteItem", {"TableName": NAME, "Key": item(number, 0)})

    assert len(_sizes(engine)) == 1


def test_a_reopened_file_is_measured(tmp_path: Path) -> None:
    with create(open_engine(tmp_path / "tables.db", partitions=1)) as engine:
        put(engine, *(item(number, 0, 100) for number in range(200)))

    with open_engine(tmp_path / "tables.db", partition_bytes=LIMIT) as engine:
        assert len(_sizes(engine)) == 1
        put(engine, *(item(number, 1, 100) for number in range(2)))
        assert max(_sizes(engine)) <= LIMIT


def test_no_split_loses_or_repeats_an_item_while_others_write(engine: Engine) -> None:
    create(engine, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
    threads, each = 4, 600 if LONG else 120
    barrier = Barrier(threads + 1)
    kept: list[dict[tuple[int, int], int]] = [{} for _ in range(threads)]
    failures: list[BaseException] = []

    def write(number: int) -> None:
        chance, mine = Random(number), kept[number]
        barrier.wait()
        try:
            for turn in range(each):
                pk, sk = chance.randrange(20), chance.randrange(6) * threads + number
                if chance.random() < 0.25:
                    engine.call("DeleteItem", {"TableName": NAME, "Key": item(pk, sk)})
                    mine.pop((pk, sk), None)
                else:
                    put(engine, item(pk, sk, 100 + turn % 50, status="open", n=str(turn)))
                    mine[pk, sk] = turn
        except BaseException as error:
            failures.append(error)
            raise

    def split() -> None:
        barrier.wait()
        for turn in range(8):
            engine.split(NAME, index=None if turn % 2 else "by-status")

    workers = [Thread(target=write, args=(number,)) for number in range(threads)] + [Thread(target=split)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)

    assert not failures
    expected = {key: n for mine in kept for key, n in mine.items()}
    found = [((int(i["pk"]["S"]), int(i["sk"]["S"])), int(i["n"]["S"])) for i in scan(engine)]
    assert len(found) == len(expected)
    assert dict(found) == expected
    assert len(scan(engine, "by-status")) == len(expected)
    for index_name in (None, "by-status"):
        parts = engine.partitions(NAME, index_name)
        assert sum(part.items for part in parts) == len(expected)
        assert all(before.high == after.low for before, after in pairwise(parts))
    check_agreement(engine)


def test_a_write_succeeds_even_if_the_split_after_it_fails() -> None:
    failed_after_the_write = 0
    for step in range(1, 1000, 3):
        storage = FaultyStorage(MemoryStorage())
        settings = Settings(partitioning=Partitioning(partitions=1, partition_bytes=LIMIT))
        engine = create(Engine.on(cast(Any, storage), settings))
        put(engine, *(item(number, 0, 100) for number in range(LIMIT // 115)))
        assert len(_sizes(engine)) == 1
        storage.fail(step, StorageProblem("The disk is full."))
        try:
            put(engine, item("last", 0, 400))
        except ServiceError:
            stored = False
        else:
            stored = True
        failed = storage.heal()

        assert ("last" in {each["pk"]["S"] for each in scan(engine)}) == stored
        failed_after_the_write += failed and stored
        # Whatever failed is made up for.
        put(engine, *(item(f"more{number}", 0, 100) for number in range(20)))
        assert max(_sizes(engine)) <= LIMIT
        if not failed:
            break

    assert not failed
    assert failed_after_the_write > 3


@pytest.mark.parametrize("index_name", [None, "by-status"])
def test_partitions_split_by_command_are_measured_too(index_name: str | None) -> None:
    engine = create(open_engine(partitions=1, partition_bytes=LIMIT))
    put(engine, *(item(number, 0, 200, status=str(number)) for number in range(LIMIT // 150)))
    assert len(engine.partitions(NAME, index_name)) > 1
    for _ in range(4):
        engine.split(NAME, index=index_name)

    for start in range(1000, 3000, 100):
        put(engine, *(item(number, 0, 100, status=str(number)) for number in range(start, start + 100)))
        assert max(part.bytes for part in engine.partitions(NAME, index_name)) <= LIMIT


def test_an_index_backfilled_above_the_limit_splits_with_the_next_write() -> None:
    engine = create(open_engine(partitions=1, partition_bytes=LIMIT), indexed=False)
    put(engine, *(item(number, 0, 100, status=str(number)) for number in range(3 * LIMIT // 100)))
    engine.call(
        "UpdateTable",
        {
            "TableName": NAME,
            "AttributeDefinitions": defined("status"),
            "GlobalSecondaryIndexUpdates": [{"Create": index("added", "status")}],
        },
    )
    put(engine, item("one more", 0))

    assert max(part.bytes for part in engine.partitions(NAME, "added")) <= LIMIT
