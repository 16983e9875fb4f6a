"""DescribeStream: the description of a stream, and the lineage of its shards."""

from __future__ import annotations

import pytest

from pksk.engine.settings import Delays
from tests.engine.state.catalogues import ARN, NAME, START, key
from tests.engine.streams.stream_table import DAY, StreamTable

GONE = "shardId-00000001234567890123-00000000"


def test_a_stream_is_described_with_its_table() -> None:
    description = StreamTable(view="NEW_IMAGE").described()

    del description["Shards"]
    assert description == {
        "StreamArn": f"{ARN}/stream/{description['StreamLabel']}",
        "StreamLabel": "2026-09-21T14:13:20.000",
        "StreamStatus": "ENABLED",
        "StreamViewType": "NEW_IMAGE",
        "CreationRequestDateTime": START,
        "TableName": NAME,
        "KeySchema": key("pk", "sk"),
    }


def test_each_partition_has_an_open_shard() -> None:
    shards = StreamTable(partitions=3).shards()

    assert [shard.keys() for shard in shards] == [{"ShardId", "SequenceNumberRange"}] * len(shards)
    assert len({shard["ShardId"] for shard in shards}) == len(shards) == 3
    for shard in shards:
        assert shard["SequenceNumberRange"].keys() == {"StartingSequenceNumber"}
        assert 21 <= len(shard["SequenceNumberRange"]["StartingSequenceNumber"]) <= 40


def test_a_rolled_shard_ends_before_its_child_begins() -> None:
    streamed = StreamTable()
    streamed.put()

    (child_id,) = streamed.engine.roll_shards(NAME)
    parent, child = streamed.shards()

    assert child["ShardId"] == child_id
    assert child["ParentShardId"] == parent["ShardId"]
    end = parent["SequenceNumberRange"]["EndingSequenceNumber"]
    assert int(end) < int(child["SequenceNumberRange"]["StartingSequenceNumber"])
    assert "EndingSequenceNumber" not in child["SequenceNumberRange"]


def test_a_due_shard_is_rolled_by_a_write_or_by_describe_stream() -> None:
    streamed = StreamTable(shard_seconds=60)

    streamed.clock.now += 59
    streamed.put()
    young = len(streamed.shards())
    streamed.clock.now += 1
    streamed.put(n=2)
    core = streamed.engine._core
    by_a_write = len(core.catalogue.table(NAME).record["streams"][0]["shards"])
    streamed.clock.now += 60
    by_a_look = len(streamed.shards())

    assert (young, by_a_write, by_a_look) == (1, 2, 3)


def test_shards_are_listed_in_pages_until_the_last() -> None:
    streamed = StreamTable()
    for _ in range(4):
        streamed.engine.roll_shards(NAME)

    first = streamed.described(Limit=3)
    second = streamed.described(Limit=3, ExclusiveStartShardId=first["LastEvaluatedShardId"])
    third = streamed.described(ExclusiveStartShardId=second["Shards"][-1]["ShardId"])

    assert [*first["Shards"], *second["Shards"]] == streamed.shards()
    assert first["LastEvaluatedShardId"] == first["Shards"][-1]["ShardId"]
    assert "LastEvaluatedShardId" not in second
    assert third["Shards"] == []
    assert "LastEvaluatedShardId" not in streamed.described(Limit=5)


def test_a_page_without_a_limit_has_100_shards() -> None:
    streamed = StreamTable()
    for _ in range(100):
        streamed.engine.roll_shards(NAME)

    assert len(streamed.described()["Shards"]) == 100
    assert len(streamed.shards()) == 101


def test_a_list_continues_after_a_removed_shard() -> None:
    streamed = StreamTable()
    parent = streamed.shard()
    streamed.engine.roll_shards(NAME)
    streamed.clock.now += DAY

    assert parent not in [shard["ShardId"] for shard in streamed.shards()]
    assert streamed.described(ExclusiveStartShardId=parent)["Shards"] == streamed.shards()


def test_a_filter_returns_only_the_children_of_a_shard() -> None:
    streamed = StreamTable(partitions=2)
    first, second = (shard["ShardId"] for shard in streamed.shards())
    streamed.engine.roll_shards(NAME)

    def children(parent: str) -> list[str]:
        description = streamed.described(ShardFilter={"Type": "CHILD_SHARDS", "ShardId": parent})
        return [shard["ParentShardId"] for shard in description["Shards"]]

    assert (children(first), children(second)) == ([first], [second])
    assert children(streamed.shard(-1)) == []


def test_a_filter_needs_a_type_and_an_existing_shard() -> None:
    streamed = StreamTable()
    shard, incomplete = (
        streamed.shard(),
        "One or more parameter values were invalid: ShardFilter must have both",
    )

    def error_of(**shard_filter: str) -> tuple[str, str | None]:
        return streamed.error_of("DescribeStream", StreamArn=streamed.arn, ShardFilter=shard_filter)

    assert str(error_of(Type="CHILD_SHARDS")[1]).startswith(incomplete)
    assert str(error_of(ShardId=shard)[1]).startswith(incomplete)
    assert "enum value set: [CHILD_SHARDS]" in str(error_of(Type="PARENTS", ShardId=shard)[1])
    assert error_of(Type="CHILD_SHARDS", ShardId=GONE) == (
        "ResourceNotFoundException",
        "Requested resource not found: Shard does not exist",
    )


def test_an_empty_filter_is_ignored() -> None:
    streamed = StreamTable()

    assert streamed.described(ShardFilter={}) == streamed.described()


def test_closed_shards_are_listed_for_a_day() -> None:
    streamed = StreamTable(shard_seconds=10 * DAY)
    streamed.put()
    streamed.engine.roll_shards(NAME)

    streamed.clock.now += DAY - 1
    before = len(streamed.shards())
    streamed.clock.now += 1
    (left,) = streamed.shards()

    assert before == 2
    assert "ParentShardId" in left
    core = streamed.engine._core
    assert len(core.catalogue.table(NAME).record["streams"][0]["shards"]) == 1


def test_disabling_closes_all_shards_and_enabling_opens_another_stream() -> None:
    streamed = StreamTable(partitions=2)
    first = streamed.arn
    streamed.put()
    streamed.switch(None)
    off = streamed.described(first)
    streamed.switch("KEYS_ONLY")

    assert off["StreamStatus"] == "DISABLED"
    assert all("EndingSequenceNumber" in shard["SequenceNumberRange"] for shard in off["Shards"])
    assert streamed.described(first) == off
    assert streamed.arn != first
    assert streamed.described()["StreamStatus"] == "ENABLED"


def test_a_disabled_stream_is_removed_after_a_day() -> None:
    streamed = StreamTable()
    arn = streamed.arn
    streamed.switch(None)

    streamed.clock.now += DAY - 1
    streamed.described(arn)
    streamed.clock.now += 1

    assert streamed.error_of("DescribeStream", StreamArn=arn) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Stream: {arn} not found",
    )


def test_the_stream_of_a_deleted_table_can_be_read_for_a_day() -> None:
    streamed = StreamTable()
    arn = streamed.arn
    streamed.put()
    streamed.call("DeleteTable", TableName=NAME)

    description = streamed.described(arn)
    records = list(streamed.everything(arn))
    streamed.clock.now += DAY

    assert (description["StreamStatus"], description["TableName"]) == ("DISABLED", NAME)
    assert [record["eventName"] for record in records] == ["INSERT"]
    assert streamed.error_of("DescribeStream", StreamArn=arn)[0] == "ResourceNotFoundException"


def test_the_status_of_a_stream_follows_that_of_its_table() -> None:
    streamed = StreamTable(view=None, delays=Delays(create_table=5, update_table=5))
    arn = str(streamed.create("KEYS_ONLY"))
    states = [streamed.described(arn)["StreamStatus"]]
    streamed.clock.now += 5
    states.append(streamed.described(arn)["StreamStatus"])
    streamed.switch(None)
    states.append(streamed.described(arn)["StreamStatus"])
    streamed.clock.now += 5
    states.append(streamed.described(arn)["StreamStatus"])
    streamed.switch("NEW_IMAGE")
    states.append(streamed.described()["StreamStatus"])
    streamed.clock.now += 5
    states.append(streamed.described()["StreamStatus"])
    streamed.call("UpdateTable", TableName=NAME, DeletionProtectionEnabled=True)
    states.append(streamed.described()["StreamStatus"])

    assert states == ["ENABLING", "ENABLED", "DISABLING", "DISABLED", "ENABLING", "ENABLED", "ENABLED"]


@pytest.mark.parametrize(
    ("arn", "kind"),
    [
        (f"{ARN}/stream/2020-01-01T00:00:00.000", "ResourceNotFoundException"),
        (
            ARN.replace("us-east-1", "eu-west-1") + "/stream/2020-01-01T00:00:00.000",
            "ResourceNotFoundException",
        ),
        (ARN.replace("0" * 12, "1" * 12) + "/stream/2020-01-01T00:00:00.000", "AccessDeniedException"),
        (f"{ARN}/stream/", "ValidationException"),
        (f"{ARN}/index/2020-01-01T00:00:00.000", "ValidationException"),
        (f"{ARN}/stream/2020-01-01T00:00:00.000/more", "ValidationException"),
        (ARN, "ValidationException"),
        ("x" * 40, "ValidationException"),
        ("x" * 36, "ValidationException"),
    ],
)
def test_the_arn_must_be_that_of_an_existing_stream(arn: str, kind: str) -> None:
    assert StreamTable().error_of("DescribeStream", StreamArn=arn)[0] == kind


@pytest.mark.parametrize("limit", [0, 101])
def test_a_limit_is_between_one_and_a_hundred(limit: int) -> None:
    streamed = StreamTable()

    kind, message = streamed.error_of("DescribeStream", StreamArn=streamed.arn, Limit=limit)

    assert kind == "ValidationException"
    assert "at 'limit' failed to satisfy constraint" in str(message)
