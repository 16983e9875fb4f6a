"""Stamps: the version and the times that the store sets with each write."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator

from pksk import (
    Clock,
    Created,
    DesignError,
    Engine,
    Entity,
    F,
    Key,
    OutcomeUnknown,
    Put,
    ServiceError,
    Store,
    Table,
    Updated,
    Version,
    connect,
)
from tests.store.shop import named

stamps = Table(named("stamps"))


def without_fraction(moment: datetime | None) -> datetime | None:
    return moment and moment.replace(microsecond=0)


class Note(Entity, table=stamps):
    id: str
    text: str = ""
    created: Annotated[datetime | None, Created()] = None
    updated: Annotated[datetime | None, Updated()] = None
    primary = Key("NOTE#{id}", "META")


class Versioned(Note, table=stamps):
    version: Annotated[int, Version()] = 0


class Rounded(Entity, table=stamps):
    id: str
    created: Annotated[datetime | None, Created(), AfterValidator(without_fraction)] = None
    updated: Annotated[datetime | None, Updated(), AfterValidator(without_fraction)] = None
    primary = Key("ROUNDED#{id}", "META")


@pytest.fixture
def tables() -> Iterable[Table]:
    return (stamps,)


UPDATE = Versioned.primary.update(id="1").set(text="new")

CREATIONS: dict[str, Callable[[Store], Any]] = {
    "put": lambda db: db.put(Versioned(id="1")),
    "create": lambda db: db.create(Versioned(id="1")),
    "upsert": lambda db: db.update(UPDATE.upsert()),
    "transaction": lambda db: db.transaction(Put(Versioned(id="1")), Put(Note(id="2")))[0],
}
CHANGES: dict[str, Callable[[Store, Any], Any]] = {
    "put": lambda db, old: db.put(old),
    "update": lambda db, _: db.update(UPDATE),
    "upsert": lambda db, _: db.update(UPDATE.upsert()),
    "move": lambda db, old: db.move(old, id="9"),
    "move in place": lambda db, old: db.move(old, text="new"),
    "transaction": lambda db, old: db.transaction(Put(old), Put(Note(id="2")))[0],
    "update in a transaction": lambda db, _: (
        db.transaction(UPDATE, Put(Note(id="2"))),
        db.get(Versioned.primary.get(id="1")),
    )[1],
}


@pytest.mark.parametrize("create", CREATIONS.values(), ids=CREATIONS)
def test_a_new_item_has_the_first_version_and_both_times(
    db: Store, clock: Clock, create: Callable[[Store], Any]
) -> None:
    now = datetime.fromtimestamp(clock(), UTC)
    made = create(db)

    assert (made.version, made.created, made.updated) == (1, now, now)
    assert db.get(Versioned.primary.get(id="1")) == made


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_item_has_the_next_version_and_keeps_when_it_was_created(
    db: Store, clock: Clock, change: Callable[[Store, Any], Any]
) -> None:
    old = db.put(Versioned(id="1"))
    clock.advance(60)
    changed = change(db, old)

    assert (changed.version, changed.created) == (2, old.created)
    assert changed.updated == datetime.fromtimestamp(clock(), UTC)
    assert db.get(Versioned.primary.get(id=changed.id)) == changed


def test_a_batch_stamps_times(db: Store, clock: Clock) -> None:
    now = datetime.fromtimestamp(clock(), UTC)
    (made,) = db.batch_put(Note(id="1"))
    clock.advance(5)
    (again,) = db.batch_put(made)

    assert (made.created, made.updated) == (now, now)
    assert (again.created, again.updated) == (now, datetime.fromtimestamp(clock(), UTC))
    assert db.get(Note.primary.get(id="1")) == again


@pytest.mark.one_door
@pytest.mark.parametrize("name", ["version", "created", "updated"])
def test_fields_that_the_store_sets_cannot_be_changed_otherwise(db: Store, name: str) -> None:
    value: Any = 5 if name == "version" else datetime(2025, 1, 1, tzinfo=UTC)
    update = Versioned.primary.update(id="1")
    for change in (update.set(**{name: value}), update.apply(F[name].set(F[name].if_not_exists(value)))):
        with pytest.raises(DesignError, match=f"Versioned.{name} is changed by an update") as caught:
            db.update(change)
        assert caught.value.code == "store-managed-field"
    with pytest.raises(DesignError, match="set by the store"):
        db.move(Versioned.primary.get(id="1"), **{name: value})


def test_a_stamp_passes_the_validators_of_its_field(db: Store, clock: Clock) -> None:
    clock.advance(0.25)
    made: Any = db.put(Rounded(id="1"))
    clock.advance(5)
    batched: Any = db.batch_put(Rounded(id="2"))[0]
    moved: Any = db.move(made, id="3")
    db.transaction(Put(Rounded(id="4")))

    assert all(each.microsecond == 0 for each in (made.created, made.updated, batched.updated, moved.updated))
    assert moved.created == made.created
    assert moved.updated > made.updated
    assert db.get(Rounded.primary.get(id="3")) == moved


def test_a_rounded_stamp_does_not_identify_a_write(clock: Clock) -> None:
    """Another client may have created an equal item in the same second."""
    engine = Engine.open(clock=clock)

    class LosesFirstPut:
        """The first put gets no answer, and another client creates an equal item before it is sent again."""

        lost = False

        def call(self, operation: str, request: Any) -> Any:
            if operation == "PutItem" and not self.lost:
                self.lost = True
                with connect(engine, clock=clock) as other:
                    other.create(Rounded(id="1"))
                raise ServiceError("NoAnswer", "the connection was closed", 0)
            return engine.call(operation, request)

    with connect(LosesFirstPut(), clock=clock) as store:
        store.create_tables(stamps)
        with pytest.raises(OutcomeUnknown):
            store.create(Rounded(id="1"))
