"""Reading a view without knowing how many of its cells exist: all are found, for no more than whole partitions."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

from examples.heatmap.cells import Cell, heatmap
from examples.heatmap.data import CITIES, generate, partition
from examples.heatmap.reading import read_cells
from examples.heatmap.views import cells_of, length_at
from pksk import Store, connect
from pksk.cells import Cover, decode, view_of_screen

VIEWS = 60
TOWN = "gcpvj"


def filled_store(entities: Iterable[object]) -> Store:
    store = connect("memory:")
    store.create_tables(heatmap)
    store.batch_put(*(each for each in entities if isinstance(each, Cell)))
    return store


def costs(db: Store, ranges: Cover) -> tuple[float, float]:
    """The units of reading a cover, and those of whole partitions; asserts that the same cells are found."""
    with db.meter() as meter:
        found = [each.cell for each in read_cells(db, ranges)]
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
            mine, whole = costs(db, cells_of(view_of_screen(*place, zoom), length_at(zoom)))

            assert mine <= whole


@pytest.mark.parametrize(("share", "times"), [(0.001, 1), (0.01, 3), (0.1, 10)])
def test_the_fuller_a_partition_the_smaller_the_part_of_its_cost_that_a_view_takes(
    share: float, times: float
) -> None:
    random, mine, whole = Random(3), 0.0, 0.0
    area = decode(TOWN)
    with filled_store(partition(TOWN, share)) as db:
        for _ in range(VIEWS):
            place = random.uniform(area.south, area.north), random.uniform(area.west, area.east)
            units = costs(db, cells_of(view_of_screen(*place, random.randrange(17, 21)), 8))
            assert units[0] <= units[1]
            mine, whole = mine + units[0], whole + units[1]

    assert mine * times <= whole


def test_a_partition_with_few_cells_takes_one_request() -> None:
    with filled_store(partition(TOWN, 0.001)) as db, db.meter() as meter:
        list(read_cells(db, cells_of(view_of_screen(*decode(TOWN).centre, 17), 8)))

    assert (meter.calls, meter.consumed.read) == (1, 0.5)
