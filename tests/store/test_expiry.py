"""Expired items: hidden from reads and conditions until DynamoDB deletes them.

What writes do with an expired item under their key is in `test_stored_states`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from pksk import (
    TTL,
    AlreadyExists,
    Clock,
    ConditionFailed,
    Entity,
    F,
    Key,
    NotFound,
    Null,
    PkskError,
    Put,
    Reference,
    StaleVersion,
    Store,
    Table,
    TransactionFailed,
    Unique,
    UniqueViolation,
    Version,
    collect,
)
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import TABLES, Session, Task, named, shop
from tests.store.table_contents import items_of

GET = Session.primary.get(user="ann", token="1")
UPDATE = Session.primary.update(user="ann", token="1")
OF_ANN = Session.primary(user="ann")

leases = Table(named("leases"), ttl="expires")


class Lease(Entity, table=leases):
    id: str
    holder: str = ""
    count: int = 0
    expires: Annotated[datetime | None, TTL()] = None
    primary = Key("LEASE#{id}", "META")


class Draft(Entity, table=leases):
    id: str
    version: Annotated[int, Version()] = 0
    expires: Annotated[int | None, TTL()] = None
    primary = Key("DRAFT#{id}", "META")


class Animal(Entity, table=leases):
    id: str
    tag: Annotated[str | None, Unique()] = None
    primary = Key("A#{id}", "M")


class Guest(Animal, table=leases):
    expires: Annotated[datetime | None, TTL()] = None


class Stray(Animal, table=leases):
    """It shares its key with Guest, and never expires."""


class Note(Entity, table=leases):
    """A TTL of None is stored as NULL, because the field says so."""

    id: str
    expires: Annotated[datetime | None, TTL(), Null()] = None
    email: Annotated[str | None, Unique()] = None
    count: int = 0
    primary = Key("N#{id}", "M")


class Pass(Entity, table=leases):
    """A TTL of None is stored as NULL, because the field has no default."""

    id: str
    expires: Annotated[int | None, TTL()]
    count: int = 0
    primary = Key("P#{id}", "M")


class Link(Entity, table=leases):
    id: str
    note: Annotated[str, Reference(Note)]
    primary = Key("L#{id}", "M")


class SmallSession(BaseModel):
    token: str


@pytest.fixture
def tables() -> Iterable[Table]:
    return (*TABLES, leases)


@pytest.fixture
def soon(clock: Clock) -> datetime:
    """In a minute."""
    return datetime.fromtimestamp(int(clock()) + 60, UTC)


@pytest.fixture
def sessions(db: Store, soon: datetime) -> list[Session]:
    """Two that expire in a minute, one that expires later, one that never does."""
    times = [soon, soon, soon + timedelta(hours=1), None]
    made = [Session(token=str(number), user="ann", expires=time) for number, time in enumerate(times, 1)]
    return [db.put(session) for session in made]


# Reads


def test_an_item_is_visible_until_the_second_of_its_ttl(
    db: Store, clock: Clock, sessions: list[Session], soon: datetime
) -> None:
    clock.set(soon.timestamp() - 0.001)
    before = db.get(GET)
    clock.set(soon.timestamp())

    assert before == sessions[0]
    assert db.get(GET) is None


def test_the_ttl_is_rounded_up_to_a_second(db: Store, clock: Clock, soon: datetime) -> None:
    db.put(Session(token="1", user="ann", expires=soon + timedelta(milliseconds=1)))
    clock.set(soon.timestamp() + 0.9)
    before = db.get(GET)
    clock.set(soon.timestamp() + 1)

    assert before is not None
    assert db.get(GET) is None


def test_every_read_hides_expired_items(
    db: Store, door: Door, clock: Clock, sessions: list[Session], eventually: Eventually
) -> None:
    eventually(lambda: db.count(Session.by_user(user="ann")), 4)
    clock.advance(60)
    visible = sessions[2:]
    gets = [Session.primary.get(user="ann", token=str(n)) for n in range(1, 5)]

    assert db.batch_get(*gets) == [None, None, *visible]
    assert db.transaction(*gets) == [None, None, *visible]
    assert list(db.iter(OF_ANN)) == visible
    assert list(db.iter(OF_ANN.reverse())) == visible[::-1]
    assert db.first(OF_ANN) == visible[0]
    assert db.count(OF_ANN) == 2
    assert list(db.iter(OF_ANN.limit(1))) == visible[:1]
    assert list(db.iter(Session.by_user(user="ann"))) == visible
    assert list(db.iter(OF_ANN.into(SmallSession))) == [SmallSession(token="3"), SmallSession(token="4")]
    assert db.count(OF_ANN.into(SmallSession)) == 2
    assert db.run(OF_ANN) == visible
    assert sorted(each.token for each in db.scan(Session.scan())) == ["3", "4"]
    assert db.count(Session.scan()) == 2
    assert db.collect(OF_ANN, Session.primary(user="bob")) == visible
    assert db.run(collect(OF_ANN, Task.primary(id="x"))) == visible
    assert len(items_of(door, shop)) == 4


def test_pages_are_filled_with_items_that_have_not_expired(
    db: Store, clock: Clock, sessions: list[Session]
) -> None:
    clock.advance(60)
    first = db.page(OF_ANN.limit(1))
    second = db.page(OF_ANN.limit(1), after=first.next)

    assert [*first, *second] == sessions[2:]
    assert list(db.page(OF_ANN.limit(2), before=second.cursor(0))) == sessions[2:3]


def test_an_item_of_a_sibling_without_a_ttl_never_expires(db: Store, door: Door) -> None:
    item = {**Stray(id="s").to_item(), "expires": {"N": "5"}}
    door.call("PutItem", {"TableName": leases.name, "Item": item})

    assert db.get(Stray.primary.get(id="s")) == Stray(id="s")


# Updates


def test_an_update_of_an_expired_item_raises_not_found_whatever_it_changes(
    db: Store, clock: Clock, sessions: list[Session]
) -> None:
    clock.advance(60)
    for update in (UPDATE.add(seen=1), UPDATE.set(code="x"), UPDATE.set(seen=4).when(F.seen == 0)):
        with pytest.raises(NotFound, match="there is no item pk = 'SESSION#ann', sk = '1'"):
            db.update(update)


def test_an_update_in_the_last_part_of_a_second_finds_what_a_read_finds(
    db: Store, clock: Clock, sessions: list[Session], soon: datetime
) -> None:
    clock.set(soon.timestamp() - 0.25)

    assert db.get(GET) == sessions[0]
    assert db.update(UPDATE.add(seen=1)).seen == 1
    assert db.move(GET, user="bob").seen == 1


def test_an_update_may_extend_the_ttl_of_an_item(
    db: Store, clock: Clock, sessions: list[Session], soon: datetime
) -> None:
    db.update(UPDATE.set(expires=soon + timedelta(minutes=5)))
    clock.advance(61)

    assert db.get(GET) == sessions[0].model_copy(update={"expires": soon + timedelta(minutes=5)})


def test_an_upsert_of_an_expired_item_starts_from_defaults(db: Store, clock: Clock, soon: datetime) -> None:
    db.put(Session(token="1", user="ann", seen=5, expires=soon, embedding=[0.5]))
    clock.advance(60)
    made = db.update(UPDATE.add(seen=1).set(expires=soon + timedelta(hours=1)).upsert())

    assert made == Session(token="1", user="ann", seen=1, expires=soon + timedelta(hours=1))
    assert db.get(GET) == made


def test_upserts_of_expired_and_other_items_in_one_transaction(
    db: Store, clock: Clock, soon: datetime
) -> None:
    db.put(Session(token="1", user="ann", seen=5, expires=soon))
    db.put(Session(token="2", user="ann", seen=5))
    clock.advance(60)
    db.transaction(
        UPDATE.add(seen=1).upsert(), Session.primary.update(user="ann", token="2").add(seen=1).upsert()
    )

    assert [each.seen for each in db.iter(OF_ANN)] == [1, 6]


# Conditions

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
@pytest.mark.parametrize("state", ["live", "expired", "absent", "without ttl"])
@pytest.mark.parametrize("kind", ["put", "delete", "transaction"])
def test_a_condition_treats_an_expired_item_as_missing(
    db: Store, clock: Clock, kind: str, state: str, condition: Any, for_item: bool, for_none: bool
) -> None:
    if state != "absent":
        expires = None if state == "without ttl" else datetime.fromtimestamp(clock() + 60, UTC)
        db.put(Lease(id="1", holder="ann", count=5, expires=expires))
    clock.advance(90 if state == "expired" else 1)
    new = Lease(id="1", holder="eve")

    def write() -> Any:
        if kind == "delete":
            return db.delete(Lease.primary.delete(id="1").when(condition))
        return db.put(new, when=condition) if kind == "put" else db.transaction(Put(new).when(condition))

    if for_item if state in ("live", "without ttl") else for_none:
        write()
        assert db.get(Lease.primary.get(id="1")) == (None if kind == "delete" else new)
    else:
        with pytest.raises((ConditionFailed, TransactionFailed)):
            write()


def test_a_condition_that_fails_on_an_expired_item_is_shown_as_written(
    db: Store, clock: Clock, soon: datetime
) -> None:
    db.put(Lease(id="1", holder="ann", expires=soon))
    clock.advance(65)
    with pytest.raises(ConditionFailed, match="the condition holder = 'ann' does not hold"):
        db.put(Lease(id="1"), when=F.holder == "ann")
    with pytest.raises(NotFound):
        db.delete(Lease.primary.delete(id="1").if_present().when(F.holder == "ann"))


def test_a_ttl_that_is_not_a_number_never_expires(db: Store, door: Door) -> None:
    item = {**Put(Lease(id="1", holder="ann")).item, "expires": {"S": "soon"}}
    door.call("PutItem", {"TableName": leases.name, "Item": item})

    assert db.put(Lease(id="1"), when=F.holder == "ann") == Lease(id="1")


@pytest.mark.parametrize("deleted", [False, True])
@pytest.mark.parametrize("kind", ["put", "create", "delete", "delete when", "put in a transaction"])
def test_an_expired_item_has_no_version_before_and_after_its_deletion(
    db: Store, door: Door, clock: Clock, kind: str, deleted: bool
) -> None:
    old = db.create(Draft(id="1", expires=int(clock()) + 10))
    clock.advance(60)
    if deleted:
        key = {"pk": {"S": "DRAFT#1"}, "sk": {"S": "META"}}
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
        writes[kind]()

    error = caught.value.failures[0] if isinstance(caught.value, TransactionFailed) else caught.value
    assert isinstance(error, StaleVersion)
    assert (error.code, error.item) == ("store-version-no-item", None)
    assert db.create(Draft(id="1")).version == 1


# Unique values


@pytest.mark.parametrize("entity", [Animal, Guest, Stray])
@pytest.mark.parametrize("id_", ["c", "d"], ids=["same key", "other key"])
def test_siblings_may_use_the_unique_values_of_expired_items(
    db: Store, clock: Clock, soon: datetime, entity: type[Animal], id_: str
) -> None:
    db.put(Guest(id="c", tag="t", expires=soon))
    with pytest.raises(UniqueViolation):
        db.create(Stray(id="e", tag="t"))
    clock.advance(60)

    assert db.create(entity(id=id_, tag="t")) == entity(id=id_, tag="t")
    with pytest.raises(UniqueViolation):
        db.create(Animal(id="e", tag="t"))


# A TTL that is stored as NULL

WRITES: dict[str, Callable[[Store, Any], Any]] = {
    "update": lambda db, entity: db.update(entity.primary.update(id="1").set(count=1)),
    "upsert": lambda db, entity: db.update(
        entity.primary.update(id="1").set(count=1, expires=None), upsert=True
    ),
    "move": lambda db, entity: db.move(entity.primary.get(id="1"), count=1),
    "delete": lambda db, entity: db.delete(entity.primary.delete(id="1").if_present()),
    "check": lambda db, entity: db.transaction(entity.primary.check(id="1"), Put(Animal(id="9"))),
    "put": lambda db, entity: db.put(entity(id="1", expires=None), when=F.count == 0),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("entity", [Note, Pass])
def test_a_ttl_that_is_null_never_expires(db: Store, door: Door, entity: Any, write: Any) -> None:
    db.create(entity(id="1", expires=None))
    (item,) = items_of(door, leases)

    assert item["expires"] == {"NULL": True}
    assert db.get(entity.primary.get(id="1")) == entity(id="1", expires=None)
    with pytest.raises(AlreadyExists):
        db.create(entity(id="1", expires=None))
    write(db, entity)


def test_an_item_whose_ttl_is_null_can_be_referred_to_and_reserves_its_values(db: Store) -> None:
    db.create(Note(id="1", email="a"))

    assert db.create(Link(id="1", note="1")).note == "1"
    with pytest.raises(UniqueViolation):
        db.create(Note(id="2", email="a"))
    assert db.update(Note.primary.update(id="1").set(email="b"), upsert=True).email == "b"
    assert db.create(Note(id="2", email="a")).email == "a"
