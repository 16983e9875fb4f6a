"""Default factories: an upsert calls each once, for the stored value, its guard and its reference check."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from typing import Annotated, Any
from uuid import UUID, uuid4

import pytest
from pydantic import Field

from pksk import Entity, Key, ReferenceMissing, Store, Table, Unique, UniqueViolation
from pksk.model.markers import Reference
from tests.store.doors import Door
from tests.store.shop import named
from tests.store.table_contents import items_of

defaults = Table(named("defaults"))
_NUMBERS = count(1)


class Ticket(Entity, table=defaults):
    id: str
    code: Annotated[UUID, Unique()] = Field(default_factory=uuid4)
    uses: int = 0

    primary = Key("TICKET#{id}", "META")


class Desk(Entity, table=defaults):
    number: int

    primary = Key("DESK#{number}", "META")


class Caller(Entity, table=defaults):
    id: str
    desk: Annotated[int, Reference(Desk)] = Field(default_factory=lambda: next(_NUMBERS))
    calls: int = 0

    primary = Key("CALLER#{id}", "META")


@pytest.fixture
def tables() -> Iterable[Table]:
    return (defaults,)


def test_an_upsert_guards_the_same_generated_value_that_it_stores(db: Store, door: Door) -> None:
    made = db.update(Ticket.primary.update(id="1").add(uses=1), upsert=True)

    guards = [item["pk"]["S"] for item in items_of(door, defaults) if "code" not in item]
    assert guards == [f"unique#Ticket#code#{made.code}"]
    with pytest.raises(UniqueViolation):
        db.create(Ticket(id="2", code=made.code))


def test_upserts_in_a_transaction_guard_the_generated_values_that_they_store(db: Store, door: Door) -> None:
    db.transaction(*(Ticket.primary.update(id=each).add(uses=1).upsert() for each in "12"))

    items = items_of(door, defaults)
    codes = {item["code"]["S"] for item in items if "code" in item}
    assert {item["pk"]["S"].rpartition("#")[2] for item in items if "code" not in item} == codes


def test_an_upsert_checks_the_same_generated_reference_that_it_stores(db: Store) -> None:
    # Every other desk exists, so a second call of the factory would check a desk that is not the stored one.
    made: list[Any] = []
    db.batch_put(*(Desk(number=number) for number in range(1, 200, 2)))
    for attempt in range(20):
        with suppress(ReferenceMissing):
            made.append(db.update(Caller.primary.update(id=str(attempt)).add(calls=1), upsert=True))

    assert made
    assert all(each.desk % 2 for each in made)


def test_each_upsert_generates_new_defaults(db: Store) -> None:
    upsert = Ticket.primary.update(id="1").add(uses=1).upsert()
    first = db.update(upsert)
    db.delete(Ticket.primary.delete(id="1"))

    assert db.update(upsert).code != first.code
