"""Made-up data is always the same, comes in order, and looks like a pantry."""

from __future__ import annotations

from collections import Counter
from datetime import date
from itertools import islice

import pytest

from examples.pantry.clients import Client
from examples.pantry.data import LAST_DAY, SERVICE_TYPES, generate
from examples.pantry.services import Service


@pytest.mark.parametrize("items", [100, 101, 400, 3000])
def test_the_requested_number_of_items_is_generated_and_always_the_same(items: int) -> None:
    made = list(generate(items))

    assert len(made) == items
    assert made == list(generate(items))


def test_a_client_comes_before_their_services() -> None:
    known: set[str] = set()
    for each in generate(2000):
        if isinstance(each, Client):
            known.add(each.client_id)
        elif isinstance(each, Service):
            assert each.client_id in known


def test_a_million_items_start_without_delay() -> None:
    first = list(islice(generate(1_000_000), 200))

    assert len(first) == 200
    assert min(each.at.year for each in first if isinstance(each, Service)) == 2008


def test_client_numbers_have_no_gaps_and_each_client_has_one_first_food() -> None:
    made = list(generate(2000))
    clients = [each for each in made if isinstance(each, Client)]
    firsts = {each.client_id: each for each in made if isinstance(each, Service) and each.first}

    assert [int(each.client_id) for each in clients] == list(range(1, len(clients) + 1))
    assert {each.client_id: each.first_served for each in clients} == {
        client_id: each.at.date() for client_id, each in firsts.items()
    }
    assert {each.category for each in firsts.values()} == {"Food_Pantry"}


def test_services_are_on_open_days_and_uneven_like_real_data() -> None:
    services = [each for each in generate(3000) if isinstance(each, Service)]
    often = Counter(each.client_id for each in services)
    categories = Counter(each.category for each in services)

    assert {each.at.weekday() for each in services} == {0, 1, 2, 3, 4}
    assert {each.at.hour for each in services} <= set(range(9, 15))
    assert max(each.at.date() for each in services) <= LAST_DAY
    assert max(often.values()) >= 50
    assert min(often.values()) <= 2
    assert 0.6 < categories["Food_Pantry"] / len(services) < 0.85
    assert {each.at.month for each in services if each.category == "Christmas"} == {12}
    assert 0 < sum(not each.valid for each in services) < 0.03 * len(services)


@pytest.mark.parametrize("items", [3000, 9000])
def test_vouchers_for_a_feast_are_issued_and_filled_before_it(items: int) -> None:
    last = {
        "Back_To_School": {year: date(year, 9, 1) for year in (2021, 2022)},
        "Thanksgiving": {2021: date(2021, 11, 25), 2022: date(2022, 11, 24)},
        "Christmas": {year: date(year, 12, 25) for year in (2021, 2022)},
    }
    seen: Counter[str] = Counter()
    for each in generate(items):
        if isinstance(each, Service) and each.category in last:
            seen[each.category] += 1
            assert (each.filled_at or each.at).date() < last[each.category][each.at.year]

    assert min(seen.values()) > 20
    assert len(seen) == 3


def test_vouchers_wait_or_are_filled_and_other_services_do_neither() -> None:
    kinds = {each.type_id: each for each in SERVICE_TYPES}
    for each in generate(3000):
        if isinstance(each, Service):
            waits, filled = each.fill_pending is not None, each.filled_at is not None
            assert (waits or filled) == kinds[each.type_id].voucher == (each.fill_voucher is not None)
            assert not (waits and filled)
