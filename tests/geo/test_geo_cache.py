"""A cache of queries by region has the results of the store, and reads only what it has not read before."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from pksk import TTL, Clock, Entity, F, GeoQuery, Key, RequestStarted, Store, Table, connect, connect_async
from pksk.cells import Box, CellLevel, CellStatistics, cover, plan_queries
from pksk.errors import DesignError
from pksk.geo import GeoCache
from tests.cells.random_regions import SHAPES, random_position
from tests.conftest import LONG
from tests.store.places import Count, Place, places, random_places

_VIEWS = 1000 if LONG else 10
ITEMS = random_places(Random(11), 250)
VIEW = Box(51.40, -0.30, 51.60, 0.10)
EAST = Box(51.40, -0.20, 51.60, 0.20)


class Small(BaseModel):
    """A part of a place."""

    id: str


class Mark(Entity, table=Table("marks", ttl="until")):
    """An item of a small cell that expires."""

    id: str
    cell: Annotated[str, CellLevel(6)]
    until: Annotated[int, TTL()] = 2_000_000_000

    primary = Key("MARK#{cell[:-3]}", "{cell[-3:]}#{id}")


@pytest.fixture(scope="module")
def db() -> Iterator[Store]:
    cells = sorted({item.cell for item in ITEMS})
    with connect("memory:") as store:
        store.create_tables(places)
        store.batch_put(ITEMS)
        store.batch_put([Count(cell=cell, n=len(cell)) for cell in cells])
        yield store


@pytest.fixture(scope="module")
def marks() -> Iterator[Store]:
    """A store with a mark in every second cell around a view."""
    wide = Box(51.3, -0.4, 51.7, 0.3)
    with connect("memory:", clock=Clock(1_900_000_000)) as store:
        store.create_tables(Mark.__pksk__.table)
        store.batch_put([Mark(id=cell, cell=cell) for cell in [*cover(wide, 6).cells()][::2]])
        yield store


def panned(box: Box, random: Random) -> Box:
    """A view of the same size nearby; it may cross the 180th meridian."""
    height, width = box.north - box.south, (box.east - box.west) % 360
    south = min(max(box.south + random.uniform(-0.5, 0.5) * height, -90), 90 - height)
    west = (box.west + random.uniform(-0.5, 0.5) * width + 180) % 360 - 180
    return Box(south, west, south + height, (west + width + 180) % 360 - 180)


def random_query(region: Any, random: Random) -> GeoQuery[Any]:
    """A query of one of all kinds in a region."""
    lat, lng = random_position(random)
    query: GeoQuery[Any] = random.choice(
        [
            Place.primary.inside(region, app="a"),
            Place.by_whole_cell.inside(region, app="a"),
            Place.by_kind.inside(region, app="a", kind="park").hydrate(),
            Place.primary.closest(lat, lng, random.choice([1, 5, 40]), app="a"),
            Count.primary.inside(region, 4).using(most_queries=10_000),
        ]
    )
    if query.entity is Place and query.key != "by_kind" and random.random() < 0.3:
        query = query.filter(F.stars >= random.randrange(6))
    if random.random() < 0.2:
        query = query.by_distance(lat, lng) if query.nearest_count is None else query
    if query.key == "primary" and query.entity is Place and random.random() < 0.2:
        query = query.into(Small)
    return query.limit(random.choice([1, 7])) if random.random() < 0.2 else query


def test_results_are_those_of_the_store_in_random_panning_views(db: Store) -> None:
    random = Random(12)
    cache = GeoCache(ttl_seconds=3600)
    box = Box(40, 150, 60, -170)
    for number in range(_VIEWS):
        box = panned(box, random)
        region = box if number % 3 else SHAPES[number % len(SHAPES)](random)
        query = random_query(region, random)

        assert cache.run(db, query) == db.run(query), query
    assert cache.use.found_cells > 0


@pytest.mark.parametrize("density", [None, 0.5])
def test_the_second_view_consumes_what_the_missing_part_takes(marks: Store, density: float | None) -> None:
    cache = GeoCache(ttl_seconds=60)
    statistics = CellStatistics(density, 90, "counted") if density else None
    first, second = (Mark.primary.inside(each).using(statistics) for each in (VIEW, EAST))
    cache.run(marks, first)

    with marks.meter() as meter:
        found = cache.run(marks, second)

    missing = cover(EAST, 6).without(cover(VIEW, 6).ranges)
    known = marks.cell_statistics(first)
    assert 0 < meter.consumed.read <= (plan_queries(missing, known).units or 0) + 0.5
    assert found == marks.run(second)


def test_the_first_view_costs_what_it_costs_without_a_cache(marks: Store) -> None:
    query = Mark.primary.inside(VIEW)
    with connect(marks.client) as other, other.meter() as plain:
        other.run(query)
    with connect(marks.client) as other, other.meter() as cached:
        GeoCache(ttl_seconds=60).run(other, query)

    assert cached.consumed == plain.consumed


def test_panning_back_and_cells_that_were_read_on_the_way_take_no_request(marks: Store) -> None:
    cache = GeoCache(ttl_seconds=60)
    sparse = CellStatistics(0.0001, 90, "declared")
    cache.run(marks, Mark.primary.inside(VIEW).using(sparse))
    cache.run(marks, Mark.primary.inside(EAST).using(sparse))
    with marks.meter() as meter:
        for region in (VIEW, EAST, Box(51.45, -0.25, 51.5, 0.15)):
            cache.run(marks, Mark.primary.inside(region))

    assert meter.calls == 0


def test_a_level_is_read_again_after_its_time_to_live(db: Store) -> None:
    clock = Clock(0)
    cache = GeoCache(ttl_seconds={4: 10}, clock=clock)
    query = Place.primary.inside(Box(-50, -50, 50, 50), app="a")
    other = Place.by_whole_cell.inside(Box(-50, -50, 50, 50), app="a")
    calls = []
    for seconds in (0, 9, 1):
        clock.advance(seconds)
        with db.meter() as meter:
            cache.run(db, query)
        calls.append(meter.calls > 0)
    with db.meter() as uncached:
        cache.run(db, other)
        cache.run(db, other)

    assert calls == [True, False, True]
    assert uncached.calls >= 2


def test_an_item_that_has_expired_since_is_hidden_by_the_clock_of_the_store() -> None:
    clock = Clock(1_900_000_000)
    cache = GeoCache(ttl_seconds=1e9)
    query = Mark.primary.inside(VIEW)
    with connect("memory:", clock=clock) as db:
        db.create_tables(Mark.__pksk__.table)
        db.put(Mark(id="1", cell="gcpvj0", until=1_900_000_100))
        before = cache.run(db, query)
        clock.advance(200)

        assert (len(before), cache.run(db, query), cache.run(db, query.into(Small))) == (1, [], [])


def test_answers_of_other_parts_filters_models_and_stores_are_kept_apart(db: Store) -> None:
    cache = GeoCache(ttl_seconds=60)
    region = Box(-90, -180, 90, 180)
    query = Place.primary.inside(region, app="a")
    assert len(cache.run(db, query)) == len(ITEMS)

    assert cache.run(db, Place.primary.inside(region, app="b")) == []
    assert all(each.stars == 5 for each in cache.run(db, query.filter(F.stars == 5)))
    assert isinstance(cache.run(db, query.into(Small))[0], Small)
    with connect("memory:") as other:
        other.create_tables(places)
        assert cache.run(other, query) == []
    with db.meter() as consistent:
        cache.run(db, query.consistently())
    assert consistent.calls > 0


def test_threads_that_miss_the_same_cells_read_them_once(marks: Store) -> None:
    cache = GeoCache(ttl_seconds=60)
    query = Mark.primary.inside(VIEW)
    wanted = marks.run(query)
    together = Barrier(4)

    def run(_: int) -> list[Mark]:
        together.wait()
        return cache.run(marks, query)

    with ThreadPoolExecutor(4) as threads:
        results = [*threads.map(run, range(4))]

    assert results == [wanted] * 4
    assert cache.use.fetched_cells == len(cover(VIEW, 6))


def test_threads_with_panning_views_have_the_results_of_the_store(marks: Store) -> None:
    cache = GeoCache(ttl_seconds=60, max_bytes=400_000)

    def run(seed: int) -> bool:
        random = Random(seed)
        box, same = VIEW, True
        for _ in range(3):
            box = panned(box, random)
            query = Mark.primary.inside(box)
            same &= cache.run(marks, query) == marks.run(query)
        return same

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(run, range(3)))
    assert cache.use.size_bytes <= 400_000


def test_tasks_share_a_cache_and_find_the_same(marks: Store) -> None:
    cache = GeoCache(ttl_seconds=60)
    queries = [Mark.primary.inside(each) for each in (VIEW, EAST, VIEW)]

    async def run() -> list[list[Mark]]:
        async with connect_async(marks.client) as db:
            return [*await asyncio.gather(*(cache.run(db, each) for each in queries))]

    assert asyncio.run(run()) == [marks.run(each) for each in queries]
    assert cache.use.fetched_cells == len({*cover(VIEW, 6).cells(), *cover(EAST, 6).cells()})


def test_what_is_read_while_the_cache_is_cleared_is_not_kept(marks: Store) -> None:
    cache = GeoCache(ttl_seconds=60)

    def clear(_: RequestStarted) -> None:
        cache.clear()

    with connect(marks.client, hooks=[clear]) as db:
        found = cache.run(db, Mark.primary.inside(VIEW))

    assert found == marks.run(Mark.primary.inside(VIEW))
    assert cache.use.answers == 0


def test_other_requests_are_rejected(marks: Store) -> None:
    with pytest.raises(DesignError, match="its argument is a Query"):
        GeoCache(ttl_seconds=60).run(marks, Mark.primary(cell="gcpvj0"))  # type: ignore[call-overload]


def test_a_cell_that_is_invalid_is_read_again_by_all_queries_that_have_it() -> None:
    cache = GeoCache(ttl_seconds=60)
    with connect("memory:") as db:
        db.create_tables(Mark.__pksk__.table)
        db.put(Mark(id="1", cell="gcpvj0"))
        query = Mark.primary.inside(VIEW)
        small = query.into(Small)
        assert len(cache.run(db, query)) == len(cache.run(db, small)) == 1
        db.put(Mark(id="2", cell="gcpvj0"))
        db.put(Mark(id="3", cell="gcpvj1"))

        cache.invalidate("gcpvj0")

        assert [each.id for each in cache.run(db, query)] == ["1", "2"]
        assert [each.id for each in cache.run(db, small)] == ["1", "2"]
        cache.invalidate("gcpvj1")
        assert [each.id for each in cache.run(db, query)] == ["1", "2", "3"]
