"""Updates keep every index key right, whichever fields they change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pksk import (
    GSI,
    Entity,
    F,
    Key,
    Put,
    Query,
    RequestStarted,
    Retry,
    Shard,
    Store,
    Table,
    Update,
    WriteConflict,
    connect,
)
from pksk.client import ServiceError
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import (
    TABLES,
    Address,
    Animal,
    Dog,
    Order,
    Parcel,
    Reading,
    Slim,
    Word,
    named,
    shop,
    words,
)
from tests.store.table_contents import assert_keys_right, stored

FIRST, SECOND = date(2025, 3, 1), date(2025, 4, 2)
ORDER = Order(customer="7", number=1, day=FIRST, agent="Rome", level=3)
THE_ORDER = Order.primary.update(customer="7", number=1)


tasks = Table(named("tasks"), indexes=[GSI("by-letter", pk="g1", sk="g2"), GSI("spread", pk="r1", sk="r2")])


class Task(Entity, table=tasks):
    id: str
    status: str = "open"
    day: str = "d"
    note: str | None = None

    primary = Key("TASK#{id}", "M")
    by_letter = Key("TASKS#{status}", "{status}#{day}", index="by-letter")
    spread = Key("{shard}#{status}", "{day}#{note}", index="spread", shard=Shard(9))


@pytest.fixture
def tables() -> Iterable[Table]:
    return (*TABLES, tasks)


def key_of(door: Door, *names: str) -> dict[str, str | None]:
    item = stored(door, shop, "CUST#7", "ORDER#000001")
    return {name: item.get(name, {}).get("S") for name in names}


def test_a_key_with_all_fields_set_is_written_without_a_read(db: Store, door: Door) -> None:
    db.put(Dog(owner="ann", name="rex"))
    sent: list[str] = []
    watched = door.open(hooks=[lambda request: sent.append(request.operation)])
    changed = watched.update(Dog.primary.update(owner="ann", name="rex").set(legs=3))

    assert changed.legs == 3
    assert sent == ["UpdateItem"]
    assert stored(door, shop, "OWNER#ann", "rex")["g1"] == {"S": "LEGS#3"}


def test_a_key_with_unknown_fields_is_completed_by_a_read(
    db: Store, door: Door, eventually: Eventually
) -> None:
    db.put(ORDER)
    sent: list[str] = []
    door.open(hooks=[lambda request: sent.append(request.operation)]).update(THE_ORDER.set(status="sent"))

    assert sent == ["GetItem", "UpdateItem"]
    assert key_of(door, "g1", "g2", "m2") == {
        "g1": "STATUS#sent",
        "g2": "2025-03-01#7#000001",
        "m2": "2025-03-01",
    }
    eventually(lambda: db.iter(Order.by_status(status="open")), [])
    eventually(lambda: db.count(Order.by_status(status="sent")), 1)
    assert_keys_right(door, shop)


def test_a_field_of_every_index_key_moves_the_item_in_all_of_them(
    db: Store, door: Door, eventually: Eventually
) -> None:
    db.put(ORDER)
    db.update(THE_ORDER.set(day=SECOND))
    queries: list[Query[Any]] = [
        Order.by_status(status="open", day=SECOND),
        Order.slim(day=SECOND).hydrate(),
        Order.by_agent(agent="Rome", day=SECOND).hydrate(),
        Order.monthly(status="open", day=SECOND),
    ]
    expected = [ORDER.model_copy(update={"day": SECOND})]

    for query in queries:
        eventually(lambda query=query: db.iter(query), expected)  # type: ignore[misc]
    eventually(lambda: db.iter(Order.slim(day=FIRST).hydrate()), [])
    assert_keys_right(door, shop)


def test_a_nested_field_in_an_index_key(db: Store, door: Door, eventually: Eventually) -> None:
    db.put(Parcel(id="1", address=Address(city="Rome")))
    changed = db.update(Parcel.primary.update(id="1").apply(F.address.city.set("Oslo")).add(total=2))

    assert changed == Parcel(id="1", address=Address(city="Oslo"), total=2)
    eventually(lambda: db.count(Parcel.by_city(city="Rome").into(Slim)), 0)
    eventually(lambda: db.iter(Parcel.by_city(city="Oslo").into(Slim)), [Slim(total=2, status="new")])
    assert_keys_right(door, shop)


def test_a_nested_field_beside_that_of_the_index_key_leaves_it(db: Store, door: Door) -> None:
    db.put(Parcel(id="1", address=Address(city="Rome")))
    db.update(Parcel.primary.update(id="1").apply(F.address.street.set("Via 1")))

    assert stored(door, shop, "PARCEL#1", "META")["c1"] == {"S": "CITY#Rome"}


def test_removing_a_field_removes_the_item_from_its_index(
    db: Store, door: Door, eventually: Eventually
) -> None:
    db.put(ORDER)
    db.update(THE_ORDER.remove("agent"))

    assert key_of(door, "c1", "c2") == {"c1": None, "c2": None}
    eventually(lambda: db.count(Order.by_agent(agent="Rome").into(Slim)), 0)
    db.update(THE_ORDER.set(agent="Bern"))

    assert key_of(door, "c1", "c2") == {"c1": "AGENT#Bern", "c2": "2025-03-01#7#000001"}


def test_removing_a_field_that_a_computed_key_part_uses(db: Store, door: Door) -> None:
    db.put(Parcel(id="1", address=Address(city="Rome")))
    db.update(Parcel.primary.update(id="1").remove("address"))

    assert "c1" not in stored(door, shop, "PARCEL#1", "META")
    assert_keys_right(door, shop)


def test_a_sparse_index_is_entered_and_left(db: Store, door: Door, eventually: Eventually) -> None:
    db.put(ORDER)
    entered = db.update(THE_ORDER.set(level=9))
    eventually(lambda: db.iter(Order.late(status="open")), [entered])
    left = db.update(THE_ORDER.set(level=7))
    eventually(lambda: db.iter(Order.late(status="open")), [])

    assert (entered.level, left.level) == (9, 7)
    assert key_of(door, "l1", "l2") == {"l1": None, "l2": None}


def test_a_number_that_is_added_to_decides_about_a_sparse_index(db: Store, door: Door) -> None:
    db.put(ORDER)
    db.update(THE_ORDER.add(level=5))

    assert key_of(door, "l1") == {"l1": "LATE#open"}
    db.update(THE_ORDER.add(level=-1))

    assert key_of(door, "l1") == {"l1": None}


def test_write_shards_stay_where_they_are_and_follow_the_bucket(db: Store, door: Door) -> None:
    orders = [Order(customer="7", number=number, day=FIRST) for number in range(10, 22)]
    db.batch_put(*orders)
    before = [stored(door, shop, "CUST#7", f"ORDER#{n:06d}")["m1"]["S"] for n in range(10, 22)]
    for order in orders:
        db.update(Order.primary.update(customer="7", number=order.number).set(day=SECOND, status="paid"))
    after = [stored(door, shop, "CUST#7", f"ORDER#{n:06d}")["m1"]["S"] for n in range(10, 22)]

    assert len(set(before)) == 3
    assert after == [key.replace("open#2025-03", "paid#2025-04") for key in before]


def test_a_local_index_follows(db: Store) -> None:
    db.put(ORDER)
    db.update(THE_ORDER.add(total=40))

    assert [each.total for each in db.iter(Order.by_total(customer="7", total=40).consistently())] == [40]
    assert list(db.iter(Order.by_total(customer="7", total=0).consistently())) == []


def test_an_entity_read_through_a_projection_is_updated_whole(
    db: Store, door: Door, eventually: Eventually
) -> None:
    db.put(ORDER.model_copy(update={"note": "kept", "tags": {"x"}}))
    eventually(lambda: db.count(Order.by_agent(agent="Rome").into(Slim)), 1)
    (row,) = db.iter(Order.by_agent(agent="Rome").into(Slim))
    changed = db.update(THE_ORDER.set(total=row.total + 1, status="paid"))

    assert (changed.note, changed.tags, changed.total, changed.status) == ("kept", {"x"}, 1, "paid")
    eventually(lambda: db.iter(Order.by_agent(agent="Rome").into(Slim)), [Slim(total=1, status="paid")])
    assert_keys_right(door, shop)


def test_a_hydrated_entity_is_whole_and_can_be_put_again(
    db: Store, door: Door, eventually: Eventually
) -> None:
    order = ORDER.model_copy(update={"note": "kept"})
    db.put(order)
    eventually(lambda: db.iter(Order.slim(day=FIRST).hydrate()), [order])
    (read,) = db.iter(Order.slim(day=FIRST).hydrate())
    db.put(read.model_copy(update={"status": "sent"}))

    assert db.get(Order.primary.get(customer="7", number=1)) == order.model_copy(update={"status": "sent"})
    assert_keys_right(door, shop)


def test_keys_that_are_numbers_and_the_attributes_themselves(db: Store, eventually: Eventually) -> None:
    db.put(Reading(sensor=1, moment=b"\x01", kind="heat", value=Decimal(1)))
    changed = db.update(
        Reading.primary.update(sensor=1, moment=b"\x01").set(value=Decimal("2.5"), kind="cold")
    )

    eventually(lambda: db.iter(Reading.by_value(kind="heat")), [])
    eventually(lambda: db.iter(Reading.by_value(kind="cold", value=Decimal("2.5"))), [changed])


def test_a_computed_part_of_an_index_key_that_does_not_change(db: Store, door: Door) -> None:
    db.put(Word(language="de", word="Haus"))
    db.update(Word.primary.update(language="de", word="Haus").set(meaning="house"))

    assert stored(door, words, "WORD#de", "Haus")["n1"] == {"S": "LENGTH#4"}


def test_a_subclass_updated_through_its_base_keeps_its_index_keys(db: Store, door: Door) -> None:
    db.put(Dog(owner="ann", name="rex"))
    db.update(Animal.primary.update(owner="ann", name="rex").set(legs=3))

    assert_keys_right(door, shop)


def test_an_upsert_writes_all_index_keys_of_what_it_makes(db: Store, door: Door) -> None:
    update = THE_ORDER.set(day=FIRST, status="open", agent="Rome", level=9)
    db.update(update, upsert=True)

    assert_keys_right(door, shop)
    assert key_of(door, "g1", "l1", "c1") == {"g1": "STATUS#open", "l1": "LATE#open", "c1": "AGENT#Rome"}


def changing(door: Door, change: Callable[[], object], times: int) -> Any:
    """A hook that changes the item after each of some reads, as another client may."""
    remaining = [times]

    def hook(request: RequestStarted) -> Any:
        def finish(done: object) -> None:
            if request.operation == "GetItem" and remaining[0]:
                remaining[0] -= 1
                change()

        return finish

    return hook


def test_an_item_that_changes_after_the_read_is_read_again(door: Door, db: Store) -> None:
    db.put(ORDER)
    days = iter([date(2025, 5, day) for day in range(1, 20)])

    def change() -> None:
        door.call(
            "UpdateItem",
            {
                "TableName": shop.name,
                "Key": {"pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#000001"}},
                "UpdateExpression": "SET #d = :d",
                "ExpressionAttributeNames": {"#d": "day"},
                "ExpressionAttributeValues": {":d": {"S": next(days).isoformat()}},
            },
        )

    quick = Retry(pause_seconds=0.0001)
    changed = door.open(hooks=[changing(door, change, 3)], retry=quick).update(THE_ORDER.set(status="sent"))

    assert (changed.day, changed.status) == (date(2025, 5, 3), "sent")
    assert (key_of(door, "m1")["m1"] or "").startswith("sent#2025-05#")


def test_an_item_that_changes_at_every_attempt_raises_a_write_conflict(door: Door, db: Store) -> None:
    db.put(ORDER)
    number = iter(range(1, 100))

    def change() -> None:
        door.call(
            "UpdateItem",
            {
                "TableName": shop.name,
                "Key": {"pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#000001"}},
                "UpdateExpression": "SET #d = :d",
                "ExpressionAttributeNames": {"#d": "day"},
                "ExpressionAttributeValues": {":d": {"S": f"2025-05-{next(number):02d}"}},
            },
        )

    store = door.open(
        hooks=[changing(door, change, 99)], retry=Retry(conflict_attempts=4, pause_seconds=0.0001)
    )
    with pytest.raises(WriteConflict) as caught:
        store.update(THE_ORDER.set(status="sent"))

    assert str(caught.value) == (
        "Update of Order: other clients changed what it depends on, tried 4 times.\n"
        "Fix: let fewer clients write the same item, or allow more attempts: Retry(conflict_attempts=...).  "
        "(pksk explain store-write-conflict)"
    )
    assert key_of(door, "g1") == {"g1": "STATUS#open"}


CHANGES = st.lists(
    st.one_of(
        st.builds(lambda value: ("status", value), st.sampled_from(["open", "paid", "sent"])),
        st.builds(lambda value: ("day", value), st.dates(FIRST, SECOND)),
        st.builds(lambda value: ("level", value), st.integers(6, 9)),
        st.builds(lambda value: ("total", value), st.integers(-3, 3)),
        st.builds(lambda value: ("note", value), st.sampled_from([None, "x"])),
        st.builds(lambda value: ("agent", value), st.sampled_from([None, "Rome", "Oslo"])),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda change: change[0],
)


@settings(max_examples=60)
@given(st.lists(CHANGES, max_size=6))
def test_any_updates_leave_the_item_that_a_put_would_write(changes: list[list[tuple[str, Any]]]) -> None:
    with connect("memory:") as db:
        for table in TABLES:
            db.client.call("CreateTable", table.create_request())
        expected = db.put(ORDER)
        for each in changes:
            update: Update[Order] = THE_ORDER.set(**dict(each))
            expected = Order(**{**dict(expected), **dict(each)})

            assert db.update(update) == expected
            (item,) = db.client.call("Scan", {"TableName": shop.name})["Items"]
            db.put(expected)
            assert db.client.call("Scan", {"TableName": shop.name})["Items"] == [item]


def test_an_update_of_an_unreadable_item_is_not_sent(db: Store, door: Door) -> None:
    db.put(ORDER)
    door.call(
        "UpdateItem",
        {
            "TableName": shop.name,
            "Key": {"pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#000001"}},
            "UpdateExpression": "SET #d = :d",
            "ExpressionAttributeNames": {"#d": "day"},
            "ExpressionAttributeValues": {":d": {"S": "yesterday"}},
        },
    )
    with pytest.raises(Exception, match="day") as caught:
        db.update(THE_ORDER.set(status="sent"))

    assert not isinstance(caught.value, ServiceError)
    assert key_of(door, "g1") == {"g1": "STATUS#open"}


@pytest.mark.parametrize("changes", [{"day": "e"}, {"status": "sent"}])
def test_an_item_that_is_older_than_its_index_gets_the_whole_key(db: Store, door: Door, changes: Any) -> None:
    item = {name: wire for name, wire in Put(Task(id="1")).item.items() if not name.startswith(("g", "r"))}
    door.call("PutItem", {"TableName": tasks.name, "Item": item})
    db.update(Task.primary.update(id="1").set(**changes))

    item = stored(door, tasks, "TASK#1", "M")
    expected = Put(Task(id="1", **changes)).item
    assert {name: item.get(name) for name in ("g1", "g2")} == {name: expected[name] for name in ("g1", "g2")}


def test_completing_a_key_keeps_its_shard(db: Store, door: Door) -> None:
    db.put(Task(id="1", note="a"))
    before = stored(door, tasks, "TASK#1", "M")["r1"]
    for number in range(20):
        db.update(Task.primary.update(id="1").set(day=f"d{number}"))

    after = stored(door, tasks, "TASK#1", "M")
    assert (after["r1"], after["r2"]) == (before, {"S": "d19#a"})
