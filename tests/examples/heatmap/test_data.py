"""Generated data: the counts inside a cell add up to its own, and items are generated lazily."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from time import perf_counter

import pytest

from examples.heatmap.cells import YEAR, Cell
from examples.heatmap.data import NOW, generate, partition
from examples.heatmap.expected import Expected
from examples.heatmap.markers import Marker
from examples.heatmap.periods import half_year, seconds
from examples.heatmap.reports import Sender
from examples.heatmap.views import LENGTHS


@pytest.fixture(scope="module")
def expected() -> Expected:
    return Expected(generate(2000))


def test_every_cell_is_the_sum_of_its_children(expected: Expected) -> None:
    now = half_year(NOW)
    sums: Counter[tuple[str, int, int]] = Counter()
    own: Counter[tuple[str, int, int]] = Counter()
    for name, cell in expected.cells.items():
        for half in (now - 1, now):
            for night, number in enumerate(cell.counts(half)):
                own[name, half, night] += number
                if len(name) > LENGTHS[0]:
                    sums[name[:-1], half, night] += number

    parents = {key: number for key, number in own.items() if len(key[0]) < LENGTHS[-1]}
    assert +Counter(parents) == +sums


def test_every_cell_is_in_a_larger_one_that_was_counted_no_earlier(expected: Expected) -> None:
    for name, cell in expected.cells.items():
        if len(name) > LENGTHS[0]:
            assert expected.cells[name[:-1]].expires >= cell.expires
        assert seconds(NOW) - YEAR < cell.expires - YEAR <= seconds(NOW)


def test_every_marker_is_live_and_has_a_cell_with_its_last_report(expected: Expected) -> None:
    assert len(expected.markers) == len(expected.senders) > 5
    for marker in expected.markers:
        assert seconds(NOW) - 3600 <= marker.at <= seconds(NOW) < marker.expires
        assert expected.cells[marker.cell].last_report == marker.at
        assert (expected.cells[marker.cell[:-1]].last_report or 0) >= marker.at


@pytest.mark.parametrize("items", [100, 400, 3000])
def test_about_the_requested_number_of_items_is_generated(items: int) -> None:
    made = list(generate(items))

    assert items / 2 <= len(made) <= 2.5 * items
    assert {type(each) for each in made} == {Cell, Marker, Sender}
    assert made == list(generate(items))


def test_a_million_items_start_without_delay() -> None:
    began = perf_counter()

    assert len(list(islice(generate(1_000_000), 100))) == 100
    assert perf_counter() - began < 2


def test_a_partition_is_filled_to_the_requested_share() -> None:
    cells = [each.cell for each in partition("gcpvj", 0.1)]

    assert len(cells) == pytest.approx(3277, rel=0.1)
    assert cells == sorted(set(cells))
    assert {each[:5] for each in cells} == {"gcpvj"}
