"""Entities of plain fields are made without Pydantic, and are what Pydantic would have made."""

from __future__ import annotations

import copy
import pickle
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ConfigDict, Field, PrivateAttr, computed_field, field_validator

from pksk import GSI, Attribute, Entity, Key, Null, PkskError, Put, Table
from pksk.model.storing.compiled_reader import is_plain_entity


class Plain(Entity, table=Table("plain", indexes=[GSI("by-mail", pk="mail")])):
    id: str
    count: int
    day: date
    open: bool
    total: Decimal
    mail: str | None
    note: str | None = None
    told: Annotated[int | None, Null()] = None
    size: Annotated[int, Attribute("s")] = 3
    price: Decimal = Decimal("1.5")
    end: date | None = None
    primary = Key("PLAIN#{id}", "META")
    by_mail = Key("{mail}", index="by-mail")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def double(self) -> int:
        return self.count * 2


TEXTS = st.sampled_from(
    ["", "a", "é", "2025-01-02", "2025-W01-1", "20250102", "2025-01-02T00:00:00", "0000-01-01"]
)
NUMBERS = st.sampled_from(["0", "5", "-5", "1.5", "1E3", "1.0", "9" * 38, "x", ""])
WIRES = st.one_of(
    TEXTS.map(lambda text: {"S": text}),
    NUMBERS.map(lambda text: {"N": text}),
    st.booleans().map(lambda value: {"BOOL": value}),
    st.sampled_from([{"NULL": True}, {}, {"S": "a", "N": "1"}, {"SS": ["a"]}, {"S": 5}, {"B": "eA=="}]),
)
NAMES = ["id", "count", "day", "open", "total", "mail", "note", "told", "s", "price", "end", "pk", "other"]
GOOD = Put(
    Plain(id="1", count=2, day=date(2025, 1, 2), open=True, total=Decimal("9.50"), mail="a@b", note="x")
).item


@given(st.dictionaries(st.sampled_from(NAMES), WIRES), st.sets(st.sampled_from(NAMES), max_size=3))
def test_what_is_made_is_what_pydantic_would_have_made(changes: dict[str, Any], gone: set[str]) -> None:
    item = {name: wire for name, wire in {**GOOD, **changes}.items() if name not in gone}
    items = Plain.__pksk__._items

    assert is_plain_entity(items)
    assert _told(items.from_item, item) == _told(items.read, item)


def test_a_plain_entity_behaves_as_one_that_was_validated() -> None:
    made = Plain.from_item(GOOD)
    again = Plain(**made.model_dump(exclude={"double"}))

    assert made == again == copy.deepcopy(made) == pickle.loads(pickle.dumps(made))
    assert made.model_dump_json() == again.model_dump_json()
    assert (made.double, repr(made)) == (4, repr(again))
    assert made.model_copy(update={"count": 3}).count == 3
    assert made.model_fields_set == set(Plain.model_fields) - {"end"}


def test_two_entities_share_nothing_that_could_change() -> None:
    one, other = Plain.from_item(GOOD), Plain.from_item(GOOD)
    one.note = "changed"
    one.model_fields_set.discard("id")

    assert (other.note, "id" in other.model_fields_set) == ("x", True)


def _odd_entities() -> list[type[Entity]]:
    class Limited(Entity, table=Table("odd")):
        id: str = Field(max_length=3)
        primary = Key("{id}", "META")

    class Validated(Entity, table=Table("odd")):
        id: str
        primary = Key("{id}", "META")

        @field_validator("id")
        @classmethod
        def check(cls, value: str) -> str:
            return value

    class Stripping(Entity, table=Table("odd")):
        model_config = ConfigDict(str_strip_whitespace=True)
        id: str
        primary = Key("{id}", "META")

    class Hiding(Entity, table=Table("odd")):
        id: str
        _seen: int = PrivateAttr(default=0)
        primary = Key("{id}", "META")

    class Beginning(Entity, table=Table("odd")):
        id: str
        primary = Key("{id}", "META")

        def model_post_init(self, _context: Any, /) -> None:
            self.__dict__["begun"] = True

    class Initialised(Entity, table=Table("odd")):
        id: str
        primary = Key("{id}", "META")

        def __init__(self, **data: Any) -> None:
            super().__init__(**data)

    class Listing(Entity, table=Table("odd")):
        id: str
        names: list[str] = Field(default_factory=list)
        primary = Key("{id}", "META")

    return [Limited, Validated, Stripping, Hiding, Beginning, Initialised, Listing]


@pytest.mark.parametrize("entity", _odd_entities(), ids=lambda entity: entity.__name__)
def test_what_asks_more_of_values_is_left_to_pydantic(entity: type[Entity]) -> None:
    assert not is_plain_entity(entity.__pksk__._items)
    assert entity.from_item(Put(entity(id="abc")).item) == entity(id="abc")


def _told(read: Any, item: Any) -> Any:
    try:
        made = read(item)
    except PkskError as error:
        return str(error)
    slots = ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
    return [repr(type(made)), *(repr(_ordered(getattr(made, name))) for name in slots)]


def _ordered(found: Any) -> Any:
    return sorted(found) if isinstance(found, set) else found
