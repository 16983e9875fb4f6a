"""A check-in copies the household as of that day, and exactly one service is a client's first."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, timedelta

import pytest

from examples.pantry.clients import Client
from examples.pantry.errors import (
    AlreadyEntered,
    ClientInactive,
    ClientUnknown,
    EmptyText,
    FieldWrong,
    NotAVoucher,
    TypeUnknown,
    YearOutOfRange,
)
from examples.pantry.operations.check_in import check_in, fulfil, issue
from examples.pantry.operations.corrections import correct, strike_out
from examples.pantry.services import Service
from pksk import PkskError, RequestStarted, Store, connect
from tests.examples.pantry.conftest import NOON

LATER = NOON + timedelta(days=2)


def test_a_service_copies_the_household_and_the_service_type(db: Store, ana: Client) -> None:
    given = check_in(db, ana.client_id, "food-1", NOON.replace(second=59), "bob", items=2)

    assert (given.given_name, given.individuals, given.postcode, given.street) == (
        "Ana",
        5,
        "40112",
        "1 Oak Street",
    )
    assert (given.category, given.name, given.usda, given.items) == ("Food_Pantry", "Food", "USDA", 2)
    assert given.at == NOON
    assert db.run(Service.history(ana.client_id)) == [given]


def test_a_change_of_the_household_leaves_earlier_services_unchanged(db: Store, ana: Client) -> None:
    before = check_in(db, ana.client_id, "clothes", NOON, "bob")
    db.run(Client.save(ana.model_copy(update={"children": 4, "postcode": "40127"})))

    after = check_in(db, ana.client_id, "clothes", NOON + timedelta(days=1), "bob")

    assert db.run(Service.history(ana.client_id)) == [after, before]
    assert [(each.children, each.postcode) for each in (before, after)] == [(3, "40112"), (4, "40127")]


def test_the_first_food_is_marked_and_its_day_is_stored_with_the_client(db: Store, ana: Client) -> None:
    clothes = check_in(db, ana.client_id, "clothes", NOON - timedelta(days=1), "bob")
    food = check_in(db, ana.client_id, "food-1", NOON, "bob")
    again = check_in(db, ana.client_id, "food-2", NOON + timedelta(days=7), "bob")

    assert [each.first for each in (clothes, food, again)] == [False, True, False]
    client = db.get(Client.one(ana.client_id))
    assert client is not None
    assert client.first_served == NOON.date()


def test_one_of_twelve_concurrent_desks_enters_the_first_service(db: Store, ana: Client) -> None:
    with ThreadPoolExecutor(6) as desks:
        given = list(desks.map(lambda n: check_in(db, ana.client_id, "food-1", NOON, f"desk-{n}"), range(12)))

    assert sorted(each.first for each in given) == [False] * 11 + [True]
    assert sum(each.first for each in db.iter(Service.history(ana.client_id))) == 1


def test_a_desk_with_an_outdated_client_does_not_enter_a_second_first_service(db: Store, ana: Client) -> None:
    def quicker(sending: RequestStarted) -> None:
        if sending.operation == "TransactWriteItems":
            check_in(db, ana.client_id, "food-1", NOON, "bob", service_id="quicker")

    with connect(db.client, hooks=[quicker]) as slow:
        slower = check_in(slow, ana.client_id, "food-1", NOON, "ann", service_id="slower")

    firsts = {each.service_id: each.first for each in db.iter(Service.history(ana.client_id))}
    assert (slower.first, firsts) == (False, {"quicker": True, "slower": False})


def test_a_client_deleted_meanwhile_is_unknown_and_nothing_is_entered(db: Store, ana: Client) -> None:
    def deleted(sending: RequestStarted) -> None:
        if sending.operation == "TransactWriteItems":
            db.delete(Client.primary.delete(client_id=ana.client_id))

    with connect(db.client, hooks=[deleted]) as slow, pytest.raises(ClientUnknown):
        check_in(slow, ana.client_id, "food-1", NOON, "ann")

    assert db.run(Service.history(ana.client_id)) == []


@pytest.mark.parametrize("type_id", ["food-1", "food-2", "clothes"])
@pytest.mark.parametrize("minutes", [0, 1, -1, 60 * 24 * 365])
def test_a_repeated_check_in_is_rejected_at_any_later_time(
    db: Store, ana: Client, type_id: str, minutes: int
) -> None:
    check_in(db, ana.client_id, "food-1", NOON, "bob")
    given = check_in(db, ana.client_id, type_id, NOON, "bob", service_id="s1")
    before = list(db.scan(Service.scan()))

    with pytest.raises(AlreadyEntered, match="'s1' was entered before, for client '1' at 2022-12-20T12:00"):
        check_in(db, ana.client_id, type_id, NOON + timedelta(minutes=minutes), "bob", service_id="s1")

    assert list(db.scan(Service.scan())) == before
    assert given in before


@pytest.mark.parametrize("change", ["moved", "struck out"])
def test_an_id_belongs_to_one_service_even_after_changes_and_for_other_clients(
    db: Store, ana: Client, juan: Client, change: str
) -> None:
    given = check_in(db, ana.client_id, "clothes", NOON, "bob", service_id="s1")
    stored = correct(db, given, NOON, at=LATER) if change == "moved" else strike_out(db, given, NOON)

    for who in (ana, juan):
        with pytest.raises(AlreadyEntered):
            check_in(db, who.client_id, "clothes", NOON, "bob", service_id="s1")

    assert list(db.scan(Service.scan())) == [stored]


def test_one_of_six_concurrent_check_ins_with_one_id_is_entered(db: Store, ana: Client) -> None:
    def send(minute: int) -> str:
        try:
            at = NOON + timedelta(minutes=minute)
            return check_in(db, ana.client_id, "food-1", at, "bob", service_id="s1").service_id
        except AlreadyEntered:
            return "refused"

    with ThreadPoolExecutor(6) as desks:
        outcomes = list(desks.map(send, range(6)))

    assert sorted(outcomes) == ["refused"] * 5 + ["s1"]
    assert len(list(db.scan(Service.scan()))) == 1


def test_two_services_in_one_minute_are_separate(db: Store, ana: Client) -> None:
    given = {check_in(db, ana.client_id, "clothes", NOON, "bob").service_id for _ in range(2)}

    assert {each.service_id for each in db.iter(Service.history(ana.client_id))} == given
    assert len(given) == 2


def test_what_a_check_in_costs(db: Store, ana: Client) -> None:
    costs = []
    for type_id, service_id in (
        ("clothes", None),
        ("clothes", "s1"),
        ("food-1", None),
        ("food-1", None),
        ("food-1", "s2"),
    ):
        with db.meter() as meter:
            check_in(db, ana.client_id, type_id, NOON, "bob", service_id=service_id)
        costs.append((meter.calls, meter.consumed.read, meter.consumed.write))

    # The client and the kind are read; then one write, or a transaction: with an id, with the client, with both. The
    # client who has the first food is written with three indexes.
    assert costs == [(3, 1, 2), (3, 1, 5), (3, 1, 8), (3, 1, 5), (3, 1, 7)]


def test_food_after_another_desk_strikes_out_the_first_is_the_first(db: Store, ana: Client) -> None:
    given = check_in(db, ana.client_id, "food-1", NOON, "bob")

    def strike_first(sending: RequestStarted) -> None:
        if sending.operation == "TransactWriteItems" and given in db.run(Service.history(ana.client_id)):
            strike_out(db, given, NOON)

    with connect(db.client, hooks=[strike_first]) as slow:
        food = check_in(slow, ana.client_id, "food-1", LATER, "ann")

    client = db.get(Client.one(ana.client_id))
    assert client is not None
    assert (food.first, client.first_served) == (True, LATER.date())


def test_errors_of_a_check_in_are_reported(db: Store, ana: Client, juan: Client) -> None:
    db.run(Client.save(juan.model_copy(update={"status": "Inactive"})))

    with pytest.raises(ClientUnknown, match="There is no client '77'"):
        check_in(db, "77", "food-1", NOON, "bob")
    with pytest.raises(ClientInactive, match="Save the client as active first"):
        check_in(db, juan.client_id, "food-1", NOON, "bob")
    with pytest.raises(TypeUnknown, match="'boats'"):
        check_in(db, ana.client_id, "boats", NOON, "bob")
    with pytest.raises(NotAVoucher, match="given by voucher, and has no number"):
        check_in(db, ana.client_id, "toys", NOON, "bob")
    with pytest.raises(NotAVoucher, match="needs no voucher"):
        check_in(db, ana.client_id, "food-1", NOON, "bob", voucher="V1")
    assert [each for client in (ana, juan) for each in db.iter(Service.history(client.client_id))] == []


@pytest.mark.parametrize("items", [0, -4])
def test_a_number_of_items_below_one_is_rejected(db: Store, ana: Client, items: int) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob")

    with pytest.raises(FieldWrong, match=f"items cannot be {items}: .*greater than or equal to 1"):
        check_in(db, ana.client_id, "food-1", NOON, "bob", items=items)
    with pytest.raises(FieldWrong, match=f"filled items cannot be {items}: .*greater than or equal to 1"):
        fulfil(db, given, "eva", items, LATER)
    with pytest.raises(PkskError, match="greater than or equal to 1"):
        db.run(Service.edit(given, items, NOON))

    assert list(db.scan(Service.scan())) == [given]


@pytest.mark.parametrize("year", [1, 1899, 9999])
def test_a_check_in_in_an_implausible_year_is_rejected(db: Store, ana: Client, year: int) -> None:
    given = check_in(db, ana.client_id, "clothes", NOON, "bob")
    voucher = issue(db, ana.client_id, "toys", "V1", NOON, "bob")
    at = NOON.replace(year=year)

    with pytest.raises(YearOutOfRange, match=r"is out of range\. Give a year from 1900 to 9998"):
        check_in(db, ana.client_id, "clothes", at, "bob")
    with pytest.raises(YearOutOfRange):
        correct(db, given, NOON, at=at)
    with pytest.raises(YearOutOfRange):
        fulfil(db, voucher, "bob", 1, at)

    assert list(db.scan(Service.scan())) == [given, voucher]


def test_a_time_with_a_time_zone_is_rejected_with_its_value(db: Store, ana: Client) -> None:
    with pytest.raises(FieldWrong, match=r"at cannot be datetime\.datetime"):
        check_in(db, ana.client_id, "clothes", NOON.replace(tzinfo=UTC), "bob")


@pytest.mark.parametrize("service_id", ["", "  "])
def test_an_empty_service_id_is_rejected(db: Store, ana: Client, service_id: str) -> None:
    with pytest.raises(EmptyText, match=f"'{service_id}' is not a service id"):
        check_in(db, ana.client_id, "clothes", NOON, "bob", service_id=service_id)
