"""Computed fields in keys; those that raise: an error that names the field where a key needs it, and none elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any

import pytest
from pydantic import computed_field

from pksk import GSI, Entity, InvalidValue, Key, Store, Table, Unique
from tests.store.doors import Door
from tests.store.shop import named
from tests.store.table_contents import items_of

computed = Table(named("computed"), indexes=[GSI("by-letter", pk="g1", sk="g2")])


class Person(Entity, table=computed):
    id: str
    name: str = ""
    email: Annotated[str | None, Unique()] = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def initial(self) -> str:
        return self.name[0]

    primary = Key("PERSON#{id}", "M")
    by_letter = Key("INITIAL#{initial}", "{id}", index="by-letter")


class Listed(Entity, table=computed):
    """Its computed field is in no key."""

    id: str
    name: str = ""
    email: Annotated[str | None, Unique()] = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def initial(self) -> str:
        return self.name[0]

    primary = Key("LISTED#{id}", "M")


class Named(Entity, table=computed):
    """Its computed field is in its primary key."""

    name: str

    @computed_field  # type: ignore[prop-decorator]
    @property
    def initial(self) -> str:
        return self.name[0]

    primary = Key("NAMED#{initial}", "{name}")


@pytest.fixture
def tables() -> Iterable[Table]:
    return (computed,)


def test_an_item_with_a_computed_field_in_its_primary_key_is_read(db: Store) -> None:
    ann = Named(name="Ann")
    db.put(ann)

    assert db.get(Named, initial="A", name="Ann") == ann
    assert list(db.iter(Named.primary(initial="A"))) == [ann]


COMPUTED: dict[str, Callable[[Store], Any]] = {
    "put": lambda db: db.put(Person(id="2")),
    "create": lambda db: db.create(Person(id="2", email="b")),
    "batch_put": lambda db: db.batch_put(Person(id="2")),
    "upsert": lambda db: db.update(Person.primary.update(id="2").set(email="b"), upsert=True),
    "update": lambda db: db.update(Person.primary.update(id="1").set(name="")),
    "transaction": lambda db: db.transaction(Person.primary.update(id="1").set(name="")),
    "move": lambda db: db.move(Person.primary.get(id="1"), name=""),
}


@pytest.mark.parametrize("write", COMPUTED.values(), ids=COMPUTED)
def test_the_error_of_a_computed_key_part_names_its_field(
    db: Store, door: Door, write: Callable[[Store], Any]
) -> None:
    db.create(Person(id="1", name="Ann", email="a"))
    before = items_of(door, computed)
    with pytest.raises(
        InvalidValue, match=r"Person\.initial cannot be computed: IndexError: string index"
    ) as caught:
        write(db)

    assert caught.value.code == "entity-computed"
    assert isinstance(caught.value.__cause__, IndexError)
    assert items_of(door, computed) == before


def test_a_delete_computes_no_key_of_an_index(db: Store) -> None:
    db.create(Person(id="1", name="Ann", email="a"))
    db.delete(Person(id="1"))

    assert db.get(Person, id="1") is None


def test_a_computed_field_outside_of_keys_may_raise(db: Store) -> None:
    db.create(Listed(id="1", email="a"))
    db.update(Listed.primary.update(id="2").set(email="b"), upsert=True)
    db.move(Listed.primary.get(id="1"), id="3")
    db.delete(Listed.primary.delete(id="2"))

    assert db.get(Listed.primary.get(id="3")) == Listed(id="3", email="a")
