"""Ways to read a screen: all return the same cells, at the cost that the design states."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from examples.heatmap.cells import heatmap
from examples.heatmap.comparisons import METHODS, ReadCost, read_screen
from examples.heatmap.data import partition
from examples.heatmap.expected import Expected
from examples.heatmap.views import cells_of
from pksk import Store, connect
from pksk.cells import Box, Cover, decode, view_of_screen

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


def view_of(zoom: int) -> Box:
    return view_of_screen(*decode(TOWN).centre, zoom)


@pytest.mark.parametrize("zoom", [17, 18, 19])
def test_all_methods_show_the_same_cells(filled_partition: tuple[Store, Expected], zoom: int) -> None:
    db, model = filled_partition
    expected = model.seen_in(view_of(zoom), 8)

    found = read_in_all_ways(db, cells_of(view_of(zoom), 8))

    assert [way for way, each in found.items() if each.cells != expected] == []
    assert len(expected) >= 10


@pytest.mark.parametrize("zoom", [17, 18, 19])
def test_joined_ranges_cost_least_and_single_cells_most(
    filled_partition: tuple[Store, Expected], zoom: int
) -> None:
    db, _ = filled_partition
    screen = cells_of(view_of(zoom), 8)

    found = read_in_all_ways(db, screen)

    units = {way: each.units for way, each in found.items()}
    assert min(units, key=lambda way: units[way]) == "ranges, near ones joined"
    assert units["BatchGetItem"] == len(screen) / 2 == max(units.values())
    assert found["BatchGetItem"].requests == -(-len(screen) // 100)
    assert found["ranges, exact"].read == len(found["ranges, exact"].cells)
    assert found["ranges, exact"].requests == len(screen.key_ranges())


def test_missing_cells_cost_nothing_in_a_range_and_full_price_by_name(db: Store) -> None:
    found = read_in_all_ways(db, cells_of(view_of(19), 8))

    assert found["BatchGetItem"].units == found["BatchGetItem"].read / 2 == 96
    assert found["ranges, near ones joined"].units <= 2
