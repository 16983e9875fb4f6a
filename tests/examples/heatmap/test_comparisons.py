"""Ways to read a screen: all find the same, and what each costs is what the design says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from examples.heatmap.cells import heatmap
from examples.heatmap.comparisons import METHODS, ReadCost, read_screen
from examples.heatmap.cover import Cover, cover
from examples.heatmap.data import partition
from examples.heatmap.expected import Expected
from examples.heatmap.geohash import area
from examples.heatmap.views import View, screen
from pksk import Store, connect

TOWN, SHARE = "gcpvj", 0.1


@pytest.fixture(scope="module")
def measured() -> Iterator[tuple[Store, Expected]]:
    expected = Expected(partition(TOWN, SHARE))
    with connect("memory:") as db:
        db.create_tables(heatmap)
        db.batch_put(*expected.cells.values())
        yield db, expected


def taken(db: Store, found: Cover) -> dict[str, ReadCost]:
    return {way: read_screen(db, way, found, SHARE) for way in METHODS}


def view_of(zoom: int) -> View:
    return screen(*area(TOWN).middle, zoom)


@pytest.mark.parametrize("zoom", [17, 18, 19])
def test_all_ways_show_the_same_cells(measured: tuple[Store, Expected], zoom: int) -> None:
    db, model = measured
    expected = model.seen_in(view_of(zoom), 8)

    found = taken(db, cover(view_of(zoom), 8))

    assert [way for way, each in found.items() if each.cells != expected] == []
    assert len(expected) >= 10


@pytest.mark.parametrize("zoom", [17, 18, 19])
def test_ranges_that_are_joined_cost_least_and_single_cells_most(
    measured: tuple[Store, Expected], zoom: int
) -> None:
    db, _ = measured
    screen = cover(view_of(zoom), 8)

    found = taken(db, screen)

    units = {way: each.units for way, each in found.items()}
    assert min(units, key=lambda way: units[way]) == "ranges, near ones joined"
    assert units["BatchGetItem"] == len(screen) / 2 == max(units.values())
    assert found["BatchGetItem"].requests == -(-len(screen) // 100)
    assert found["ranges, exact"].read == len(found["ranges, exact"].cells)
    assert found["ranges, exact"].requests == len(screen.runs())


def test_cells_that_are_not_there_cost_nothing_by_range_and_all_of_it_by_name(db: Store) -> None:
    found = taken(db, cover(view_of(19), 8))

    assert found["BatchGetItem"].units == found["BatchGetItem"].read / 2 == 96
    assert found["ranges, near ones joined"].units <= 2
