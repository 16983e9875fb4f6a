"""Vouchers are in the index from the moment they are given until they are filled, once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from examples.pantry.clients import Client
from examples.pantry.errors import (
    AlreadyEntered,
    EmptyText,
    FilledBeforeIssued,
    NotAVoucher,
    ServiceUnknown,
    VoucherFilled,
    VoucherTaken,
    VoucherUnknown,
)
from examples.pantry.operations.check_in import check_in, find_waiting_voucher, fulfil, issue
from examples.pantry.operations.corrections import correct, strike_out
from examples.pantry.services import Service, svcs
from pksk import Store
from pksk.capacity import index_entry
from tests.examples.pantry.conftest import NOON

LATER = NOON + timedelta(days=2)
INDEX = svcs.index("fillPending-svcDTId-index")


def test_a_voucher_waits_until_it_is_filled(db: Store, ana: Client, juan: Client) -> None:
    check_in(db, ana.client_id, "food-1", NOON, "bob")
    second = issue(db, juan.client_id, "toys", "V2", NOON + timedelta(minutes=1), "bob")
    first = issue(db, ana.client_id, "toys", "V1", NOON, "bob", items=5)

    assert db.run(Service.unfilled()) == [first, second]
    filled = fulfil(db, first, "eva", 4, LATER)
    assert db.run(Service.unfilled()) == [second]
    assert (filled.filled_by, filled.filled_items, filled.filled_at, filled.items) == ("eva", 4, LATER, 5)
    assert filled in db.run(Service.history(ana.client_id))


def test_the_index_holds_an_item_only_while_it_waits(db: Store, ana: Client) -> None:
    food = check_in(db, ana.client_id, "food-1", NOON, "bob")
    voucher = issue(db, ana.client_id, "toys", "V1", NOON, "bob")
    filled = fulfil(db, voucher, "eva", 1, LATER)

    entries = [index_entry(INDEX, each.to_item()) for each in (food, voucher, filled)]
    assert [entry is not None for entry in entries] == [False, True, False]
    answer = db.client.call("Scan", {"TableName": "svcs", "IndexName": INDEX.name, "Select": "COUNT"})
    assert answer["ScannedCount"] == 0


def test_giving_and_filling_cost_one_write_of_the_index_each_and_other_services_none(
    db: Store, ana: Client
) -> None:
    costs = []
    for number in range(3):
        with db.meter() as meter:
            if number == 0:
                check_in(db, ana.client_id, "clothes", NOON, "bob")
            elif number == 1:
                voucher = issue(db, ana.client_id, "toys", "V1", NOON, "bob")
            else:
                fulfil(db, voucher, "eva", 1, LATER)
        costs.append((meter.consumed.write, meter.consumed.charge_of("svcs", INDEX.name).write))

    assert costs == [(2.0, 0.0), (3.0, 1.0), (2.0, 1.0)]


def test_a_voucher_is_found_by_its_number_among_those_that_wait(db: Store, ana: Client) -> None:
    given = [issue(db, ana.client_id, "toys", f"V{number}", NOON, "bob") for number in range(5)]

    assert find_waiting_voucher(db, "V3") == given[3]
    with pytest.raises(VoucherUnknown, match="'V9'"):
        find_waiting_voucher(db, "V9")
    fulfil(db, given[3], "eva", 1, LATER)
    with pytest.raises(VoucherUnknown):
        find_waiting_voucher(db, "V3")


def test_who_fills_second_is_told_who_was_first(db: Store, ana: Client) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob")
    filled = fulfil(db, given, "eva", 3, LATER)

    with pytest.raises(VoucherFilled, match="'V1' was filled by eva on 2022-12-22") as refused:
        fulfil(db, given, "carmen", 1, LATER)

    assert refused.value.service == filled
    assert db.run(Service.history(ana.client_id)) == [filled]


def test_of_ten_who_fill_at_once_one_does(db: Store, ana: Client) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob")

    def fill(number: int) -> str:
        try:
            return fulfil(db, given, f"desk-{number}", 1, LATER).filled_by or ""
        except VoucherFilled as late:
            return f"after {late.service.filled_by}"

    with ThreadPoolExecutor(5) as desks:
        outcomes = list(desks.map(fill, range(10)))

    (winner,) = (each for each in outcomes if not each.startswith("after"))
    assert sorted(outcomes) == sorted([winner, *[f"after {winner}"] * 9])


def test_a_voucher_that_was_moved_is_not_filled_at_its_old_place(db: Store, ana: Client) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob")
    moved = correct(db, given, LATER, at=NOON - timedelta(days=3))

    with pytest.raises(ServiceUnknown):
        fulfil(db, given, "eva", 1, LATER)

    assert db.run(Service.unfilled()) == [moved]


def test_a_voucher_that_is_struck_out_no_longer_waits_and_is_not_filled(db: Store, ana: Client) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob")
    struck = strike_out(db, given, LATER)

    assert db.run(Service.unfilled()) == []
    assert struck.fill_pending is None
    with pytest.raises(VoucherUnknown, match="struck out"):
        find_waiting_voucher(db, "V1")
    with pytest.raises(ServiceUnknown, match="struck out"):
        fulfil(db, given, "eva", 1, LATER)
    assert list(db.scan(Service.scan())) == [struck]


def test_what_was_struck_out_is_not_filled_where_it_is_still_marked_as_waiting(
    db: Store, ana: Client
) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob")
    db.put(given.model_copy(update={"valid": False}))

    with pytest.raises(ServiceUnknown):
        fulfil(db, given, "eva", 1, LATER)


def test_a_number_that_waits_is_not_given_again(db: Store, ana: Client, juan: Client) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob", service_id="s1")

    with pytest.raises(VoucherTaken, match=f"'V1' of client '{ana.client_id}' waits already"):
        issue(db, juan.client_id, "toys", "V1", NOON, "bob")
    with pytest.raises(AlreadyEntered):
        issue(db, ana.client_id, "toys", "V1", NOON, "bob", service_id="s1")

    assert db.run(Service.unfilled()) == [given]
    fulfil(db, given, "eva", 1, LATER)
    assert issue(db, juan.client_id, "toys", "V1", NOON, "bob").fill_pending == "PENDING"


def test_food_is_no_voucher(db: Store, ana: Client) -> None:
    with pytest.raises(NotAVoucher):
        issue(db, ana.client_id, "food-1", "V1", NOON, "bob")


@pytest.mark.parametrize("number", ["", "  ", "\t"])
def test_a_voucher_without_a_number_is_not_given_nor_looked_for(db: Store, ana: Client, number: str) -> None:
    with pytest.raises(EmptyText, match=r"is not a voucher number\. Write at least one letter or digit"):
        issue(db, ana.client_id, "toys", number, NOON, "bob")
    with pytest.raises(EmptyText):
        find_waiting_voucher(db, number)

    assert list(db.scan(Service.scan())) == []


def test_a_number_is_found_whatever_spaces_are_around_it(db: Store, ana: Client) -> None:
    given = issue(db, ana.client_id, "toys", " V1 ", NOON, "bob")

    assert given.fill_voucher == "V1"
    assert find_waiting_voucher(db, "V1 ") == given
    with pytest.raises(VoucherTaken):
        issue(db, ana.client_id, "toys", "V1", NOON, "bob")


def test_a_voucher_that_is_sent_again_a_minute_later_waits_and_is_filled_once(db: Store, ana: Client) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob", service_id="s1")

    for minutes in range(2):
        at = NOON + timedelta(minutes=minutes)
        with pytest.raises(AlreadyEntered):
            issue(db, ana.client_id, "toys", "V1", at, "bob", service_id="s1")

    assert db.run(Service.unfilled()) == [given]
    fulfil(db, find_waiting_voucher(db, "V1"), "eva", 1, LATER)
    with pytest.raises(VoucherUnknown):
        find_waiting_voucher(db, "V1")


def test_a_voucher_is_not_filled_before_it_was_given_nor_given_after_it_was_filled(
    db: Store, ana: Client
) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob")

    with pytest.raises(FilledBeforeIssued, match="'V1' of 2022-12-20T12:00 cannot be filled before that"):
        fulfil(db, given, "eva", 1, NOON - timedelta(minutes=1))
    filled = fulfil(db, given, "eva", 1, LATER)
    with pytest.raises(FilledBeforeIssued, match=r"on 2022-12-22T12:00\. Look at both times again"):
        correct(db, filled, LATER, at=LATER + timedelta(minutes=1))

    assert list(db.scan(Service.scan())) == [filled]
    assert correct(db, filled, LATER, at=LATER).filled_at == LATER
