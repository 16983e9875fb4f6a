"""Reading a view without knowing how many of its cells exist: all are found, for no more than whole partitions."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

from examples.heatmap.cells import Cell, heatmap
from examples.heatmap.data import CITIES, generate, partition
from examples.heatmap.views import cells_of, length_at
from pksk import Store, connect
from pksk.cells import Box, decode, view_of_screen

VIEWS = 60
TOWN = "gcpvj"


def filled_store(entities: Iterable[object]) -> Store:
    store = connect("memory:")
    store.create_tables(heatmap)
    store.batch_put(*(each for each in entities if isinstance(each, Cell)))
    return store


def costs(db: Store, view: Box, zoom: int) -> tuple[float, float]:
    """The units of reading a view, and those of whole partitions; asserts that the same cells are found."""
    ranges = cells_of(view, length_at(zoom))
    with db.meter() as meter:
        found = [each.cell for each in db.run(Cell.in_view(view, zoom))]
    with db.meter() as whole:
        every = [each.cell for prefix in ranges.partitions() for each in db.iter(Cell.partition(prefix))]
    assert found == [each for each in every if each in ranges]
    return meter.consumed.read, whole.consumed.read


@pytest.mark.parametrize("items", [600, 6000])
def test_a_view_of_clustered_cells_costs_no_more_than_whole_partitions(items: int) -> None:
    random = Random(3)
    with filled_store(generate(items)) as db:
        for _ in range(VIEWS):
            city, zoom = random.choice(CITIES), random.randrange(3, 19)
            place = city.lat + random.uniform(-0.05, 0.05), city.lng + random.uniform(-0.05, 0.05)
            mine, whole = costs(db, view_of_screen(*place, zoom), zoom)

            assert mine <= whole


@pytest.mark.parametrize(
    ("share", "times"), [(0.001, 1), (0.01, 3), pytest.param(0.1, 10, marks=pytest.mark.wider)]
)
def test_the_fuller_a_partition_the_smaller_the_part_of_its_cost_that_a_view_takes(
    share: float, times: float
) -> None:
    random, mine, whole = Random(3), 0.0, 0.0
    area = decode(TOWN)
    with filled_store(partition(TOWN, share)) as db:
        for _ in range(VIEWS):
            place = random.uniform(area.south, area.north), random.uniform(area.west, area.east)
            zoom = random.randrange(17, 21)
            units = costs(db, view_of_screen(*place, zoom), zoom)
            assert units[0] <= units[1]
            mine, whole = mine + units[0], whole + units[1]

    assert mine * times <= whole


def test_a_partition_with_few_cells_takes_one_request() -> None:
    with filled_store(partition(TOWN, 0.001)) as db, db.meter() as meter:
        db.run(Cell.in_view(view_of_screen(*decode(TOWN).centre, 17), 17))

    assert (meter.calls, meter.consumed.read) == (1, 0.5)
