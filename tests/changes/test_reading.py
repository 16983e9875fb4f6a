"""Reading changes in a loop: each once, from where the consumer stopped before."""

from __future__ import annotations

from typing import Any

import pytest

from pksk import Clock, Engine, PkskError, Store, connect
from pksk.client import ServiceError
from pksk.errors import AccessDenied, InvalidValue, StoreError
from tests.changes.shop import Note, Order, fill, shop


@pytest.fixture(autouse=True)
def _tables(db: Store) -> None:
    db.create_tables(shop)


def numbers(changes: Any) -> list[int]:
    return sorted(each.new.number for each in changes)


def test_a_loop_reads_every_change_and_the_next_one_goes_on(db: Store) -> None:
    fill(db, 30)
    first = numbers(db.changes(Order, consumer="audit"))
    fill(db, 5, first=30)

    assert first == list(range(30))
    assert numbers(db.changes(Order, consumer="audit")) == list(range(30, 35))
    assert numbers(db.changes(Order, consumer="audit")) == []


def test_changes_have_their_kind_and_both_entities(db: Store) -> None:
    order = db.put(Order(customer="ann", number=1))
    db.update(Order.primary.update(customer="ann", number=1).set(total=5))
    db.delete(order)
    found = list(db.changes(Order, consumer="audit"))

    assert [each.kind for each in found] == ["insert", "modify", "remove"]
    assert [(each.old and each.old.total, each.new and each.new.total) for each in found] == [
        (None, 0), (0, 5), (5, None),
    ]  # fmt: skip


def test_each_consumer_has_its_own_position(db: Store) -> None:
    fill(db, 3)
    numbers(db.changes(Order, consumer="audit"))

    assert numbers(db.changes(Order, consumer="search")) == [0, 1, 2]


def test_only_the_requested_entities_are_read(db: Store) -> None:
    db.put(Note(id="n"))
    fill(db, 2)

    assert numbers(db.changes(Order, consumer="orders")) == [0, 1]
    assert len(list(db.changes(shop, consumer="all"))) == 3


def test_a_change_is_read_again_if_its_loop_was_left(db: Store) -> None:
    for number in range(5):
        db.put(Order(customer="ann", number=number))
    seen = []
    for change in db.changes(Order, consumer="audit"):
        seen.append(change.new.number)  # type: ignore[union-attr]
        if len(seen) == 3:
            break

    assert numbers(db.changes(Order, consumer="audit")) == [2, 3, 4]


def test_an_error_in_the_loop_leaves_its_change(db: Store) -> None:
    for number in range(3):
        db.put(Order(customer="ann", number=number))

    def loop() -> None:
        for change in db.changes(Order, consumer="audit"):
            if change.new is not None and change.new.number == 1:
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        loop()
    assert numbers(db.changes(Order, consumer="audit")) == [1, 2]


def test_shards_that_close_and_split_are_followed(db: Store, engine: Engine) -> None:
    for round_ in range(4):
        fill(db, 20, first=20 * round_)
        engine.roll_shards("shop")
    found = [each.new.number for each in db.changes(Order, consumer="audit") if each.new]

    assert sorted(found) == list(range(80))
    for customer in range(10):
        mine = [number for number in found if number % 10 == customer]
        assert mine == sorted(mine)


def test_versions_rise_for_each_item_also_after_a_restart(db: Store) -> None:
    versions = []
    for total in range(4):
        db.put(Order(customer="ann", number=1, total=total))
        db.put(Order(customer="ann", number=1, total=total + 100))
        versions += [each.version for each in db.changes(Order, consumer="audit")]

    assert versions == sorted(set(versions))
    assert versions[0] > 0


def test_the_newest_changes_are_those_from_now_on(engine: Engine, clock: Clock) -> None:
    with connect(engine) as db:
        fill(db, 3)
        clock.advance(60)

        assert numbers(db.changes(Order, consumer="late", start="newest")) == []
        clock.advance(60)
        fill(db, 2, first=3)
        assert numbers(db.changes(Order, consumer="late")) == [3, 4]


class KnowsNoTimes:
    """A client of a server that cannot begin to read at a time, as some cannot."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def call(self, operation: str, request: Any) -> dict[str, Any]:
        if request.get("ShardIteratorType") == "AT_TIMESTAMP":
            raise ServiceError("SerializationException", "unknown variant `AT_TIMESTAMP`")
        return self.engine.call(operation, request)


def test_the_newest_changes_are_those_from_now_on_also_where_reading_cannot_begin_at_a_time(
    engine: Engine, clock: Clock
) -> None:
    with connect(KnowsNoTimes(engine), clock=clock) as db:
        fill(db, 3)
        clock.advance(60)

        assert numbers(db.changes(Order, consumer="late", start="newest")) == []
        fill(db, 2, first=3)
        assert numbers(db.changes(Order, consumer="late")) == [3, 4]


def test_an_expired_iterator_is_renewed(db: Store, clock: Clock) -> None:
    fill(db, 5)
    seen = []
    for change in db.changes(Order, consumer="audit"):
        seen.append(change.new.number)  # type: ignore[union-attr]
        clock.advance(16 * 60)

    assert sorted(seen) == [0, 1, 2, 3, 4]


def test_a_table_without_a_stream_says_how_to_enable_one(db: Store, engine: Engine) -> None:
    request = {"TableName": "shop", "StreamSpecification": {"StreamEnabled": False}}
    engine.call("UpdateTable", request)

    with pytest.raises(StoreError, match=r"has no stream(.|\n)*ensure_tables"):
        list(db.changes(shop, consumer="audit"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"consumer": ""}, "consumer='' must have 1 to 100"),
        ({"consumer": "a#b"}, "consumer='a#b' must have"),
        ({"consumer": "a", "start": "newset"}, "did you mean 'newest'"),
        ({"consumer": "a", "lease_seconds": 0}, "lease_seconds=0 must be a number from 1 to 3600"),
        ({"consumer": "a", "lease_seconds": True}, "lease_seconds=True"),
    ],
)
def test_options_that_cannot_be_meant_are_errors(db: Store, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        db.changes(shop, **options)


def test_a_table_cannot_hold_the_state_of_its_own_consumers(db: Store) -> None:
    with pytest.raises(InvalidValue, match="state='shop' is the table that is read"):
        db.changes(shop, consumer="audit", state="shop")


def test_entities_of_several_tables_are_an_error(db: Store) -> None:
    from tests.changes.simulation import table

    with pytest.raises(InvalidValue, match="several tables"):
        db.changes(shop, table, consumer="audit")


def test_a_state_table_with_other_keys_is_an_error_that_names_it(db: Store, engine: Engine) -> None:
    engine.call("CreateTable", {
        "TableName": "mine", "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    })  # fmt: skip
    with pytest.raises(PkskError, match="mine") as caught:
        list(db.changes(shop, consumer="audit", state="mine"))
    assert caught.value.code == "consumer-state-table"


def test_a_consumer_of_another_format_is_left_alone(db: Store, engine: Engine) -> None:
    fill(db, 1)
    list(db.changes(shop, consumer="audit"))
    key = {"pk": {"S": "audit#shop"}, "sk": {"S": "consumer"}}
    update = {"UpdateExpression": "SET #f = :f", "ExpressionAttributeNames": {"#f": "format"}}
    engine.call(
        "UpdateItem",
        {"TableName": "pksk-changes", "Key": key, "ExpressionAttributeValues": {":f": {"N": "2"}}, **update},
    )

    with pytest.raises(StoreError, match="has the format '2'"):
        list(db.changes(shop, consumer="audit"))


def test_one_name_cannot_read_different_entities(db: Store) -> None:
    fill(db, 1)
    list(db.changes(Order, consumer="audit"))

    with pytest.raises(StoreError, match="handles Order, and this program the whole table") as caught:
        list(db.changes(shop, consumer="audit"))
    assert caught.value.code == "consumer-sources"
    seen: list[Any] = []
    db.changes(shop, consumer="audit").rebuild(seen.extend)
    assert len(list(db.changes(shop, consumer="audit"))) == 1


def test_the_status_says_how_far_each_shard_is_behind(db: Store, clock: Clock) -> None:
    fill(db, 4)
    list(db.changes(shop, consumer="audit"))
    caught_up = db.changes(shop, consumer="audit").status()
    db.put(Order(customer="c1", number=7))
    behind = db.changes(shop, consumer="audit").status()

    assert {each.behind_seconds for each in caught_up.shards} == {0.0}
    assert {each.behind_seconds is not None for each in behind.shards} == {True}


def test_the_status_shows_positions_and_owners(db: Store) -> None:
    fill(db, 4)
    new = db.changes(shop, consumer="audit").status()
    reader = iter(db.changes(shop, consumer="audit"))
    next(reader)
    during = db.changes(shop, consumer="audit").status()
    list(reader)
    after = db.changes(shop, consumer="audit").status()

    assert new.condition == "new"
    assert (during.condition, during.workers, bool(during.shards[0].owner)) == ("reading", 1, True)
    assert (after.workers, {each.owner for each in after.shards}) == (0, {""})
    assert any(each.position for each in after.shards)


class Forbidden:
    """A client whose credentials do not allow to read streams."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def call(self, operation: str, request: Any) -> dict[str, Any]:
        if operation == "DescribeStream":
            raise ServiceError("AccessDeniedException", "not authorized to perform dynamodb:DescribeStream")
        return self.engine.call(operation, request)


def test_a_permission_that_is_missing_is_named(db: Store, engine: Engine) -> None:
    with connect(Forbidden(engine)) as store, pytest.raises(AccessDenied, match="dynamodb:DescribeStream"):
        list(store.changes(shop, consumer="audit"))
