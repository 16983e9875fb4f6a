"""Refreshing stored items after a change of the design: what is written, what is left alone, and what is rejected."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, computed_field, create_model

from pksk import (
    GSI,
    TTL,
    Clock,
    Created,
    DesignError,
    Engine,
    Entity,
    F,
    InvalidCursor,
    InvalidValue,
    ItemUnreadable,
    Key,
    Put,
    Refreshed,
    RequestStarted,
    Shard,
    Store,
    Stored,
    Table,
    Unique,
    UniqueViolation,
    Updated,
    Version,
    WriteConflict,
    collect,
    connect,
)
from pksk.sending import Call, Steps, Together
from pksk.sending.driver import Driver
from pksk.sending.retry import Retry
from pksk.store import Core
from pksk.store.requests import delete, put, refresh, update
from pksk.store.requests.move import move
from pksk.values import item_size
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.faults.interleaved import interleaved
from tests.store.shop import named

NAME = named("refreshed")
older = Table(NAME, ttl="until")
newer = Table(
    NAME,
    ttl="until",
    indexes=[GSI("by-status", pk="g1", sk="g2", projection="keys"), GSI("by-shard", pk="s1")],
)


class Fields(Entity):
    id: str
    status: str = "open"
    note: str = ""


class Old(Fields, table=older, discriminator="Task"):
    email: str | None = None
    team: str | None = None
    primary = Key("TASK#{id}", "META")


class Task(Fields, table=newer):
    email: Annotated[str | None, Unique()] = None
    team: Annotated[str | None, Unique(within="status")] = None
    until: Annotated[datetime | None, TTL()] = None
    version: Annotated[int, Version()] = 0
    created: Annotated[datetime | None, Created()] = None
    updated: Annotated[datetime | None, Updated()] = None
    primary = Key("TASK#{id}", "META")
    by_status = Key("STATUS#{status}", "{id}", index="by-status")
    by_shard = Key("ANY#{shard}", index="by-shard", shard=Shard(5), when=F.status != "done")


class Urgent(Task, table=newer):
    rank: int = 0


class Memo(Entity, table=newer):
    id: str
    text: str = ""
    primary = Key("MEMO#{id}", "META")
    by_status = Key("STATUS#memo", "{id}", index="by-status")


@pytest.fixture
def tables() -> Iterable[Table]:
    return (newer,)


def raw(door: Door, item_id: str, prefix: str = "TASK") -> dict[str, Any]:
    key = {"pk": {"S": f"{prefix}#{item_id}"}, "sk": {"S": "META"}}
    found: dict[str, Any] = door.call("GetItem", {"TableName": NAME, "Key": key}).get("Item", {})
    return found


class Reading(Entity, table=newer):
    id: str
    value: float
    values: list[float]
    primary = Key("READING#{id}", "META")


def store_raw(door: Door, entity: Any, without: Iterable[str] = (), **more: Any) -> None:
    item = {name: wire for name, wire in Put(entity).item.items() if name not in without}
    door.call("PutItem", {"TableName": NAME, "Item": item | more})


def test_items_of_an_older_design_enter_the_new_index(db: Store, eventually: Eventually) -> None:
    db.batch_put(Old(id=f"{n:02}", status="open" if n % 2 else "done") for n in range(10))

    done = db.refresh(Task.scan())

    assert (done.items, done.updated, done.attributes) == (10, 10, {"g1": 10, "g2": 10, "s1": 5})
    assert str(done) == (
        "10 items: 10 updated (g1: 10, g2: 10, s1: 5); guard items written: 0; duplicates: 0; unreadable: 0"
    )
    eventually(
        lambda: [task.id for task in db.iter(Task.by_status(status="done").hydrate())],
        ["00", "02", "04", "06", "08"],
    )
    eventually(
        lambda: sorted(task.id for task in db.iter(Task.by_shard().hydrate())),
        ["01", "03", "05", "07", "09"],
    )
    assert db.refresh(Task.scan()) == Refreshed(items=10)


def test_versions_times_and_unknown_attributes_stay(db: Store, door: Door) -> None:
    task = db.put(Task(id="1", email="a@x"))
    store_raw(door, task, {"g1"}, legacy={"M": {"a": {"N": "1"}}})
    before = raw(door, "1")

    done = db.refresh(Task.scan())

    assert done.attributes == {"g1": 1}
    assert raw(door, "1") == {**before, "g1": {"S": "STATUS#open"}}


def test_an_item_that_is_right_is_not_written(db: Store) -> None:
    db.put(Task(id="1", email="a@x", team="red"))
    with db.meter() as meter:
        done = db.refresh(Task.scan())

    assert done == Refreshed(items=1)
    assert meter.consumed.write == 0


def test_a_random_shard_stays(db: Store, door: Door) -> None:
    store_raw(door, Task(id="1"), {"g1"}, s1={"S": "ANY#3"})
    store_raw(door, Task(id="2"), {"g1"}, s1={"S": "ANY#7"})

    db.refresh(Task.scan())

    assert raw(door, "1")["s1"] == {"S": "ANY#3"}
    assert raw(door, "2")["s1"] in [{"S": f"ANY#{number}"} for number in range(5)]


class Spread(Entity, table=newer):
    """The number of its shard is in both attributes of its key."""

    id: str
    primary = Key("SPREAD#{id}", "META")
    by_status = Key("SPREAD#{shard}", "{shard}#{id}", index="by-status", shard=Shard(5))


@pytest.mark.one_door
def test_all_attributes_with_a_random_shard_are_written_together(
    db: Store, door: Door, eventually: Eventually
) -> None:
    store_raw(door, Spread(id="1"), g1={"S": "SPREAD#3"}, g2={"S": "old"})

    def change(request: RequestStarted) -> None:
        if request.operation == "UpdateItem":
            store_raw(door, Spread(id="1"), g1={"S": "SPREAD#4"}, g2={"S": "4#1"})

    door.open(hooks=[change]).refresh(Spread.scan())

    item = raw(door, "1", "SPREAD")
    assert (item["g1"], item["g2"]) == ({"S": "SPREAD#3"}, {"S": "3#1"})
    eventually(lambda: db.run(Spread.by_status().hydrate()), [Spread(id="1")])


def test_guards_are_created_and_duplicates_reported(db: Store, door: Door) -> None:
    db.batch_put(Old(id=str(n), email=f"{n // 2}@x", team="red" if n < 2 else None) for n in range(4))

    done = db.refresh(Task.scan())

    assert (done.updated, done.guards, done.duplicate_count) == (4, 3, 3)
    emails = {(each.field, each.value, tuple(each.within)) for each in done.duplicates}
    assert emails == {("email", "0@x", ()), ("email", "1@x", ()), ("team", "red", ("status",))}
    first = min(done.duplicates, key=repr)
    assert first.owner is not None
    assert raw(door, first.owner["pk"]["S"][5:])["email"] == raw(door, first.key["pk"]["S"][5:])["email"]
    assert repr(first).startswith("Task(email='0@x'): pk = 'TASK#")
    assert "already used by pk = 'TASK#" in repr(first)
    assert db.refresh(Task.scan()).duplicate_count == 3


def delete_raw(door: Door, item_id: str) -> None:
    door.call("DeleteItem", {"TableName": NAME, "Key": {"pk": {"S": f"TASK#{item_id}"}, "sk": {"S": "META"}}})


STALE: dict[str, Callable[[Door], Any]] = {
    "deleted": lambda door: delete_raw(door, "1"),
    "another value": lambda door: store_raw(door, Task(id="1", email="b@x", team="red", status="done")),
    "no value": lambda door: store_raw(door, Task(id="1")),
    "another entity": lambda door: store_raw(door, Memo(id="1"), pk={"S": "TASK#1"}),
}


@pytest.mark.parametrize("change", STALE)
def test_a_guard_of_an_item_that_another_program_has_changed_is_taken_over(
    db: Store, door: Door, change: str
) -> None:
    db.put(Task(id="1", email="a@x", team="red"))
    STALE[change](door)
    store_raw(door, Task(id="2", email="a@x", team="red"))

    done = db.refresh(Task.primary(id="2"))

    assert (done.guards, done.duplicate_count) == (2, 0)
    assert db.refresh(Task.primary(id="2")) == Refreshed(items=1)
    with pytest.raises(UniqueViolation) as raised:
        db.create(Task(id="3", email="a@x"))
    assert raised.value.owner == {"pk": {"S": "TASK#2"}, "sk": {"S": "META"}}
    db.delete(Task, id="2")
    db.create(Task(id="3", email="a@x", team="red"))


@pytest.mark.parametrize(
    "owner",
    [
        None,
        {"S": "x"},
        {"M": {}},
        {"M": {"pk": {"S": "TASK#1"}}},
        {"M": {"pk": {"N": "1"}, "sk": {"S": "x"}}},
    ],
)
def test_a_guard_that_names_no_item_is_left_and_reported(db: Store, door: Door, owner: Any) -> None:
    db.put(Task(id="1", email="a@x"))
    guard = {"pk": {"S": "unique#Task#email#a@x"}, "sk": {"S": "unique"}, "type": {"S": "pksk:unique"}}
    door.call("PutItem", {"TableName": NAME, "Item": guard | ({"owner": owner} if owner else {})})

    done = db.refresh(Task.scan())

    assert (done.guards, done.duplicate_count) == (0, 1)
    assert repr(done.duplicates[0]).startswith(
        "Task(email='a@x'): pk = 'TASK#1', sk = 'META', already used by "
    )


@pytest.mark.one_door
def test_a_guard_whose_owner_gets_the_value_again_is_not_taken_over(db: Store, door: Door) -> None:
    db.put(Task(id="1", email="a@x"))
    store_raw(door, Task(id="1"))
    store_raw(door, Task(id="2", email="a@x"))

    def change(request: RequestStarted) -> None:
        if request.operation == "TransactWriteItems":
            store_raw(door, Task(id="1", email="a@x"))

    done = door.open(hooks=[change]).refresh(Task.primary(id="2"))

    assert (done.guards, done.duplicate_count) == (0, 1)
    assert done.duplicates[0].owner == {"pk": {"S": "TASK#1"}, "sk": {"S": "META"}}


def test_a_guard_that_names_no_expiry_gets_it(db: Store, door: Door, clock: Clock) -> None:
    until = datetime.fromtimestamp(int(clock()) + 1000, UTC)
    db.put(Task(id="1", email="a@x"))
    store_raw(door, Task(id="1", email="a@x", until=until))

    assert db.refresh(Task.scan()).guards == 1
    clock.advance(2000)
    db.create(Task(id="2", email="a@x"))


def test_expired_items_are_skipped(db: Store, door: Door, clock: Clock) -> None:
    store_raw(door, Task(id="1", email="a", until=datetime.fromtimestamp(clock() - 5, UTC)), {"g1"})

    assert db.refresh(Task.scan()) == Refreshed()


def test_other_entities_and_subclasses(db: Store, door: Door) -> None:
    for entity in (Task(id="1"), Urgent(id="2", rank=3), Memo(id="3")):
        store_raw(door, entity, {"g1", "g2"})

    assert db.refresh(Urgent.scan()).items == 1
    assert "g1" not in raw(door, "1")
    assert db.refresh(Task.scan()).items == 2
    assert (raw(door, "2")["g1"], raw(door, "2")["rank"]) == ({"S": "STATUS#open"}, {"N": "3"})
    assert "g1" not in raw(door, "3", "MEMO")
    assert db.refresh(Memo.scan()).attributes == {"g1": 1, "g2": 1}


def test_a_missing_discriminator_is_written_for_the_base_class_alone(db: Store, door: Door) -> None:
    store_raw(door, Task(id="1"), {"type"})
    unreadable: list[ItemUnreadable] = []

    done = db.refresh(Urgent.scan(), unreadable=unreadable)

    assert (done.items, done.unreadable) == (0, 1)
    assert unreadable[0].fields == {"type": "the item has no discriminator, and Urgent, Task share its key"}
    assert db.refresh(Task.scan()).attributes == {"type": 1}
    assert raw(door, "1")["type"] == {"S": "Task"}


def test_a_renamed_class_takes_over_its_items(db: Store, door: Door) -> None:
    store_raw(door, Memo(id="1"), type={"S": "Letter"})
    store_raw(door, Task(id="2"), type={"S": "Letter"})
    with pytest.raises(ItemUnreadable, match="the item has 'Letter', expected is 'Memo'"):
        db.refresh(Memo.scan())

    done = db.refresh(Memo.scan(), renamed_from="Letter")

    assert done.attributes == {"type": 1}
    assert db.get(Memo, id="1") == Memo(id="1")
    assert raw(door, "2")["type"] == {"S": "Letter"}


def test_retired_attributes_are_dropped_by_name(db: Store, door: Door) -> None:
    store_raw(door, Memo(id="1"), g9={"S": "x"}, old={"N": "1"}, kept={"N": "1"})
    before = raw(door, "1", "MEMO")

    done = db.refresh(Memo.scan(), drop=["g9", "old", "never"])

    assert done.attributes == {"g9": 1, "old": 1}
    assert raw(door, "1", "MEMO") == {
        name: wire for name, wire in before.items() if name not in ("g9", "old")
    }


@pytest.mark.one_door
def test_more_attributes_than_fit_one_update_are_dropped_in_several_refreshes(db: Store, door: Door) -> None:
    names = [f"an-attribute-with-a-long-name-{number:04}" for number in range(1000)]
    store_raw(door, Memo(id="1"), **{name: {"S": "x"} for name in names})

    with pytest.raises(
        DesignError, match=r"refresh: 1,000 attributes of the item pk = 'MEMO#1', .* at once: "
    ) as raised:
        db.refresh(Memo.scan(), drop=names)
    assert raised.value.code == "store-refresh-option"
    assert raised.value.fix == "drop fewer attributes at a time."
    for start in range(0, 1000, 250):
        assert len(db.refresh(Memo.scan(), drop=names[start : start + 250]).attributes) == 250
    assert raw(door, "1", "MEMO") == Put(Memo(id="1")).item


class Strict(Entity, table=newer, unknown="error"):
    id: str
    primary = Key("STRICT#{id}", "META")


def test_a_class_without_unknown_attributes_drops_those_that_are_named(db: Store, door: Door) -> None:
    store_raw(door, Strict(id="1"), legacy={"S": "x"})
    store_raw(door, Strict(id="2"), legacy={"S": "x"}, other={"S": "y"})
    unreadable: list[ItemUnreadable] = []

    done = db.refresh(Strict.scan(), drop="legacy", unreadable=unreadable)

    assert (done.attributes, done.unreadable) == ({"legacy": 1}, 1)
    assert "does not know: 'other'" in str(unreadable[0])
    assert db.get(Strict, id="1") == Strict(id="1")
    assert "legacy" in raw(door, "2", "STRICT")


class Address(BaseModel):
    city: str
    street: str = "none"


class Place(Entity, table=newer):
    id: str
    address: Address | None = None
    other: Address | None = None
    note: str | None = None
    updated: Annotated[datetime | None, Updated()] = None
    primary = Key("PLACE#{id}", "META")


def test_stored_forms_are_converted_on_request(db: Store, door: Door) -> None:
    place = Place(id="1", address=Address(city="a"), other=Address(city="b"))
    short, longer = {"city": {"S": "a"}}, {"city": {"S": "b"}, "zip": {"S": "1"}}
    store_raw(door, place, address={"M": short}, other={"M": longer}, note={"NULL": True}, x={"S": "y"})
    before = raw(door, "1", "PLACE")

    assert db.refresh(Place.scan()) == Refreshed(items=1)
    done = db.refresh(Place.scan(), formats=True)

    assert done.attributes == {"address": 1, "note": 1}
    converted = {"M": short | {"street": {"S": "none"}}}
    assert raw(door, "1", "PLACE") == {
        name: converted if name == "address" else wire for name, wire in before.items() if name != "note"
    }
    assert db.refresh(Place.scan(), formats=True).updated == 0


class Event(Entity, table=newer):
    """Times in several formats; the index key is made of one of them."""

    id: str
    at: Annotated[datetime, Stored("epoch-milliseconds", reads=["iso-milliseconds", "iso-offset"])]
    times: list[Annotated[datetime, Stored("iso-seconds", reads=["epoch-seconds"])]] = Field(
        default_factory=list
    )
    days: set[Annotated[datetime, Stored("epoch-seconds", reads=["iso-seconds"])]] = Field(
        default_factory=set
    )
    updated: Annotated[datetime | None, Updated(), Stored("iso-seconds", reads=["iso-offset"])] = None
    version: Annotated[int, Version()] = 0
    primary = Key("EVENT#{id}", "META")
    by_status = Key("EVENTS", "{at}", index="by-status")


INSTANTS = st.integers(0, 2 * 10**9).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))


def in_formats(at: datetime) -> tuple[dict[str, str], ...]:
    """One instant as epoch seconds, milliseconds, and text in UTC and with an offset."""
    text, offset = at.isoformat()[:19], at.astimezone(timezone(timedelta(hours=2))).isoformat()
    seconds = str(int(at.timestamp()))
    return {"N": seconds}, {"N": f"{seconds}000"}, {"S": f"{text}Z"}, {"S": f"{text}.000Z"}, {"S": offset}


@given(st.lists(st.tuples(INSTANTS, st.lists(INSTANTS, max_size=3), INSTANTS), max_size=5), st.data())
def test_random_formats_are_converted_to_the_declared_ones(
    rows: list[tuple[datetime, list[datetime], datetime]], data: st.DataObject
) -> None:
    def one_of(at: datetime, *formats: int) -> dict[str, str]:
        return in_formats(at)[data.draw(st.sampled_from(formats))]

    def one_of_sets(at: datetime) -> dict[str, list[str]]:
        ((letter, text),) = one_of(at, 0, 2).items()
        return {f"{letter}S": [text]}

    with connect(Engine.open()) as db:
        db.create_tables(newer)
        for number, (at, times, updated) in enumerate(rows):
            anew = Put(Event(id=str(number), at=at, version=3)).item
            stored = {
                "at": one_of(at, 1, 3, 4),
                "times": {"L": [one_of(each, 0, 2) for each in times]},
                **({"days": one_of_sets(at)} if times else {}),
                "updated": one_of(updated, 2, 4),
                "legacy": {"S": "x"},
            }
            kept = {name: anew[name] for name in ("pk", "sk", "id", "version", "type")}
            db.client.call("PutItem", {"TableName": NAME, "Item": kept | stored})

        db.refresh(Event.scan(), formats=True)

        items = {item["id"]["S"]: item for item in db.client.call("Scan", {"TableName": NAME})["Items"]}
    for number, (at, times, updated) in enumerate(rows):
        days = {at} if times else set()
        anew = Put(Event(id=str(number), at=at, times=times, days=days, updated=updated, version=3)).item
        assert items[str(number)] == anew | {"legacy": {"S": "x"}}


def test_a_value_that_is_finer_than_its_format_is_reported(db: Store, door: Door) -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    store_raw(door, Event(id="1", at=at), updated={"S": "2026-03-01T00:00:00.000500+00:00"})
    unreadable: list[ItemUnreadable] = []

    assert db.refresh(Event.scan(), formats=True, unreadable=unreadable).updated == 0
    assert "finer than its stored format" in str(unreadable[0])


def test_a_conversion_keeps_every_digit_of_a_number(db: Store, door: Door) -> None:
    wires: dict[str, Any] = {
        "value": {"N": "0.12345678901234567890123"},
        "values": {"L": [{"N": "12345678901234567890123"}]},
    }
    store_raw(door, Reading(id="1", value=1, values=[]), **wires)

    assert db.refresh(Reading.scan(), formats=True).updated == 0


def test_a_conversion_does_not_overwrite_a_change(db: Store, door: Door) -> None:
    store_raw(door, Place(id="1"), address={"M": {"city": {"S": "a"}}})

    def change(request: RequestStarted) -> None:
        if request.operation == "UpdateItem":
            store_raw(door, Place(id="1"), address={"M": {"city": {"S": "new"}, "street": {"S": "s"}}})

    done = door.open(hooks=[change]).refresh(Place.scan(), formats=True)

    assert done.updated == 0
    assert raw(door, "1", "PLACE")["address"] == {"M": {"city": {"S": "new"}, "street": {"S": "s"}}}


def test_queries_are_refreshed_by_any_key(db: Store, door: Door, eventually: Eventually) -> None:
    for number in range(5):
        store_raw(door, Task(id=str(number)), {"s1"}, legacy={"S": "x"})

    assert db.refresh(Task.primary(id="1")).updated == 1
    assert db.refresh(Task.scan().filter(F.id == "2")).updated == 1
    of_status = Task.by_status(status="open")
    eventually(lambda: len(list(db.iter(of_status.hydrate()))), 5)
    assert db.refresh(of_status.pages(2)).updated == 3
    assert db.refresh(collect(Task.primary(id="1"), Memo.primary(id="1"))).items == 1
    assert raw(door, "3")["legacy"] == {"S": "x"}


def test_an_unreadable_item_is_left_and_reported(db: Store, door: Door) -> None:
    store_raw(door, Task(id="1"), {"g1"}, note={"N": "5"})
    store_raw(door, Task(id="2"), {"g1"})
    store_raw(door, Task(id="3"), {"g1"}, status={"S": "x" * 3000})
    unreadable: list[ItemUnreadable] = []

    with pytest.raises(ItemUnreadable):
        db.refresh(Task.scan())
    done = db.refresh(Task.scan(), unreadable=unreadable)

    assert done.unreadable == len(unreadable) == 2
    assert "g1" not in raw(door, "1")
    assert "g1" in raw(door, "2")
    assert any("2048" in str(each) or "2,048" in str(each) for each in unreadable)


def test_an_item_that_would_be_too_large_with_its_keys_is_left_and_reported(db: Store, door: Door) -> None:
    lacking = {"g1", "g2"}
    item = Put(Memo(id="1")).item
    # Without the attributes that a refresh adds, it is exactly as large as an item can be.
    room = 400 * 1024 - item_size({name: wire for name, wire in item.items() if name not in lacking})
    store_raw(door, Memo(id="1"), lacking, text={"S": "x" * room})
    store_raw(door, Memo(id="2"), lacking)
    unreadable: list[ItemUnreadable] = []

    done = db.refresh(Memo.scan(), unreadable=unreadable)

    assert (done.updated, done.unreadable) == (1, 1)
    assert "the item with its index keys has 409,616 bytes" in str(unreadable[0])
    assert "g1" not in raw(door, "1", "MEMO")


class Found(Exception):
    """Stops a refresh."""


@pytest.mark.parametrize("segments", [1, 3])
def test_a_stopped_refresh_resumes_in_another_store(db: Store, door: Door, segments: int) -> None:
    db.batch_put(Old(id=str(n), email=f"{n}@x") for n in range(20))
    scan = Task.scan().segments(segments).pages(4)
    reached: list[Refreshed] = []

    def progress(done: Refreshed) -> None:
        reached.append(done)
        if done.items >= 8:
            raise Found

    with pytest.raises(Found):
        db.refresh(scan, progress=progress)
    assert reached[-1].items < 20
    rest = door.open(cursor_secret="another").refresh(scan, after=reached[-1].cursor)

    assert reached[-1].updated + rest.updated == 20
    assert reached[-1].items + rest.items == 20
    assert rest.cursor is None
    assert db.refresh(Task.scan()).updated == 0


def test_a_cursor_of_another_read_is_rejected(db: Store) -> None:
    db.batch_put(Old(id=str(n)) for n in range(4))
    cursors: list[str | None] = []
    db.refresh(Task.scan().pages(1), progress=lambda done: cursors.append(done.cursor))

    assert cursors[-1] is None
    for read, cursor in ((Memo.scan(), cursors[0]), (Task.scan(), "none")):
        with pytest.raises(InvalidCursor):
            db.refresh(read, after=cursor)


def test_an_item_that_changes_meanwhile_is_read_again(db: Store, door: Door) -> None:
    db.put(Old(id="1", email="a@x"))
    writes = [
        lambda: store_raw(door, Old(id="1", status="done", email="a@x")),
        lambda: store_raw(door, Old(id="1", status="done", email="b@x")),
    ]

    def change(request: RequestStarted) -> None:
        if request.operation in ("UpdateItem", "TransactWriteItems") and writes:
            writes.pop()()

    done = door.open(hooks=[change]).refresh(Task.scan())

    assert (done.updated, done.guards) == (1, 1)
    assert raw(door, "1")["g1"] == {"S": "STATUS#done"}
    with pytest.raises(Exception, match="already used"):
        db.create(Task(id="2", email="a@x"))
    db.create(Task(id="3", email="b@x"))


@pytest.mark.parametrize("end", ["deleted", "expired", "unreadable", "another entity", "another class"])
def test_an_item_that_is_gone_meanwhile_is_left(db: Store, door: Door, clock: Clock, end: str) -> None:
    db.put(Old(id="1"))
    key = {name: raw(door, "1")[name] for name in ("pk", "sk")}
    ends: dict[str, Callable[[], object]] = {
        "deleted": lambda: door.call("DeleteItem", {"TableName": NAME, "Key": key}),
        "expired": lambda: store_raw(door, Old(id="1", status="x"), until={"N": str(int(clock()) - 5)}),
        "unreadable": lambda: store_raw(door, Old(id="1", status="x"), note={"N": "1"}),
        "another entity": lambda: store_raw(door, Old(id="1", status="x"), type={"S": "Memo"}),
        "another class": lambda: store_raw(door, Old(id="1"), type={"S": "Memo"}),
    }

    def change(request: RequestStarted) -> None:
        if request.operation == "UpdateItem":
            ends[end]()

    done = door.open(hooks=[change]).refresh(Task.scan(), unreadable=[])

    assert (done.items, done.updated, done.unreadable) == (1, 0, int(end not in ("deleted", "expired")))
    assert "g1" not in raw(door, "1")


@pytest.mark.one_door
def test_an_item_that_never_rests_is_a_conflict(db: Store, door: Door) -> None:
    db.put(Old(id="1"))

    def change(request: RequestStarted) -> None:
        if request.operation == "UpdateItem":
            store_raw(door, Old(id="1", status=raw(door, "1")["status"]["S"] + "x"))

    with pytest.raises(WriteConflict, match="Refresh of Task"):
        door.open(hooks=[change], retry=Retry(conflict_attempts=3)).refresh(Task.scan())


@pytest.mark.one_door
def test_a_guard_that_is_taken_meanwhile_is_a_duplicate(db: Store, door: Door) -> None:
    db.put(Old(id="1", email="a@x"))

    def change(request: RequestStarted) -> None:
        if request.operation == "TransactWriteItems" and not raw(door, "2"):
            db.create(Task(id="2", email="a@x"))

    done = door.open(hooks=[change]).refresh(Task.scan())

    assert (done.updated, done.guards, done.duplicate_count) == (1, 0, 1)
    assert done.duplicates[0].owner == {"pk": {"S": "TASK#2"}, "sk": {"S": "META"}}


def test_a_meter_shows_reads_and_writes(db: Store) -> None:
    db.batch_put(Old(id=str(n)) for n in range(3))
    with db.meter() as meter:
        db.refresh(Task.scan())

    rows = {row.name: row for row in meter.rows}
    assert rows["refresh Task"].uses == 3
    assert rows["refresh Task"].estimate == rows["refresh Task"].consumed
    assert rows["scan Task"].uses == 1


def test_guards_that_a_refresh_writes_are_estimated(db: Store, door: Door) -> None:
    db.put(Old(id="1", email="a@x", team="red"))
    store_raw(door, Task(id="2", email="b@x"))
    db.put(Task(id="3", email="c@x"))
    delete_raw(door, "3")
    store_raw(door, Task(id="4", email="c@x"))
    with db.meter() as meter:
        done = db.refresh(Task.scan())

    (row,) = (row for row in meter.rows if row.name == "refresh Task")
    assert (done.updated, done.guards, row.uses) == (1, 4, 3)
    assert row.estimate == row.consumed


class Slim(BaseModel):
    id: str


class Unnamed(Entity, table=Table("unnamed", discriminator=None)):
    id: str
    primary = Key("{id}", "META")


async def async_progress(_: Refreshed) -> None: ...


WRONG: dict[str, tuple[Callable[[Store], Any], type[Exception], str]] = {
    "an entity": (lambda db: db.refresh(Task), DesignError, "refresh: its argument is "),  # type: ignore[arg-type]
    "a get": (lambda db: db.refresh(Task.primary.get(id="1")), DesignError, "a Get"),  # type: ignore[arg-type]
    "a limit": (lambda db: db.refresh(Task.by_status(status="x").limit(3)), DesignError, "has a limit of 3"),
    "a model": (lambda db: db.refresh(Task.primary(id="1").into(Slim)), DesignError, "has results of Slim"),
    "a field": (lambda db: db.refresh(Task.scan(), drop="note"), DesignError, "drop='note' names an attr"),
    "a field of a subclass": (lambda db: db.refresh(Task.scan(), drop=["rank"]), DesignError, "Urgent uses"),
    "a key": (lambda db: db.refresh(Task.scan(), drop=["x", "g1"]), DesignError, "drop='g1'"),
    "the TTL": (lambda db: db.refresh(Memo.scan(), drop="until"), DesignError, "drop='until'"),
    "no name": (lambda db: db.refresh(Memo.scan(), drop=[5]), InvalidValue, "drop=5 is not a name"),  # type: ignore[list-item]
    "no names": (lambda db: db.refresh(Memo.scan(), drop=5), InvalidValue, "drop=5 is not a name"),  # type: ignore[arg-type]
    "a value in use": (lambda db: db.refresh(Memo.scan(), renamed_from="Task"), DesignError, "value of Task"),
    "no tags": (
        lambda db: db.refresh(Unnamed.scan(), renamed_from="A"), DesignError, "unnamed has no discriminator"
    ),
    "a query": (lambda db: db.refresh(Memo.primary(id="1"), renamed_from="A"), DesignError, "needs a scan"),
    "no flag": (lambda db: db.refresh(Memo.scan(), formats="no"), DesignError, "formats='no'"),  # type: ignore[arg-type]
    "no function": (lambda db: db.refresh(Memo.scan(), progress=5), InvalidValue, "progress=5"),  # type: ignore[arg-type]
    "an async function": (lambda db: db.refresh(Memo.scan(), progress=async_progress), InvalidValue, "an async f"),  # type: ignore[arg-type]
    "no list": (lambda db: db.refresh(Memo.scan(), unreadable=5), InvalidValue, "unreadable=5"),  # type: ignore[arg-type]
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_rejected_before_anything_is_read(db: Store, name: str) -> None:
    call, kind, text = WRONG[name]
    with db.meter() as meter, pytest.raises(kind, match=text):
        call(db)

    assert meter.calls == 0


MANY = {f"field{number:03}": (str, "v") for number in range(200)}
wide = Table("wide", indexes=[GSI("by-all", pk="g1")])


class Wide(create_model("Columns", id=(str, ...), **MANY), Entity, table=wide):  # type: ignore[misc]
    primary = Key("WIDE#{id}", "META")
    by_all = Key("{everything}", index="by-all")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def everything(self) -> str:
        return "".join(getattr(self, name) for name in MANY)


def test_a_computed_key_of_too_many_fields_needs_a_version() -> None:
    with connect("memory:") as db:
        db.create_tables(wide)
        item = {name: wire for name, wire in Put(Wide(id="1")).item.items() if name != "g1"}
        db.client.call("PutItem", {"TableName": "wide", "Item": item})

        with pytest.raises(DesignError, match="Wide: refresh: an item with") as raised:
            db.refresh(Wide.scan())
        assert raised.value.code == "store-move-too-large"


Run = Generator[Any, Any, Any]


def one_by_one(run: Steps[Any]) -> Run:
    """The same steps, with parallel ones in turn, so that other writers come between them."""
    try:
        step = run.send(None)
        while True:
            try:
                if isinstance(step, Together):
                    answer: Any = []
                    for each in step.runs:
                        answer.append((yield from one_by_one(each)))
                else:
                    answer = yield step
            except Exception as error:
                step = run.throw(error)
            else:
                step = run.send(answer)
    except StopIteration as done:
        return done.value


def writers(core: Core) -> list[Callable[[str], Run]]:
    one = Task.primary
    return [
        lambda name: update.update(core, one.update(id=name).set(status="done", note="new")),
        lambda name: update.update(core, one.update(id=name).set(email="1@x")),
        lambda name: update.update(core, one.update(id=name).remove("email")),
        lambda name: put.put(core, Task(id=name, status="put", email="0@x")),
        lambda name: delete.delete(core, one.delete(id=name)),
        lambda name: move(core, one.get(id=name), {"id": "9", "status": "moved"}),
        lambda _: refresh.refresh(core, Task.scan().pages(2)),
    ]


@given(st.data())
def test_concurrent_writers_leave_no_wrong_key_and_no_guard_too_few(data: st.DataObject) -> None:
    engine = Engine.open()
    db = connect(engine)
    db.create_tables(newer)
    db.batch_put(Old(id=str(n), email=data.draw(st.sampled_from([None, "0@x", "1@x"]))) for n in range(3))
    core = Core()
    others = data.draw(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), max_size=4))
    runs = [refresh.refresh(core, Task.scan().pages(2)), *(writers(core)[kind](str(n)) for kind, n in others)]

    found = interleaved(
        engine, [one_by_one(run) for run in runs], lambda most: data.draw(st.integers(0, most - 1))
    )

    assert isinstance(found[0], Refreshed), found[0]
    # An item that moved may have been met at neither key.
    again = db.refresh(Task.scan())
    moved = any(kind == 5 for kind, _ in others)
    assert again.updated <= int(moved)
    tasks = list(db.scan(Task.scan()))
    for task in tasks:
        item = engine.call("GetItem", {"TableName": NAME, "Key": Put(task).item_key})["Item"]
        assert item["g1"] == {"S": f"STATUS#{task.status}"}
        assert ("s1" in item) is (task.status != "done")
    owners = {
        item["pk"]["S"]: item["owner"]["M"]["pk"]["S"][5:]
        for item in engine.call("Scan", {"TableName": NAME})["Items"]
        if item["pk"]["S"].startswith("unique#")
    }
    emails: dict[str, list[str]] = {}
    for task in tasks:
        if task.email is not None:
            emails.setdefault(f"unique#Task#email#{task.email}", []).append(task.id)
    assert owners.keys() == emails.keys()
    assert all(owner in emails[name] for name, owner in owners.items())


def raw_delete(item_id: str) -> Run:
    yield Call(
        "DeleteItem", {"TableName": NAME, "Key": {"pk": {"S": f"TASK#{item_id}"}, "sk": {"S": "META"}}}
    )


def raw_put(item_id: str, email: str | None) -> Run:
    yield Call("PutItem", {"TableName": NAME, "Item": Put(Old(id=item_id, email=email)).item})


EMAILS = st.sampled_from([None, "0@x", "1@x"])


@given(st.data())
def test_after_writers_without_guards_a_refresh_gives_each_value_to_an_item_that_has_it(
    data: st.DataObject,
) -> None:
    engine, core = Engine.open(), Core()
    db = connect(engine)
    db.create_tables(newer)
    for number in range(3):
        with suppress(UniqueViolation):
            db.put(Task(id=str(number), email=data.draw(EMAILS)))
    kinds = st.tuples(st.sampled_from([*range(7), *[7, 8] * 4]), st.sampled_from("012"))
    others = [
        raw_delete(name)
        if kind == 7
        else raw_put(name, data.draw(EMAILS))
        if kind == 8
        else writers(core)[kind](name)
        for kind, name in data.draw(st.lists(kinds, max_size=8))
    ]

    interleaved(engine, [one_by_one(run) for run in others], lambda most: data.draw(st.integers(0, most - 1)))
    done, again = db.refresh(Task.scan()), db.refresh(Task.scan())

    assert (again.updated, again.guards) == (0, 0)
    items = engine.call("Scan", {"TableName": NAME})["Items"]
    owners = {item["pk"]["S"]: item["owner"]["M"]["pk"]["S"] for item in items if "owner" in item}
    holders: dict[str, set[str]] = {}
    for item in items:
        if "email" in item:
            holders.setdefault(f"unique#Task#email#{item['email']['S']}", set()).add(item["pk"]["S"])
    assert all(owners[name] in found for name, found in holders.items())
    assert done.duplicate_count == again.duplicate_count == sum(len(each) - 1 for each in holders.values())


def test_calls_of_a_refresh_are_bounded_by_pages() -> None:
    engine = Engine.open()
    with connect(engine) as db:
        db.create_tables(newer)
        db.batch_put(Old(id=str(n), email=f"{n}@x") for n in range(50))
    largest = 0

    class Counting:
        def call(self, operation: str, request: Any) -> Any:
            nonlocal largest
            answer = engine.call(operation, request)
            largest = max(largest, len(answer.get("Items", ())))
            return answer

    Driver(Counting()).run(refresh.refresh(Core(), Task.scan().pages(10)))

    assert largest == 10
    assert Call is not None
