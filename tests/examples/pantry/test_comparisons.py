"""The two layouts return the same answers, at the cost that the comparison states."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from examples.pantry.comparisons import (
    LAYOUTS,
    as_layout,
    declared_services,
    headroom_rows,
    layout_rows,
    measure_layouts,
    read_reports,
    report_costs,
    reports_of,
    spread,
)
from examples.pantry.data import generate
from examples.pantry.expected import Expected
from examples.pantry.other_layouts import OldService, ServiceByMonth, services, services_by_month
from examples.pantry.services import FOOD, Service, svcs
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
        for layout in (Service, ServiceByMonth, OldService):
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
        by_year, by_month = report_costs(lambda _, queries: read_reports(db, queries), ANSWERS.day)

    assert by_year["a year of food"][2] == by_year["a year"][2]
    assert by_year["a month of food"][2] == by_year["a month"][2]
    assert by_month["a month of food"][2] < by_year["a month of food"][2]
    assert by_month["a year of food"][2] < by_month["a year"][2]
    # By month, the sort key of the index repeats category, time and id: entries are larger.
    assert by_month["a year"][2] > by_year["a year"][2]
    assert [cost[1] for cost in by_year.values()] == [1, 1, 1, 1, 1, 1]
    assert [cost[1] for cost in by_month.values()] == [1, 6, 1, 1, 12, 12]


def test_the_comparison_shows_units_and_requests_of_both_layouts(engine: Engine) -> None:
    with connect(engine) as db:
        costs = report_costs(lambda _, queries: read_reports(db, queries), ANSWERS.day)
        rows = layout_rows(*costs)

    assert [row[0] for row in rows] == list(reports_of(Service, ANSWERS.day))
    assert rows[-1][1] == f"{len(ANSWERS.span('year')):,}"
    assert [row[2].split(" in ")[1] for row in rows] == ["1"] * 6
    assert [row[3].split(" in ")[1] for row in rows] == ["1", "6", "1", "1", "12", "12"]


@pytest.mark.parametrize("items", [300, 3000])
def test_reports_in_both_layouts_consume_what_they_are_priced_at(items: int) -> None:
    expected = Expected(generate(items))

    measured = measure_layouts(expected.services, expected.day)

    assert measured.priced == measured.consumed
    of_reports = sum(cost[2] for layout in measured.costs for cost in layout.values())
    assert measured.consumed.read == of_reports


def test_units_match_the_bytes_that_a_request_reads(engine: Engine) -> None:
    for layout, table, index, queries, category in (
        (Service, svcs, "svcYear-svcDTId-index", [Service.of_month(ANSWERS.day, FOOD)], None),
        (
            ServiceByMonth,
            services_by_month,
            "svcMonth-svcCatDTId-index",
            [ServiceByMonth.of_month(ANSWERS.day, FOOD)],
            FOOD,
        ),
    ):
        read = as_layout(layout, ANSWERS.span("month", category))
        size = sum(_size(index_entry(table.index(index), each.to_item())) for each in read)
        with connect(engine) as db:
            _, _, units = read_reports(db, queries)

        assert units == -(-size // 4096) / 2


def test_the_spread_of_keys_matches_the_measurement_of_the_engine(engine: Engine) -> None:
    heat = engine.heat()
    for table, name, layout in (
        (svcs, "svcYear-svcDTId-index", Service),
        (services_by_month, "svcMonth-svcCatDTId-index", ServiceByMonth),
        (services, "type-index", OldService),
        (svcs, "fillPending-svcDTId-index", Service),
    ):
        found = spread(table, name, as_layout(layout, ANSWERS.services))
        writes = heat.tables[table.name].indexes[name].writes

        assert found.top_share == pytest.approx(writes.top_share)
        assert found.entries == writes.units


def test_the_services_of_a_day_have_one_index_key_in_both_layouts() -> None:
    day = ANSWERS.span("day")

    assert spread(svcs, "svcYear-svcDTId-index", day).keys == 1
    by_month = as_layout(ServiceByMonth, day)
    assert spread(services_by_month, "svcMonth-svcCatDTId-index", by_month).keys == 1


def test_an_index_without_entries_has_no_keys() -> None:
    assert spread(svcs, "fillPending-svcDTId-index", []).keys == 0


@pytest.mark.parametrize(
    ("layout", "new", "category", "day"),
    [(Service, 2, 2, 6), (ServiceByMonth, 2, 3, 6), (OldService, 4, 4, 5)],
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
    found = spread(svcs, "svcYear-svcDTId-index", ANSWERS.span("year"))
    of_sixty_thousand = found.top_bytes / found.entries * 60_000

    assert of_sixty_thousand < 0.002 * 10 * 1024**3


def test_the_headroom_of_the_current_year_is_computed_from_the_declared_rate() -> None:
    one = ANSWERS.services[0]
    crowd = [one, one, one, one.model_copy(update={"at": one.at + timedelta(minutes=1)})]

    average, minute, report = headroom_rows(crowd, (60_000, 17, 2124.0))

    assert round(declared_services()) == 60_000
    assert average == ["write units a second, at 60,000 services a year", "0.0019", "1,000", "525,600 times"]
    assert minute == ["write units in the busiest minute", "3", "60,000", "20,000 times"]
    assert report == ["read units of a report on the year", "2,124", "3,000 a second", "1.4 a second"]


def _rows(db: Store, queries: list[Query[Any]]) -> list[object]:
    return [row for query in queries for row in db.iter(query)]


def _size(entry: object) -> int:
    assert isinstance(entry, dict)
    return item_size(entry)
