"""Access patterns that are queries by region: planned, estimated and measured like others."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import computed_field

from pksk import DesignError, Entity, GeoQuery, Key, Table, access
from pksk.cells import Box, CellLevel, CellStatistics, encode
from pksk.model.access_options import AccessOptions
from pksk.model.requests.costs import estimate
from pksk.review.measuring.measure_design import measure_design

places = Table("places")


class Place(Entity, table=places, items=100_000):
    id: str
    lat: float
    lng: float

    primary = Key("PLACE#{cell[:-3]}", "{cell[-3:]}#{id}")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def cell(self) -> Annotated[str, CellLevel(6, of=("lat", "lng"))]:
        return encode(self.lat, self.lng, 6)

    @access(items=50, item_size=200, rate="20/s", example={"lat": 51.35, "lng": -0.7})
    @classmethod
    def around(cls, lat: float, lng: float) -> GeoQuery[Place]:
        """Places near a position."""
        return cls.primary.near(lat, lng, 3000)


def test_a_pattern_is_planned_with_its_example() -> None:
    pattern = places.patterns[0]
    (request,) = pattern.outcome().requests

    assert pattern.kind == "geo_query"
    assert isinstance(request, GeoQuery)
    assert request.plan.requests[0]["ExpressionAttributeValues"][":v0"] == {"S": "PLACE#gcp"}


def test_its_estimate_follows_from_the_items_of_a_call() -> None:
    (request,) = places.patterns[0].outcome().requests
    one = estimate([request], AccessOptions(items=10, item_size=200)).cost
    many = estimate([request], AccessOptions(items=1000, item_size=200)).cost

    assert one is not None
    assert many is not None
    assert 0.5 <= one.read <= 2
    assert many.read > 20


def test_without_figures_the_estimate_says_what_is_missing() -> None:
    query = Place.primary.inside(Box(51.4, -0.3, 51.6, 0.1))

    assert estimate([query]).missing == ("how many items a call reads (items=)",)


def test_statistics_of_the_query_are_figures_too() -> None:
    query = Place.primary.inside(Box(51.4, -0.3, 51.6, 0.1)).using(CellStatistics(0.2, 95, "counted"))
    found = estimate([query]).cost

    assert found is not None
    assert found.read == query.cell_plan.units == 6.5


def test_calls_are_measured_on_items_inside_the_region() -> None:
    found = measure_design([places]).of("Place.around")

    assert found is not None
    assert found.returned >= 50 * found.calls * 0.9
    assert found.consumed.read <= 2 * found.calls


def test_a_key_without_a_cell_is_rejected_when_the_class_is_made() -> None:
    with pytest.raises(DesignError, match="no part of its sort key is a cell"):

        class Wrong(Entity, table=Table("wrong")):
            id: str

            primary = Key("WRONG#{id}", "META")

            @access(example={"lat": 0.0, "lng": 0.0})
            @classmethod
            def around(cls, lat: float, lng: float) -> GeoQuery[Wrong]:
                return cls.primary.near(lat, lng, 500)
