"""The two layouts answer alike, and cost what the comparison says."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from examples.pantry.comparisons import (
    LAYOUTS,
    ReportCost,
    as_layout,
    compare_layouts,
    measure_layouts,
    reports_of,
    spread,
)
from examples.pantry.data import generate
from examples.pantry.expected import Expected
from examples.pantry.other_layouts import OldService, ServiceByYear, services, services_by_year
from examples.pantry.services import Service, svcs
from examples.pantry.system import system
from examples.tour import load
from pksk import Engine, Entity, Query, Store, connect
from pksk.capacity import index_entry, write_cost
from pksk.values import item_size

ANSWERS = Expected(generate(3000))


@pytest.fixture(scope="module")
def engine() -> Engine:
    """The same services in all three layouts."""
    engine = Engine.open()
    with connect(engine) as db:
        db.create_tables(*system.tables)
        for layout in (ServiceByYear, Service, OldService):
            load(db, as_layout(layout, ANSWERS.services))
    return engine


def test_both_layouts_return_the_same_rows(engine: Engine) -> None:
    with connect(engine) as db:
        found = [
            {
                name: Counter(map(repr, _rows(db, queries)))
                for name, queries in reports_of(each, ANSWERS.day).items()
            }
            for each in LAYOUTS
        ]

    assert found[0] == found[1]
    assert all(found[0].values())


def test_a_category_is_a_filter_by_year_and_a_range_by_month(engine: Engine) -> None:
    with connect(engine) as db:
        by_year, by_month = (
            {name: _asked(db, each) for name, each in reports_of(way, ANSWERS.day).items()} for way in LAYOUTS
        )

    assert by_year["a year of food"][2] == by_year["a year"][2]
    assert by_year["a month of food"][2] == by_year["a month"][2]
    assert by_month["a month of food"][2] < by_year["a month of food"][2]
    assert by_month["a year of food"][2] < by_month["a year"][2]
    # The sort key of the index repeats category, time and id: entries are larger, and everything costs more.
    assert by_month["a year"][2] > by_year["a year"][2]
    assert {name: cost[1] for name, cost in by_year.items()} == dict.fromkeys(by_year, 1)
    assert [by_month[name][1] for name in ("a day of food", "a day", "a month", "a year of food")] == [
        1,
        6,
        1,
        12,
    ]


def test_the_comparison_shows_units_and_requests_of_both(engine: Engine) -> None:
    with connect(engine) as db:
        rows = compare_layouts(lambda _, queries: _asked(db, queries), ANSWERS.day)

    assert [row[0] for row in rows] == list(reports_of(Service, ANSWERS.day))
    assert rows[-1][1] == f"{len(ANSWERS.span('year')):,}"
    assert [row[2].split(" in ")[1] for row in rows] == ["1"] * 6
    assert [row[3].split(" in ")[1] for row in rows] == ["1", "6", "1", "1", "12", "12"]


def test_the_measured_comparison_is_the_same_on_a_separate_store(engine: Engine) -> None:
    with connect(engine) as db:
        expected = compare_layouts(lambda _, queries: _asked(db, queries), ANSWERS.day)
    with connect("memory:") as own:
        own.create_tables(svcs, services_by_year)

        assert measure_layouts(own, ANSWERS.services, ANSWERS.day) == expected


def test_units_match_the_bytes_that_a_request_reads(engine: Engine) -> None:
    index = svcs.index("svcMonth-svcCatDTId-index")
    size = sum(_size(index_entry(index, each.to_item())) for each in ANSWERS.span("month", "Food_Pantry"))

    with connect(engine) as db:
        _, _, units = _asked(db, [Service.of_month(ANSWERS.day, "Food_Pantry")])

    assert units == -(-size // 4096) / 2


def test_the_spread_over_keys_matches_the_measurement_of_the_engine(engine: Engine) -> None:
    heat = engine.heat()
    for table, name, layout in (
        (services_by_year, "svcYear-svcDTId-index", ServiceByYear),
        (svcs, "svcMonth-svcCatDTId-index", Service),
        (services, "type-index", OldService),
        (svcs, "fillPending-svcDTId-index", Service),
    ):
        found = spread(table, name, as_layout(layout, ANSWERS.services))
        writes = heat.tables[table.name].indexes[name].writes

        assert found.top_share == pytest.approx(writes.top_share)
        assert found.entries == writes.units


def test_the_services_of_a_day_have_one_index_key_in_both_layouts() -> None:
    day = ANSWERS.span("day")

    assert spread(services_by_year, "svcYear-svcDTId-index", as_layout(ServiceByYear, day)).keys == 1
    assert spread(svcs, "svcMonth-svcCatDTId-index", day).keys == 1


def test_an_index_without_entries_has_no_keys() -> None:
    assert spread(svcs, "fillPending-svcDTId-index", []).keys == 0


@pytest.mark.parametrize(
    ("layout", "new", "category", "day"),
    [(ServiceByYear, 2, 2, 6), (Service, 2, 3, 6), (OldService, 4, 4, 5)],
)
def test_what_writes_cost_in_each_layout(layout: type[Entity], new: int, category: int, day: int) -> None:
    (service,) = as_layout(
        layout, [ANSWERS.services[0].model_copy(update={"at": ANSWERS.services[0].at.replace(day=2)})]
    )
    table = layout.__pksk__.table
    changed = service.model_copy(update={"category": "Administration"})
    moved = service.model_copy(update={"at": service.at.replace(day=3)})

    assert write_cost(table, None, service.to_item()).write == new
    assert write_cost(table, service.to_item(), changed.to_item()).write == category
    with connect("memory:") as db:
        db.create_tables(table)
        db.put(service)
        with db.meter() as meter:
            assert db.move(service, at=moved.at) == moved
    assert meter.consumed.write == day


def test_a_year_of_sixty_thousand_services_fits_a_partition_many_times() -> None:
    found = spread(services_by_year, "svcYear-svcDTId-index", as_layout(ServiceByYear, ANSWERS.span("year")))
    of_sixty_thousand = found.top_bytes / found.entries * 60_000

    assert of_sixty_thousand < 0.002 * 10 * 1024**3


def _rows(db: Store, queries: list[Query[Any]]) -> list[object]:
    return [row for query in queries for row in db.iter(query)]


def _asked(db: Store, queries: list[Query[Any]]) -> ReportCost:
    with db.meter() as meter:
        found = _rows(db, queries)
    return len(found), meter.calls, meter.consumed.read


def _size(entry: object) -> int:
    assert isinstance(entry, dict)
    return item_size(entry)
