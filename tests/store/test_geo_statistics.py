"""What queries by region cost where nothing is known of the density, and what a store remembers of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from random import Random
from typing import Annotated, Final

import pytest

from pksk import Attribute, Clock, Entity, Key, RequestStarted, Store, Table, connect
from pksk.cells import GEOHASH, Box, CellLevel, CellStatistics, Cover, ReadCost, cover, encode, view_of_screen
from pksk.cells.read_cost import touched_blocks
from pksk.sending.seen_cells import SeenCells
from tests.conftest import LONG

LEVEL: Final = 7
COST: Final = ReadCost()
TOWNS: Final = ((51.5, -0.12), (51.9, -0.2), (50.85, 0.3), (52.2, -1.1))


class Cell(Entity, table=Table("cells", discriminator=None)):
    """A cell of about 100 bytes."""

    cell: Annotated[str, CellLevel(LEVEL), Attribute("c")]
    note: str = "x" * 66

    primary = Key("ShCe#{cell[:-3]}", "{cell[-3:]}")


def clustered_cells() -> list[str]:
    """Cells that are dense in the middle of towns, and sparse around them."""
    random, cells = Random(1), set()
    for lat, lng in TOWNS:
        for _ in range(3000):
            spread = random.choice([0.005, 0.02, 0.1])
            cells.add(encode(lat + random.gauss(0, spread), lng + random.gauss(0, spread), LEVEL))
    return sorted(cells)


CELLS: Final = clustered_cells()
NUMBERS: Final = [GEOHASH.number(each) for each in CELLS]


@pytest.fixture(scope="module")
def db() -> Iterator[Store]:
    with connect("memory:") as store:
        store.create_tables(Cell.__pksk__.table)
        store.batch_put([Cell(cell=each) for each in CELLS])
        yield store


def strategies(found: Cover) -> dict[str, float]:
    """What other ways to read a cover cost on these cells."""
    block, partition = 1 << 10, 1 << 15
    per_partition = [ranges for _, ranges in found.by_partition()]
    ways: dict[str, Sequence[range]] = {
        "exact": [each for ranges in per_partition for each in ranges],
        "one range": [range(ranges[0].start, ranges[-1].stop) for ranges in per_partition],
        "blocks": [each for ranges in per_partition for each in touched_blocks(ranges, block)],
        "partitions": [each for ranges in per_partition for each in touched_blocks(ranges, partition)],
    }
    costs = {name: COST.total([100 * _count(each) for each in ranges]) for name, ranges in ways.items()}
    return {**costs, "one by one": len(found) / 2}


def _count(part: range) -> int:
    return bisect_left(NUMBERS, part.stop) - bisect_left(NUMBERS, part.start)


def random_view(random: Random) -> Box:
    lat, lng = random.choice(TOWNS)
    place = lat + random.gauss(0, 0.05), lng + random.gauss(0, 0.05)
    return view_of_screen(*place, random.randrange(13, 17))


def test_views_of_unknown_density_cost_no_more_than_any_single_strategy(db: Store) -> None:
    random = Random(2)
    mine, others = 0.0, dict.fromkeys(("exact", "one range", "blocks", "partitions", "one by one"), 0.0)
    for _ in range(300 if LONG else 25):
        view = random_view(random)
        found = cover(view, LEVEL)
        # A store that has seen nothing.
        with connect(db.client) as fresh, fresh.meter(everywhere=True) as meter:
            cells = [each.cell for each in fresh.run(Cell.primary.inside(view))]
        assert len(cells) == sum(map(_count, found.ranges))
        mine += meter.consumed.read + COST.request_units * meter.calls
        for name, cost in strategies(found).items():
            others[name] += cost

    assert mine <= min(others.values()), (mine, others)


def test_at_most_one_limited_request_shows_the_density_of_each_partition(db: Store) -> None:
    random = Random(3)
    for _ in range(10):
        limited: list[str] = []

        def count(started: RequestStarted, limited: list[str] = limited) -> None:
            if "Limit" in started.parameters:
                limited.append(started.parameters["ExpressionAttributeValues"][":v0"]["S"])

        view = random_view(random)
        with connect(db.client, hooks=[count]) as fresh:
            fresh.run(Cell.primary.inside(view))

        assert sorted(limited) == sorted(f"ShCe#{prefix}" for prefix in cover(view, LEVEL).partitions())


def test_a_store_says_what_it_has_seen_and_when() -> None:
    clock = Clock(datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp())
    view = Box(51.5, -0.13, 51.51, -0.11)
    query = Cell.primary.inside(view)
    with connect("memory:", clock=clock) as db:
        db.create_tables(Cell.__pksk__.table)
        db.batch_put([Cell(cell=each) for each in CELLS[::20]])
        assert db.cell_statistics(query).source == "not seen yet"
        db.run(query)
        clock.advance(600)
        seen = db.cell_statistics(query)

        assert seen.source == "seen in earlier answers"
        assert seen.as_of == datetime(2026, 3, 1, 12, tzinfo=UTC)
        assert "as of 2026-03-01 12:00" in str(query.using(seen).explain())
        clock.advance(3600)
        assert db.cell_statistics(query).source == "not seen yet"


def test_statistics_that_are_passed_win_over_those_that_were_seen() -> None:
    counted = CellStatistics(0.5, 100, "counted")
    with connect("memory:") as db:
        db.create_tables(Cell.__pksk__.table)
        query = Cell.primary.inside(Box(51.5, -0.13, 51.51, -0.11))
        db.run(query)

        assert db.cell_statistics(query.using(counted)) is counted


def test_a_bounded_number_of_partitions_is_remembered() -> None:
    seen = SeenCells(most=10)
    for number in range(100):
        seen.add(("heat", None, number), items=1, cells=10, size_bytes=100, now=1.0)

    assert len(seen) == 10
    assert seen.find(("heat", None, 99), now=1.0) is not None
    assert seen.find(("heat", None, 0), now=1.0) is None


def test_newer_answers_count_more_than_older_ones() -> None:
    seen = SeenCells()
    for _ in range(50):
        seen.add(("heat",), items=0, cells=32_768, size_bytes=0, now=1.0)
    for _ in range(5):
        seen.add(("heat",), items=32_768, cells=32_768, size_bytes=3_000_000, now=2.0)

    found = seen.find(("heat",), now=2.0)

    assert found is not None
    assert found.items / found.cells > 0.5
