"""What each write does with the item stored under its key: the table of `tests.model.markers.stored_states`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import new_class
from typing import Annotated, Any

import pytest

from pksk import (
    AlreadyExists,
    Clock,
    ConditionFailed,
    Entity,
    Key,
    NotFound,
    Put,
    Reference,
    ReferenceMissing,
    Store,
    Table,
    TransactionFailed,
)
from pksk.model.write_rules.stored_states import StoredState, WriteKind
from pksk.values import WireItem
from tests.model.markers.stored_states import DESIGNS, OUTCOMES, Design, stored_item
from tests.store.doors import Door
from tests.store.table_contents import items_of

MEMBERS: dict[WriteKind, Callable[[Design], Any]] = {
    "put": lambda design: Put(design.entity(id="x")),
    "create": lambda design: Put(design.entity(id="x")).if_absent(),
    "update": lambda design: key_of(design).update(id="x").set(**changes(design)),
    "upsert": lambda design: key_of(design).update(id="x").set(**changes(design)).upsert(),
    "delete": lambda design: key_of(design).delete(id="x"),
    "delete existing": lambda design: key_of(design).delete(id="x").if_present(),
    "check": lambda design: key_of(design).check(id="x"),
    "check absent": lambda design: key_of(design).check(id="x").absent(),
    "reference": lambda design: Put(POINTERS[design](id="p", target="x")),
}
ERRORS: dict[str, Any] = {
    "present": AlreadyExists,
    "absent": NotFound,
    "other_entity": ConditionFailed,
    "reference": ReferenceMissing,
}
STATES = [(design, state) for design in DESIGNS for state in design.states]
CELLS = [
    pytest.param(design, kind, state, id=f"{design}-{kind}-{state.value}")
    for design, state in STATES
    for kind in MEMBERS
]
IDS = [f"{design}-{state.value}" for design, state in STATES]


def pointer_to(design: Design) -> Any:
    """An entity with a reference to that of a design."""
    members = {
        "__module__": __name__,
        "__annotations__": {"id": str, "target": Annotated[str, Reference(design.entity, id="target")]},
        "primary": Key(f"POINTER#{design}#{{id}}", "META"),
    }
    return new_class(
        f"PointerTo{design}",
        (Entity,),
        {"table": design.declaration.table},
        lambda namespace: namespace.update(members),
    )


POINTERS: dict[Design, Any] = {design: pointer_to(design) for design in DESIGNS}


def key_of(design: Design) -> Any:
    return design.entity.primary  # type: ignore[attr-defined]


def changes(design: Design) -> dict[str, Any]:
    """Changes of an update; a unique value makes it a transaction."""
    return {"label": "new", **({"email": "new"} if "email" in design.entity.model_fields else {})}


@pytest.fixture
def tables() -> Iterable[Table]:
    return dict.fromkeys(design.declaration.table for design in DESIGNS)


Prepare = Callable[[Design, StoredState], WireItem | None]


@pytest.fixture
def prepare(door: Door, db: Store, clock: Clock) -> Prepare:
    """Puts the item of a state, past the store, and returns it."""

    def put(design: Design, state: StoredState) -> WireItem | None:
        # An expired item has a version that no new entity has.
        old = {"count": 3} | ({"version": 4} if state is StoredState.EXPIRED else {})
        item = stored_item(design, state, clock(), **old)
        if item is not None:
            door.call("PutItem", {"TableName": design.declaration.table.name, "Item": item})
        return item

    return put


def item_under_key(door: Door, design: Design) -> WireItem | None:
    items = (each for each in items_of(door, design.declaration.table) if each.get("id") == {"S": "x"})
    return next(items, None)


@pytest.mark.parametrize("together", [False, True], ids=["alone", "transaction"])
@pytest.mark.parametrize(("design", "kind", "state"), CELLS)
def test_a_write_on_a_stored_state(
    db: Store,
    door: Door,
    prepare: Prepare,
    design: Design,
    kind: WriteKind,
    state: StoredState,
    *,
    together: bool,
) -> None:
    before, write = prepare(design, state), MEMBERS[kind](design)
    # A store deletes the expired item first, and then makes a new one.
    reason = None if kind == "upsert" and state is StoredState.EXPIRED else OUTCOMES[kind][state]
    together = together or kind in ("check", "check absent")

    def run() -> Any:
        return db.transaction(write, Put(design.entity(id="other"))) if together else db.run(write)

    if reason is None:
        result = run()
        assert_written(db, door, design, kind, state, before)
        if kind.startswith("delete") and not together:
            assert (result is not None) is (state in (StoredState.OWN, StoredState.SIBLING))
        return
    with pytest.raises(TransactionFailed if together else ERRORS[reason]) as caught:
        run()
    failure: Any = caught.value.failures[0] if isinstance(caught.value, TransactionFailed) else caught.value
    assert type(failure) is ERRORS[reason]
    if reason in ("present", "other_entity"):
        assert before is not None
        assert failure.item == design.entity_in(state).__pksk__.from_item(before)
    assert item_under_key(door, design) == before


def assert_written(
    db: Store, door: Door, design: Design, kind: WriteKind, state: StoredState, before: Any
) -> None:
    """The write has replaced, changed or deleted what was there; checks leave it as it was."""
    if kind in ("check", "check absent", "reference"):
        assert item_under_key(door, design) == before
        return
    if kind.startswith("delete"):
        assert item_under_key(door, design) is None
        return
    expected: dict[str, Any] = design.entity(id="x").model_dump(exclude={"expires"})
    if kind in ("update", "upsert"):
        expected |= changes(design) | ({"count": 3} if state is StoredState.OWN else {})
    if "version" in expected:
        expected["version"] = 1
    entity = db.get(key_of(design).get(id="x"))
    assert entity is not None
    assert entity.model_dump(exclude={"expires"}) == expected


@pytest.mark.parametrize(("design", "state"), STATES, ids=IDS)
def test_a_move_to_a_stored_state(
    db: Store, door: Door, prepare: Prepare, design: Design, state: StoredState
) -> None:
    before = prepare(design, state)
    db.create(design.entity(id="old"))

    if OUTCOMES["move"][state] is None:
        assert db.move(key_of(design).get(id="old"), id="x").id == "x"
        return
    with pytest.raises(AlreadyExists):
        db.move(key_of(design).get(id="old"), id="x")
    assert item_under_key(door, design) == before


@pytest.mark.parametrize("target", [{"id": "new"}, {"label": "new"}], ids=["key", "field"])
@pytest.mark.parametrize(("design", "state"), STATES, ids=IDS)
def test_a_move_of_a_stored_state(
    db: Store, door: Door, prepare: Prepare, design: Design, state: StoredState, target: dict[str, str]
) -> None:
    before = prepare(design, state)
    moved = key_of(design).get(id="x")

    if state is StoredState.OWN:
        assert db.move(moved, **target).count == 3
        return
    with pytest.raises(NotFound):
        db.move(moved, **target)
    assert item_under_key(door, design) == before
