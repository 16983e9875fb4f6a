"""What was found by trying to make writes go wrong, where no other module of tests is about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, computed_field

from pksk import (
    GSI,
    Clock,
    Created,
    DesignError,
    Engine,
    Entity,
    F,
    InvalidValue,
    Key,
    OutcomeUnknown,
    PkskError,
    Put,
    Reference,
    ReferenceMissing,
    ServiceError,
    Shard,
    Store,
    Table,
    Unique,
    Updated,
    connect,
)
from tests.store.doors import Door
from tests.store.shop import named
from tests.store.table_contents import assert_keys_right, items_of, stored

odd = Table(named("found"), indexes=[GSI("by-letter", pk="g1", sk="g2"), GSI("spread", pk="r1", sk="r2")])


def to_the_second(moment: datetime | None) -> datetime | None:
    return moment and moment.replace(microsecond=0)


class Stamped(Entity, table=odd):
    id: str
    created: Annotated[datetime | None, Created(), AfterValidator(to_the_second)] = None
    updated: Annotated[datetime | None, Updated(), AfterValidator(to_the_second)] = None
    count: int = 0

    primary = Key("STAMPED#{id}", "M")


class Person(Entity, table=odd):
    id: str
    name: str = ""
    email: Annotated[str | None, Unique()] = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def initial(self) -> str:
        return self.name[0]

    primary = Key("PERSON#{id}", "M")
    by_letter = Key("INITIAL#{initial}", "{id}", index="by-letter")


class Shown(Entity, table=odd):
    """Code of the author's raises, and no key is made of it."""

    id: str
    name: str = ""
    email: Annotated[str | None, Unique()] = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def initial(self) -> str:
        return self.name[0]

    primary = Key("SHOWN#{id}", "M")


class Spread(Entity, table=odd):
    id: str
    count: int = 0

    primary = Key("SPREAD#{shard}", "{id}", shard=Shard(4))


class Node(Entity, table=odd):
    id: str
    up: Annotated[str | None, Reference("Node", id="up")] = None
    side: Annotated[str | None, Reference("Node", id="side")] = None

    primary = Key("NODE#{id}", "M")


class Task(Entity, table=odd):
    id: str
    status: str = "open"
    day: str = "d"
    note: str | None = None
    tags: set[str] = set()  # noqa: RUF012 - Pydantic gives every model its own copy

    primary = Key("TASK#{id}", "M")
    by_letter = Key("TASKS#{status}", "{status}#{day}", index="by-letter")
    spread = Key("{shard}#{status}", "{day}#{note}", index="spread", shard=Shard(9))


@pytest.fixture
def tables() -> Iterable[Table]:
    return (odd,)


def test_a_stamp_goes_through_the_validators_of_its_field(db: Store, clock: Clock) -> None:
    clock.advance(0.25)
    made: Any = db.put(Stamped(id="1"))
    clock.advance(5)
    batched: Any = db.batch_put(Stamped(id="2"))[0]
    moved: Any = db.move(made, id="3")
    db.transaction(Put(Stamped(id="4")))

    assert all(each.microsecond == 0 for each in (made.created, made.updated, batched.updated, moved.updated))
    assert moved.created == made.created
    assert moved.updated > made.updated
    assert db.get(Stamped.primary.get(id="3")) == moved


def test_a_coarse_stamp_does_not_tell_whose_write_it_was(clock: Clock) -> None:
    """Somebody else may have created the very same in the same second."""
    engine = Engine.open(clock=clock)

    class Losing:
        """The first answer is lost, and somebody else creates the same before it is tried again."""

        lost = False

        def call(self, operation: str, request: Any) -> Any:
            if operation == "PutItem" and not self.lost:
                self.lost = True
                with connect(engine, clock=clock) as other:
                    other.create(Stamped(id="1"))
                raise ServiceError("NoAnswer", "the connection was closed", 0)
            return engine.call(operation, request)

    with connect(Losing(), clock=clock) as store:
        store.create_tables(odd)
        with pytest.raises(OutcomeUnknown):
            store.create(Stamped(id="1"))


COMPUTED: dict[str, Callable[[Store], Any]] = {
    "put": lambda db: db.put(Person(id="2")),
    "create": lambda db: db.create(Person(id="2", email="b")),
    "batch_put": lambda db: db.batch_put(Person(id="2")),
    "upsert": lambda db: db.update(Person.primary.update(id="2").set(email="b"), upsert=True),
    "update": lambda db: db.update(Person.primary.update(id="1").set(name="")),
    "transaction": lambda db: db.transaction(Person.primary.update(id="1").set(name="")),
    "move": lambda db: db.move(Person.primary.get(id="1"), name=""),
    "delete": lambda db: db.delete(Person(id="1")),
}


@pytest.mark.parametrize("write", COMPUTED.values(), ids=COMPUTED)
def test_a_computed_part_of_a_key_that_raises_is_told_by_its_field(
    db: Store, door: Door, write: Callable[[Store], Any]
) -> None:
    db.create(Person(id="1", name="Ann", email="a"))
    before = items_of(door, odd)
    with pytest.raises(
        InvalidValue, match=r"Person\.initial cannot be computed: IndexError: string index"
    ) as caught:
        write(db)

    assert caught.value.code == "entity-computed"
    assert isinstance(caught.value.__cause__, IndexError)
    assert items_of(door, odd) == before


def test_a_computed_field_that_no_key_is_made_of_may_raise(db: Store) -> None:
    db.create(Shown(id="1", email="a"))
    db.update(Shown.primary.update(id="2").set(email="b"), upsert=True)
    db.move(Shown.primary.get(id="1"), id="3")
    db.delete(Shown.primary.delete(id="2"))

    assert db.get(Shown.primary.get(id="3")) == Shown(id="3", email="a")


@pytest.mark.one_door
def test_a_move_of_what_stands_in_a_random_shard_is_refused(db: Store) -> None:
    made = db.put(Spread(id="1"))
    for changes in ({"count": 1}, {"id": "2"}):
        with pytest.raises(DesignError, match=r"Spread\.primary\.move: the shard .* is random") as caught:
            db.move(made, **changes)

        assert caught.value.code == "plan-random-shard"


def test_an_item_that_refers_to_itself_takes_its_reference_along(db: Store, door: Door) -> None:
    db.put(Node(id="1", up="1"))
    for changes in ({"id": "2"}, {"id": "2", "side": "1", "up": None}):
        with pytest.raises(
            ReferenceMissing, match="refers to the item itself, by the key pk = 'NODE#1'"
        ) as caught:
            db.move(Node.primary.get(id="1"), **changes)
        assert caught.value.field in ("up", "side")

    assert db.move(Node.primary.get(id="1"), id="2", up="2") == Node(id="2", up="2")
    assert len(items_of(door, odd)) == 1


def test_a_move_checks_the_references_that_it_changes(db: Store) -> None:
    """Those that it carries along were checked when they were written."""
    db.put(Node(id="1"))
    db.put(Node(id="2", up="1"))
    db.delete(Node.primary.delete(id="1"))

    assert db.move(Node.primary.get(id="2"), id="3") == Node(id="3", up="1")
    with pytest.raises(ReferenceMissing):
        db.move(Node.primary.get(id="3"), id="4", side="1")


def test_an_update_of_what_is_deleted_before_it_is_read_back_says_that_it_was_done() -> None:
    engine = Engine.open()
    other = connect(engine)
    other.create_tables(odd)
    other.put(Shown(id="1", name="Ann", email="a"))

    class Quick:
        """Somebody deletes the item as soon as it is written."""

        def call(self, operation: str, request: Any) -> Any:
            answer = engine.call(operation, request)
            if operation == "TransactWriteItems":
                other.delete(Shown.primary.delete(id="1"))
            return answer

    update = Shown.primary.update(id="1").set(email="b")
    with connect(Quick()) as store, pytest.raises(OutcomeUnknown, match="it was done, and others") as caught:
        store.update(update)

    assert caught.value.request == update
    assert engine.call("Scan", {"TableName": odd.name})["Items"] == []


@pytest.mark.parametrize("changes", [{"day": "e"}, {"status": "sent"}])
def test_an_item_from_before_its_index_gets_the_whole_key(db: Store, door: Door, changes: Any) -> None:
    item = {name: wire for name, wire in Put(Task(id="1")).item.items() if not name.startswith(("g", "r"))}
    door.call("PutItem", {"TableName": odd.name, "Item": item})
    db.update(Task.primary.update(id="1").set(**changes))

    found = stored(door, odd, "TASK#1", "M")
    wanted = Put(Task(id="1", **changes)).item
    assert {name: found.get(name) for name in ("g1", "g2")} == {name: wanted[name] for name in ("g1", "g2")}


def test_a_key_that_is_completed_draws_no_other_shard(db: Store, door: Door) -> None:
    db.put(Task(id="1", note="a"))
    before = stored(door, odd, "TASK#1", "M")["r1"]
    for number in range(20):
        db.update(Task.primary.update(id="1").set(day=f"d{number}"))

    after = stored(door, odd, "TASK#1", "M")
    assert (after["r1"], after["r2"]) == (before, {"S": "d19#a"})


def test_members_are_discarded_by_either_name(db: Store) -> None:
    db.put(Task(id="1", tags={"a", "b", "c"}))
    update = Task.primary.update(id="1")

    assert db.update(update.apply(F.tags.discard({"a"}))).tags == {"b", "c"}
    assert db.update(update.apply(F.tags.delete({"b"}))).tags == {"c"}


def test_what_is_stored_is_right_throughout(db: Store, door: Door) -> None:
    db.put(Person(id="1", name="Ann"))
    with pytest.raises(PkskError):
        db.update(Person.primary.update(id="1").set(name=""))
    db.update(Person.primary.update(id="1").set(name="Bob"))

    assert_keys_right(door, odd)
