"""Concurrent writers during rolls and splits: every change is recorded once, in the order of its item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from threading import Thread

import pytest

from pksk.errors import InvalidValue
from tests.conftest import LONG
from tests.engine.state.catalogues import NAME

from .follower import Follower
from .stream_table import StreamTable

WRITERS = 4
WRITES = 2000 if LONG else 120
ITEMS = 6


@pytest.fixture(params=["memory", "file"])
def streamed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StreamTable]:
    path = ":memory:" if request.param == "memory" else tmp_path / "engine.db"
    found = StreamTable(path, partitions=2)
    yield found
    found.engine.close()


def count_up(streamed: StreamTable, writer: int) -> None:
    """Add one to items that all writers share, so that each change follows from the one before."""
    random = Random(writer)
    for _ in range(WRITES):
        streamed.call(
            "UpdateItem",
            TableName=NAME,
            Key={"pk": {"S": f"item {random.randrange(ITEMS)}"}, "sk": {"N": "1"}},
            UpdateExpression="ADD n :one",
            ExpressionAttributeValues={":one": {"N": "1"}},
        )


def test_the_changes_of_an_item_are_in_order_across_shards(streamed: StreamTable) -> None:
    random = Random(7)
    follower = Follower(streamed, "TRIM_HORIZON", 50)
    writers = [Thread(target=count_up, args=(streamed, writer)) for writer in range(WRITERS)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        streamed.engine.roll_shards(NAME)
        with suppress(InvalidValue):  # where a partition begins already
            streamed.engine.split(NAME, at=f"{random.randrange(256):02x}")
        follower.step(random)
    for writer in writers:
        writer.join()
    assert follower.drain()

    counts = defaultdict(list)
    for record in follower.records:
        change = record["dynamodb"]
        counts[change["Keys"]["pk"]["S"]].append(int(change["NewImage"]["n"]["N"]))
    assert sum(map(len, counts.values())) == WRITERS * WRITES
    for seen in counts.values():
        assert seen == list(range(1, len(seen) + 1))
    numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in follower.records]
    assert len(set(numbers)) == len(numbers)


def test_no_record_has_a_number_outside_its_shard(streamed: StreamTable) -> None:
    writers = [Thread(target=count_up, args=(streamed, writer)) for writer in range(WRITERS)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        streamed.engine.roll_shards(NAME)
    for writer in writers:
        writer.join()

    for shard in streamed.shards():
        bounds = shard["SequenceNumberRange"]
        low, high = int(bounds["StartingSequenceNumber"]), int(bounds.get("EndingSequenceNumber", "9" * 22))
        for record in streamed.records(streamed.iterator(shard=shard["ShardId"])):
            assert low < int(record["dynamodb"]["SequenceNumber"]) < high
