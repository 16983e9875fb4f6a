"""Search documents are checked when they are declared, and made of an entity."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, cast

import pytest
from pydantic import Field, NaiveDatetime

from pksk import DesignError, Entity, F, InvalidValue, Key, Table
from pksk.search import Date, GeoPoint, GeoShape, Keyword, Number, SearchDocument, SearchField, Text
from tests.search.places import SQUARE, SUMMER, Campsite, Park, places


def _declare(fields: Any, **options: Any) -> None:
    class Trail(Entity, table=Table("trails")):
        id: str
        name: str
        length: int = 0
        wild: bool = False
        day: NaiveDatetime | None = None
        rooms: list[str] = Field(default_factory=list)
        primary = Key("TRAIL#{id}", "META")
        search = SearchDocument(fields, **options)


@pytest.mark.parametrize(
    ("fields", "options", "message"),
    [
        ({}, {}, "Trail.search: declares no fields"),
        ({"title.en": Text(of="name")}, {}, "'title.en' cannot be the name of a search field"),
        ({"pksk": Text(of="name")}, {}, "'pksk' cannot be the name"),
        ({"nmae": Text()}, {}, "did you mean 'name'?"),
        ({"name": "text"}, {}, "field 'name' is 'text'"),
        ({"name": Text}, {}, '{"name": Text()}'),
        ({"length": Text()}, {}, "field 'length' of type int is declared as Text"),
        ({"wild": Number()}, {}, "field 'wild' of type bool is declared as Number"),
        ({"name": Number()}, {}, "Number takes: int, Decimal, float"),
        ({"day": Date()}, {}, "field 'day' has times without a zone"),
        ({"name": Text(boost=0)}, {}, "boost=0 is not a positive number"),
        ({"name": Text(language="englisch")}, {}, "did you mean 'english'?"),
        ({"name": Text(of=cast("Any", 7))}, {}, "of=7 is neither the name of a field nor a function"),
        ({"name": Text()}, {"when": F.wlid == True}, "did you mean 'wild'?"),  # noqa: E712
        ({"name": Text()}, {"when": True}, "when=True is not a condition on fields"),
        ({"name": Text()}, {"each": "room"}, "did you mean 'rooms'?"),
    ],
)
def test_a_declaration_that_does_not_fit_is_rejected(
    fields: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(DesignError) as caught:
        _declare(fields, **options)

    assert message in str(caught.value)
    assert caught.value.code == "search-declaration"


def test_a_document_has_the_declared_fields_as_json() -> None:
    park = Park(
        id="1", name="Joffre Lakes", visits=2**60, fee=Decimal("12.50"), tags={"lake", "hike"}, opened=SUMMER,
        place={"type": "Point", "coordinates": [Decimal("-122.5"), 50]}, boundary=SQUARE,
    )  # fmt: skip

    (document,) = places.documents_of(park).documents

    assert document.id == "PARK%231#META"
    assert document.body == {
        "name": "Joffre Lakes",
        "status": "open",
        "tag": ["hike", "lake"],
        "visits": 2**60,
        "fee": 12.5,
        "opened": "2026-07-01T12:30:15.999Z",
        "place": {"type": "Point", "coordinates": [-122.5, 50.0]},
        "boundary": SQUARE,
        "initial": "J",
    }


def test_an_item_that_does_not_meet_the_condition_has_no_documents() -> None:
    closed = places.documents_of(Park(id="1", name="Joffre Lakes", closed=True))

    assert closed.documents == ()
    assert closed.digest == 0
    assert closed.id == "PARK%231#META"


def test_an_item_has_a_document_for_each_element_of_a_list() -> None:
    camp = Campsite(id="a#b", name="Alice", sites=[{"number": 4, "status": "free"}, {"number": 5}])

    first, second = places.documents_of(camp).documents

    assert first.id == "CAMP%23a$23b#META#0"
    assert (first.part, dict(first.body)) == ("0", {"name": "Alice 4", "status": "free"})
    assert (second.part, dict(second.body)) == ("1", {"name": "Alice 5"})


def test_the_expiry_of_an_item_is_that_of_its_documents() -> None:
    expiring = places.documents_of(Park(id="1", name="a", expires=datetime(2026, 1, 1, tzinfo=UTC)))

    assert expiring.expires == 1_767_225_600


def test_the_digest_changes_with_what_a_document_shows_and_with_nothing_else() -> None:
    one = places.documents_of(Park(id="1", name="a", tags={"x", "y", "z"}))
    same = places.documents_of(Park(id="1", name="a", tags={"z", "y", "x"}))
    other = places.documents_of(Park(id="1", name="b", tags={"x", "y", "z"}))

    assert one.digest == same.digest != other.digest
    assert -(2**63) <= one.digest < 2**63
    assert 0 <= one.bucket < 4096


@pytest.mark.parametrize(
    ("field", "value", "indexed"),
    [
        (Keyword(), True, "true"),
        (Keyword(), Decimal("1E+2"), "100"),
        (Keyword(), -7, "-7"),
        (Date(), date(2026, 2, 3), "2026-02-03T00:00:00.000Z"),
        (Date(), datetime(33, 2, 3, tzinfo=UTC), "0033-02-03T00:00:00.000Z"),
        (Number(), -(2**63), -(2**63)),
        (Number(), Decimal("0.1"), 0.1),
        (GeoPoint(), (180, -90), {"type": "Point", "coordinates": [180.0, -90.0]}),
        (
            GeoPoint(),
            '{"type": "Point", "coordinates": [1, 2]}',
            {"type": "Point", "coordinates": [1.0, 2.0]},
        ),
    ],
)
def test_a_value_is_converted(field: SearchField, value: object, indexed: object) -> None:
    assert field.convert(value) == indexed


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (Text(), 7),
        (Keyword(), 1.5),
        (Keyword(), "é" * 20_000),
        (Number(), 2**63),
        (Number(), True),
        (Number(), Decimal("1E+400")),
        (Date(), datetime(2026, 1, 1)),
        (Date(), "2026-01-01"),
        (GeoPoint(), (49.28, -123.12)),
        (GeoPoint(), {"type": "LineString", "coordinates": [[1, 2], [3, 4]]}),
        (GeoShape(), "here"),
    ],
)
def test_a_value_that_cannot_be_indexed_is_rejected(field: SearchField, value: object) -> None:
    with pytest.raises(InvalidValue) as caught:
        field.convert(value)

    assert caught.value.code == "search-value"


def test_the_error_of_a_value_names_the_field() -> None:
    with pytest.raises(InvalidValue, match=r"Park.search\['place'\]: .* cannot be indexed as a place"):
        places.documents_of(Park(id="1", name="a", place={"type": "Point", "coordinates": [500, 0]}))


def test_subclasses_inherit_the_document_of_their_base() -> None:
    class Marine(Park, table=Table("marine", stream=True, ttl="expires")):
        depth: int = 0

    assert Marine.search is Park.search
