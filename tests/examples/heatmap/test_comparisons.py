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
def filled_partition() -> Iterator[tuple[Store, Expected]]:
    expected = Expected(partition(TOWN, SHARE))
    with connect("memory:") as db:
        db.create_tables(heatmap)
        db.batch_put(*expected.cells.values())
        yield db, expected


def read_in_all_ways(db: Store, found: Cover) -> dict[str, ReadCost]:
    return {way: read_screen(db, way, found, SHARE) for way in METHODS}


def view_of(zoom: int) -> View:
    return screen(*area(TOWN).middle, zoom)


@pytest.mark.parametrize("zoom", [17, 18, 19])
def test_all_methods_show_the_same_cells(filled_partition: tuple[Store, Expected], zoom: int) -> None:
    db, model = filled_partition
    expected = model.seen_in(view_of(zoom), 8)

    found = read_in_all_ways(db, cover(view_of(zoom), 8))

    assert [way for way, each in found.items() if each.cells != expected] == []
    assert len(expected) >= 10


@pytest.mark.parametrize("zoom", [17, 18, 19])
def test_joined_ranges_cost_least_and_single_cells_most(
    filled_partition: tuple[Store, Expected], zoom: int
) -> None:
    db, _ = filled_partition
    screen = cover(view_of(zoom), 8)

    found = read_in_all_ways(db, screen)

    units = {way: each.units for way, each in found.items()}
    assert min(units, key=lambda way: units[way]) == "ranges, near ones joined"
    assert units["BatchGetItem"] == len(screen) / 2 == max(units.values())
    assert found["BatchGetItem"].requests == -(-len(screen) // 100)
    assert found["ranges, exact"].read == len(found["ranges, exact"].cells)
    assert found["ranges, exact"].requests == len(screen.runs())


def test_missing_cells_cost_nothing_in_a_range_and_full_price_by_name(db: Store) -> None:
    found = read_in_all_ways(db, cover(view_of(19), 8))

    assert found["BatchGetItem"].units == found["BatchGetItem"].read / 2 == 96
    assert found["ranges, near ones joined"].units <= 2
