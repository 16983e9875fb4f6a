"""What names weigh, and where shortening them saves anything."""

from __future__ import annotations

from datetime import timedelta

import pytest

from examples.pantry.comparisons import at_the_step, weigh, with_long_names
from examples.pantry.data import generate
from examples.pantry.other_layouts import OldService, services
from examples.pantry.services import Service, svcs
from pksk import connect
from pksk.values import item_size

SERVICES = [each for each in generate(300) if isinstance(each, Service)]


def test_the_weight_of_a_service_is_the_size_of_its_item() -> None:
    for service in SERVICES:
        for each in (service, with_long_names(service)):
            assert weigh(each).total == item_size(each.to_item())


def test_long_and_short_names_hold_the_same_values() -> None:
    for service in SERVICES:
        long, short = with_long_names(service), service
        assert weigh(long).values == weigh(short).values
        assert Service.model_validate(long.model_dump()) == short


def test_short_names_halve_the_bytes_of_names_and_composed_keys_take_a_quarter_of_it_back() -> None:
    long, short = weigh(with_long_names(SERVICES[0])), weigh(SERVICES[0])

    assert (long.names, short.names) == (330, 162)
    assert long.names - short.names == 168
    assert short.made_keys - long.made_keys == 41
    assert (long.total, short.total) == (483, 356)


def test_a_history_of_fifty_services_has_the_stated_cost_and_a_write_costs_the_same() -> None:
    service = SERVICES[0]
    histories = [
        service.model_copy(update={"at": service.at + timedelta(minutes=n), "service_id": f"{n:025d}"})
        for n in range(50)
    ]
    with connect("memory:") as db:
        db.create_tables(svcs, services)
        db.batch_put(*histories)
        db.batch_put(*map(with_long_names, histories))
        with db.meter() as short:
            assert len(db.run(Service.primary(client_id=service.client_id))) == 50
        with db.meter() as long:
            assert len(db.run(OldService.of_client(service.client_id))) == 50
        with db.meter() as written:
            db.put(service)
            db.put(with_long_names(service))

    sizes, writes, _, read = at_the_step(483, 356, 50, 0)
    assert (sizes, read) == ("483 / 356", f"{long.consumed.read:g} / {short.consumed.read:g}")
    arms = [written.consumed.charge_of(name).write for name in ("services", "svcs")]
    assert writes == f"{arms[0]:g} / {arms[1]:g}" == "1 / 1"


@pytest.mark.parametrize(
    ("text", "writes"), [(0, "1 / 1"), (500, "1 / 1"), (501, "2 / 1"), (668, "2 / 1"), (669, "2 / 2")]
)
def test_a_write_is_cheaper_only_if_short_names_stay_below_a_kilobyte(text: int, writes: str) -> None:
    assert at_the_step(524, 356, 50, text)[1] == writes


def test_short_names_make_a_history_cheaper_but_not_a_read_by_key() -> None:
    _, _, gets, history = at_the_step(524, 356, 50, 0)

    assert (gets, history) == ("0.5 / 0.5", "3.5 / 2.5")
