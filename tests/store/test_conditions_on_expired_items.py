"""Conditions on items whose time is over: they hold where they would hold for no item at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Annotated, Any

import pytest

from pksk import (
    TTL,
    Clock,
    ConditionFailed,
    Entity,
    F,
    Key,
    NotFound,
    PkskError,
    Put,
    StaleVersion,
    Store,
    Table,
    TransactionFailed,
    Version,
)
from tests.store.doors import Door
from tests.store.shop import named

leases = Table(named("leases"), ttl="expires")


class Lease(Entity, table=leases):
    id: str
    holder: str = ""
    count: int = 0
    note: str | None = None
    expires: Annotated[datetime | None, TTL()] = None
    primary = Key("LEASE#{id}", "META")


class Draft(Entity, table=leases):
    id: str
    version: Annotated[int, Version()] = 0
    expires: Annotated[int | None, TTL()] = None
    primary = Key("DRAFT#{id}", "META")


@pytest.fixture
def tables() -> Iterable[Table]:
    return [leases]


@pytest.fixture
def moment(clock: Clock) -> datetime:
    return datetime.fromtimestamp(int(clock()), UTC)


CONDITIONS: dict[str, tuple[Any, bool, bool]] = {
    # The condition, whether it holds for an item by ann with a count of 5, and for none.
    "equal": (F.holder == "ann", True, False),
    "another": (F.holder == "bob", False, False),
    "not equal": (F.holder != "ann", False, True),
    "there": (F.holder.exists(), True, False),
    "missing": (F.holder.missing(), False, True),
    "either": (F.holder.missing() | (F.count > 3), True, True),
    "both": ((F.holder != "bob") & (F.count > 3), True, False),
    "both of none": (F.holder.missing() & F.count.missing(), False, True),
    "opposite": (~(F.count > 3), False, True),
}


@pytest.mark.parametrize(("condition", "for_item", "for_none"), CONDITIONS.values(), ids=CONDITIONS)
@pytest.mark.parametrize("state", ["there", "over", "none", "endless"])
@pytest.mark.parametrize("verb", ["put", "delete", "transaction"])
def test_a_condition_sees_no_item_whose_time_is_over(
    db: Store, clock: Clock, verb: str, state: str, condition: Any, for_item: bool, for_none: bool
) -> None:
    if state != "none":
        ends = None if state == "endless" else datetime.fromtimestamp(clock() + 60, UTC)
        db.put(Lease(id="1", holder="ann", count=5, expires=ends))
    clock.advance(90 if state == "over" else 1)
    new = Lease(id="1", holder="eve")

    def write() -> Any:
        if verb == "delete":
            return db.delete(Lease.primary.delete(id="1").when(condition))
        return db.put(new, when=condition) if verb == "put" else db.transaction(Put(new).when(condition))

    if for_item if state in ("there", "endless") else for_none:
        write()
        assert db.get(Lease.primary.get(id="1")) == (None if verb == "delete" else new)
    else:
        with pytest.raises((ConditionFailed, TransactionFailed)):
            write()


def test_a_condition_that_an_item_does_not_meet_since_its_time_is_over_is_told_as_it_was_written(
    db: Store, clock: Clock, moment: datetime
) -> None:
    db.put(Lease(id="1", holder="ann", expires=moment))
    clock.advance(5)
    with pytest.raises(ConditionFailed, match="the condition holder = 'ann' does not hold"):
        db.put(Lease(id="1"), when=F.holder == "ann")
    with pytest.raises(NotFound):
        db.delete(Lease.primary.delete(id="1").if_present().when(F.holder == "ann"))


def test_an_end_that_is_no_number_is_no_end_as_for_reads(db: Store, door: Door) -> None:
    item = {**Put(Lease(id="1", holder="ann")).item, "expires": {"S": "soon"}}
    door.call("PutItem", {"TableName": leases.name, "Item": item})

    assert db.put(Lease(id="1"), when=F.holder == "ann") == Lease(id="1")


def test_a_new_entity_takes_the_place_of_one_whose_time_is_over_whatever_its_version(
    db: Store, clock: Clock
) -> None:
    db.put(Draft(id="1", expires=int(clock()) + 5))
    clock.advance(6)

    assert db.put(Draft(id="1")).version == 1


@pytest.mark.parametrize("swept", [False, True])
@pytest.mark.parametrize("verb", ["put", "create", "delete", "delete when", "put in a transaction"])
def test_a_version_of_what_is_over_is_that_of_nothing_whether_it_was_deleted_or_not(
    db: Store, door: Door, clock: Clock, verb: str, swept: bool
) -> None:
    old = db.create(Draft(id="1", expires=int(clock()) + 10))
    clock.advance(60)
    key = {"pk": {"S": "DRAFT#1"}, "sk": {"S": "META"}}
    if swept:
        door.call("DeleteItem", {"TableName": leases.name, "Key": key})
    new = old.model_copy(update={"expires": None})
    writes: dict[str, Callable[[], Any]] = {
        "put": lambda: db.put(new),
        "create": lambda: db.create(new),
        "delete": lambda: db.delete(old),
        "delete when": lambda: db.delete(Draft.primary.delete(id="1").when(F.version == 1)),
        "put in a transaction": lambda: db.transaction(Put(new)),
    }

    with pytest.raises(PkskError) as caught:
        writes[verb]()

    of = caught.value.failures[0] if isinstance(caught.value, TransactionFailed) else caught.value
    assert isinstance(of, StaleVersion)
    assert (of.code, of.item) == ("store-version-no-item", None)
    assert db.create(Draft(id="1")).version == 1
