"""Reports say what a plain count over the same services says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import date, timedelta
from typing import Any

import pytest

from examples.pantry.clients import Client
from examples.pantry.data import generate
from examples.pantry.errors import SpanReversed, YearOutOfRange
from examples.pantry.operations import reports
from examples.pantry.operations.check_in import check_in
from examples.pantry.operations.corrections import strike_out
from examples.pantry.operations.reports import Totals
from examples.pantry.services import CATEGORIES, Category, Service
from examples.pantry.system import system
from pksk import Store, connect
from tests.examples.pantry.conftest import NOON

MADE = list(generate(700))
SERVICES = [each for each in MADE if isinstance(each, Service)]
CLIENTS = {each.client_id: each for each in MADE if isinstance(each, Client)}
DAYS = sorted({each.at.date() for each in SERVICES})[::60]
EACH_CATEGORY: tuple[Category | None, ...] = (None, *CATEGORIES)


@pytest.fixture(scope="module")
def loaded_store() -> Iterator[Store]:
    """A pantry with two years behind it."""
    with connect("memory:") as db:
        system.load(db, 700)
        yield db


def plain_totals(services: Iterable[Service]) -> dict[str, Any]:
    """The totals of services, one service after the other."""
    found: dict[str, Any] = dict.fromkeys(Totals.__dataclass_fields__, 0)
    groups: dict[str, dict[str, int]] = {name: defaultdict(int) for name in found if name.startswith("by_")}
    people: dict[str, int] = {}
    for each in services:
        if not each.valid:
            continue
        found["services"] += 1
        for name in ("items", "individuals", "adults", "children", "seniors", "homeless"):
            found[name] += getattr(each, name)
        found["new_clients"] += each.first
        people[each.client_id] = max(
            people.get(each.client_id, 0), each.adults + each.children + each.seniors
        )
        groups["by_usda"][each.usda] += 1
        groups["by_type"][each.type_id] += 1
        groups["by_postcode"][each.postcode] += 1
        groups["by_ethnic_group"][each.ethnic_group] += 1
    return found | groups | {"families": len(people), "people": sum(people.values())}


def services_of(category: Category | None) -> Iterator[Service]:
    return (each for each in SERVICES if category in (None, each.category))


@pytest.mark.parametrize("category", EACH_CATEGORY)
def test_daily_monthly_and_annual_reports_match_a_plain_count(
    loaded_store: Store, category: Category | None
) -> None:
    for day in DAYS:
        days = [each for each in services_of(category) if each.at.date() == day]
        months = [each for each in services_of(category) if f"{each.at:%Y%m}" == f"{day:%Y%m}"]
        assert asdict(reports.daily(loaded_store, day, category)) == plain_totals(days)
        assert asdict(reports.monthly(loaded_store, day, category)) == plain_totals(months)
    for year in (2021, 2022):
        years = [each for each in services_of(category) if each.at.year == year]
        assert asdict(reports.annual(loaded_store, year, category)) == plain_totals(years)


def test_a_report_on_a_time_without_services_is_empty(loaded_store: Store) -> None:
    assert reports.daily(loaded_store, date(2022, 1, 1)) == Totals()
    assert reports.monthly(loaded_store, date(2019, 5, 1), "Christmas") == Totals()
    assert reports.annual(loaded_store, 2030) == Totals()


@pytest.mark.parametrize("year", [-1, 0, 1899, 9999, 10_000])
def test_a_report_on_an_implausible_year_is_rejected(loaded_store: Store, year: int) -> None:
    for category in (None, "Food_Pantry"):
        with pytest.raises(YearOutOfRange, match=f"{year} is out of range\\. Give a year from 1900 to 9998"):
            reports.annual(loaded_store, year, category)


def test_a_span_that_ends_before_it_begins_is_rejected(loaded_store: Store) -> None:
    first, last = date(2022, 12, 24), date(2022, 11, 10)

    with loaded_store.meter() as meter:
        with pytest.raises(SpanReversed, match="From 2022-12-24 to 2022-11-10 there is no day"):
            reports.population(loaded_store, first, last)
        with pytest.raises(SpanReversed, match="Give the earlier date first"):
            reports.season(loaded_store, first, last, "Christmas")

    assert meter.calls == 0


def test_totals_of_a_few_services_counted_by_hand(db: Store, ana: Client, juan: Client) -> None:
    check_in(db, ana.client_id, "food-1", NOON, "bob")
    check_in(db, ana.client_id, "food-3", NOON + timedelta(hours=1), "bob", items=2)
    check_in(db, juan.client_id, "food-1", NOON, "bob")
    strike_out(db, check_in(db, juan.client_id, "food-2", NOON, "bob"), NOON)

    assert reports.daily(db, NOON.date(), "Food_Pantry") == Totals(
        services=3,
        items=4,
        individuals=11,
        adults=4,
        children=6,
        seniors=1,
        homeless=0,
        families=2,
        people=6,
        new_clients=2,
        by_usda={"USDA": 2, "Emergency": 1},
        by_type={"food-1": 2, "food-3": 1},
        by_postcode={"40112": 2, "40116": 1},
        by_ethnic_group={"Other": 3},
    )


def test_a_day_a_month_and_a_year_include_their_first_and_last_minute(db: Store, ana: Client) -> None:
    moments = [NOON.replace(month=1, day=1, hour=0), NOON.replace(month=12, day=31, hour=23, minute=59)]
    for moment in moments:
        for beside in (moment - timedelta(minutes=1), moment, moment + timedelta(minutes=1)):
            check_in(db, ana.client_id, "clothes", beside, "bob")

    for category in (None, "Clothes_Closet"):
        assert reports.annual(db, 2022, category).services == 4
        assert [reports.monthly(db, each.date(), category).services for each in moments] == [2, 2]
        assert [reports.daily(db, each.date(), category).services for each in moments] == [2, 2]


def test_a_season_is_one_range_and_reads_its_clients_in_one_batch(loaded_store: Store) -> None:
    first, last = date(2022, 11, 10), date(2022, 12, 24)

    with loaded_store.meter() as meter:
        season = reports.season(loaded_store, first, last, "Christmas")

    own = [each for each in services_of("Christmas") if first <= each.at.date() <= last and each.valid]
    assert asdict(season.totals) == plain_totals(own)
    assert {each.client_id for each in season.clients} == {each.client_id for each in own} != set()
    assert meter.calls == 2


def test_a_season_over_new_year_is_a_range_in_each_year(db: Store, ana: Client) -> None:
    eve, new_year = NOON.replace(day=31), NOON.replace(year=2023, month=1, day=1)
    for at in (NOON, eve, new_year, new_year + timedelta(days=1)):
        check_in(db, ana.client_id, "clothes", at, "bob")

    with db.meter() as meter:
        season = reports.season(db, eve.date(), new_year.date(), "Clothes_Closet")

    assert season.totals.services == 2
    assert meter.calls == 3


def test_new_clients_are_those_with_their_first_food_in_the_month(loaded_store: Store) -> None:
    found = [reports.new_clients(loaded_store, date(2022, month, 1)) for month in range(1, 13)]

    for month, clients in enumerate(found, 1):
        expected = {
            each.client_id for each in CLIENTS.values() if f"{each.first_served:%Y%m}" == f"2022{month:02d}"
        }
        assert {each.client_id for each in clients} == expected
    assert sum(map(len, found)) > 5


def test_new_clients_are_read_in_a_batch(loaded_store: Store) -> None:
    busy = max(
        (date(2022, month, 1) for month in range(1, 13)),
        key=lambda day: len(reports.new_clients(loaded_store, day)),
    )

    with loaded_store.meter() as meter:
        found = reports.new_clients(loaded_store, busy)

    assert len(found) >= 2
    assert meter.calls == 2


def test_a_month_without_new_clients_reads_no_clients(loaded_store: Store) -> None:
    with loaded_store.meter() as meter:
        found = reports.new_clients(loaded_store, date(2019, 1, 1))

    assert (found, meter.calls) == ([], 1)


def test_the_population_counts_all_clients_and_those_that_were_served(loaded_store: Store) -> None:
    found = reports.population(loaded_store, date(2021, 11, 15), date(2022, 2, 1))

    own = {each.client_id for each in SERVICES if each.valid and "202111" <= f"{each.at:%Y%m}" <= "202202"}
    assert (found.clients, found.served) == (len(CLIENTS), len(own))
    assert sum(found.by_ethnic_group.values()) == len(CLIENTS)
    for group, count in found.served_by_ethnic_group.items():
        assert count == sum(CLIENTS[each].ethnic_group == group for each in own)


def test_the_population_reads_a_range_in_each_year(loaded_store: Store) -> None:
    with loaded_store.meter() as meter:
        reports.population(loaded_store, date(2021, 11, 15), date(2022, 2, 1))

    index = meter.consumed.charge_of("svcs", "svcYear-svcDTId-index").read
    # The scan of all clients, and two ranges.
    assert (meter.calls, meter.consumed.read - index) == (3, meter.consumed.charge_of("clients").read)


def test_a_group_is_counted_in_an_index_of_keys(loaded_store: Store) -> None:
    with loaded_store.meter() as meter:
        count = reports.ethnic_group(loaded_store, "Latino")

    assert count == sum(each.ethnic_group == "Latino" for each in CLIENTS.values())
    assert meter.consumed.charge_of("clients", "ethnicGroup-index").read == 0.5


def test_a_report_reads_more_than_one_page(db: Store) -> None:
    one = SERVICES[0].model_copy(update={"valid": True, "category": "Food_Pantry"})
    db.batch_put(
        *(
            one.model_copy(update={"at": NOON, "service_id": f"s{number:04d}", "client_id": str(number)})
            for number in range(4000)
        )
    )

    with db.meter() as meter:
        totals = reports.daily(db, NOON.date(), "Food_Pantry")

    assert (totals.services, totals.families, meter.calls) == (4000, 4000, 2)


def test_an_index_can_have_two_services_with_one_key(db: Store, ana: Client, juan: Client) -> None:
    checked_in = [check_in(db, each.client_id, "clothes", NOON, "bob") for each in (ana, juan)]
    db.batch_delete(*checked_in)
    given = db.batch_put(*(each.model_copy(update={"service_id": "same"}) for each in checked_in))

    keys = {(each.to_item()["svcYear"]["S"], each.to_item()["svcDTId"]["S"]) for each in given}
    assert keys == {("2022", "2022-12-20T12:00|same")}
    assert reports.daily(db, NOON.date(), "Clothes_Closet").families == 2
