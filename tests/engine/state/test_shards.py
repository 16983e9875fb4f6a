"""The lineage of shards: parents, children and their sequence numbers."""

from __future__ import annotations

from itertools import count

from pksk.engine.state import Stream
from pksk.engine.state.stream_record import (
    RETENTION_SECONDS,
    is_past_retention,
    open_shards,
    readable_shards,
    roll_shards,
    split_shard,
    with_first_shards,
    with_shards_closed,
)

NOW = 1_000_000.0


def stream(partitions: int = 2) -> tuple[Stream, count[int]]:
    numbers = count(1)
    return with_first_shards(
        {"label": "now", "view": "KEYS_ONLY", "space": 1, "opened": NOW, "shards": []},
        numbers.__next__,
        NOW,
        range(partitions),
    ), numbers


def ancestry(of: Stream) -> list[tuple[int, int | None]]:
    """The partition of each shard, and the partition of its parent."""
    partitions = {shard["id"]: shard["partition"] for shard in of["shards"]}
    return [(shard["partition"], partitions.get(shard["parent"] or "")) for shard in of["shards"]]


def test_a_split_closes_one_shard_and_leaves_the_others() -> None:
    first, numbers = stream()

    after = split_shard(first, numbers.__next__, NOW + 1, 1, (2, 3))

    assert ancestry(after) == [(0, None), (1, None), (2, 1), (3, 1)]
    assert open_shards(after).keys() == {0, 2, 3}
    assert first == stream()[0]


def test_rolling_opens_a_child_of_each_open_shard() -> None:
    first, numbers = stream()

    after = roll_shards(split_shard(first, numbers.__next__, NOW, 0, (2, 3)), numbers.__next__, NOW)

    assert ancestry(after)[4:] == [(1, 1), (2, 2), (3, 3)]
    assert open_shards(after).keys() == {1, 2, 3}


def test_only_shards_that_are_old_enough_are_rolled() -> None:
    first, numbers = stream()
    younger = split_shard(first, numbers.__next__, NOW + 10, 0, (2, 3))

    after = roll_shards(younger, numbers.__next__, NOW + 20, opened_until=NOW + 9)

    assert ancestry(after)[4:] == [(1, 1)]
    assert roll_shards(after, numbers.__next__, NOW + 20, opened_until=NOW + 9) is after


def test_a_parent_ends_after_its_start_and_before_its_children_begin() -> None:
    of, numbers = stream(3)
    for number in range(3, 13, 2):
        of = split_shard(of, numbers.__next__, NOW, min(open_shards(of)), (number, number + 1))
        of = roll_shards(of, numbers.__next__, NOW)

    shards = {shard["id"]: shard for shard in of["shards"]}
    assert len(shards) == len(of["shards"])
    for shard in shards.values():
        assert shard["start"] < shard.get("end", float("inf"))
        if shard["parent"] is not None:
            assert shards[shard["parent"]]["end"] < shard["start"]


def test_shard_ids_have_the_format_of_aws_and_grow() -> None:
    of, numbers = stream(3)
    of = roll_shards(of, numbers.__next__, NOW - 500)

    ids = [shard["id"] for shard in of["shards"]]

    assert ids == sorted(ids)
    assert [len(each.split("-")[1]) for each in ids] == [20] * 6
    assert {len(each) for each in ids} == {37}


def test_a_closed_stream_has_no_open_shards_and_ignores_splits() -> None:
    first, numbers = stream()

    after = with_shards_closed(first, 7, NOW + 5)

    assert open_shards(after) == {}
    assert [shard["end"] for shard in after["shards"]] == [7, 7]
    assert split_shard(after, numbers.__next__, NOW, 0, (2, 3)) is after


def test_a_shard_can_be_read_for_a_day_after_it_was_closed() -> None:
    first, numbers = stream(1)
    after = roll_shards(first, numbers.__next__, NOW)

    assert len(list(readable_shards(after, NOW + RETENTION_SECONDS - 1))) == 2
    assert [shard["partition"] for shard in readable_shards(after, NOW + RETENTION_SECONDS)] == [0]
    assert not is_past_retention(first, NOW * 9)
