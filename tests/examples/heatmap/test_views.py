"""Views of a map: the cells of a view, and the live reports in it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from examples.heatmap.cells import Cell, heatmap
from examples.heatmap.data import CITIES, NOW, generate
from examples.heatmap.errors import OffTheMap
from examples.heatmap.expected import Expected
from examples.heatmap.markers import Marker, live
from examples.heatmap.operations import Reporter, heat, report
from examples.heatmap.periods import seconds
from examples.heatmap.views import LENGTHS, SUFFIX, cells_of, length_at, length_of
from pksk import Clock, Delays, Engine, Store, connect
from pksk.cells import Box, CellArea, cell_count, decode, distance_m, view_of_screen

from .conftest import Day

LONDON = CITIES[0]
FIJI = Box(-19, 177, -16, -179)


@pytest.fixture(scope="module")
def expected() -> Expected:
    return Expected(generate(600))


@pytest.fixture(scope="module")
def loaded_store(expected: Expected) -> Store:
    store = connect("memory:", clock=Clock(NOW.timestamp()))
    store.create_tables(heatmap)
    store.batch_put(*expected.cells.values())
    store.batch_put(*expected.markers)
    return store


@pytest.mark.parametrize("zoom", [3, 5, 8, 11, 14, 16, 18])
def test_a_screen_shows_what_the_model_shows(loaded_store: Store, expected: Expected, zoom: int) -> None:
    view, length = view_of_screen(LONDON.lat, LONDON.lng, zoom), length_at(zoom)

    assert heat(loaded_store, view, NOW, zoom) == expected.points(view, length, NOW)


@pytest.mark.parametrize("view", [FIJI, Box(-90, -180, 90, 180), Box(40, -10, 60, 20), Box(89, 0, 90, 1)])
def test_wide_views_are_drawn_from_cells_that_fit(loaded_store: Store, expected: Expected, view: Box) -> None:
    assert heat(loaded_store, view, NOW) == expected.points(view, length_of(view), NOW)


def test_fiji_is_shown_on_both_sides_of_the_180th_meridian(db: Store) -> None:
    for number, lng in enumerate((179.9, -179.9)):
        report(db, -17, lng, NOW, Reporter(str(number), -17, lng), now=NOW)

    assert [round(each.lng) for each in heat(db, FIJI, NOW, 14)] == [-180, 180]
    assert len(live(db, Box(-17.1, 179.8, -16.9, -179.8), NOW)) == 2


def test_a_point_has_the_age_of_its_last_report(db: Store) -> None:
    report(db, 51.5, -0.12, NOW, Reporter("a", 51.5, -0.12), now=NOW)
    around = Box(51.499, -0.121, 51.501, -0.119)

    (small,) = heat(db, around, NOW + timedelta(minutes=5), 18)
    (large,) = heat(db, around, NOW + timedelta(minutes=5), 11)

    assert (small.intensity, small.age_seconds) == (1, 300)
    assert (large.intensity, large.age_seconds) == (1, None)


def test_a_faded_cell_is_not_a_point(db: Store) -> None:
    db.put(Cell(cell="gcpvj000", half=4080, first_half_days=9, expires=seconds(NOW) + 9))

    assert heat(db, Box(51.50, -0.14, 51.51, -0.13), NOW, 18) == []


def test_live_markers_are_those_of_the_last_hour_in_view(loaded_store: Store, expected: Expected) -> None:
    view = view_of_screen(LONDON.lat, LONDON.lng, 12)

    assert live(loaded_store, view, NOW) == expected.live_in(view, NOW) != []
    before = NOW - timedelta(minutes=30)
    assert live(loaded_store, view, before) == expected.live_in(view, before)


def test_a_marker_is_strong_for_a_quarter_of_an_hour_and_then_weak() -> None:
    marker = Marker.of("gcpjfy6d", seconds(NOW))

    assert [marker.strong(NOW + timedelta(minutes=minutes)) for minutes in (0, 15, 16)] == [True, True, False]


def test_expired_markers_are_hidden_while_dynamodb_still_has_them(day: Day) -> None:
    here = Box(51.6, -1.4, 51.8, -1.2)
    slow = Engine.open(clock=day.clock, delays=Delays(expiry=48 * 3600))
    with slow, connect(slow, clock=day.clock) as db:
        db.create_tables(heatmap)
        report(db, 51.6705, -1.2818, day.now, Reporter("a", 51.6705, -1.2818), now=day.now)
        assert len(live(db, here, day.now)) == 1

        later = day.later(hours=1)

        assert live(db, here, later) == []
        stored = db.client.call("Scan", {"TableName": "heatmap"})["Items"]
        assert [item["PK"]["S"] for item in stored if item["PK"]["S"].startswith("ShMa#")] == ["ShMa#gcpj"]


def test_a_view_too_wide_for_markers_is_rejected(db: Store) -> None:
    with pytest.raises(OffTheMap, match="take a smaller view"):
        live(db, Box(-90, -180, 90, 180), NOW)


def test_cells_and_markers_never_share_a_partition(db: Store) -> None:
    report(db, 51.6705, -1.2818, NOW, Reporter("a", 51.6705, -1.2818), now=NOW)

    cells, markers = (
        list(db.iter(Cell.partition("gcpj"))),
        list(db.iter(Marker.primary.inside(CellArea("gcpj")))),
    )

    assert [each.cell for each in cells] == ["gcpjfy6"]
    assert [each.cell for each in markers] == ["gcpjfy6d"]


@pytest.mark.parametrize("length", [0, 2, 9])
def test_cells_of_other_lengths_are_rejected(length: int) -> None:
    with pytest.raises(OffTheMap, match="3 to 8 characters"):
        cells_of(Box(0, 0, 1, 1), length)


def test_a_view_of_too_many_cells_is_rejected_with_the_length_that_fits() -> None:
    with pytest.raises(OffTheMap, match="cells of length 3"):
        cells_of(Box(-90, -180, 90, 180), 8)


def test_the_length_of_cells_follows_from_the_zoom() -> None:
    assert [length_at(zoom) for zoom in range(3, 20)] == [3] * 4 + [4] * 3 + [5] * 2 + [6] * 3 + [7] * 2 + [
        8
    ] * 3


def test_there_are_as_many_partitions_as_cells_three_sizes_up() -> None:
    world = Box(-90, -180, 90, 180)

    assert [cells_of(world, length).partition_count for length in (3, 4)] == [1, 32]
    assert [cell_count(world, length) // 32**3 for length in LENGTHS] == [
        1,
        32,
        1024,
        32768,
        1048576,
        33554432,
    ]


def test_partitions_range_from_the_size_of_a_continent_to_a_village() -> None:
    sizes = []
    for length in LENGTHS[1:]:
        part = decode("gcpjfy6d"[: length - SUFFIX])
        middle = part.centre[0]
        wide, high = (
            distance_m(middle, part.west, middle, part.east),
            distance_m(part.south, 0, part.north, 0),
        )
        sizes.append((round(wide / 1000), round(high / 1000)))

    assert sizes == [(1873, 5004), (744, 625), (98, 156), (24, 20), (3, 5)]
