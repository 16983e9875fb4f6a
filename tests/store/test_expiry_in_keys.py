"""A TTL in a key: in every format, the key holds the whole second that is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import pytest
from pydantic import Field

from pksk import GSI, TTL, Entity, F, Key, Put, Shard, Store, Table, gte
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import named
from tests.store.table_contents import assert_keys_right, stored

ended = Table(named("ended"), ttl="exp", indexes=[GSI("by-end", pk="g1", sk="g2"), GSI("spread", pk="s1")])

UNTIL = datetime(2099, 1, 1, 2, 0, 0, 123456, tzinfo=timezone(timedelta(hours=2)))
SECOND = datetime(2099, 1, 1, 0, 0, 1, tzinfo=UTC)


class Lease(Entity, table=ended):
    id: str
    exp: Annotated[datetime | None, TTL()] = None
    uses: int = 0

    primary = Key("LEASE#{id}", "META")
    by_end = Key("LEASES", "{exp}#{id}", index="by-end")
    spread = Key("{shard}#{exp}", index="spread", shard=Shard(4, of="exp"))


class Slot(Entity, table=ended):
    id: str
    exp: Annotated[datetime, TTL()]
    uses: int = 0

    primary = Key("SLOT#{id}", "{exp}", identity="id")


class Visit(Entity, table=ended):
    id: str
    exp: Annotated[datetime, TTL()] = Field(default_factory=lambda: UNTIL)
    uses: int = 0

    primary = Key("VISIT#{id}", "META")
    by_end = Key("VISITS", "{exp}", index="by-end")


@pytest.fixture
def tables() -> Iterable[Table]:
    return (ended,)


LEASE, SLOT = Lease.primary.update(id="1"), Slot.primary.update(id="1", exp=UNTIL)

WRITES: dict[str, Callable[[Store], Any]] = {
    "put": lambda db: db.put(Lease(id="1", exp=UNTIL)),
    "create": lambda db: db.create(Lease(id="1", exp=UNTIL)),
    "batch_put": lambda db: db.batch_put(Lease(id="1", exp=UNTIL))[0],
    "transaction": lambda db: db.transaction(Put(Lease(id="1", exp=UNTIL)))[0],
    "update": lambda db: (db.put(Lease(id="1")), db.update(LEASE.set(exp=UNTIL)))[1],
    "apply": lambda db: (db.put(Lease(id="1")), db.update(LEASE.apply(F.exp.set(UNTIL))))[1],
    "upsert": lambda db: db.update(LEASE.set(exp=UNTIL), upsert=True),
    "move": lambda db: (db.put(Lease(id="2")), db.move(Lease.primary.get(id="2"), id="1", exp=UNTIL))[1],
    "move in place": lambda db: (db.put(Lease(id="1")), db.move(Lease.primary.get(id="1"), exp=UNTIL))[1],
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_every_write_returns_the_whole_second_that_is_stored_and_uses_it_in_keys(
    db: Store, door: Door, eventually: Eventually, write: Callable[[Store], Lease]
) -> None:
    made = write(db)

    assert made.exp == SECOND
    assert_keys_right(door, ended)
    assert stored(door, ended, "LEASE#1", "META")["g2"] == {"S": "2099-01-01T00:00:01.000000Z#1"}
    eventually(lambda: list(db.iter(Lease.by_end(exp=gte(SECOND)))), [made])


def test_a_put_request_without_a_store_uses_the_same_second(db: Store, door: Door) -> None:
    for entity in (Lease(id="1", exp=UNTIL), Slot(id="1", exp=UNTIL)):
        door.call("PutItem", Put(entity).request)

    assert_keys_right(door, ended)
    assert db.get(Slot.primary.get(id="1", exp=SECOND)) is not None


MADE: dict[str, Callable[[Store], Any]] = {
    "put": lambda db: db.put(Slot(id="1", exp=UNTIL)),
    "batch_put": lambda db: db.batch_put(Slot(id="1", exp=UNTIL))[0],
    "upsert": lambda db: db.update(SLOT.add(uses=0), upsert=True),
    "move": lambda db: (
        db.put(Slot(id="1", exp=SECOND + timedelta(days=1))),
        db.move(Slot.primary.get(id="1", exp=SECOND + timedelta(days=1)), exp=UNTIL),
    )[1],
}


@pytest.mark.parametrize("given", [UNTIL, SECOND], ids=["fraction", "second"])
@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_an_item_with_its_ttl_in_the_primary_key_can_be_read_and_changed(
    db: Store, door: Door, make: Callable[[Store], Slot], given: datetime
) -> None:
    made = make(db)

    assert_keys_right(door, ended)
    assert db.get(Slot.primary.get(id="1", exp=given)) == made == Slot(id="1", exp=SECOND)
    assert db.update(Slot.primary.update(id="1", exp=given).add(uses=1)).uses == 1
    assert db.delete(Slot(id="1", exp=given)) == Slot(id="1", exp=SECOND, uses=1)


def test_a_default_with_a_fraction_is_stored_as_a_whole_second(db: Store, door: Door) -> None:
    update = Visit.primary.update(id="1")
    assert db.update(update.add(uses=1), upsert=True).exp == SECOND
    assert db.update(update.set(exp=SECOND + timedelta(days=1))).exp == SECOND + timedelta(days=1)

    assert db.update(Visit.primary.update(id="1").remove("exp")).exp == SECOND
    assert_keys_right(door, ended)


@pytest.mark.parametrize(
    "until",
    [
        datetime(2099, 11, 1, 1, 30, 0, 5, tzinfo=ZoneInfo("America/New_York"), fold=1),
        datetime(2099, 11, 1, 1, 59, 59, 5, tzinfo=ZoneInfo("America/New_York")),
    ],
)
def test_the_repeated_hour_at_the_end_of_summer_time_gives_two_keys(
    db: Store, door: Door, until: datetime
) -> None:
    second = str(int(until.timestamp()) + 1)
    db.put(Lease(id="1", exp=UNTIL))
    db.update(LEASE.set(exp=until))
    db.batch_put(Slot(id="1", exp=until))

    assert stored(door, ended, "LEASE#1", "META")["exp"] == {"N": second}
    assert_keys_right(door, ended)
    assert db.delete(Slot(id="1", exp=until)) is not None


def test_queries_use_the_second_that_is_stored(db: Store, eventually: Eventually) -> None:
    slot, lease = db.put(Slot(id="1", exp=UNTIL)), db.put(Lease(id="1", exp=UNTIL))

    assert list(db.iter(Slot.primary(id="1", exp=UNTIL))) == [slot]
    assert list(db.iter(Slot.where(id="1", exp=UNTIL))) == [slot]
    eventually(lambda: db.iter(Lease.by_end(exp=UNTIL)), [lease])
    eventually(lambda: db.iter(Lease.spread(exp=UNTIL)), [lease])
