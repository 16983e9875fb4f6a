"""A cache never answers differently from what it caches, for as long as its answers may be used."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier, Event
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk import Clock
from pksk.cells import GEOHASH, Box, CellRange, cover
from pksk.errors import InvalidValue
from pksk.geo import RangeCache

randoms = st.integers(0, 2**32).map(Random)
PREFIX = "gcp"
CELLS = 60
TTL_SECONDS = 30.0


class Item(NamedTuple):
    """An item of a cell, and when it was written."""

    cell: str
    id: int
    written: float


class Stored:
    """What is cached: items in cells, and what was read of them."""

    def __init__(self, random: Random) -> None:
        self.items = {
            name: [Item(name, number, 0.0) for number in range(random.choice([0, 0, 1, 3]))]
            for name in map(cell, range(CELLS))
        }
        self.reads: list[CellRange] = []
        self.read_cells = Counter[str]()

    def fetch(self, ranges: Sequence[CellRange]) -> list[Item]:
        self.reads += ranges
        self.read_cells.update(name for name in self.items if _is_in(name, ranges))
        return self.inside(ranges)

    def inside(self, ranges: Iterable[CellRange]) -> list[Item]:
        """The items of some ranges, in the order in which a cache returns them."""
        return [
            item
            for prefix, first, last in ranges
            for name, items in self.items.items()
            if prefix + first <= name <= prefix + last
            for item in items
        ]


def cell(number: int) -> str:
    """Cells of two partitions."""
    return GEOHASH.name(GEOHASH.number("gcpzzz") - 30 + number, 6)


def key_range(first: int, last: int) -> list[CellRange]:
    """The ranges of keys from one cell to another, which can be in both partitions."""
    low, high = cell(first), cell(last)
    if low[:3] == high[:3]:
        return [CellRange(low[:3], low[3:], high[3:])]
    return [CellRange(low[:3], low[3:], "zzz"), CellRange(high[:3], "000", high[3:])]


def random_ranges(random: Random) -> list[CellRange]:
    ranges = []
    for _ in range(random.randrange(1, 4)):
        first = random.randrange(CELLS)
        ranges += key_range(first, random.randrange(first, min(first + 20, CELLS)))
    return ranges


def _is_in(name: str, ranges: Iterable[CellRange]) -> bool:
    return any(prefix + first <= name <= prefix + last for prefix, first, last in ranges)


def open_cache(clock: Clock | None = None, **options: Any) -> RangeCache[Item]:
    options = {"ttl_seconds": TTL_SECONDS, "clock": clock or Clock(0), **options}
    return RangeCache(lambda item: item.cell, **options)


@given(randoms)
def test_every_cell_is_read_once_and_every_answer_is_complete(random: Random) -> None:
    stored, cache = Stored(random), open_cache()

    for _ in range(random.randrange(1, 12)):
        ranges = random_ranges(random)

        assert cache.read(ranges, stored.fetch) == stored.inside(ranges)

    assert max(stored.read_cells.values()) == 1
    assert cache.use.fetched_cells == stored.read_cells.total()


@given(randoms)
def test_answers_are_never_older_than_their_time_to_live_nor_than_an_invalidation(random: Random) -> None:
    clock, stored = Clock(0), Stored(random)
    cache = open_cache(clock, max_bytes=random.choice([300, 3_000, 1_000_000]))
    changed: dict[str, list[tuple[float, list[Item]]]] = {
        name: [(0.0, items)] for name, items in stored.items.items()
    }

    for _ in range(random.randrange(1, 40)):
        clock.advance(random.choice([0, 1, 12]))
        name = cell(random.randrange(CELLS))
        if random.random() < 0.5:
            stored.items[name] = [Item(name, number, clock()) for number in range(random.randrange(3))]
            changed[name].append((clock(), stored.items[name]))
            if random.random() < 0.5:
                cache.invalidate(name)
                changed[name] = changed[name][-1:]
        ranges = random_ranges(random)[:1]

        found = cache.read(ranges, stored.fetch, gap=random.choice([0, 2, 9]))

        for each in (each for each in stored.items if _is_in(each, ranges)):
            # What was there within the time to live: states that ended no longer ago.
            states = changed[each]
            ends = [*(begin for begin, _ in states[1:]), float("inf")]
            possible = [
                items for (_, items), end in zip(states, ends, strict=True) if end > clock() - TTL_SECONDS
            ]
            assert [item for item in found if item.cell == each] in possible
        assert [item.cell for item in found] == sorted(item.cell for item in found)
        assert cache.use.size_bytes <= 1_000_000


@given(randoms, st.integers(300, 20_000))
def test_a_cache_never_holds_more_than_it_may(random: Random, max_bytes: int) -> None:
    stored, cache = Stored(random), open_cache(max_bytes=max_bytes, size_of=lambda _: 100)

    for _ in range(20):
        ranges = random_ranges(random)

        assert cache.read(ranges, stored.fetch) == stored.inside(ranges)
        assert cache.use.size_bytes <= max_bytes
        cache.invalidate(cell(random.randrange(CELLS)))
        assert cache.use.size_bytes <= max_bytes


def test_the_least_recently_used_answer_goes_first() -> None:
    stored, cache = Stored(Random(1)), open_cache(max_bytes=700, size_of=lambda _: 0)
    for first in (0, 10, 0, 20):
        cache.read(key_range(first, first + 1), stored.fetch)
    stored.reads.clear()

    cache.read(key_range(0, 1), stored.fetch)
    cache.read(key_range(10, 11), stored.fetch)

    assert stored.reads == key_range(10, 11)


def test_levels_and_identities_have_answers_of_their_own() -> None:
    clock, calls = Clock(0), list[Sequence[CellRange]]()
    cache = open_cache(clock, ttl_seconds={3: 100, 4: 10})

    def fetch(ranges: Sequence[CellRange]) -> list[Item]:
        calls.append(ranges)
        return []

    large, small = [CellRange("", "gcp", "gcp")], [CellRange("g", "cp0", "cp0")]
    for _ in range(2):
        for ranges in (large, small):
            cache.read(ranges, fetch)
        cache.read(large, fetch, identity="tenant")
    clock.advance(50)
    for ranges in (large, small, [CellRange("gc", "pj0", "pj0")], [CellRange("gc", "pj0", "pj0")]):
        cache.read(ranges, fetch)

    # A level without a time to live is not kept.
    assert [each[0] for each in calls] == [
        *large,
        *small,
        *large,
        *small,
        *[CellRange("gc", "pj0", "pj0")] * 2,
    ]


def test_near_missing_parts_are_read_as_one() -> None:
    stored, cache = Stored(Random(1)), open_cache()
    cache.read(key_range(4, 5), stored.fetch)
    stored.reads.clear()

    found = cache.read(key_range(0, 9), stored.fetch, gap=2)

    assert stored.reads == key_range(0, 9)
    assert found == stored.inside(key_range(0, 9))


@given(randoms)
def test_threads_that_miss_the_same_range_read_it_once(random: Random) -> None:
    stored, cache = Stored(random), open_cache()
    views = [random_ranges(random) for _ in range(8)]
    together = Barrier(len(views))

    def read(ranges: list[CellRange]) -> list[Item]:
        together.wait()
        return cache.read(ranges, stored.fetch)

    with ThreadPoolExecutor(len(views)) as pool:
        found = list(pool.map(read, views))

    assert found == [stored.inside(ranges) for ranges in views]
    assert max(stored.read_cells.values()) == 1


@given(randoms)
def test_after_an_invalidation_no_thread_gets_what_was_there_before(random: Random) -> None:
    stored, cache = Stored(random), open_cache(max_bytes=random.choice([2_000, 1_000_000]))
    seeds = [random.random() for _ in range(4)]

    def change_and_read(number: int) -> bool:
        # Each thread changes cells of its own, and reads those of all.
        own, mine = cell(number), Random(seeds[number])
        for version in range(1, 15):
            stored.items[own] = [Item(own, version, 0.0)]
            cache.invalidate(own)
            first = mine.randrange(number + 1)
            found = cache.read(key_range(first, first + 8), stored.fetch)
            if [item.id for item in found if item.cell == own] != [version]:
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(change_and_read, range(4)))


@given(randoms)
def test_tasks_that_miss_the_same_range_read_it_once_also_if_some_are_cancelled(random: Random) -> None:
    stored, cache = Stored(random), open_cache()

    async def fetch(ranges: Sequence[CellRange]) -> list[Item]:
        await asyncio.sleep(0)
        found = stored.inside(ranges)
        await asyncio.sleep(0)
        stored.fetch(ranges)
        return found

    async def main() -> None:
        views = [random_ranges(random) for _ in range(8)]
        tasks = [asyncio.create_task(cache.read_async(ranges, fetch)) for ranges in views]
        await asyncio.sleep(0)
        for task in tasks[: random.randrange(4)]:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        for ranges, found in zip(views, results, strict=True):
            assert isinstance(found, asyncio.CancelledError) or found == stored.inside(ranges)

    asyncio.run(main())

    assert max(stored.read_cells.values(), default=1) == 1


def test_those_who_wait_for_a_failed_read_try_themselves() -> None:
    stored, cache = Stored(Random(1)), open_cache()
    began, fails = Event(), Event()

    def fail(ranges: Sequence[CellRange]) -> list[Item]:
        began.set()
        fails.wait(10)
        raise ConnectionError("down")

    with ThreadPoolExecutor(2) as pool:
        failing = pool.submit(cache.read, key_range(0, 9), fail)
        began.wait(10)
        waiting = pool.submit(cache.read, key_range(5, 14), stored.fetch)
        fails.set()

        assert waiting.result(10) == stored.inside(key_range(5, 14))
        with pytest.raises(ConnectionError):
            failing.result(10)


def test_a_read_that_an_invalidation_overtakes_is_not_kept() -> None:
    stored, cache = Stored(Random(1)), open_cache()

    def fetch(ranges: Sequence[CellRange]) -> list[Item]:
        found = stored.fetch(ranges)
        cache.invalidate(cell(3))
        return found

    cache.read(key_range(0, 9), fetch)
    stored.reads.clear()
    cache.read(key_range(0, 9), stored.fetch)
    cache.clear()
    cache.read(key_range(0, 9), stored.fetch)

    assert stored.reads == [*key_range(0, 9), *key_range(0, 9)]


def test_panning_a_view_reads_only_what_came_into_it() -> None:
    cache = open_cache(ttl_seconds={6: 60})
    read = list[int]()

    def fetch(ranges: Sequence[CellRange]) -> list[Item]:
        names = [each.prefix + end for each in ranges for end in each[1:]]
        read.append(
            sum(
                GEOHASH.number(last) - GEOHASH.number(first) + 1
                for first, last in zip(*[iter(names)] * 2, strict=True)
            )
        )
        return []

    first, second = (cover(Box(51.4, -0.3 + shift, 51.6, 0.1 + shift), 6) for shift in (0, 0.05))
    cache.read(first.key_ranges(), fetch)
    cache.read(second.key_ranges(), fetch)

    assert read[0] == len(first)
    assert read[1] == len(set(second.cells()) - set(first.cells())) < len(second) / 5


@pytest.mark.parametrize(
    "options", [{"ttl_seconds": -1}, {"ttl_seconds": {3: "1"}}, {"max_bytes": 0}, {"ttl_seconds": True}]
)
def test_impossible_options_are_rejected(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue, match="cache-option"):
        open_cache(**options)
