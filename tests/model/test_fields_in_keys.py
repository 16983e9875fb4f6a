"""Fields that an item holds only in its primary key, as other programs write it, are read from the key."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from pksk import GSI, Entity, InvalidValue, Key, Table

clinic = Table("clinic", pk="PK", sk="SK", discriminator=None)


class Visit(Entity, table=clinic):
    pet: int
    day: date
    notes: str = ""

    primary = Key("pet|{pet}", "visit|{day}", codec="raw")


class Stay(Entity, table=clinic):
    """One with a field that is not read the quick way, and one with a default in its key."""

    ward: str = "main"
    guest: str
    extras: list[str] = Field(default_factory=list)

    primary = Key("ward|{ward}", "stay|{guest}", codec="raw")


class Person(Entity, table=clinic):
    """One whose key has only a part of a field."""

    name: str
    number: int

    primary = Key("person|{name:.2}", "person|{number}", codec="raw", identity="number")


class Bed(Entity, table=Table("beds", indexes=[GSI("by-owner", pk="owner")])):
    """Fields in its key that may be None, of which one is the key of an index as well."""

    ward: str | None = None
    owner: str | None
    number: int

    primary = Key("bed|{ward}", "bed|{owner}|{number}", codec="raw", assigned_later=("ward", "owner"))
    by_owner = Key("{owner}", index="by-owner")


@pytest.mark.parametrize("lacking", [("ward",), ("owner",), ("ward", "owner", "number")])
def test_an_optional_field_is_read_from_the_key(lacking: tuple[str, ...]) -> None:
    bed = Bed(ward="north", owner="eve", number=7)
    item = {name: value for name, value in bed.to_item().items() if name not in lacking}

    assert Bed.from_item(item) == Bed.__pksk__._items.read(item) == bed


@given(st.integers(0, 10**9), st.dates())
def test_a_field_that_only_the_key_holds_is_read_from_it(pet: int, day: date) -> None:
    visit = Visit(pet=pet, day=day, notes="x")
    item = visit.to_item()

    bare = {name: value for name, value in item.items() if name not in ("pet", "day")}

    assert Visit.from_item(bare) == visit


def test_a_default_does_not_replace_the_value_in_the_key() -> None:
    item = {"PK": {"S": "ward|north"}, "SK": {"S": "stay|rex"}}

    assert Stay.from_item(item) == Stay(ward="north", guest="rex")


def test_an_attribute_takes_precedence_over_the_key() -> None:
    item = {"PK": {"S": "pet|1"}, "SK": {"S": "visit|2026-03-01"}, "pet": {"N": "2"}}

    assert Visit.from_item(item).pet == 2


def test_a_field_that_the_key_holds_only_partly_is_missing() -> None:
    with pytest.raises(InvalidValue, match="name: Field required"):
        Person.from_item({"PK": {"S": "person|An"}, "SK": {"S": "person|7"}})


def test_a_key_that_does_not_match_the_template_has_no_values() -> None:
    with pytest.raises(InvalidValue, match="pet: Field required"):
        Visit.from_item({"PK": {"S": "pet|1"}, "SK": {"S": "2026-03-01"}})
