"""ListStreams: the streams of all tables, in pages."""

from __future__ import annotations

import pytest

from tests.engine.state.catalogues import ARN, NAME
from tests.engine.streams.stream_table import DAY, StreamTable


def arns(streamed: StreamTable, **members: object) -> list[str]:
    return [each["StreamArn"] for each in streamed.call("ListStreams", **members)["Streams"]]


def test_a_stream_is_listed_with_its_table_and_label() -> None:
    streamed = StreamTable()

    (stream,) = streamed.call("ListStreams")["Streams"]

    assert stream == {
        "StreamArn": f"{ARN}/stream/{stream['StreamLabel']}",
        "TableName": NAME,
        "StreamLabel": "2026-09-21T14:13:20.000",
    }


def test_a_table_without_a_stream_is_not_listed() -> None:
    assert StreamTable(view=None).call("ListStreams") == {"Streams": []}
    assert StreamTable().call("ListStreams", TableName="absent") == {"Streams": []}


def test_the_streams_of_one_table_can_be_listed() -> None:
    streamed = StreamTable()
    other = streamed.create("KEYS_ONLY", "others")

    assert arns(streamed, TableName="others") == [other]
    assert len(arns(streamed)) == 2


def test_only_the_last_page_has_no_last_evaluated_key() -> None:
    streamed = StreamTable(view=None)
    for number in range(5):
        streamed.create("KEYS_ONLY", f"table-{number}")

    first = streamed.call("ListStreams", Limit=3)
    second = streamed.call("ListStreams", Limit=3, ExclusiveStartStreamArn=first["LastEvaluatedStreamArn"])

    names = [each["TableName"] for each in (*first["Streams"], *second["Streams"])]
    assert names == [f"table-{number}" for number in range(5)]
    assert "LastEvaluatedStreamArn" not in second
    assert "LastEvaluatedStreamArn" not in streamed.call("ListStreams", Limit=5)


def test_disabled_streams_are_listed_for_a_day() -> None:
    streamed = StreamTable()
    first = streamed.arn
    streamed.switch(None)
    streamed.switch("KEYS_ONLY")

    both = arns(streamed)
    streamed.clock.now += DAY
    later = arns(streamed)

    assert both == [first, streamed.arn]
    assert later == [streamed.arn]


def test_the_stream_of_a_deleted_table_is_listed_for_a_day() -> None:
    streamed = StreamTable()
    arn = streamed.arn
    streamed.call("DeleteTable", TableName=NAME)

    assert arns(streamed) == arns(streamed, TableName=NAME) == [arn]
    streamed.clock.now += DAY
    assert arns(streamed) == []
    assert streamed.engine._core.storage.notes("stream/") == {}


@pytest.mark.parametrize("at_once", [True, False])
def test_a_recreated_table_has_another_stream_even_at_the_same_time(at_once: bool) -> None:
    streamed = StreamTable()
    old = streamed.arn
    for _ in range(2):
        streamed.call("DeleteTable", TableName=NAME)
        streamed.create("KEYS_ONLY" if at_once else None)
        if not at_once:
            view = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
            streamed.call("UpdateTable", TableName=NAME, StreamSpecification=view)

    streams = [streamed.call("DescribeStream", StreamArn=arn)["StreamDescription"] for arn in arns(streamed)]
    assert len(streams) == 3
    assert old == streams[0]["StreamArn"]
    assert [stream["StreamStatus"] for stream in streams] == ["DISABLED", "DISABLED", "ENABLED"]
    assert len({shard["ShardId"] for stream in streams for shard in stream["Shards"]}) == sum(
        len(stream["Shards"]) for stream in streams
    )


@pytest.mark.parametrize("limit", [0, 101, -1])
def test_a_limit_is_between_one_and_a_hundred(limit: int) -> None:
    kind, message = StreamTable().error_of("ListStreams", Limit=limit)

    assert kind == "ValidationException"
    assert "at 'limit' failed to satisfy constraint" in str(message)


@pytest.mark.parametrize("name", ["ab", "a b c", ARN])
def test_a_table_is_selected_by_its_name(name: str) -> None:
    assert StreamTable().error_of("ListStreams", TableName=name)[0] == "ValidationException"


@pytest.mark.every_transport
@pytest.mark.parametrize("arn", [ARN, f"{ARN}/stream", f"{ARN}/index/by-a", "x" * 40])
def test_a_malformed_start_arn_is_rejected(arn: str) -> None:
    assert StreamTable().error_of("ListStreams", ExclusiveStartStreamArn=arn) == (
        "ValidationException",
        "Invalid StreamArn",
    )


def test_the_start_arn_can_be_of_a_stream_that_does_not_exist() -> None:
    streamed = StreamTable()

    assert arns(streamed, ExclusiveStartStreamArn=f"{ARN}/stream/2000") == [streamed.arn]
