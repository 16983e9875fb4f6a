"""Items that hold fields only in their primary key, as other programs write them, are found and counted."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from pksk import GSI, Entity, F, ItemUnreadable, Key, Query, Store, Table, begins, between, gt, lt, lte
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import named

places = Table(named("places"), discriminator=None, indexes=[GSI("by-kind", pk="kind", sk="sk")])


class Place(Entity, table=places):
    country: str
    city: str = "?"
    kind: str = "town"

    primary = Key("PLACE", "{country}::{city}", codec="raw")
    by_kind = Key("{kind}", index="by-kind")


class Visit(Entity, table=places):
    pet: int
    day: date
    id: UUID

    primary = Key("pet|{pet}", "visit|{day}|{id}", codec="raw")


class Room(Entity, table=places):
    floor: Annotated[int, Field(le=5)]

    primary = Key("ROOM", "floor {floor}", codec="raw")


class Floor(BaseModel):
    floor: int


class Small(BaseModel):
    city: str = "?"
    kind: str


@pytest.fixture
def tables() -> Iterable[Table]:
    return (places,)


BARE = [("AA", "Zed"), ("CA", "Vic"), ("CA!", "Odd")]
WRITTEN = Place(country="BB", city="Own")


@pytest.fixture
def rows(db: Store, door: Door) -> None:
    for country, city in BARE:
        put_bare(door, "PLACE", f"{country}::{city}", kind={"S": "town"})
    db.put(WRITTEN)


def put_bare(door: Door, pk: str, sk: str, **others: Any) -> None:
    door.call("PutItem", {"TableName": places.name, "Item": {"pk": {"S": pk}, "sk": {"S": sk}, **others}})


QUERIES = [
    (Place.primary(country=lte("CA")), ["AA", "BB", "CA"]),
    (Place.primary(country=lt("CA")), ["AA", "BB"]),
    (Place.primary(country=gt("AA")), ["BB", "CA!", "CA"]),
    (Place.primary(country=between("BB", "CA")), ["BB", "CA"]),
    (Place.primary(country=lte("CA")).reverse(), ["CA", "BB", "AA"]),
    (Place.where(kind="town", city="Vic"), ["CA"]),
    (Place.where(kind="town", country=lte("BB")), ["AA", "BB"]),
]


@pytest.mark.parametrize(("query", "expected"), QUERIES)
def test_a_range_on_a_field_that_only_the_key_holds(
    db: Store, rows: None, eventually: Eventually, query: Query[Place], expected: list[str]
) -> None:
    eventually(lambda: [each.country for each in db.iter(query)], expected)
    eventually(lambda: [db.count(query)], [len(expected)])
    eventually(
        lambda: [each.city for each in db.iter(query.into(Small))], [dict(CITIES)[each] for each in expected]
    )


CITIES = [*BARE, (WRITTEN.country, WRITTEN.city)]


def test_smaller_models_are_read_from_the_key_too(db: Store, rows: None) -> None:
    assert db.first(Place.primary(country="CA").into(Small)) == Small(city="Vic", kind="town")
    assert db.first(Place.primary(country="BB").into(Small)) == Small(city="Own", kind="town")


def test_a_prefix_of_an_identifier_that_only_the_key_holds(db: Store, door: Door) -> None:
    known, other = UUID(int=7 << 120), UUID(int=1 << 120)
    put_bare(door, "pet|1", f"visit|2026-01-01|{other}")
    put_bare(door, "pet|1", f"visit|2026-01-02|{known}")
    db.put(Visit(pet=1, day=date(2026, 1, 3), id=known))

    found = db.iter(Visit.where(pet=1, id=begins("07")))

    assert [visit.day.day for visit in found] == [2, 3]


def test_a_key_value_that_does_not_fit_its_field_is_unreadable_for_a_smaller_model_too(
    db: Store, door: Door
) -> None:
    put_bare(door, "ROOM", "floor 9")

    with pytest.raises(ItemUnreadable, match="less than or equal to 5"):
        db.first(Room.primary().into(Floor))


def test_a_key_in_another_form_is_named(db: Store, door: Door) -> None:
    sort_key = "visit|2026-3-1|12345678-1234-4234-8234-123456789abc"
    put_bare(door, "pet|7", sort_key)

    with pytest.raises(ItemUnreadable) as caught:
        db.first(Visit.primary(pet=7))

    reason = f"not stored, and sk = {sort_key!r} does not match 'visit|{{day}}|{{id}}'"
    assert caught.value.fields == {"pet": reason, "day": reason, "id": reason}


def test_a_user_filter_compares_attributes_and_not_keys(db: Store, rows: None) -> None:
    assert list(db.scan(Place.scan().filter(F.country == "CA"))) == []
    assert list(db.scan(Place.scan().filter(F.country == "BB"))) == [WRITTEN]
