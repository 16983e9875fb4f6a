"""Members of stored maps that a nested model does not know are written back while their field is unchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationInfo, field_validator, model_validator
from typing_extensions import TypedDict

from pksk import Engine, Entity, F, InvalidValue, ItemUnreadable, Key, Put, Store, Table, connect, transaction
from pksk.model.storing.origin import origin

people = Table("people")


class Street(BaseModel):
    name: str
    number: int | None = None


class Address(BaseModel):
    street: Street
    city: str = ""


@dataclass
class Point:
    x: int
    y: int = 0


class Size(TypedDict, total=False):
    width: int


class Card(BaseModel):
    kind: Literal["card"] = "card"
    digits: str


class Bill(BaseModel):
    kind: Literal["bill"] = "bill"
    to: str


class Tree(BaseModel):
    label: str
    children: list[Tree] = Field(default_factory=list)


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    city: str = ""


class Streets(RootModel[list[Street]]):
    pass


class Person(Entity, table=people):
    id: str
    total: int = 0
    note: str | None = None
    address: Address | None = None
    streets: list[Street] = Field(default_factory=list)
    by_name: dict[str, Street] = Field(default_factory=dict)
    point: Point = Point(1)
    size: Size = Field(default_factory=Size)
    pays: Annotated[Card | Bill, Field(discriminator="kind")] = Card(digits="1")
    either: Street | Point = Point(1)
    pair: tuple[int, Street] = (1, Street(name="x"))
    tree: Tree = Tree(label="root")
    free: Open = Open()
    root: Streets = Streets([])
    primary = Key("PERSON#{id}", "META")


STREET = {"M": {"name": {"S": "x"}, "number": {"NULL": True}}}
MORE = {"M": {**STREET["M"], "legacy": {"BS": ["eA=="]}}}
STORED: dict[str, Any] = {
    "address": {"M": {"street": MORE, "city": {"S": ""}, "zip": {"N": "1.5"}}},
    "streets": {"L": [STREET, MORE]},
    "by_name": {"M": {"a": MORE}},
    "point": {"M": {"x": {"N": "1"}, "y": {"N": "2"}, "z": {"N": "3"}}},
    "size": {"M": {"width": {"N": "1"}, "depth": {"NULL": True}}},
    "pays": {"M": {"kind": {"S": "bill"}, "to": {"S": "x"}, "digits": {"S": "1"}}},
    "either": MORE,
    "pair": {"L": [{"N": "1"}, MORE]},
    "tree": {"M": {"label": {"S": "r"}, "children": {"L": [{"M": {"label": {"S": "c"}, "n": {"N": "1"}}}]}}},
    "root": {"L": [MORE]},
}
# Stored in another form than the entity would, with no unknown member.
SHORTER: dict[str, Any] = {
    "address": {"M": {"street": {"M": {"name": {"S": "x"}}}}},
    "note": {"NULL": True},
    "streets": {"L": [{"M": {"name": {"S": "x"}}}]},
    "tree": {"M": {"label": {"S": "r"}}},
}
CHANGED: dict[str, Any] = {
    "address": Address(street=Street(name="new")),
    "streets": [Street(name="new")],
    "by_name": {},
    "point": Point(9),
    "size": {},
    "pays": Card(digits="9"),
    "either": Street(name="new"),
    "pair": (2, Street(name="new")),
    "tree": Tree(label="new"),
    "root": Streets([]),
    "note": "new",
}


@pytest.fixture
def db() -> Store:
    store = connect(Engine.open())
    store.ensure_tables(people)
    return store


def add(db: Store, attributes: dict[str, Any]) -> dict[str, Any]:
    item = {**Person.__pksk__.to_item(Person(id="1")), **attributes}
    db.client.call("PutItem", {"TableName": "people", "Item": item})
    return item


def item_of(db: Store) -> dict[str, Any]:
    (item,) = db.client.call("Scan", {"TableName": "people"})["Items"]
    found: dict[str, Any] = item
    return found


def person(db: Store) -> Person:
    found = db.get(Person.primary.get(id="1"))
    assert found is not None
    return found


WRITES: dict[str, Any] = {
    "put": lambda db, entity: db.put(entity),
    "batch": lambda db, entity: db.batch_put(entity),
    "transaction": lambda db, entity: db.run(transaction(Put(entity))),
    "move": lambda db, entity: db.move(entity, total=2),
}
FORMS = [*STORED.items(), *SHORTER.items()]


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize(("name", "wire"), FORMS, ids=[name for name, _ in FORMS])
def test_an_unchanged_field_is_written_back_as_it_was_stored(
    db: Store, name: str, wire: Any, write: Any
) -> None:
    before = add(db, {name: wire})

    write(db, person(db).model_copy(update={"total": 2}, deep=True))

    assert item_of(db) == before | {"total": {"N": "2"}}


@pytest.mark.parametrize(("name", "wire"), STORED.items(), ids=STORED)
def test_changing_a_field_that_would_lose_members_raises(db: Store, name: str, wire: Any) -> None:
    before = add(db, {name: wire})
    changed = person(db).model_copy(update={name: CHANGED[name]})

    for write in (
        lambda: db.put(changed),
        lambda: db.batch_put(changed),
        lambda: db.move(changed, **{name: CHANGED[name]}),
    ):
        with pytest.raises(InvalidValue, match=f"Person.{name} was changed") as raised:
            write()
        assert raised.value.code == "entity-unknown-members"

    assert item_of(db) == before


@pytest.mark.parametrize(("name", "wire"), SHORTER.items(), ids=SHORTER)
def test_a_changed_field_without_unknown_members_is_written(db: Store, name: str, wire: Any) -> None:
    add(db, {name: wire})

    db.put(person(db).model_copy(update={name: CHANGED[name]}))

    assert getattr(person(db), name) == CHANGED[name]


def test_a_nested_object_that_is_changed_in_place_is_noticed(db: Store) -> None:
    add(db, {"address": STORED["address"]})
    entity = person(db)
    assert entity.address is not None
    entity.address.street.name = "new"

    with pytest.raises(InvalidValue, match=r"'address\.street\.legacy', 'address\.zip'"):
        db.put(entity)


def test_an_update_changes_single_members_and_keeps_the_others(db: Store) -> None:
    add(db, {"address": STORED["address"]})

    db.update(Person.primary.update(id="1").apply(F.address.city.set("Rome")))

    assert item_of(db)["address"]["M"] == STORED["address"]["M"] | {"city": {"S": "Rome"}}


def test_extra_values_of_a_nested_model_are_its_own(db: Store) -> None:
    add(db, {"free": {"M": {"city": {"S": ""}, "more": {"N": "1"}}}})
    entity = person(db)

    db.put(entity.model_copy(update={"free": Open(city="Rome")}))

    assert item_of(db)["free"] == {"M": {"city": {"S": "Rome"}}}


def row_class(unknown: str) -> Any:
    class Row(Entity, table=Table("people", discriminator=None), unknown=unknown):
        id: str
        address: Address | None = None
        primary = Key("PERSON#{id}", "META")

    return Row


def test_a_class_that_drops_unknown_attributes_drops_unknown_members(db: Store) -> None:
    add(db, {"address": STORED["address"]})
    row = db.get(row_class("drop").primary.get(id="1"))
    assert row is not None

    db.put(row.model_copy(update={"address": CHANGED["address"]}))

    assert item_of(db).keys() == {"pk", "sk", "id", "address"}
    assert item_of(db)["address"]["M"].keys() == {"street", "city"}


def test_a_class_that_rejects_unknown_attributes_rejects_unknown_members(db: Store) -> None:
    row_type = row_class("error")
    item = {"pk": {"S": "PERSON#1"}, "sk": {"S": "META"}, "id": {"S": "1"}}
    db.client.call("PutItem", {"TableName": "people", "Item": {**item, "address": STORED["address"]}})

    with pytest.raises(ItemUnreadable, match=r"'address.street.legacy', 'address.zip'"):
        db.get(row_type.primary.get(id="1"))

    db.client.call("PutItem", {"TableName": "people", "Item": {**item, "address": SHORTER["address"]}})
    assert db.get(row_type.primary.get(id="1")) is not None


def test_the_compiled_and_the_careful_reader_carry_the_same(db: Store) -> None:
    for name, wire in FORMS:
        item = add(db, {name: wire})
        items = Person.__pksk__._items
        carried = origin(items.from_item(item))
        assert carried == origin(items.read(item)) is not None


def test_an_entity_without_unknown_members_carries_nothing(db: Store) -> None:
    items = Person.__pksk__._items
    for fields in ({}, {"either": Street(name="x", number=1)}, {"pair": (2, Street(name="y", number=2))}):
        item = Person.__pksk__.to_item(Person(id="1", **fields))

        assert origin(items.from_item(item)) is origin(items.read(item)) is None


def test_a_field_whose_model_is_read_by_functions_of_the_user_is_unchanged_until_it_is_changed() -> None:
    class Line(BaseModel):
        count: int
        token: UUID = Field(default_factory=uuid4)

    class Row(Entity, table=Table("people", discriminator=None)):
        id: str
        line: Line
        primary = Key("PERSON#{id}", "META")

        @field_validator("line")
        @classmethod
        def known(cls, line: Line, info: ValidationInfo) -> Line:
            assert info.data["id"]
            return line

        @model_validator(mode="after")
        def positive(self) -> Row:
            self.line.count = abs(self.line.count)
            return self

    line = {"M": {"count": {"N": "-1"}, "legacy": {"S": "x"}}}
    row = Row.from_item({"pk": {"S": "PERSON#1"}, "sk": {"S": "META"}, "id": {"S": "1"}, "line": line})

    assert row.to_item()["line"] == row.model_copy(deep=True).to_item()["line"] == line
    row.line.count = 5
    with pytest.raises(InvalidValue, match=r"'line\.legacy'"):
        row.to_item()
