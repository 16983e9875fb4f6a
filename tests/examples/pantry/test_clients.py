"""Clients get unique numbers, and are found by number, name and date of birth."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest

from examples.pantry.clients import Client, client_numbers
from examples.pantry.errors import (
    EmptyText,
    FieldUnknown,
    FieldWrong,
    NotBornYet,
    NumbersTaken,
    TooManyWords,
    YearOutOfRange,
)
from examples.pantry.operations.clients import enrol, find_clients
from examples.pantry.system import system
from pksk import PkskError, RequestStarted, StaleVersion, Store, connect

BORN = date(1990, 5, 1)


def test_fifty_clients_enrolled_concurrently_have_fifty_numbers(db: Store) -> None:
    with ThreadPoolExecutor(8) as desks:
        enrolled = list(desks.map(lambda number: enrol(db, f"N{number}", "New", BORN), range(50)))

    assert sorted(int(client.client_id) for client in enrolled) == list(range(1, 51))
    assert {client.given_name for client in db.scan(Client.everyone())} == {
        f"N{number}" for number in range(50)
    }


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"adults": "many"}, FieldWrong, "adults cannot be 'many'"),
        ({"children": -1}, FieldWrong, "children cannot be -1: .*greater than or equal to 0"),
        ({"status": "Gone", "seniors": -2}, FieldWrong, "status cannot be 'Gone'.*seniors cannot be -2"),
        ({"adlts": 3}, FieldUnknown, "has no 'adlts'. Did you mean 'adults'"),
        ({"shoe_size": 43}, FieldUnknown, "has no 'shoe_size'. It has: ethnic_group, street"),
        ({"version": 77}, FieldUnknown, "has no 'version'"),
        ({"first_served": BORN}, FieldUnknown, "has no 'first_served'"),
        ({"client_id": "7"}, FieldUnknown, "has no 'client_id'"),
        ({"ethnic_group": ""}, PkskError, "ethnic_group"),
        ({"street": "x" * 410_000}, PkskError, "400 KB|409,600|bytes"),
        ({"adults": 10**40 + 7}, PkskError, "adults"),
    ],
)
def test_an_invalid_form_is_rejected_and_draws_no_number(
    db: Store, more: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        enrol(db, "Ana", "Lopez", BORN, **more)

    assert db.next(client_numbers) == 1
    assert list(db.scan(Client.everyone())) == []


def test_all_other_fields_of_the_form_are_stored(db: Store) -> None:
    more = {
        "ethnic_group": "Asian",
        "street": "1 Oak Street",
        "postcode": "40112",
        "status": "NonClient",
        "homeless": True,
        "adults": 2,
        "children": 3,
        "seniors": 1,
    }

    enrolled = enrol(db, "Ana", "Lopez", BORN, **more)

    assert {name: getattr(enrolled, name) for name in more} == more


def test_a_date_of_birth_in_the_future_is_rejected_and_draws_no_number(db: Store) -> None:
    tomorrow = date.today() + timedelta(days=1)

    with pytest.raises(NotBornYet, match=f"{tomorrow} is in the future"):
        enrol(db, "Ana", "Lopez", tomorrow)

    assert enrol(db, "Ana", "Lopez", date.today()).client_id == "1"


def test_an_implausible_year_of_birth_is_rejected(db: Store) -> None:
    with pytest.raises(YearOutOfRange, match="0199-05-01 is out of range"):
        enrol(db, "Ana", "Lopez", BORN.replace(year=199))

    assert db.next(client_numbers) == 1


def test_the_counter_is_moved_past_numbers_in_use(db: Store, ana: Client) -> None:
    loaded = [
        *(ana.model_copy(update={"client_id": str(number), "version": 0}) for number in range(2, 41)),
        ana.model_copy(update={"client_id": "walk-in", "version": 0}),
    ]
    for each in loaded:
        db.create(each)

    with db.meter() as meter:
        enrolled = enrol(db, "Zoe", "Zhu", BORN)

    assert (enrolled.client_id, enrolled.given_name) == ("41", "Zoe")
    assert enrol(db, "Zia", "Zhu", BORN).client_id == "42"
    assert {each.given_name for each in db.scan(Client.everyone()) if int_of(each) <= 40} == {"Ana"}
    # Drawn, taken, looked for, moved, drawn, stored.
    assert meter.calls == 6


def int_of(client: Client) -> int:
    return int(client.client_id) if client.client_id.isdecimal() else 0


def test_numbers_that_are_repeatedly_taken_raise_an_error(db: Store, ana: Client) -> None:
    def take_it(sending: RequestStarted) -> None:
        if sending.operation == "PutItem":
            number = sending.parameters["Item"]["clientId"]["S"]
            db.create(ana.model_copy(update={"client_id": number, "version": 0}))

    with connect(db.client, hooks=[take_it]) as slow, pytest.raises(NumbersTaken, match="The number 4"):
        enrol(slow, "Zoe", "Zhu", BORN)

    assert {each.given_name for each in db.scan(Client.everyone())} == {"Ana"}


def test_numbers_continue_after_loaded_clients_even_after_a_second_load(pksk_store: Store) -> None:
    system.load(pksk_store, 200)
    loaded = max(int(client.client_id) for client in pksk_store.scan(Client.everyone()))
    first = enrol(pksk_store, "Zoe", "Zhu", BORN)
    system.load(pksk_store, 200)

    second = enrol(pksk_store, "Zia", "Zhu", BORN)

    assert (int(first.client_id), int(second.client_id)) == (loaded + 1, loaded + 2)
    assert pksk_store.get(Client.one(first.client_id)) == first


def test_a_client_is_found_by_number_birth_and_names(db: Store, ana: Client, juan: Client) -> None:
    assert find_clients(db, ana.client_id) == [ana]
    assert find_clients(db, "1951-07-01") == [juan]
    assert find_clients(db, "Lopez") == [ana]
    assert find_clients(db, "Juan") == [juan]


def test_clients_that_match_more_words_come_first_and_none_comes_twice(
    db: Store, ana: Client, juan: Client
) -> None:
    both = enrol(db, "Juan", "Lopez", BORN)

    assert find_clients(db, "Juan Lopez") == [both, ana, juan]


def test_a_client_with_an_id_that_is_not_a_number_is_found_among_the_others(db: Store, ana: Client) -> None:
    guest = db.create(ana.model_copy(update={"client_id": "walk-in", "version": 0}))
    tenth = db.create(ana.model_copy(update={"client_id": "10", "version": 0}))

    assert find_clients(db, "Ana") == [ana, tenth, guest]


@pytest.mark.parametrize("text", ["99", "1999-01-01", "Nobody", "Lop", "", "  "])
def test_a_missing_client_is_not_found(db: Store, ana: Client, text: str) -> None:
    assert find_clients(db, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Maria Jose",
        "de la Cruz",
        "Maria Jose Cruz",
        "Jose de la Cruz",
        "  maria   de la Cruz ",
        "de la Cruz Lopez",
    ],
)
def test_names_of_several_words_are_found(db: Store, ana: Client, text: str) -> None:
    found = enrol(db, " Maria  Jose ", "de la Cruz", BORN)

    assert (found.given_name, found.family_name) == ("Maria Jose", "de la Cruz")
    assert (found in find_clients(db, text)) is ("Maria Jose" in text or "de la Cruz" in text)
    assert find_clients(db, "Jose Cruz") == []


def test_a_match_of_a_whole_name_comes_before_a_match_of_a_word(db: Store) -> None:
    short = enrol(db, "Maria", "Lopez", BORN)
    both = enrol(db, "Maria Jose", "Lopez", BORN)

    assert find_clients(db, "Maria Jose Lopez") == [both, short]


def test_four_words_take_twenty_queries_and_more_words_are_rejected(db: Store, ana: Client) -> None:
    with db.meter() as meter:
        assert find_clients(db, "of the family Lopez") == [ana]
    assert meter.calls == 20
    with db.meter() as meter, pytest.raises(TooManyWords, match="more than 4 words"):
        find_clients(db, "those of the family Lopez")
    assert meter.calls == 0


@pytest.mark.parametrize(
    ("given", "family", "error"),
    [("", "Lopez", EmptyText), ("Ana", " ", EmptyText), ("A" * 3000, "Lopez", PkskError)],
)
def test_an_invalid_name_is_rejected_and_draws_no_number(
    db: Store, given: str, family: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        enrol(db, given, family, BORN)

    assert enrol(db, "Ana", "Lopez", BORN).client_id == "1"


@pytest.mark.parametrize("who", ["adults", "children", "seniors"])
def test_negative_numbers_of_people_are_rejected(db: Store, who: str) -> None:
    with pytest.raises(FieldWrong, match=f"{who} cannot be -5"):
        enrol(db, "Ana", "Lopez", BORN, **{who: -5})


def test_the_second_of_two_desks_with_the_same_form_is_rejected(db: Store, ana: Client) -> None:
    db.run(Client.save(ana.model_copy(update={"postcode": "40127"})))

    with pytest.raises(StaleVersion) as caught:
        db.run(Client.save(ana.model_copy(update={"street": "2 Mill Street"})))

    assert isinstance(caught.value.item, Client)
    assert (caught.value.item.postcode, caught.value.item.street) == ("40127", "1 Oak Street")
