"""GetShardIterator: every type of iterator, and its parameters."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.state.catalogues import NAME, START
from tests.engine.streams.stream_table import DAY, StreamTable

TRIMMED = ("TrimmedDataAccessException", "The data you are trying to access has been trimmed")
FOREIGN = ("ValidationException", "Invalid SequenceNumber for the shard")


def written(*times: float, **members: Any) -> StreamTable:
    """A stream with a change at each of these times after its beginning."""
    streamed = StreamTable(**members)
    for count, time in enumerate(times or (0, 0, 0)):
        streamed.clock.now = START + time
        streamed.put(n=count)
    return streamed


def seen(streamed: StreamTable, kind: str, **members: Any) -> list[int]:
    """Which changes an iterator leads to."""
    records = streamed.records(streamed.iterator(kind, **members))
    return [int(record["dynamodb"]["NewImage"]["n"]["N"]) for record in records]


def numbers(streamed: StreamTable) -> list[str]:
    return [record["dynamodb"]["SequenceNumber"] for record in streamed.records()]


def error_of(streamed: StreamTable, kind: str, **members: Any) -> tuple[str, str | None]:
    request = {"StreamArn": streamed.arn, "ShardId": streamed.shard(), "ShardIteratorType": kind, **members}
    return streamed.error_of("GetShardIterator", **request)


def test_an_iterator_begins_with_the_arn_of_its_stream() -> None:
    streamed = StreamTable()

    arn, number, rest = streamed.iterator().split("|")

    assert (arn, number) == (streamed.arn, "1")
    assert len(rest) > 40


def test_each_iterator_type_has_its_position() -> None:
    streamed = written()
    _, second, _ = numbers(streamed)

    assert seen(streamed, "TRIM_HORIZON") == [0, 1, 2]
    assert seen(streamed, "LATEST") == []
    assert seen(streamed, "AT_SEQUENCE_NUMBER", SequenceNumber=second) == [1, 2]
    assert seen(streamed, "AFTER_SEQUENCE_NUMBER", SequenceNumber=second) == [2]


def test_the_latest_is_after_the_last_change_at_the_moment_of_the_call() -> None:
    streamed = written()

    iterator = streamed.iterator("LATEST")
    streamed.put(n=3)

    assert [record["dynamodb"]["NewImage"]["n"]["N"] for record in streamed.records(iterator)] == ["3"]


def test_an_iterator_can_begin_at_the_bounds_of_a_shard() -> None:
    streamed = written()
    streamed.engine.roll_shards(NAME)
    parent = streamed.shards()[0]
    bounds = parent["SequenceNumberRange"]

    def of_parent(kind: str, number: str) -> list[int]:
        return seen(streamed, kind, shard=parent["ShardId"], SequenceNumber=number)

    assert of_parent("AT_SEQUENCE_NUMBER", bounds["StartingSequenceNumber"]) == [0, 1, 2]
    assert of_parent("AFTER_SEQUENCE_NUMBER", bounds["EndingSequenceNumber"]) == []


def test_a_timestamp_begins_at_the_first_change_at_that_time_or_later() -> None:
    streamed = written(0, 10, 10.9, 20)

    def since(time: float) -> list[int]:
        return seen(streamed, "AT_TIMESTAMP", Timestamp=START + time)

    assert since(-DAY * 9) == since(0) == [0, 1, 2, 3]
    assert since(0.5) == since(10) == [1, 2, 3]
    assert since(10.5) == since(20) == [3]
    streamed.clock.now += 60
    assert since(21) == []


def test_a_timestamp_is_only_for_its_type_and_not_in_the_future() -> None:
    streamed = written()

    assert error_of(streamed, "AT_TIMESTAMP")[1] == "Timestamp cannot be null"
    assert error_of(streamed, "LATEST", Timestamp=START)[1] == (
        "Timestamp should not be passed for this iterator type"
    )
    assert "cannot be in the future" in str(error_of(streamed, "AT_TIMESTAMP", Timestamp=START + 1)[1])


@pytest.mark.parametrize("kind", ["AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"])
def test_a_sequence_number_is_required_and_belongs_to_the_shard(kind: str) -> None:
    streamed = written()
    last = int(numbers(streamed)[-1])
    streamed.engine.roll_shards(NAME)
    child = streamed.shards()[1]["SequenceNumberRange"]["StartingSequenceNumber"]

    assert error_of(streamed, kind) == ("ValidationException", "SequenceNumber cannot be null")
    for length in (20, 41):
        message = error_of(streamed, kind, SequenceNumber="1" * length)[1]
        assert "at 'sequenceNumber' failed to satisfy constraint" in str(message)
    for number in ("0" * 21, "x" * 21, "1" * 21, "1" * 40, "²" * 21, child):
        assert error_of(streamed, kind, SequenceNumber=number) == FOREIGN
    ahead = {"shard": streamed.shard(1), "SequenceNumber": str(last + 9)}
    assert error_of(streamed, kind, ShardId=ahead["shard"], SequenceNumber=ahead["SequenceNumber"]) == FOREIGN


@pytest.mark.every_transport
@pytest.mark.parametrize("kind", ["AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"])
def test_a_sequence_number_of_another_shard_is_rejected_in_both_directions(kind: str) -> None:
    streamed = written()
    streamed.engine.roll_shards(NAME)
    parent, child = (
        shard["SequenceNumberRange"]["StartingSequenceNumber"] for shard in streamed.shards()[:2]
    )

    assert error_of(streamed, kind, SequenceNumber=child) == FOREIGN
    assert error_of(streamed, kind, ShardId=streamed.shard(1), SequenceNumber=parent) == FOREIGN


@pytest.mark.parametrize("kind", ["TRIM_HORIZON", "LATEST", "AT_TIMESTAMP"])
def test_other_types_reject_a_sequence_number(kind: str) -> None:
    streamed = written()

    assert error_of(streamed, kind, SequenceNumber=numbers(streamed)[0]) == (
        "ValidationException",
        "SequenceNumber should not be passed for this iterator type",
    )


@pytest.mark.parametrize("reopened", [False, True])
def test_changes_older_than_a_day_are_trimmed(reopened: bool) -> None:
    streamed = written(0, 100, 200, shard_seconds=10 * DAY)
    first, second, third = numbers(streamed)

    streamed.clock.now = START + DAY + 101
    if reopened:
        streamed.engine._core.maintenance_due.clear()

    assert seen(streamed, "TRIM_HORIZON") == seen(streamed, "AT_TIMESTAMP", Timestamp=START) == [2]
    for number in (first, second):
        assert error_of(streamed, "AT_SEQUENCE_NUMBER", SequenceNumber=number) == TRIMMED
        assert error_of(streamed, "AFTER_SEQUENCE_NUMBER", SequenceNumber=number) == TRIMMED
    assert seen(streamed, "AT_SEQUENCE_NUMBER", SequenceNumber=third) == [2]
    assert seen(streamed, "AFTER_SEQUENCE_NUMBER", SequenceNumber=third) == []


def test_the_horizon_is_found_among_more_changes_than_are_removed_at_once() -> None:
    streamed = StreamTable(shard_seconds=10 * DAY)
    for count in range(1000):
        streamed.clock.now = START + count
        streamed.put(n=count)

    streamed.clock.now = START + DAY + 777

    assert seen(streamed, "TRIM_HORIZON")[0] == 777
    streamed.clock.now = START + 2 * DAY
    assert seen(streamed, "TRIM_HORIZON") == []


def test_after_all_was_trimmed_new_changes_have_later_numbers(tmp_path: Any) -> None:
    streamed = StreamTable(tmp_path / "engine.db", shard_seconds=10 * DAY)
    streamed.put(n=1)
    before = numbers(streamed)[0]
    streamed.clock.now += DAY + 1
    assert seen(streamed, "TRIM_HORIZON") == []

    streamed.reopen()
    streamed.put(n=2)

    assert int(numbers(streamed)[0]) > int(before)
    assert seen(streamed, "TRIM_HORIZON") == [2]
    streamed.engine.close()


def test_the_shard_must_belong_to_the_stream() -> None:
    streamed = written()
    missing = ("ResourceNotFoundException", "Requested resource not found: Shard does not exist")

    assert error_of(streamed, "LATEST", ShardId="shardId-00000001234567890123-00000000") == missing
    assert error_of(streamed, "LATEST", ShardId="s" * 28) == missing
    message = error_of(streamed, "LATEST", ShardId="shard")[1]
    assert "Member must have length greater than or equal to 28" in str(message)


def test_an_unknown_type_is_rejected() -> None:
    message = error_of(StreamTable(), "BEGINNING")[1]

    assert (
        "Member must satisfy enum value set: [AFTER_SEQUENCE_NUMBER, LATEST, AT_TIMESTAMP, AT_SEQUENCE_NUMBER, "
        "TRIM_HORIZON]" in str(message)
    )


def test_stream_shard_and_type_are_required() -> None:
    kind, message = StreamTable().error_of("GetShardIterator")

    assert kind == "ValidationException"
    for member in ("streamArn", "shardId", "shardIteratorType"):
        assert f"Value null at '{member}' failed to satisfy constraint: Member must not be null" in str(
            message
        )
