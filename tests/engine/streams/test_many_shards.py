"""With thousands of shards or streams, a read costs as much as with one."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from tests.engine.state.catalogues import NAME

from .stream_table import DAY, StreamTable, item


def seconds(call: Callable[[], object]) -> float:
    """The shortest time of a call."""
    least = float("inf")
    for _ in range(30):
        began = perf_counter()
        call()
        least = min(least, perf_counter() - began)
    return least


def readers(streamed: StreamTable) -> list[Callable[[], object]]:
    """What a reader does over and over, in the last of a stream's shards."""
    shard, arn = streamed.shards()[-1]["ShardId"], streamed.arn
    iterator = streamed.iterator(shard=shard)
    return [
        lambda: streamed.call("GetRecords", ShardIterator=iterator),
        lambda: streamed.iterator("LATEST", shard, arn=arn),
        lambda: streamed.described(arn, ExclusiveStartShardId=shard),
    ]


def test_a_shard_is_read_at_the_same_cost_among_thousands() -> None:
    few, many = StreamTable(), StreamTable(partitions=2000)
    for _ in range(3):
        many.engine.roll_shards(NAME)

    alone = [seconds(read) for read in readers(few)]
    among = [seconds(read) for read in readers(many)]

    assert len(many.shards()) == 8000
    # Ten times would be much; without an order it is a hundred times.
    assert [slow / quick < 10 for slow, quick in zip(among, alone, strict=True)] == [True] * 3


def test_streams_of_deleted_tables_do_not_slow_down_readers_of_others() -> None:
    streamed = StreamTable()
    before = [seconds(read) for read in readers(streamed)]

    for number in range(500):
        streamed.create("NEW_IMAGE", f"passing{number}")
        streamed.call("DeleteTable", TableName=f"passing{number}")
    after = [seconds(read) for read in readers(streamed)]

    assert [slow / quick < 10 for slow, quick in zip(after, before, strict=True)] == [True] * 3


def test_streams_of_deleted_tables_are_removed_from_storage_after_a_day() -> None:
    streamed = StreamTable()
    streamed.create("NEW_IMAGE", "passing")
    streamed.call("DeleteTable", TableName="passing")
    storage = streamed.engine._core.storage

    streamed.clock.now += DAY - 1
    streamed.call("ListStreams")
    assert len(storage.notes("stream/")) == 1
    streamed.clock.now += 3600
    streamed.call("ListStreams")
    assert storage.notes("stream/") == {}


def test_one_write_removes_a_limited_number_of_changes_from_all_shards() -> None:
    streamed = StreamTable(partitions=40, shard_seconds=10 * DAY)
    for n in range(500):
        streamed.put(str(n), n)
    core = streamed.engine._core
    space = core.catalogue.table(NAME).record["streams"][-1]["space"]
    streamed.clock.now += DAY + 1

    left = []
    for n in range(4):
        streamed.put(str(n), n, n=n)
        with core.storage.reading() as reader:
            # Other rows say how far a shard is trimmed.
            left.append(sum(len(row.key) == 12 for row in reader.rows(space, b"", None)))

    assert left == [301, 102, 3, 4]


def test_a_record_shows_keys_as_they_are_stored() -> None:
    streamed = StreamTable()
    streamed.put("a", 1)

    streamed.call("DeleteItem", TableName=NAME, Key={"sk": {"N": "1.00"}, "pk": {"S": "a"}})

    removed = streamed.records()[-1]["dynamodb"]
    assert removed["Keys"] == item("a", 1) == removed["OldImage"]
    assert list(removed["Keys"]) == ["pk", "sk"]
