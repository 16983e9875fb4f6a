"""Entities of plain fields are created without Pydantic, and equal what Pydantic would create."""

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
from pksk.model.storing.plain_entity import is_plain_entity
from pksk.values import WireItem


class Plain(Entity, table=Table("plain", indexes=[GSI("by-mail", pk="mail")])):
    id: str
    count: int
    day: date
    open: bool
    total: Decimal
    mail: str | None
    note: str | None = None
    stated: Annotated[int | None, Null()] = None
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
NAMES = ["id", "count", "day", "open", "total", "mail", "note", "stated", "s", "price", "end", "pk", "other"]
VALID = Put(
    Plain(id="1", count=2, day=date(2025, 1, 2), open=True, total=Decimal("9.50"), mail="a@b", note="x")
).item
# An item with every attribute, which is read without a test of each.
WHOLE = {**VALID, "end": {"S": "2025-01-03"}}


@given(
    st.sampled_from([VALID, WHOLE]),
    st.dictionaries(st.sampled_from(NAMES), WIRES),
    st.sets(st.sampled_from(NAMES), max_size=3),
)
def test_reading_a_plain_entity_gives_what_pydantic_would_give(
    item: WireItem, changes: dict[str, Any], missing: set[str]
) -> None:
    item = {name: wire for name, wire in {**item, **changes}.items() if name not in missing}
    items = Plain.__pksk__._items

    assert is_plain_entity(items)
    assert _outcome(items.from_item, item) == _outcome(items.read, item)


def test_a_plain_entity_behaves_like_a_validated_one() -> None:
    read = Plain.from_item(VALID)
    validated = Plain(**read.model_dump(exclude={"double"}))

    assert read == validated == copy.deepcopy(read) == pickle.loads(pickle.dumps(read))
    assert read.model_dump_json() == validated.model_dump_json()
    assert (read.double, repr(read)) == (4, repr(validated))
    assert read.model_copy(update={"count": 3}).count == 3
    assert read.model_fields_set == set(Plain.model_fields) - {"end"}


def test_an_attribute_in_place_of_another_one_is_kept_as_unknown() -> None:
    item = {name: wire for name, wire in WHOLE.items() if name != "note"} | {"other": {"S": "x"}}

    read = Plain.from_item(item)

    assert read.note is None
    assert "note" not in read.model_fields_set
    assert Put(read).item["other"] == {"S": "x"}


def test_two_entities_share_nothing_mutable() -> None:
    one, other = Plain.from_item(VALID), Plain.from_item(VALID)
    one.note = "changed"
    one.model_fields_set.discard("id")

    assert (other.note, "id" in other.model_fields_set) == ("x", True)


def _other_entities() -> list[type[Entity]]:
    class Limited(Entity, table=Table("other")):
        id: str = Field(max_length=3)
        primary = Key("{id}", "META")

    class Validated(Entity, table=Table("other")):
        id: str
        primary = Key("{id}", "META")

        @field_validator("id")
        @classmethod
        def check(cls, value: str) -> str:
            return value

    class Trimmed(Entity, table=Table("other")):
        model_config = ConfigDict(str_strip_whitespace=True)
        id: str
        primary = Key("{id}", "META")

    class WithPrivateAttribute(Entity, table=Table("other")):
        id: str
        _seen: int = PrivateAttr(default=0)
        primary = Key("{id}", "META")

    class WithPostInit(Entity, table=Table("other")):
        id: str
        primary = Key("{id}", "META")

        def model_post_init(self, _context: Any, /) -> None:
            self.__dict__["started"] = True

    class WithInit(Entity, table=Table("other")):
        id: str
        primary = Key("{id}", "META")

        def __init__(self, **data: Any) -> None:
            super().__init__(**data)

    class WithList(Entity, table=Table("other")):
        id: str
        names: list[str] = Field(default_factory=list)
        primary = Key("{id}", "META")

    return [Limited, Validated, Trimmed, WithPrivateAttribute, WithPostInit, WithInit, WithList]


@pytest.mark.parametrize("entity", _other_entities(), ids=lambda entity: entity.__name__)
def test_pydantic_creates_entities_that_need_more_than_types(entity: type[Entity]) -> None:
    assert not is_plain_entity(entity.__pksk__._items)
    assert entity.from_item(Put(entity(id="abc")).item) == entity(id="abc")


def _outcome(read: Any, item: Any) -> Any:
    try:
        entity = read(item)
    except PkskError as error:
        return str(error)
    slots = ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
    return [repr(type(entity)), *(repr(_ordered(getattr(entity, name))) for name in slots)]


def _ordered(value: Any) -> Any:
    return sorted(value) if isinstance(value, set) else value
