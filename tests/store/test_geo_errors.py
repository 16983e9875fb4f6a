"""Input that queries by region reject, each with its code; and the examples in the explanations of these codes."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Annotated

import pytest
from pydantic import ValidationError, computed_field

from pksk import Entity, Key, PkskError, Table, connect
from pksk.cells import Box, CellLevel, Circle, encode
from tests.model.explanation_examples import examples_of, run_example

AREA = Box(51.4, -0.3, 51.6, 0.1)


class Place(Entity, table=Table("places")):
    app: str
    id: str
    lat: float
    lng: float

    primary = Key("PLACE#{app}#{cell[:-3]}", "{cell[-3:]}#{id}")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def cell(self) -> Annotated[str, CellLevel(6, of=("lat", "lng"))]:
        return encode(self.lat, self.lng, 6)


class Shop(Entity, table=Table("shops")):
    cell: Annotated[str, CellLevel(6)]
    id: str

    primary = Key("SHOP#{cell}", "{id}")


class Lost(Entity, table=Table("lost")):
    cell: Annotated[str, CellLevel(6, of=("lat", "lon"))]

    primary = Key("LOST#{cell[:-3]}", "{cell[-3:]}")


class Pin(Entity, table=Table("pins")):
    lat: float
    lng: float
    cell: Annotated[str, CellLevel(4, of=("lat", "lng"))]

    primary = Key("PIN#{cell[:-3]}", "{cell[-3:]}")


class Wide(Entity, table=Table("wide")):
    cell: Annotated[str, CellLevel(3, 5)]

    primary = Key("WIDE#{cell[:-3]}", "{cell[-3:]}")


@pytest.mark.parametrize("code", examples_of("geo"))
def test_an_example_raises_the_error_that_it_explains(code: str) -> None:
    with connect("memory:") as db:
        db.create_tables(Place.__pksk__.table)
        names = {"Place": Place, "Shop": Shop, "Lost": Lost, "Box": Box, "db": db}
        with pytest.raises(PkskError) as caught:
            run_example(examples_of("geo")[code], code, names)

    assert caught.value.code == code
    assert caught.value.fix


REJECTED: dict[str, tuple[str, Callable[[], object]]] = {
    "a latitude of 91": ("cell-position", lambda: Place.primary.near(91, 0, 10, app="a")),
    "a longitude of 181": ("cell-position", lambda: Place.primary.near(0, 181, 10, app="a")),
    "a swapped position": ("cell-position", lambda: Place.primary.closest(139.7, 35.7, app="a")),
    "a latitude that is not a number": ("cell-position", lambda: Place.primary.near(nan, 0, 10, app="a")),
    "an order from nowhere": (
        "cell-position",
        lambda: Place.primary.inside(AREA, app="a").by_distance(0, nan),
    ),
    "a position as text": ("cell-position", lambda: Place.primary.near("51.5", "-0.1", 10, app="a")),  # type: ignore[arg-type]
    "a distance as text": ("cell-metres", lambda: Place.primary.near(0, 0, "10", app="a")),  # type: ignore[arg-type]
    "the class of a region": ("geo-region", lambda: Place.primary.inside(Box, app="a")),  # type: ignore[arg-type]
    "a level as a number with a point": (
        "cell-level",
        lambda: Place.primary.inside(AREA, level=6.0, app="a"),  # type: ignore[arg-type]
    ),
    "a negative distance": ("cell-metres", lambda: Place.primary.near(0, 0, -1, app="a")),
    "a distance that is not a number": ("cell-metres", lambda: Place.primary.near(0, 0, nan, app="a")),
    "a view from north to south": ("cell-box", lambda: Place.primary.inside(Box(10, 0, 5, 1), app="a")),
    "a view that is not finite": ("cell-position", lambda: Place.primary.inside(Box(nan, 0, 5, 1), app="a")),
    "no result": ("query-count", lambda: Place.primary.closest(0, 0, 0, app="a")),
    "a limit of none": ("query-count", lambda: Place.primary.inside(AREA, app="a").limit(0)),
    "a level of 13": ("cell-level", lambda: Place.primary.inside(AREA, level=13, app="a")),
    "a level that is not stored": ("cell-level", lambda: Place.primary.inside(AREA, level=5, app="a")),
    "a level beyond those that are stored": ("cell-level", lambda: Wide.primary.inside(AREA, level=6)),
    "a zoom that is not a number": ("geo-view", lambda: Wide.primary.view(AREA, nan)),
    "a missing part": ("key-missing-part", lambda: Place.primary.inside(AREA)),
    "an unknown part": ("key-unknown-part", lambda: Place.primary.inside(AREA, app="a", id="7")),
    "a price of a request below 0": (
        "cell-cost",
        lambda: Place.primary.inside(AREA, app="a").using(request_units=-1),
    ),
    "the whole world in cells of 1 km": (
        "cell-too-many",
        lambda: Place.primary.inside(Box(-90, -180, 90, 180), app="a").plan,
    ),
}


@pytest.mark.parametrize("what", REJECTED)
def test_wrong_input_is_rejected(what: str) -> None:
    code, call = REJECTED[what]

    with pytest.raises(PkskError) as caught:
        call()

    assert caught.value.code == code
    assert caught.value.fix


@pytest.mark.parametrize(("lat", "lng"), [(91, 0), (0, 181), (nan, 0), (0, nan)])
def test_an_item_whose_position_is_not_on_the_earth_is_rejected(lat: float, lng: float) -> None:
    place = Place(app="a", id="7", lat=lat, lng=lng)

    with pytest.raises(PkskError):
        Place.__pksk__.to_item(place)


@pytest.mark.parametrize("cell", ["GCPJ", "gcpa", "gcp", "gcpjf", "u10h"])
def test_an_item_whose_cell_is_wrong_is_rejected(cell: str) -> None:
    with pytest.raises(ValidationError):
        Pin(lat=51.6705, lng=-1.2818, cell=cell)


def test_a_view_of_a_map_that_was_turned_around_is_wrapped() -> None:
    turned = Place.primary.inside(Box(51.4, 359.7, 51.6, 360.1), app="a")

    cells = turned.cell_plan.cover
    assert "gcpvj0" in cells
    assert "u10j00" in cells


def test_regions_without_size_and_polar_ones_are_answered() -> None:
    with connect("memory:") as db:
        db.create_tables(Wide.__pksk__.table)
        db.batch_put([Wide(cell=cell) for cell in ("zzz", "bpb", "upb", "000", "gcp")])

        assert [each.cell for each in db.run(Wide.primary.inside(Circle(90, 0, 1000), 3))] == [
            "bpb",
            "upb",
            "zzz",
        ]
        assert [each.cell for each in db.run(Wide.primary.inside(Box(51.5, -0.5, 51.5, -0.5), 3))] == ["gcp"]
        assert len(db.run(Wide.primary.inside(Box(-90, -180, 90, 180), 3))) == 5


def test_a_small_circle_at_a_pole_takes_many_queries_which_can_be_allowed() -> None:
    pole = Place(app="a", id="pole", lat=90, lng=0)
    with connect("memory:") as db:
        db.create_tables(Place.__pksk__.table)
        db.put(pole)
        for query in (Place.primary.near(90, 0, 10, app="a"), Place.primary.closest(90, 0, 1, app="a")):
            with pytest.raises(PkskError, match="most_queries="):
                db.run(query)

            assert db.run(query.using(most_queries=300)) == [pole]
