"""The tour of the pantry: the desk, the history, reports, vouchers, corrections, and the comparisons."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import Final

from pksk import Entity, Query
from pksk.capacity import Cost

from ..tour import Tour, error_name, in_any_order
from .clients import Client, client_numbers
from .comparisons import (
    HEADROOM_HEADERS,
    HISTORY,
    LAYOUT_HEADERS,
    STEP_HEADERS,
    WEIGHT_HEADERS,
    WRITES,
    ReportCost,
    as_layout,
    declared_services,
    headroom_rows,
    layout_rows,
    report_costs,
    spread,
    step_rows,
    weight_rows,
    with_long_names,
)
from .data import LAST_DAY, SERVICE_TYPES, generate
from .desk import LogEntry, Receipt, ServiceType, Setting, User
from .expected import Expected, in_order, rows
from .operations import reports
from .operations.check_in import check_in, find_waiting_voucher, fulfil, issue
from .operations.clients import enrol, find_clients
from .operations.corrections import correct, find_service, strike_out
from .operations.reports import Totals
from .other_layouts import OldService, ServiceByMonth, services, services_by_month
from .service_changes import make_first, strike_out_first
from .services import FOOD, ReportRow, Service, svcs

_NOON: Final = datetime.combine(LAST_DAY, time(12))
_LATER: Final = _NOON + timedelta(hours=1)
_ADVENT: Final = datetime(LAST_DAY.year, 12, 16, 12)


def run_tour(tour: Tour, items: int) -> None:
    """Fill the tables, and run everything; the expected answers are computed from the data before."""
    expected = Expected(generate(items))
    tour.fill(expected.made, len(expected.made), "items: the desk, clients, services")
    for layout in (ServiceByMonth, OldService):
        copies = as_layout(layout, expected.services)
        tour.fill(copies, len(expected.services), f"items: the same services as {layout.__name__}")
    _desk(tour, expected)
    _history(tour, expected)
    _reports(tour, expected)
    _clients(tour, expected)
    two_layouts(tour, expected)
    item_sizes(tour, expected)
    _vouchers(tour, expected)
    _corrections(tour, expected)


def _desk(tour: Tour, expected: Expected) -> None:
    tour.section("At the desk")
    tour.run(ServiceType.every(), in_any_order(SERVICE_TYPES))
    tour.run(ServiceType.one("food-1"), SERVICE_TYPES[0])
    tour.run(User.one("ann"), User(user_name="ann", role="admin"))
    tour.run(Setting.one("openingHours"), expected.of(Setting)[0])
    start = datetime.combine(LAST_DAY, time(0), UTC)
    tour.run(LogEntry.within("login", start, start + timedelta(days=1)), expected.of(LogEntry))
    printing = expected.of(Receipt)
    tour.run(Receipt.waiting("desk-1"), printing)
    receipt = Receipt(printer="desk-1", queued_at=start + timedelta(hours=12), text="Toys")
    tour.run(Receipt.queue(receipt), receipt)
    tour.run(Receipt.printed("desk-1", printing[0].queued_at), printing[0])


def _history(tour: Tour, expected: Expected) -> None:
    tour.section("The history of a client: one partition, newest first")
    own = in_order(each for each in expected.services if each.client_id == expected.regular)
    valid = [each for each in own if each.valid]
    tour.run(Service.history(expected.regular), valid[::-1])
    tour.run(ServiceByMonth.history(expected.regular), list(as_layout(ServiceByMonth, valid[::-1])))
    tour.run(Service.one(expected.regular, valid[0].at, valid[0].service_id), valid[0])
    tour.note(
        "Before, a service was stored under its own number, which no caller knows, and needed three indexes:"
    )
    tour.run(OldService.one(valid[0].service_id), with_long_names(valid[0]))
    tour.run(OldService.of_client(expected.regular), in_any_order(map(with_long_names, own)))
    tour.run(OldService.of_day(expected.day), in_any_order(map(with_long_names, expected.span("day"))))
    food = (with_long_names(each) for each in expected.services if each.type_id == "food-1")
    tour.run(OldService.of_type("food-1"), in_any_order(food))


def _reports(tour: Tour, expected: Expected) -> None:
    tour.section("Reports")
    day = expected.day
    for category in (FOOD, None):
        what = "food" if category else "everything"
        daily, monthly, annual = (
            Totals.of(expected.span(span, category)) for span in ("day", "month", "year")
        )
        tour.call(f"A day, {what}", partial(reports.daily, day=day, category=category), daily)
        tour.call(f"A month, {what}", partial(reports.monthly, month=day, category=category), monthly)
        tour.call(f"A year, {what}", partial(reports.annual, year=day.year, category=category), annual)
    advent = (date(day.year, 11, 20), date(day.year, 12, 24))
    toys = [each for each in expected.season(*advent, "Christmas") if each.valid]
    expected_season = reports.Season(Totals.of(toys), expected.clients_of(toys))
    tour.call(
        "Christmas, with the clients", lambda db: reports.season(db, *advent, "Christmas"), expected_season
    )
    firsts = [each for each in expected.span("month", FOOD) if each.first]
    new = expected.clients_of(firsts)
    tour.call("The new clients of the month", lambda db: reports.new_clients(db, day), new)


def _clients(tour: Tour, expected: Expected) -> None:
    tour.section("Clients")
    known, day = expected.clients, expected.day
    one = known[0]
    tour.run(Client.one("1"), one)
    tour.run(Client.born_on(one.born), in_any_order(each for each in known if each.born == one.born))
    tour.run(
        Client.with_given_name("Maria"), in_any_order(each for each in known if each.given_name == "Maria")
    )
    tour.run(
        Client.with_family_name("Lopez"), in_any_order(each for each in known if each.family_name == "Lopez")
    )
    named = [
        each for each in known if each.given_name == one.given_name or each.family_name == one.family_name
    ]
    text = f"{one.given_name} {one.family_name}"
    tour.call(f"Find clients by name: {text}", lambda db: find_clients(db, text), in_any_order(named))
    tour.run(Client.several(["1", "2", "1"]), known[:2])
    groups = Counter(each.ethnic_group for each in known)
    tour.call(
        "The number of clients of a group", lambda db: reports.ethnic_group(db, "Latino"), groups["Latino"]
    )
    served = {each.client_id for each in expected.span("month") if each.valid}
    made_up = Counter(each.ethnic_group for each in known if each.client_id in served)
    population = reports.Population(len(known), len(served), dict(groups), dict(made_up))
    tour.call("The population, and who was served", lambda db: reports.population(db, day, day), population)
    _enrol(tour, len(known))


def _enrol(tour: Tour, known: int) -> None:
    tour.call(
        "The counter is moved past the numbers in the data",
        lambda db: db.reconcile(client_numbers, known),
        known,
    )
    new = Client(
        client_id=str(known + 1),
        given_name="Zoe",
        family_name="Zhu",
        born=date(1990, 5, 1),
        ethnic_group="Asian",
        adults=1,
        children=2,
        version=1,
    )
    tour.call(
        "A new client is enrolled",
        lambda db: enrol(db, "Zoe", "Zhu", date(1990, 5, 1), ethnic_group="Asian", children=2),
        new,
    )
    moved = new.model_copy(update={"postcode": "40110"})
    tour.run(Client.save(moved), moved.model_copy(update={"version": 2}))


def _vouchers(tour: Tour, expected: Expected) -> None:
    tour.section("Vouchers: in a sparse index only while they wait")
    client, pending = expected.clients[0], in_order(each for each in expected.services if each.fill_pending)
    tour.run(Service.unfilled(), pending)
    service = Service(
        **client.household().model_dump(),
        client_id="1",
        at=_ADVENT,
        service_id="v1",
        category="Christmas",
        type_id="toys",
        name="Toys",
        items=4,
        served_by="ann",
        fill_pending="PENDING",
        fill_voucher="V1",
    )
    tour.call(
        "A voucher is issued",
        lambda db: issue(db, "1", "toys", "V1", _ADVENT, "ann", items=4, service_id="v1"),
        service,
    )
    tour.run(Service.unfilled(), in_order([*pending, service]))
    tour.call("It is found among the vouchers that wait", lambda db: find_waiting_voucher(db, "V1"), service)
    later = _ADVENT + timedelta(hours=2)
    changes = {"fill_pending": None, "filled_at": later, "filled_by": "bob", "filled_items": 3}
    filled = service.model_copy(update=changes)
    tour.call("It is filled", lambda db: fulfil(db, service, "bob", 3, later), filled)
    tour.run(Service.unfilled(), pending)
    tour.call(
        "Filling it again raises an error",
        error_name(lambda db: fulfil(db, service, "eva", 4, later)),
        "VoucherFilled",
    )


def _corrections(tour: Tour, expected: Expected) -> None:
    tour.section("Corrections: a new date or type moves a service, and mistakes are struck out")
    client_id = str(len(expected.clients) + 1)
    first, second, third = (_check_in_food(tour, client_id, number, f"s{number}") for number in range(3))
    tour.call(
        "The last check-in is sent again a minute later, and raises an error",
        error_name(
            lambda db: check_in(
                db, client_id, "food-1", third.at + timedelta(minutes=1), "ann", service_id=third.service_id
            )
        ),
        "AlreadyEntered",
    )
    now = _LATER
    second = tour.run(Service.edit(second, 2, now), second.model_copy(update={"items": 2, "updated_at": now}))
    earlier = second.model_copy(update={"at": _NOON - timedelta(days=40)})
    tour.call(
        "The second service was on another day", lambda db: correct(db, second, now, at=earlier.at), earlier
    )
    tour.run(Service.history(client_id), [third, first, earlier], title="The history, in its new order")
    kind = next(each for each in SERVICE_TYPES if each.type_id == "clothes")
    of_kind = {"type_id": "clothes", "category": kind.category, "name": kind.name, "usda": "NA"}
    clothes = third.model_copy(update=of_kind | {"updated_at": now})
    tour.call(
        "The third service was of another type",
        lambda db: correct(db, third, now, type_id="clothes"),
        clothes,
    )
    again = third.model_copy(update={"updated_at": now})
    tour.call(
        "It was food after all, and not the first",
        lambda db: correct(db, clothes, now, type_id="food-1"),
        again,
    )
    tour.call(
        "It was the other type after all", lambda db: correct(db, again, now, type_id="clothes"), clothes
    )
    tour.call(
        "A correction of an outdated service raises an error",
        error_name(lambda db: correct(db, second, now, at=now)),
        "ServiceUnknown",
    )
    struck = {"valid": False, "updated_at": now}
    later = first.model_copy(update={"at": _NOON + timedelta(days=1), "first": False, "updated_at": now})
    tour.call("The first service was a day later", lambda db: correct(db, first, now, at=later.at), later)
    earlier = earlier.model_copy(update={"first": True})
    tour.call("Now the oldest food is the first", lambda db: find_service(db, client_id, "s1"), earlier)
    first = earlier.model_copy(update={"at": earlier.at - timedelta(days=1)})
    tour.call(
        "It was a day earlier, and is still the first",
        lambda db: correct(db, earlier, now, at=first.at),
        first,
    )
    tour.call(
        "The first service is struck out",
        lambda db: strike_out(db, first, now),
        first.model_copy(update=struck),
    )
    heir = later.model_copy(update={"first": True})
    tour.call("Now the remaining food is the first", lambda db: find_service(db, client_id, "s0"), heir)
    tour.call(
        "That one is struck out too", lambda db: strike_out(db, heir, now), heir.model_copy(update=struck)
    )
    food = third.model_copy(update={"first": True, "updated_at": now})
    tour.call(
        "The last service was food, so it is the first",
        lambda db: correct(db, clothes, now, type_id="food-1"),
        food,
    )
    tour.call(
        "It is struck out as well", lambda db: strike_out(db, food, now), food.model_copy(update=struck)
    )
    _unseen_food(tour, client_id)
    card = tour.call(
        "A lost card is replaced",
        lambda db: check_in(db, client_id, "card", _NOON, "ann"),
        lambda service: (service.category, service.first) == ("Administration", False),
    )
    tour.call(
        "The card was found, so the service is struck out",
        lambda db: strike_out(db, card, now),
        card.model_copy(update=struck),
    )
    tour.run(Service.history(client_id), [], title="The history, without struck-out services")


def _check_in_food(tour: Tour, client_id: str, number: int, service_id: str) -> Service:
    at = _NOON + timedelta(minutes=number)
    return tour.call(
        "A client is given food" if number else "A client is given food for the first time",
        lambda db: check_in(db, client_id, "food-1", at, "ann", service_id=service_id),
        lambda service: (service.at, service.first, service.postcode) == (at, number == 0, "40110"),
    )


def _unseen_food(tour: Tour, client_id: str) -> None:
    """Food is entered just when the only other food is struck out."""
    only, late = (_check_in_food(tour, client_id, number, f"s{number + 4}") for number in range(2))
    title = "One desk strikes out the first, and has not seen the other"
    tour.run(strike_out_first(only, _LATER), [None, None], title=title)
    tour.run(make_first(late), [None, None], title="It reads again, and makes the other the first")
    struck = late.model_copy(update={"first": True, "valid": False, "updated_at": _LATER})
    tour.call("That one is struck out too", lambda db: strike_out(db, late, _LATER), struck)


def two_layouts(tour: Tour, expected: Expected) -> None:
    """Compare the same reports and the same writes in two layouts, and where their entries are."""
    tour.section("The same reports from two indexes: by year and date, or by month and category")

    def read(name: str, queries: list[Query[ReportRow]]) -> ReportCost:
        span, category = name.split()[1], FOOD if name.endswith("food") else None
        answer = tour.run(queries, in_any_order(rows(expected.span(span, category))))
        step = tour.steps[-1]
        return len(answer), len(step.requests), step.consumed.read

    by_year, by_month = report_costs(read, expected.day)
    figures, headroom = layout_rows(by_year, by_month), headroom_rows(expected.services, by_year["a year"])
    tour.note("Read units and requests of each report:")
    tour.table(LAYOUT_HEADERS, figures, (1, 4))
    tour.compare(
        "The same reports from two indexes, in read units and requests",
        LAYOUT_HEADERS,
        figures,
        (1, 4),
        conclusion="By year, a report on one category also reads all others. By month and category, a report on one "
        "category reads only that, but a report on everything takes a request per category or month. By year, all "
        f"services of a year share one index key. With the declared {declared_services():,.0f} services a year, that "
        f"key could take {headroom[0][-1]} the average write rate, and {headroom[1][-1]} that of the busiest minute.",
    )
    _write_figures(tour, expected)
    _key_figures(tour, expected)
    tour.note("The current year is one key of the index by year:")
    tour.table(HEADROOM_HEADERS, headroom, (1, 2, 3))


def _write_figures(tour: Tour, expected: Expected) -> None:
    new = {"client_id": "0", "service_id": "new", "first": False, "updated_at": None}
    one = expected.services[0].model_copy(update=new)
    figures: dict[str, list[str]] = {name: [name] for name in WRITES}
    for layout in (Service, ServiceByMonth, OldService):
        (service,) = as_layout(layout, [one])
        for name, write in WRITES.items():
            changed = service.model_copy(update=write.changes(service))
            service = tour.call(f"{name}, in {layout.__name__}", write.bound(service), changed)
            figures[name].append(_write_units(tour.steps[-1].consumed, layout))
    tour.note("Write units, those of indexes in brackets:")
    tour.table(("Write", "By year", "By month and category", "By number, as before"), figures.values())


def _write_units(cost: Cost, layout: type[Entity]) -> str:
    own = cost.charge_of(layout.__pksk__.table.name).write
    return f"{cost.write:g} ({cost.write - own:g})" + (f" and {cost.read:g} read" if cost.read else "")


def _key_figures(tour: Tour, expected: Expected) -> None:
    places = (
        ("by year", svcs, "svcYear-svcDTId-index", Service),
        ("by month and category", services_by_month, "svcMonth-svcCatDTId-index", ServiceByMonth),
        ("by number, of a type", services, "type-index", OldService),
        ("vouchers that wait", svcs, "fillPending-svcDTId-index", Service),
    )
    figures = []
    for name, table, index, layout in places:
        key_spread = spread(table, index, as_layout(layout, expected.services))
        top = (key_spread.top_key, f"{key_spread.top_share:.0%}", f"{key_spread.top_bytes:,}")
        figures.append((name, f"{key_spread.entries:,}", key_spread.keys, *top))
    tour.note("How index entries are spread over partition keys:")
    tour.table(("Index", "Entries", "Keys", "Largest key", "Share", "Bytes"), figures, (1, 2, 4, 5))


def item_sizes(tour: Tour, expected: Expected) -> None:
    """Compare the same service with long and with short names."""
    tour.section("The same service with long and with short names of attributes")
    tour.table(WEIGHT_HEADERS, weight_rows(expected.services[0]), (1, 2, 3))
    tour.note(
        f"Units with long and short names and a text of so many bytes; the last column is a history of {HISTORY}:"
    )
    tour.table(STEP_HEADERS, step_rows(expected.services[0]), (0, 1, 2, 3, 4))
