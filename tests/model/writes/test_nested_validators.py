"""An update inside a field stores what the validators make of a value, as an update of a whole field does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from pksk import Engine, Entity, F, InvalidValue, Key, Store, Stored, Table, connect
from pksk.expressions import Action

Trimmed = Annotated[str, StringConstraints(strip_whitespace=True)]
Upper = Annotated[str, AfterValidator(str.upper)]
Longer = Annotated[str, AfterValidator(lambda text: text + "!")]


MINUTE = datetime(1970, 1, 1, 0, 1, tzinfo=UTC)
HOUR = datetime(1970, 1, 1, 1, tzinfo=UTC)


class Inner(BaseModel):
    text: Trimmed = ""
    choice: Trimmed | None = None
    upper: Upper = ""
    amount: Annotated[int, AfterValidator(abs)] = 0
    texts: list[Trimmed] = []
    words: set[Trimmed] = set()
    names: set[Upper] = set()
    plain: str = ""
    times: set[Annotated[datetime, Stored("epoch-seconds")]] = set()


class Trimming(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)
    text: str = ""


boxes = Table("boxes")


class Box(Entity, table=boxes):
    id: str
    inner: Inner = Inner(texts=["a"], words={"a"}, names={"A"}, times={HOUR})
    trimming: Trimming = Trimming()
    by_name: dict[str, Trimmed] = Field(default={"a": "a"})
    primary = Key("BOX#{id}", "META")


class Trim(Entity, table=boxes):
    """It trims its own text, and not that of the model inside."""

    model_config = ConfigDict(str_strip_whitespace=True)
    id: str
    inner: Inner = Inner()
    primary = Key("TRIM#{id}", "META")


@pytest.fixture
def db() -> Store:
    store = connect(Engine.open())
    store.create_tables(boxes)
    store.batch_put(Box(id="1"), Trim(id="1"))
    return store


def stored(db: Store, action: Action, entity: type[Entity] = Box) -> Any:
    """The entity after an update, which it must be read back as."""
    key: Any = entity.primary  # type: ignore[attr-defined]
    db.update(key.update(id="1").apply(action))
    return db.get(key.get(id="1"))


UPDATES: dict[str, tuple[Action, Inner]] = {
    "text": (F.inner.text.set(" x "), Inner(text="x")),
    "optional": (F.inner.choice.set(" x "), Inner(choice="x")),
    "function": (F.inner.upper.set("x"), Inner(upper="X")),
    "number": (F.inner.amount.set(-3), Inner(amount=3)),
    "list": (F.inner.texts.set([" x "]), Inner(texts=["x"])),
    "element": (F.inner.texts[0].set(" x "), Inner(texts=["x"])),
    "append": (F.inner.texts.append(" x "), Inner(texts=["a", "x"])),
    "set": (F.inner.words.set({" x "}), Inner(words={"x"})),
    "add": (F.inner.words.add({" x "}), Inner(words={"a", "x"})),
    "delete": (F.inner.words.delete({" a "}), Inner(words=set())),
    "set of a format": (F.inner.times.set({MINUTE}), Inner(times={MINUTE})),
    "add to a set of a format": (F.inner.times.add({MINUTE}), Inner(times={HOUR, MINUTE})),
    "set of a function": (F.inner.names.set({"x"}), Inner(names={"X"})),
    "add to a set of a function": (F.inner.names.add({"x"}), Inner(names={"A", "X"})),
}


@pytest.mark.parametrize(("action", "changed"), UPDATES.values(), ids=UPDATES)
def test_an_update_inside_a_field_stores_what_validators_make_of_its_value(
    db: Store, action: Action, changed: Inner
) -> None:
    before = Box(id="1").inner.model_copy(deep=True)

    box = stored(db, action)

    assert box.inner == before.model_copy(update=changed.model_dump(exclude_unset=True))
    (item,) = db.client.call(
        "Query",
        {
            "TableName": "boxes",
            "KeyConditionExpression": "pk = :p",
            "ExpressionAttributeValues": {":p": {"S": "BOX#1"}},
        },
    )["Items"]
    assert item["inner"] == Box.__pksk__.to_item(box)["inner"]


def test_the_value_for_a_missing_member_is_what_validators_make_of_it() -> None:
    request = Box.primary.update(id="1").apply(F.inner.text.set(F.inner.text.if_not_exists(" x "))).request

    assert {"S": "x"} in request["ExpressionAttributeValues"].values()


def test_members_of_maps_and_models_that_trim_their_text_are_trimmed(db: Store) -> None:
    assert stored(db, F.by_name["a"].set(" x ")).by_name == {"a": "x"}
    assert stored(db, F.trimming.text.set(" x ")).trimming.text == "x"


def test_an_entity_that_trims_its_text_leaves_that_of_a_model_inside_as_it_is(db: Store) -> None:
    assert stored(db, F.inner.plain.set(" x "), Trim).inner.plain == " x "


def test_a_value_that_validators_would_read_back_as_another_one_raises() -> None:
    class Part(BaseModel):
        name: Longer
        names: set[Longer]

    class Whole(Entity, table=Table("wholes")):
        id: str
        part: Part
        primary = Key("WHOLE#{id}", "META")

    for action in (F.part.name.set("x"), F.part.names.set({"x"}), F.part.names.add({"x"})):
        with pytest.raises(InvalidValue, match="would be read back as") as caught:
            Whole.primary.update(id="1").apply(action)
        assert caught.value.code == "entity-inexact"


def test_a_set_whose_members_have_validators_is_updated_as_a_whole_field() -> None:
    class Team(Entity, table=Table("teams")):
        id: str
        names: set[Upper] = Field(default=set())
        primary = Key("TEAM#{id}", "META")

    db = connect(Engine.open())
    db.create_tables(Team.__pksk__.table)
    db.put(Team(id="1", names={"a"}))

    db.update(Team.primary.update(id="1").set(names={"x"}))
    db.update(Team.primary.update(id="1").add(names={"y"}))

    assert db.get(Team.primary.get(id="1")) == Team(id="1", names={"X", "Y"})
