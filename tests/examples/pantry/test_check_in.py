"""A check-in copies the household of the day, and exactly one service is a client's first."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from pydantic import ValidationError

from examples.pantry.check_in import check_in
from examples.pantry.clients import Client
from examples.pantry.errors import ClientInactive, ClientUnknown, NotAVoucher, TypeUnknown
from examples.pantry.services import Service
from pksk import AlreadyExists, PkskError, Sending, Store, connect
from tests.examples.pantry.conftest import NOON


def test_a_service_has_the_household_and_the_kind(db: Store, ana: Client) -> None:
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


def test_a_household_that_changes_leaves_what_was_given_before(db: Store, ana: Client) -> None:
    before = check_in(db, ana.client_id, "clothes", NOON, "bob")
    db.run(Client.save(ana.model_copy(update={"children": 4, "postcode": "40127"})))

    after = check_in(db, ana.client_id, "clothes", NOON + timedelta(days=1), "bob")

    assert db.run(Service.history(ana.client_id)) == [after, before]
    assert [(each.children, each.postcode) for each in (before, after)] == [(3, "40112"), (4, "40127")]


def test_the_first_food_is_the_first_and_the_client_knows(db: Store, ana: Client) -> None:
    clothes = check_in(db, ana.client_id, "clothes", NOON - timedelta(days=1), "bob")
    food = check_in(db, ana.client_id, "food-1", NOON, "bob")
    again = check_in(db, ana.client_id, "food-2", NOON + timedelta(days=7), "bob")

    assert [each.first for each in (clothes, food, again)] == [False, True, False]
    client = db.get(Client.one(ana.client_id))
    assert client is not None
    assert client.first_served == NOON.date()


def test_of_twelve_desks_at_once_one_enters_the_first_service(db: Store, ana: Client) -> None:
    with ThreadPoolExecutor(6) as desks:
        given = list(desks.map(lambda n: check_in(db, ana.client_id, "food-1", NOON, f"desk-{n}"), range(12)))

    assert sorted(each.first for each in given) == [False] * 11 + [True]
    assert sum(each.first for each in db.iter(Service.history(ana.client_id))) == 1


def test_a_desk_that_read_the_client_before_another_was_first_is_second(db: Store, ana: Client) -> None:
    def quicker(sending: Sending) -> None:
        if sending.operation == "TransactWriteItems":
            check_in(db, ana.client_id, "food-1", NOON, "bob", service_id="quicker")

    with connect(db.client, hooks=[quicker]) as slow:
        slower = check_in(slow, ana.client_id, "food-1", NOON, "ann", service_id="slower")

    firsts = {each.service_id: each.first for each in db.iter(Service.history(ana.client_id))}
    assert (slower.first, firsts) == (False, {"quicker": True, "slower": False})


def test_a_client_who_is_deleted_meanwhile_is_unknown_and_nothing_is_given(db: Store, ana: Client) -> None:
    def deleted(sending: Sending) -> None:
        if sending.operation == "TransactWriteItems":
            db.delete(Client.primary.delete(client_id=ana.client_id))

    with connect(db.client, hooks=[deleted]) as slow, pytest.raises(ClientUnknown):
        check_in(slow, ana.client_id, "food-1", NOON, "ann")

    assert db.run(Service.history(ana.client_id)) == []


@pytest.mark.parametrize("type_id", ["food-1", "clothes"])
def test_a_check_in_that_is_sent_twice_is_refused_the_second_time(
    db: Store, ana: Client, type_id: str
) -> None:
    check_in(db, ana.client_id, type_id, NOON, "bob", service_id="s1")

    with pytest.raises(AlreadyExists):
        check_in(db, ana.client_id, type_id, NOON, "bob", service_id="s1")

    assert len(db.run(Service.history(ana.client_id))) == 1


def test_two_services_of_one_minute_are_two(db: Store, ana: Client) -> None:
    given = {check_in(db, ana.client_id, "clothes", NOON, "bob").service_id for _ in range(2)}

    assert {each.service_id for each in db.iter(Service.history(ana.client_id))} == given
    assert len(given) == 2


def test_only_the_first_food_is_a_transaction(db: Store, ana: Client) -> None:
    sent: list[str] = []

    def told(sending: Sending) -> None:
        sent.append(sending.operation)

    with connect(db.client, hooks=[told]) as watched:
        for day in range(2):
            check_in(watched, ana.client_id, "food-1", NOON + timedelta(days=day), "bob")

    assert sent == ["GetItem", "GetItem", "TransactWriteItems", "GetItem", "GetItem", "PutItem"]


def test_what_the_desk_must_know_is_told(db: Store, ana: Client, juan: Client) -> None:
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
def test_nothing_or_less_is_not_given_nor_filled_nor_corrected(db: Store, ana: Client, items: int) -> None:
    given = check_in(db, ana.client_id, "clothes", NOON, "bob")

    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        check_in(db, ana.client_id, "food-1", NOON, "bob", items=items)
    with pytest.raises(PkskError, match="greater than or equal to 1"):
        db.run(Service.edit(given, items, NOON))

    assert list(db.scan(Service.scan())) == [given]
