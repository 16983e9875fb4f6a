"""Maintenance of streams: trimmed changes are removed, sequence numbers continue, failures leave nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pksk.client import ServiceError
from pksk.engine.storage import Row, StorageProblem
from tests.engine.faulty import FaultyStorage
from tests.engine.state.catalogues import NAME, START

from .stream_table import DAY, StreamTable, item


@pytest.fixture(params=["memory", "file"])
def streamed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StreamTable]:
    path = ":memory:" if request.param == "memory" else tmp_path / "engine.db"
    found = StreamTable(path, shard_seconds=10 * DAY)
    yield found
    found.engine.close()


def stored(streamed: StreamTable) -> list[Row]:
    """All rows of the stream's space."""
    core = streamed.engine._core
    with core.storage.reading() as reader:
        return list(reader.rows(core.catalogue.table(NAME).record["streams"][-1]["space"], b"", None))


def test_writes_remove_trimmed_changes_in_batches(streamed: StreamTable) -> None:
    for n in range(500):
        streamed.put(n=n)
    streamed.clock.now += DAY + 1

    left = []
    for n in range(4):
        streamed.put(n=-n)
        left.append(len(stored(streamed)))

    # The rows beside the changes are those that say how far they are trimmed.
    assert left == [302, 103, 4, 5]
    assert len(streamed.records()) == 4


def test_readers_trim_a_stream_without_writes(streamed: StreamTable) -> None:
    for n in range(3):
        streamed.put(n=n)
    streamed.clock.now += DAY + 1

    assert list(streamed.everything()) == []
    assert len(stored(streamed)) == 1


def test_closed_shards_leave_nothing_behind(streamed: StreamTable) -> None:
    for n in range(3):
        streamed.put(n=n)
        streamed.engine.roll_shards(NAME)
    streamed.clock.now += DAY + 1

    assert len(streamed.shards()) == 1
    assert stored(streamed) == []


def test_a_trimmed_shard_disappears_before_all_its_changes_are_removed(streamed: StreamTable) -> None:
    for n in range(450):
        streamed.put(n=n)
    streamed.engine.roll_shards(NAME)
    streamed.clock.now += DAY + 1

    seen = [len(streamed.shards()) for _ in range(4)]

    assert seen == [1, 1, 1, 1]
    assert stored(streamed) == []


def test_a_disabled_stream_past_retention_is_dropped_by_a_write(streamed: StreamTable) -> None:
    streamed.put()
    streamed.switch(None)
    streamed.switch("KEYS_ONLY")
    streamed.put(n=1)
    streamed.clock.now += DAY

    streamed.put(n=2)

    streams = streamed.engine._core.catalogue.table(NAME).record["streams"]
    assert [stream["view"] for stream in streams] == ["KEYS_ONLY"]


def test_sequence_numbers_grow_across_failures_and_reopening(tmp_path: Path) -> None:
    streamed = StreamTable(tmp_path / "engine.db", shard_seconds=10 * DAY)
    numbers = []
    for round_ in range(4):
        streamed.put(n=round_)
        streamed.error_of(
            "TransactWriteItems",
            TransactItems=[
                {"Put": {"TableName": NAME, "Item": item("b", 1, n=round_)}},
                {
                    "ConditionCheck": {
                        "TableName": NAME,
                        "Key": item("c", 1),
                        "ConditionExpression": "attribute_exists(pk)",
                    }
                },
            ],
        )
        streamed.put(n=-1)
        numbers += [int(record["dynamodb"]["SequenceNumber"]) for record in streamed.everything()]
        streamed.clock.now += DAY + 1
        if round_ % 2:
            assert list(streamed.everything()) == []
        streamed.reopen()

    streamed.engine.close()
    assert len(numbers) == 8
    assert numbers == sorted(set(numbers))


def test_a_transaction_that_fails_leaves_no_record(streamed: StreamTable) -> None:
    check = {
        "TableName": NAME,
        "Key": item("c", 1),
        "ConditionExpression": "attribute_exists(pk)",
    }
    put = {"Put": {"TableName": NAME, "Item": item("b", 1)}}

    kind, _ = streamed.error_of("TransactWriteItems", TransactItems=[put, {"ConditionCheck": check}])

    assert kind == "TransactionCanceledException"
    assert stored(streamed) == []


def test_a_write_that_cannot_be_stored_leaves_no_record(tmp_path: Path) -> None:
    for step in range(1, 40):
        streamed = StreamTable()
        streamed.put(n=1)
        core = streamed.engine._core
        core.storage = faulty = FaultyStorage(core.storage)  # type: ignore[assignment]
        faulty.fail(step, StorageProblem("The disk is gone."))
        try:
            streamed.put(n=2)
        except ServiceError as error:
            failed = error.code == "InternalServerError"
        else:
            failed = False
        if not faulty.heal():
            return
        streamed.put(n=3)

        images = [record["dynamodb"]["NewImage"]["n"]["N"] for record in streamed.records()]
        assert failed
        assert images == ["1", "3"]
    raise AssertionError("It fails at every step.")


def test_deletes_by_time_to_live_have_the_identity_of_dynamodb(streamed: StreamTable) -> None:
    streamed.call(
        "UpdateTimeToLive",
        TableName=NAME,
        TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"},
    )
    streamed.put(until=int(START) + 60)
    streamed.put(sk=2)
    streamed.delete(sk=2)
    streamed.clock.now += 61

    streamed.engine.expire()
    *_, by_caller, expired = streamed.records()

    assert (by_caller["eventName"], expired["eventName"]) == ("REMOVE", "REMOVE")
    assert "userIdentity" not in by_caller
    assert expired["userIdentity"] == {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}
    assert expired["dynamodb"]["OldImage"] == item("a", 1, until=int(START) + 60)


def test_rolling_a_table_without_a_stream_does_nothing() -> None:
    streamed = StreamTable(view=None)
    streamed.create(None)

    assert streamed.engine.roll_shards(NAME) == []


def test_rolling_a_missing_table_raises() -> None:
    with pytest.raises(ServiceError, match="Requested resource not found"):
        StreamTable(view=None).engine.roll_shards("absent")


def test_a_stream_in_a_file_that_cannot_be_written_to_is_read_as_it_is() -> None:
    streamed = StreamTable()
    streamed.put()
    arn, core = streamed.arn, streamed.engine._core
    streamed.clock.now += 3600 * 4
    with pytest.MonkeyPatch.context() as patch:

        def error_of() -> None:
            raise StorageProblem("The disk cannot be written to.")

        patch.setattr(core.storage, "writing", error_of)

        assert len(streamed.shards(arn)) == 1
        assert len(list(streamed.everything(arn))) == 1
        assert len(streamed.call("ListStreams")["Streams"]) == 1
    assert len(streamed.shards(arn)) == 2


def test_rolling_shards_of_a_closed_engine_raises() -> None:
    streamed = StreamTable()
    streamed.engine.close()

    with pytest.raises(ServiceError, match="The storage is closed"):
        streamed.engine.roll_shards(NAME)
