"""Values that are unique within others: combinations of fields, and None in one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk import (
    TTL,
    ConditionFailed,
    Entity,
    Key,
    PkskError,
    Put,
    Store,
    Table,
    TransactionFailed,
    Unique,
    UniqueViolation,
    connect,
)
from tests.store.doors import Door
from tests.store.shop import named
from tests.store.table_contents import items_of

theatre = Table(named("theatre"), ttl="expires")


class Seat(Entity, table=theatre):
    id: str
    show: str | None = None
    day: date | None = None
    seat: Annotated[str | None, Unique(within=("show", "day"))] = None
    code: Annotated[str | None, Unique()] = None
    note: str = ""
    expires: Annotated[datetime | None, TTL()] = None
    primary = Key("SEAT#{id}", "META")


class Member(Entity, table=theatre):
    tenant: str
    id: str
    email: Annotated[str | None, Unique(within="tenant")] = None
    primary = Key("TENANT#{tenant}", "MEMBER#{id}")


class Guest(Member, table=theatre):
    host: str = ""


MONDAY, TUESDAY = date(2025, 3, 3), date(2025, 3, 4)
A1 = Seat(id="1", show="hamlet", day=MONDAY, seat="A1")


@pytest.fixture
def tables() -> Iterable[Table]:
    return [theatre]


def guards(door: Door) -> dict[str, str]:
    """The guard items and the items that they belong to, past the store."""
    return {
        item["pk"]["S"].removeprefix("unique#"): item["owner"]["M"]["pk"]["S"]
        for item in items_of(door, theatre)
        if item["type"]["S"] == "pksk:unique"
    }


def test_a_combination_of_values_can_be_taken_once(db: Store, door: Door) -> None:
    db.create(A1)
    db.create(A1.model_copy(update={"id": "2", "day": TUESDAY}))
    db.create(A1.model_copy(update={"id": "3", "show": "lear"}))
    db.create(A1.model_copy(update={"id": "4", "seat": "A2"}))
    with pytest.raises(UniqueViolation) as caught:
        db.put(A1.model_copy(update={"id": "5"}))

    assert (caught.value.field, caught.value.value) == ("seat", "A1")
    assert caught.value.within == {"show": "hamlet", "day": MONDAY}
    assert caught.value.owner == {"pk": {"S": "SEAT#1"}, "sk": {"S": "META"}}
    assert str(caught.value) == (
        "Put of Seat: seat = 'A1' is unique within show = 'hamlet', day = datetime.date(2025, 3, 3), and is already "
        "used by the item pk = 'SEAT#1', sk = 'META'.\n"
        "Fix: choose another value, or change the item that has it.  (pksk explain store-unique-violation)"
    )
    assert guards(door) == {
        "Seat#day+show+seat#2025-03-03#hamlet#A1": "SEAT#1",
        "Seat#day+show+seat#2025-03-04#hamlet#A1": "SEAT#2",
        "Seat#day+show+seat#2025-03-03#lear#A1": "SEAT#3",
        "Seat#day+show+seat#2025-03-03#hamlet#A2": "SEAT#4",
    }


@pytest.mark.parametrize("missing", ["show", "day", "seat"])
def test_an_item_with_none_in_one_of_the_fields_does_not_count(db: Store, door: Door, missing: str) -> None:
    db.create(A1.model_copy(update={missing: None}))
    db.create(A1.model_copy(update={"id": "2", missing: None}))

    assert guards(door) == {}


HELD = "Seat#day+show+seat#2025-03-03#hamlet#A1"
WRITES: dict[str, tuple[Callable[[Store], object], dict[str, str]]] = {
    "update of another field": (
        lambda db: db.update(Seat.primary.update(id="1").set(note="x")),
        {HELD: "SEAT#1"},
    ),
    "update of the marked field": (
        lambda db: db.update(Seat.primary.update(id="1").set(seat="B2")),
        {"Seat#day+show+seat#2025-03-03#hamlet#B2": "SEAT#1"},
    ),
    "update of a field of the others": (
        lambda db: db.update(Seat.primary.update(id="1").set(show="lear")),
        {"Seat#day+show+seat#2025-03-03#lear#A1": "SEAT#1"},
    ),
    "update that removes a field of the others": (
        lambda db: db.update(Seat.primary.update(id="1").remove("day")),
        {},
    ),
    "put": (
        lambda db: db.put(A1.model_copy(update={"day": TUESDAY, "code": "c"})),
        {"Seat#day+show+seat#2025-03-04#hamlet#A1": "SEAT#1", "Seat#code#c": "SEAT#1"},
    ),
    "move": (lambda db: db.move(A1, id="9"), {HELD: "SEAT#9"}),
    "delete": (lambda db: db.delete(Seat, id="1"), {}),
    "swap in a transaction": (
        lambda db: db.transaction(
            Seat.primary.update(id="1").set(day=TUESDAY),
            Put(A1.model_copy(update={"id": "2"})),
        ),
        {"Seat#day+show+seat#2025-03-04#hamlet#A1": "SEAT#1", HELD: "SEAT#2"},
    ),
}


@pytest.mark.parametrize(("write", "expected"), WRITES.values(), ids=WRITES)
def test_a_write_of_any_of_the_fields_moves_the_guard(
    db: Store, door: Door, write: Callable[[Store], object], expected: dict[str, str]
) -> None:
    db.create(A1)
    write(db)

    assert guards(door) == expected


VIOLATIONS: dict[str, Callable[[Store], object]] = {
    "create": lambda db: db.create(A1.model_copy(update={"id": "3"})),
    "update of the marked field": lambda db: db.update(Seat.primary.update(id="2").set(seat="A1")),
    "upsert": lambda db: db.update(
        Seat.primary.update(id="3").set(show="hamlet", day=MONDAY, seat="A1").upsert()
    ),
    "move": lambda db: db.move(Seat.primary.get(id="2"), id="4", seat="A1"),
}


@pytest.mark.parametrize("write", VIOLATIONS.values(), ids=VIOLATIONS)
def test_a_write_of_a_combination_in_use_changes_nothing(
    db: Store, door: Door, write: Callable[[Store], object]
) -> None:
    db.create(A1)
    db.create(A1.model_copy(update={"id": "2", "seat": "A2"}))
    before = items_of(door, theatre)

    with pytest.raises(UniqueViolation):
        write(db)
    assert items_of(door, theatre) == before


def test_two_writes_of_a_transaction_cannot_take_one_combination(db: Store) -> None:
    with pytest.raises(PkskError, match="seat is unique within show = 'hamlet'") as caught:
        db.transaction(Put(A1), Put(A1.model_copy(update={"id": "2"})))

    assert caught.value.code == "store-transaction-clash"


def test_a_guard_expires_with_its_item(db: Store, door: Door) -> None:
    soon = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
    db.create(A1.model_copy(update={"expires": soon}))
    guard = next(item for item in items_of(door, theatre) if item["type"]["S"] == "pksk:unique")

    assert guard["expires"] == {"N": str(int(soon.timestamp()))}


def test_a_value_is_unique_within_the_partition_of_a_tenant(db: Store, door: Door) -> None:
    db.create(Member(tenant="acme", id="1", email="ann@example.org"))
    db.create(Member(tenant="other#1", id="1", email="ann@example.org"))
    with pytest.raises(UniqueViolation):
        db.create(Guest(tenant="acme", id="2", email="ann@example.org"))
    db.move(Member.primary.get(tenant="acme", id="1"), tenant="third")
    db.create(Guest(tenant="acme", id="2", email="ann@example.org"))

    assert sorted(guards(door)) == [
        "Member#tenant+email#acme#ann@example.org",
        "Member#tenant+email#other$231#ann@example.org",
        "Member#tenant+email#third#ann@example.org",
    ]


# A later version reads guards that were written before: the format is that of these items.
GOLDEN = [
    (
        A1.model_copy(update={"code": "c"}),
        {
            "pk": {"S": "unique#Seat#day+show+seat#2025-03-03#hamlet#A1"},
            "sk": {"S": "unique"},
            "owner": {"M": {"pk": {"S": "SEAT#1"}, "sk": {"S": "META"}}},
            "type": {"S": "pksk:unique"},
        },
        {
            "pk": {"S": "unique#Seat#code#c"},
            "sk": {"S": "unique"},
            "owner": {"M": {"pk": {"S": "SEAT#1"}, "sk": {"S": "META"}}},
            "type": {"S": "pksk:unique"},
        },
    ),
]


@pytest.mark.parametrize(("seat", "within", "plain"), GOLDEN)
def test_guards_have_the_documented_format(
    db: Store, door: Door, seat: Seat, within: dict[str, Any], plain: dict[str, Any]
) -> None:
    db.create(seat)
    stored = [item for item in items_of(door, theatre) if item["type"]["S"] == "pksk:unique"]

    assert sorted(stored, key=str) == sorted([within, plain], key=str)


def test_the_order_of_the_other_fields_does_not_change_the_guards() -> None:
    first, second = Table("seats"), Table("seats")

    class One(Entity, table=first, discriminator="Seat"):
        id: str
        show: str
        day: date
        seat: Annotated[str, Unique(within=("show", "day"))]
        primary = Key("SEAT#{id}", "META")

    class Other(Entity, table=second, discriminator="Seat"):
        id: str
        show: str
        day: date
        seat: Annotated[str, Unique(within=["day", "show"])]
        primary = Key("SEAT#{id}", "META")

    with connect("memory:") as db:
        db.create_tables(first)
        db.create(One(id="1", show="lear", day=MONDAY, seat="A1"))
        with pytest.raises(UniqueViolation):
            db.create(Other(id="2", show="lear", day=MONDAY, seat="A1"))


texts = st.none() | st.sampled_from(["a", "b", "a#b", "#", "$23"])
steps = st.lists(
    st.tuples(st.sampled_from("123"), texts, st.none() | st.sampled_from([MONDAY, TUESDAY]), texts),
    max_size=12,
)


@given(steps)
def test_random_writes_never_store_a_combination_twice(
    writes: list[tuple[str, str | None, date | None, str | None]],
) -> None:
    stored: dict[str, tuple[Any, ...]] = {}
    with connect("memory:") as db:
        db.create_tables(theatre)
        for id_, show, day, seat in writes:
            combination = (show, day, seat)
            others = {each for key, each in stored.items() if key != id_}
            try:
                db.put(Seat(id=id_, show=show, day=day, seat=seat))
            except (ConditionFailed, TransactionFailed):
                assert combination in others
                assert None not in combination
            else:
                assert combination not in others or None in combination
                stored[id_] = combination
        found = {each.id: (each.show, each.day, each.seat) for each in db.scan(Seat.scan())}

    assert found == stored
