"""Queries by region against brute force: regions of all kinds, the nearest items, pages, and what they consume."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from pksk import F, Store, connect
from pksk.cells import Box, CellStatistics, Circle, cover, distance_m
from tests.cells.random_regions import SHAPES, random_box, random_position
from tests.conftest import LONG
from tests.store.places import Count, Place, places, random_places

_REGIONS = 2000 if LONG else 150
ITEMS = random_places(Random(7), 1200)


@pytest.fixture(scope="module")
def db() -> Iterator[Store]:
    with connect("memory:") as store:
        store.create_tables(places)
        store.batch_put(ITEMS)
        yield store


def test_a_region_has_exactly_the_items_whose_positions_are_in_it(db: Store) -> None:
    random = Random(1)
    for number in range(_REGIONS):
        region = SHAPES[number % len(SHAPES)](random)
        for key in (Place.primary, Place.by_whole_cell):
            query = key.inside(region, app="a")
            found = db.run(query)

            assert sorted(each.id for each in found) == [
                each.id for each in ITEMS if (each.lat, each.lng) in region
            ], region
            assert [each.id for each in db.iter(query)] == [each.id for each in found]


def test_results_come_in_the_order_of_their_cells(db: Store) -> None:
    found = db.run(Place.primary.inside(Box(-60, -100, 60, 100), app="a"))

    assert [(each.cell, each.id) for each in found] == sorted((each.cell, each.id) for each in found)


def test_the_nearest_items_are_those_that_sorting_all_of_them_finds(db: Store) -> None:
    random = Random(2)
    for _ in range(1000 if LONG else 120):
        lat, lng = random_position(random)
        count = random.choice([1, 2, 10, 50, 2000])
        key = random.choice([Place.primary, Place.by_whole_cell])

        found = db.run(key.closest(lat, lng, count, app="a"))

        distances = sorted(distance_m(lat, lng, each.lat, each.lng) for each in ITEMS)[:count]
        assert [distance_m(lat, lng, each.lat, each.lng) for each in found] == distances
        assert len({each.id for each in found}) == len(found)
