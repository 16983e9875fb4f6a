"""What each write does with what is stored under its key: the table of `tests.model.markers.stored_states`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from pksk import (
    AlreadyExists,
    Clock,
    ConditionFailed,
    NotFound,
    Put,
    Store,
    Table,
    TransactionFailed,
)
from pksk.model.writes.stored_states import StoredState, WriteKind
from tests.model.markers.stored_states import DESIGNS, OUTCOMES, Design, stored_item
from tests.store.doors import Door
from tests.store.table_contents import items_of

MEMBERS: dict[WriteKind, Callable[[Any], Any]] = {
    "put": lambda entity: Put(entity(id="x")),
    "create": lambda entity: Put(entity(id="x")).if_absent(),
    "update": lambda entity: entity.primary.update(id="x").set(**change(entity)),
    "upsert": lambda entity: entity.primary.update(id="x").set(**change(entity)).upsert(),
    "delete": lambda entity: entity.primary.delete(id="x"),
    "delete existing": lambda entity: entity.primary.delete(id="x").if_present(),
    "check": lambda entity: entity.primary.check(id="x"),
    "check absent": lambda entity: entity.primary.check(id="x").absent(),
}
ERRORS = {"present": AlreadyExists, "absent": NotFound, "other_entity": ConditionFailed}
CELLS = [
    pytest.param(design, kind, state, id=f"{design}-{kind}-{state.value}")
    for design in DESIGNS
    for kind in MEMBERS
    for state in design.states
]


def change(entity: Any) -> dict[str, Any]:
    """A change of a field that every entity of the designs has one of."""
    return {"count": 5} if "count" in entity.model_fields else {}


@pytest.fixture
def tables() -> Iterable[Table]:
    return dict.fromkeys(design.declaration.table for design in DESIGNS)


@pytest.fixture
def stored(door: Door, db: Store, clock: Clock) -> Callable[[Design, StoredState], None]:
    """Puts the item of a state, past the store."""

    def put(design: Design, state: StoredState) -> None:
        item = stored_item(design, state, clock())
        if item is not None:
            door.call("PutItem", {"TableName": design.declaration.table.name, "Item": item})

    return put


def kept_item(door: Door, design: Design) -> dict[str, Any] | None:
    found = (each for each in items_of(door, design.declaration.table) if each.get("id") == {"S": "x"})
    return next(found, None)


@pytest.mark.parametrize("together", [False, True], ids=["alone", "transaction"])
@pytest.mark.parametrize(("design", "kind", "state"), CELLS)
def test_a_write_finds_a_state(
    db: Store,
    door: Door,
    stored: Callable[[Design, StoredState], None],
    design: Design,
    kind: WriteKind,
    state: StoredState,
    *,
    together: bool,
) -> None:
    stored(design, state)
    before, write = kept_item(door, design), MEMBERS[kind](design.entity)
    # A store deletes the expired item first, and then makes a new one.
    reason = None if kind == "upsert" and state is StoredState.EXPIRED else OUTCOMES[kind][state]
    together = together or kind in ("check", "check absent")

    def run() -> None:
        if together:
            db.transaction(write, Put(design.entity(id="other")))
        else:
            db.run(write)

    if reason is None:
        run()
        check_written(db, door, design, kind, before)
        return
    with pytest.raises(TransactionFailed if together else ERRORS[reason]) as caught:
        run()
    failure = caught.value.failures[0] if isinstance(caught.value, TransactionFailed) else caught.value
    assert type(failure) is ERRORS[reason]
    assert kept_item(door, design) == before


def check_written(db: Store, door: Door, design: Design, kind: WriteKind, before: Any) -> None:
    """What is stored is of the entity afterwards, or gone; a check leaves it as it was."""
    after = kept_item(door, design)
    if kind.startswith("check"):
        assert after == before
    elif kind.startswith("delete"):
        assert after is None
    else:
        entity = design.entity
        expected = entity(id="x", **(change(entity) if kind in ("update", "upsert") else {}))
        found = db.get(entity.primary.get(id="x"))  # type: ignore[attr-defined]
        ignored = {"version", "expires"}
        assert found is not None
        assert found.model_dump(exclude=ignored) == expected.model_dump(exclude=ignored)


@pytest.mark.parametrize(
    ("design", "state"),
    [pytest.param(each, state, id=f"{each}-{state.value}") for each in DESIGNS for state in each.states],
)
def test_a_move_finds_a_state_at_its_new_key(
    db: Store, door: Door, stored: Callable[[Design, StoredState], None], design: Design, state: StoredState
) -> None:
    stored(design, state)
    entity: Any = design.entity
    db.create(entity(id="old"))

    if OUTCOMES["move"][state] is None:
        assert db.move(entity.primary.get(id="old"), id="x").id == "x"
        return
    before = kept_item(door, design)
    with pytest.raises(AlreadyExists):
        db.move(entity.primary.get(id="old"), id="x")
    assert kept_item(door, design) == before
