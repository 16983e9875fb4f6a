"""GetRecords: records in the form of AWS, in pages, and iterators."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from typing import Any

import pytest

from tests.engine.state.catalogues import ARN, NAME, START
from tests.engine.streams.stream_table import DAY, StreamTable, item

ONE, TWO = item("a", 1, n=1), item("a", 1, n=22, more="x")
KEYS = item("a", 1)
# As AWS counts them: names, texts by their bytes, numbers by their digits.
KEYS_SIZE, ONE_SIZE, TWO_SIZE = 7, 10, 15


def changed(view: str) -> StreamTable:
    """A stream with an item that was inserted, changed and removed."""
    streamed = StreamTable(view=view)
    for each in (ONE, TWO):
        streamed.call("PutItem", TableName=NAME, Item=each)
    streamed.delete()
    return streamed


def test_a_record_has_every_member_that_aws_returns() -> None:
    streamed = StreamTable()
    streamed.clock.now += 0.75
    streamed.call("PutItem", TableName=NAME, Item=ONE)

    (record,) = streamed.records()

    assert re.fullmatch("[0-9a-f]{32}", record.pop("eventID"))
    assert re.fullmatch("[0-9]{21,40}", record["dynamodb"].pop("SequenceNumber"))
    assert record == {
        "awsRegion": "us-east-1",
        "eventName": "INSERT",
        "eventSource": "aws:dynamodb",
        "eventVersion": "1.1",
        "dynamodb": {
            "ApproximateCreationDateTime": START,
            "Keys": KEYS,
            "NewImage": ONE,
            "SizeBytes": KEYS_SIZE + ONE_SIZE,
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
    }


@pytest.mark.parametrize(
    ("view", "images", "sizes"),
    [
        ("KEYS_ONLY", [{}, {}, {}], [0, 0, 0]),
        ("NEW_IMAGE", [{"NewImage": ONE}, {"NewImage": TWO}, {}], [ONE_SIZE, TWO_SIZE, 0]),
        ("OLD_IMAGE", [{}, {"OldImage": ONE}, {"OldImage": TWO}], [0, ONE_SIZE, TWO_SIZE]),
        (
            "NEW_AND_OLD_IMAGES",
            [{"NewImage": ONE}, {"NewImage": TWO, "OldImage": ONE}, {"OldImage": TWO}],
            [ONE_SIZE, ONE_SIZE + TWO_SIZE, TWO_SIZE],
        ),
    ],
)
def test_the_view_decides_which_images_a_record_has(view: str, images: list[Any], sizes: list[int]) -> None:
    records = changed(view).records()

    shown = [record["dynamodb"] for record in records]
    assert [record["eventName"] for record in records] == ["INSERT", "MODIFY", "REMOVE"]
    assert [{name: each[name] for name in each if name.endswith("Image")} for each in shown] == images
    assert [each["SizeBytes"] for each in shown] == [KEYS_SIZE + size for size in sizes]
    assert {each["StreamViewType"] for each in shown} == {view}
    assert all(each["Keys"] == KEYS for each in shown)


def test_sizes_agree_with_the_examples_of_aws() -> None:
    streamed = StreamTable(view=None)
    streamed.call(
        "CreateTable",
        TableName="examples",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "Id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "Id", "AttributeType": "N"}],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    for message in ("New item!", "This item has changed"):
        example = {"Id": {"N": "101"}, "Message": {"S": message}}
        streamed.call("PutItem", TableName="examples", Item=example)
    streamed.call("DeleteItem", TableName="examples", Key={"Id": {"N": "101"}})

    (stream,) = streamed.call("ListStreams", TableName="examples")["Streams"]
    records = list(streamed.everything(stream["StreamArn"]))

    assert [record["dynamodb"]["SizeBytes"] for record in records] == [26, 59, 38]


def test_keys_are_returned_as_stored() -> None:
    streamed = StreamTable(view="KEYS_ONLY")
    key = {"pk": {"S": "a"}, "sk": {"N": "1.50e1"}}
    streamed.call("UpdateItem", TableName=NAME, Key=key)
    streamed.call("DeleteItem", TableName=NAME, Key=key)

    keys = [record["dynamodb"]["Keys"] for record in streamed.records()]

    assert keys == [{"pk": {"S": "a"}, "sk": {"N": "15"}}] * 2


def test_each_event_has_its_own_constant_id() -> None:
    streamed = changed("KEYS_ONLY")

    first, second = ([record["eventID"] for record in streamed.records()] for _ in range(2))

    assert first == second
    assert len(set(first)) == 3


def test_the_region_is_that_of_the_engine() -> None:
    from pksk.engine import Engine

    streamed = StreamTable(view=None)
    streamed.engine = Engine.open(region="eu-west-1", clock=streamed.clock)
    streamed.create("KEYS_ONLY")
    streamed.put()

    assert [record["awsRegion"] for record in streamed.everything()] == ["eu-west-1"]


def test_a_limit_makes_pages_that_follow_each_other() -> None:
    streamed = StreamTable()
    for n in range(7):
        streamed.put(n=n)

    first = streamed.page(streamed.iterator(), Limit=3)
    second = streamed.page(first["NextShardIterator"], Limit=3)
    third = streamed.page(second["NextShardIterator"], Limit=3)

    pages = [page["Records"] for page in (first, second, third)]
    assert [len(page) for page in pages] == [3, 3, 1]
    assert [record for page in pages for record in page] == streamed.records()


def test_a_page_has_a_thousand_records() -> None:
    streamed = StreamTable(view="KEYS_ONLY")
    for n in range(1001):
        streamed.put(n=n)

    page = streamed.page(streamed.iterator())

    assert len(page["Records"]) == 1000
    assert len(streamed.records(page["NextShardIterator"])) == 1


def test_a_page_has_a_megabyte_and_never_less_than_one_record() -> None:
    streamed = StreamTable()
    for n in range(4):
        streamed.put(n=n, text="x" * 400_000)

    pages = [streamed.page(streamed.iterator())]
    while pages[-1]["Records"]:
        pages.append(streamed.page(pages[-1]["NextShardIterator"]))

    # The first has one image, the others have two.
    assert [len(page["Records"]) for page in pages] == [1, 1, 1, 1, 0]
    sizes = [record["dynamodb"]["SizeBytes"] for page in pages for record in page["Records"]]
    assert sizes[0] < 2**20 < sizes[0] + sizes[1]


def test_an_open_shard_always_has_a_next_iterator() -> None:
    streamed = StreamTable()
    empty = streamed.page(streamed.iterator())
    streamed.put()

    assert empty["Records"] == []
    assert len(streamed.records(empty["NextShardIterator"])) == 1


@pytest.mark.parametrize("limit", [1, 2, 3, 1000])
def test_a_closed_shard_that_was_read_to_its_end_has_none(limit: int) -> None:
    streamed = StreamTable()
    for n in range(2):
        streamed.put(n=n)
    iterator, after = streamed.iterator(), streamed.iterator("LATEST")
    streamed.engine.roll_shards(NAME)
    streamed.put(n=2)

    pages = [streamed.page(iterator, Limit=limit)]
    while "NextShardIterator" in pages[-1]:
        pages.append(streamed.page(pages[-1]["NextShardIterator"], Limit=limit))

    assert [len(page["Records"]) for page in pages] == ([1, 1] if limit == 1 else [2])
    assert streamed.page(after) == {"Records": []}
    assert len(streamed.records(streamed.iterator(shard=streamed.shard(1)))) == 1


def test_an_iterator_may_be_used_twice() -> None:
    streamed = changed("KEYS_ONLY")
    iterator = streamed.iterator()

    assert streamed.page(iterator) == streamed.page(iterator)


def test_an_iterator_expires_after_a_quarter_of_an_hour() -> None:
    streamed = changed("KEYS_ONLY")
    iterator = streamed.iterator()

    streamed.clock.now += 15 * 60
    following = streamed.page(iterator)["NextShardIterator"]
    streamed.clock.now += 1

    assert streamed.error_of("GetRecords", ShardIterator=iterator) == (
        "ExpiredIteratorException",
        "Shard iterator has expired",
    )
    assert streamed.records(following) == []


def test_an_iterator_survives_closing_and_opening_the_file(tmp_path: Any) -> None:
    streamed = StreamTable(tmp_path / "engine.db")
    streamed.put()
    iterator = streamed.iterator()

    streamed.reopen()

    assert len(streamed.records(iterator)) == 1
    streamed.engine.close()


def test_an_iterator_fails_at_a_trimmed_change_and_not_at_a_future_one() -> None:
    streamed = StreamTable(shard_seconds=10 * DAY)
    streamed.put()
    streamed.clock.now = START + DAY
    iterator, latest = streamed.iterator(), streamed.iterator("LATEST")

    streamed.clock.now = START + DAY + 1
    error = streamed.error_of("GetRecords", ShardIterator=iterator)
    streamed.put(n=2)

    assert error == ("TrimmedDataAccessException", "The data you are trying to access has been trimmed")
    assert streamed.error_of("GetRecords", ShardIterator=iterator) == error
    assert len(streamed.records(latest)) == 1


def test_a_removed_shard_is_rejected() -> None:
    streamed = StreamTable(shard_seconds=10 * DAY)
    shard = streamed.shard()
    streamed.engine.roll_shards(NAME)
    streamed.clock.now += DAY - 60
    iterator = streamed.iterator(shard=shard)

    streamed.clock.now += 60
    by_time = streamed.error_of("GetRecords", ShardIterator=iterator)
    streamed.shards()
    removed = streamed.error_of("GetRecords", ShardIterator=iterator)

    missing = ("ResourceNotFoundException", "Requested resource not found: Shard does not exist")
    assert by_time == removed == missing


def test_a_removed_stream_is_rejected() -> None:
    streamed = StreamTable()
    arn = streamed.arn
    streamed.switch(None)
    streamed.clock.now += DAY - 60
    iterator = streamed.iterator(shard=streamed.shards(arn)[0]["ShardId"], arn=arn)
    streamed.clock.now += 60

    assert streamed.error_of("GetRecords", ShardIterator=iterator) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Stream: {arn} not found",
    )


def test_the_stream_of_a_deleted_table_can_be_read_after_the_table_was_recreated() -> None:
    streamed = StreamTable()
    streamed.put(n=1)
    iterator = streamed.iterator()
    streamed.call("DeleteTable", TableName=NAME)
    streamed.create("KEYS_ONLY")

    page = streamed.page(iterator)

    assert [record["dynamodb"]["NewImage"]["n"] for record in page["Records"]] == [{"N": "1"}]
    assert "NextShardIterator" not in page


def damaged_iterators(iterator: str) -> dict[str, str]:
    """Texts that are not the iterator, and look like one more or less."""
    arn, version, sealed = iterator.split("|")
    raw = b64decode(sealed)
    flipped = [raw[:at] + bytes((raw[at] ^ 1,)) + raw[at + 1 :] for at in (11, 19, 27, -1)]
    return {
        "nothing like it": "x",
        "no parts": iterator.replace("|", ""),
        "another version": f"{arn}|2|{sealed}",
        "not in base64": f"{arn}|{version}|{sealed[:-2]}é=",
        "cut": f"{arn}|{version}|{sealed[:-4]}",
        "empty": f"{arn}|{version}|",
        "of no stream": f"orders|{version}|{sealed}",
        **{f"forged {n}": f"{arn}|{version}|{b64encode(each).decode()}" for n, each in enumerate(flipped)},
    }


@pytest.mark.parametrize("how", damaged_iterators("a|1|" + "AAAA" * 20))
def test_an_invalid_iterator_is_rejected(how: str) -> None:
    streamed = changed("KEYS_ONLY")

    damaged = damaged_iterators(streamed.iterator())[how]

    kind, message = streamed.error_of("GetRecords", ShardIterator=damaged)
    assert kind == "ValidationException"
    assert message == ("Invalid StreamArn" if how == "of no stream" else "Invalid ShardIterator")


def test_an_iterator_of_another_stream_or_engine_is_rejected() -> None:
    streamed, other = changed("KEYS_ONLY"), StreamTable()
    iterator = streamed.iterator()
    elsewhere = iterator.replace(f"{ARN}/stream", f"{ARN}s/stream")

    assert other.error_of("GetRecords", ShardIterator=iterator)[0] == "ValidationException"
    assert streamed.error_of("GetRecords", ShardIterator=elsewhere)[0] == "ResourceNotFoundException"


@pytest.mark.parametrize("limit", [0, 1001, -1])
def test_a_limit_is_between_one_and_a_thousand(limit: int) -> None:
    streamed = StreamTable()

    kind, message = streamed.error_of("GetRecords", ShardIterator=streamed.iterator(), Limit=limit)

    assert kind == "ValidationException"
    assert "at 'limit' failed to satisfy constraint" in str(message)


@pytest.mark.parametrize("iterator", [None, "", "x" * 2049])
def test_an_iterator_is_required_and_has_a_minimum_length(iterator: str | None) -> None:
    kind, message = StreamTable().error_of("GetRecords", ShardIterator=iterator)

    assert kind == "ValidationException"
    assert "at 'shardIterator' failed to satisfy constraint" in str(message)
