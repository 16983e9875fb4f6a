"""Searches find what plain Python finds, and page, sort, count and highlight it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest

from pksk import Clock, begins, between, connect, connect_async, gte, lt
from pksk.errors import InvalidCursor, InvalidValue
from pksk.geo import Envelope, Position, read_geometry
from pksk.search import EmbeddedSink, Hits, ItemWrite
from pksk.search.embedded_query import bounds_of
from pksk.search.search_request import Place
from tests.search.conftest import MakeSink
from tests.search.places import Campsite, Park, places, reference


def point(longitude: float, latitude: float) -> dict[str, Any]:
    """A point as items can hold it."""
    return {"type": "Point", "coordinates": [int(longitude), int(latitude)]}


def square(west: int, south: int, size: int = 1) -> dict[str, Any]:
    """A square as items can hold it."""
    east, north = west + size, south + size
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {"type": "Polygon", "coordinates": [ring]}


PARKS = [
    Park(id="1", name="Joffre Lakes", description="Three lakes, turquoise", tags={"lake", "hike"}, visits=900,
         opened=datetime(2020, 5, 1, tzinfo=UTC), place=point(-122, 50), boundary=square(-123, 50)),
    Park(id="2", name="Golden Ears", description="A lake and a view of Joffre", tags={"lake"}, visits=700,
         opened=datetime(2021, 5, 1, tzinfo=UTC), place=point(-122, 49), boundary=square(-122, 49)),
    Park(id="3", name="Île Réunion", description="An island <far> away", status="planned", visits=5,
         place=point(55, -21), boundary=square(55, -21)),
    Park(id="4", name="Taveuni", description="Across the antimeridian", visits=40, place=point(180, -17),
         boundary={"type": "Polygon", "coordinates": [[[179, -18], [-179, -18], [-179, -16], [179, -16], [179, -18]]]}),
]  # fmt: skip


@pytest.fixture
def sink(make_sink: MakeSink) -> EmbeddedSink:
    sink = make_sink(places)
    sink.apply([ItemWrite(places.documents_of(each), 1) for each in PARKS])
    return sink


def numbers(hits: Hits) -> list[str]:
    return [each.key["pk"]["S"].removeprefix("PARK#") for each in hits]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("lakes", "1"),
        ("LAKES turquoise", "1"),
        ("lak*", "12"),
        ("joffre", "12"),
        ('"joffre lakes"', "1"),
        ('"lakes joffre"', ""),
        ("ile reunion", "3"),
        ("lake nothing", ""),
        ("NOT AND OR", ""),
        ("name:joffre", ""),
        ("'\\*()^-", "1234"),
        ("", "1234"),
    ],
)
def test_words_are_found_in_any_field(sink: EmbeddedSink, text: str, found: str) -> None:
    assert sorted(numbers(sink.search(places.search(text)))) == list(found)


def test_boosts_decide_the_order(sink: EmbeddedSink) -> None:
    first, second = sink.search(places.search("joffre"))

    assert [first.body["name"], second.body["name"]] == ["Joffre Lakes", "Golden Ears"]
    assert first.score > second.score > 0


def test_the_searched_fields_can_be_named(sink: EmbeddedSink) -> None:
    assert numbers(sink.search(places.search("joffre", fields=("description",)))) == ["2"]


def test_fuzziness_finds_words_with_wrong_letters(sink: EmbeddedSink) -> None:
    assert numbers(sink.search(places.search("jofre", fields=("name",)))) == []
    assert numbers(sink.search(places.search("jofre", fields=("name",), fuzziness=1))) == ["1"]
    assert numbers(sink.search(places.search("Jofrfe", fields=("name",), fuzziness=1))) == ["1"]
    assert numbers(sink.search(places.search("jofer", fields=("name",), fuzziness=1))) == []
    assert numbers(sink.search(places.search("jofer", fields=("name",), fuzziness=2))) == ["1"]


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        ({"status": "open"}, "124"),
        ({"status": ["open", "planned"]}, "1234"),
        ({"tag": "hike"}, "1"),
        ({"visits": gte(700)}, "12"),
        ({"visits": lt(40)}, "3"),
        ({"visits": between(40, 700)}, "24"),
        ({"opened": gte(datetime(2021, 1, 1, tzinfo=UTC))}, "2"),
        ({"initial": begins("J")}, "1"),
        ({"status": "open", "visits": between(1, 100)}, "4"),
        ({"tag": []}, ""),
    ],
)
def test_filters_hold_for_some_value_of_a_field(
    sink: EmbeddedSink, conditions: dict[str, Any], found: str
) -> None:
    assert sorted(numbers(sink.search(places.search().where(**conditions)))) == list(found)


def test_places_are_found_in_a_box_and_near_a_position(sink: EmbeddedSink) -> None:
    coast, fiji = Envelope(-123.5, 48.5, -121.5, 49.5), Envelope(179, -20, -179, -15)
    near = sink.search(places.search().near(Position(-122, 49.9), 200_000, "place").sort("distance"))

    assert numbers(sink.search(places.search().in_box(coast, "place"))) == ["2"]
    assert numbers(sink.search(places.search().in_box(fiji, "place"))) == ["4"]
    assert sorted(numbers(sink.search(places.search().in_box(coast, "boundary")))) == ["2"]
    assert numbers(near) == ["1", "2"]
    assert [round(each.distance_m or 0, -3) for each in near] == [11_000, 100_000]
    assert numbers(sink.search(places.search().near(Position(-180, -17), 1, "boundary"))) == ["4"]


def test_shapes_are_found_by_exact_relations(sink: EmbeddedSink) -> None:
    triangle = read_geometry(
        {"type": "Polygon", "coordinates": [[[-124, 48], [-121.6, 48], [-124, 50.4], [-124, 48]]]}
    )
    around = read_geometry(square(-124, 48, 4))

    # The bounds of the triangle touch both squares, the triangle itself only one.
    assert numbers(sink.search(places.search().in_box(triangle.envelope, "boundary"))) == ["1", "2"]
    assert numbers(sink.search(places.search().intersects(triangle, "boundary"))) == []
    assert sorted(numbers(sink.search(places.search().within(around, "boundary")))) == ["1", "2"]
    assert sorted(numbers(sink.search(places.search().intersects(around, "place")))) == ["1", "2"]


def test_hits_are_sorted_by_a_field_and_those_without_it_are_last(sink: EmbeddedSink) -> None:
    assert numbers(sink.search(places.search().sort("visits"))) == ["3", "4", "2", "1"]
    assert numbers(sink.search(places.search().sort("-visits"))) == ["1", "2", "4", "3"]
    assert numbers(sink.search(places.search().sort("-opened"))) == ["2", "1", "3", "4"]


@pytest.mark.parametrize("order", ["", "visits", "-visits", "-opened"])
def test_pages_hold_every_document_once(sink: EmbeddedSink, order: str) -> None:
    for number in range(10, 60):
        sink.apply(
            [ItemWrite(places.documents_of(Park(id=str(number), name="Some park", visits=number % 7)), 1)]
        )
    search = places.search("park" if not order else "")
    search = search.sort(order) if order else search
    everything = [each.id for each in sink.search(search.take(100))]

    paged: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = sink.search(search.take(7, cursor))
        paged += [each.id for each in page]
        cursor = page.cursor

    assert paged == everything
    assert page.total == len(everything)


def test_a_cursor_is_valid_for_its_search_only(sink: EmbeddedSink) -> None:
    cursor = sink.search(places.search().take(2)).cursor
    assert cursor is not None

    for text in (cursor[:-2], "", "é", cursor.swapcase()):
        if text:
            with pytest.raises(InvalidCursor):
                sink.search(places.search().take(2, text))
    with pytest.raises(InvalidCursor):
        sink.search(places.search("lakes").take(2, cursor))


def test_facets_count_all_matches_and_not_only_those_of_the_page(sink: EmbeddedSink) -> None:
    hits = sink.search(places.search().where(status="open").facets("tag", "status").take(1))

    assert hits.facets == {"tag": {"lake": 2, "hike": 1}, "status": {"open": 3}}
    assert (len(hits), hits.total) == (1, 3)


def test_highlights_escape_everything_but_their_marks(sink: EmbeddedSink) -> None:
    (hit,) = sink.search(places.search("island").highlight())

    assert hit.highlights == {"description": "An <em>island</em> &lt;far&gt; away"}


def test_suggestions_complete_what_is_typed(sink: EmbeddedSink) -> None:
    assert sink.suggest("jof") == ["Joffre Lakes"]
    assert sink.suggest("Golden e") == ["Golden Ears"]
    assert sink.suggest("turq") == []
    assert sink.suggest(" ") == []


def test_expired_documents_are_not_found(sink: EmbeddedSink, clock: Clock) -> None:
    ends = datetime.fromtimestamp(clock() + 60, UTC)
    sink.apply([ItemWrite(places.documents_of(Park(id="9", name="Fleeting", expires=ends)), 1)])

    assert numbers(sink.search(places.search("fleeting"))) == ["9"]
    clock.advance(61)
    assert numbers(sink.search(places.search("fleeting"))) == []


def test_hits_are_exchanged_for_entities_in_one_batch_read(sink: EmbeddedSink) -> None:
    camp = Campsite(id="7", name="Alice", sites=[{"number": 4}])
    sink.apply([ItemWrite(places.documents_of(camp), 1)])
    with connect("memory:") as db:
        db.create_tables(reference)
        db.put(PARKS[0])
        db.put(camp)
        parks, camps = sink.search(places.search("lak*").sort("-visits")), sink.search(places.search("alice"))

        assert parks.entities(db) == [PARKS[0], None]
        assert camps.entities(db) == [camp]
        assert camps.hits[0].entity is Campsite
        assert sink.search(places.search("nothing")).entities(db) == []


def test_hits_are_exchanged_on_an_asynchronous_store(sink: EmbeddedSink) -> None:
    async def main() -> None:
        async with connect_async("memory:") as db:
            await db.create_tables(reference)
            await db.put(PARKS[0])
            assert await sink.search(places.search("lakes")).entities_async(db) == [PARKS[0]]

    asyncio.run(main())


def test_explain_shows_the_sql_and_how_it_runs(sink: EmbeddedSink) -> None:
    text = sink.explain(places.search("lak*").where(status="open"))

    assert "texts MATCH ?" in text
    assert '{"t_name" "t_description"} : ("lak" *)' in text
    assert "plan:" in text


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: places.search().where(stauts="open"), "did you mean 'status'?"),
        (lambda: places.search().where(name="a"), "'name' is declared as Text"),
        (lambda: places.search("a", fields=("status",)), "'status' is declared as Keyword"),
        (lambda: places.search().facets("place"), "Fields that can be used here are: status, tag, visits"),
        (lambda: places.search().sort("size"), "'size' is not a field of the index"),
        (lambda: places.search().sort("distance"), "write .near(position, radius_m) first"),
        (lambda: places.search().in_box(Envelope(0, 0, 1, 1)), "has 2 fields of places: place, boundary"),
        (lambda: places.search().near(Position(0, 0), 0, "place"), "radius_m=0 is not a positive number"),
        (lambda: places.search().take(0), "must be a whole number from 1 to 10,000"),
        (lambda: places.search('"open'), "without another one"),
        (lambda: places.search("a", fuzziness=3), "must be 0, 1 or 2"),
        (lambda: places.search().where(visits=gte("many")), "cannot be indexed as a number"),
    ],
)
def test_a_search_that_cannot_run_is_rejected_when_it_is_built(build: Any, message: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        build()

    assert message in str(caught.value)


def test_random_boxes_and_distances_find_what_plain_python_finds() -> None:
    from pksk.cells.coordinates import distance_m

    random = Random(7)
    positions = [(random.randint(-180, 180), random.randint(-90, 90)) for _ in range(150)]
    with EmbeddedSink(places) as sink:
        parks = [Park(id=str(number), name="a", place=point(*each)) for number, each in enumerate(positions)]
        sink.apply([ItemWrite(places.documents_of(each), 1) for each in parks])
        for _ in range(60):
            (west, south), (east, north) = random.choice(positions), random.choice(positions)
            box = Envelope(west, min(south, north), east, max(south, north))
            inside = {str(i) for i, each in enumerate(positions) if box.contains(Position(*each))}
            assert set(numbers(sink.search(places.search().in_box(box, "place").take(1000)))) == inside

            centre, radius = random.choice(positions), random.choice([1.0, 500_000.0, 5e6, 1.5e7])
            near = {
                str(i) for i, each in enumerate(positions)
                if distance_m(centre[1], centre[0], each[1], each[0]) <= radius
            }  # fmt: skip
            found = sink.search(places.search().near(Position(*centre), radius, "place").take(1000))
            assert set(numbers(found)) == near


def test_bounds_are_split_at_the_antimeridian() -> None:
    west, east = bounds_of(Place("place", "box", Envelope(179, -20, -179, -15)))

    assert west[0] < -180 < west[1] < -178
    assert 178 < east[0] < 180 < east[1]
