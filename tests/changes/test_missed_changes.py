"""A consumer that has missed changes says so, goes no further, and reads the whole table in a rebuild."""

from __future__ import annotations

from typing import Any

import pytest

from pksk import Clock, ConsumerStale, Engine, Store, connect
from tests.changes.shop import Order, fill, shop

DAY = 24 * 3600.0


@pytest.fixture(autouse=True)
def _tables(db: Store) -> None:
    db.create_tables(shop)


def read(db: Store) -> list[int]:
    return sorted(each.new.number for each in db.changes(Order, consumer="audit") if each.new)


def stream(engine: Engine, *, enabled: bool) -> None:
    wanted: dict[str, Any] = {"StreamEnabled": enabled}
    if enabled:
        wanted["StreamViewType"] = "NEW_AND_OLD_IMAGES"
    engine.call("UpdateTable", {"TableName": "shop", "StreamSpecification": wanted})


def rebuilt(db: Store, **options: Any) -> tuple[list[int], Any]:
    seen: list[Any] = []
    result = db.changes(Order, consumer="audit").rebuild(seen.extend, **options)
    assert {each.version for each in seen} == {result.version}
    return sorted(each.new.number for each in seen), result


def test_records_that_were_trimmed_make_a_consumer_stale(db: Store, clock: Clock) -> None:
    fill(db, 10)
    read(db)
    fill(db, 10, first=10)
    clock.advance(DAY + 5)

    for _ in range(2):
        with pytest.raises(ConsumerStale, match="has missed changes: records of shard"):
            read(db)
    assert db.changes(Order, consumer="audit").status().condition == "stale"


def test_a_rebuild_reads_the_table_and_goes_on_with_the_stream(db: Store, clock: Clock) -> None:
    fill(db, 10)
    read(db)
    fill(db, 10, first=10)
    clock.advance(DAY + 5)
    with pytest.raises(ConsumerStale):
        read(db)
    numbers, result = rebuilt(db)
    fill(db, 5, first=20)

    assert numbers == list(range(20))
    assert (result.items, result.dead_letters, result.complete) == (20, 0, True)
    assert result.read_units > 0
    assert read(db) == [20, 21, 22, 23, 24]


def test_a_disabled_stream_is_read_to_its_end_first(db: Store, engine: Engine) -> None:
    fill(db, 3)
    assert read(db) == [0, 1, 2]
    fill(db, 3, first=3)
    stream(engine, enabled=False)
    seen: list[Any] = []
    with pytest.raises(ConsumerStale, match="the stream was disabled"):
        db.changes(Order, consumer="audit").run(seen.extend, follow=False)

    assert sorted(each.new.number for each in seen) == [3, 4, 5]


def test_a_stream_that_was_created_again_is_not_taken_for_the_old_one(
    db: Store, engine: Engine, clock: Clock
) -> None:
    fill(db, 3)
    read(db)
    stream(engine, enabled=False)
    fill(db, 1, first=3)
    clock.advance(1)
    stream(engine, enabled=True)
    fill(db, 2, first=4)

    with pytest.raises(ConsumerStale, match="another stream now: arn:aws:dynamodb"):
        read(db)
    assert rebuilt(db)[0] == [0, 1, 2, 3, 4, 5]
    assert read(db) == [4, 5]  # again: they are in the new stream


def test_a_table_that_was_deleted_and_created_again_is_noticed(db: Store, clock: Clock) -> None:
    fill(db, 3)
    read(db)
    db.drop_tables("shop")
    clock.advance(1)
    db.create_tables(shop)
    fill(db, 2, first=3)

    with pytest.raises(ConsumerStale, match="another stream now"):
        read(db)


def test_a_rebuild_stops_at_its_budget_and_goes_on_later(db: Store) -> None:
    for number in range(60):
        db.put(Order(customer="x" * 1500, number=number, total=number))
    for number in range(1200):
        db.put(Order(customer=f"{'y' * 900}{number}", number=number))
    first, result = rebuilt(db, max_read_units=100)
    while_rebuilding = db.changes(Order, consumer="audit").status().condition
    with pytest.raises(ConsumerStale, match="has not finished reading the whole table"):
        read(db)
    second, last = rebuilt(db)

    assert not result.complete
    assert while_rebuilding == "rebuilding"
    assert last.complete
    assert sorted(first + second) == sorted([*range(60), *range(1200)])


def test_a_rebuild_goes_on_where_its_handler_failed(db: Store) -> None:
    fill(db, 10)

    def failing(changes: list[Any]) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        db.changes(Order, consumer="audit").rebuild(failing, attempts=1)
    assert db.changes(Order, consumer="audit").status().condition == "rebuilding"
    assert rebuilt(db)[0] == list(range(10))


def test_an_item_that_does_not_fit_is_a_dead_letter_of_the_rebuild(db: Store, engine: Engine) -> None:
    fill(db, 2)
    item = {
        "pk": {"S": "CUST#c0"},
        "sk": {"S": "ORDER#000009"},
        "customer": {"S": "c0"},
        "number": {"S": "?"},
    }
    engine.call("PutItem", {"TableName": "shop", "Item": item})
    numbers, result = rebuilt(db)

    assert (numbers, result.dead_letters) == ([0, 1], 1)
    assert [each.id for each in db.changes(Order, consumer="audit").dead_letters()] == [
        "rebuild#CUST#c0#ORDER#000009"
    ]


class NeverCloses:
    """A client of a server that shows all shards as open for ever, as some do after a stream was disabled."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.ended: dict[str, str] = {}

    def call(self, operation: str, request: Any) -> dict[str, Any]:
        if operation == "GetRecords" and request["ShardIterator"] in self.ended:
            return {"Records": [], "NextShardIterator": request["ShardIterator"]}
        answer = self.engine.call(operation, request)
        if operation == "DescribeStream":
            for shard in answer["StreamDescription"]["Shards"]:
                shard["SequenceNumberRange"].pop("EndingSequenceNumber", None)
        if operation == "GetRecords" and "NextShardIterator" not in answer:
            answer["NextShardIterator"] = f"ended-{len(self.ended)}"
            self.ended[answer["NextShardIterator"]] = ""
        return answer


def test_a_new_stream_is_noticed_though_the_old_one_never_ends(engine: Engine, clock: Clock) -> None:
    with connect(NeverCloses(engine)) as store:
        fill(store, 3)
        read(store)
        fill(store, 1, first=3)
        stream(engine, enabled=False)
        fill(store, 1, first=4)
        clock.advance(1)
        stream(engine, enabled=True)
        seen: list[Any] = []

        with pytest.raises(ConsumerStale, match="another stream now"):
            store.changes(Order, consumer="audit").run(seen.extend, follow=False)
        assert [each.new.number for each in seen] == [3]
