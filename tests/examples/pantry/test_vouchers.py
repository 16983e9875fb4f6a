"""A voucher is in the sparse index from the time it is issued until it is filled, once."""

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


def test_the_index_holds_a_voucher_only_while_it_waits(db: Store, ana: Client) -> None:
    food = check_in(db, ana.client_id, "food-1", NOON, "bob")
    voucher = issue(db, ana.client_id, "toys", "V1", NOON, "bob")
    filled = fulfil(db, voucher, "eva", 1, LATER)

    entries = [index_entry(INDEX, each.to_item()) for each in (food, voucher, filled)]
    assert [entry is not None for entry in entries] == [False, True, False]
    answer = db.client.call("Scan", {"TableName": "svcs", "IndexName": INDEX.name, "Select": "COUNT"})
    assert answer["ScannedCount"] == 0


def test_issuing_and_filling_cost_one_index_write_each_and_other_services_none(
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


def test_a_waiting_voucher_is_found_by_its_number(db: Store, ana: Client) -> None:
    given = [issue(db, ana.client_id, "toys", f"V{number}", NOON, "bob") for number in range(5)]

    assert find_waiting_voucher(db, "V3") == given[3]
    with pytest.raises(VoucherUnknown, match="'V9'"):
        find_waiting_voucher(db, "V9")
    fulfil(db, given[3], "eva", 1, LATER)
    with pytest.raises(VoucherUnknown):
        find_waiting_voucher(db, "V3")


def test_filling_a_voucher_twice_names_the_person_that_filled_it_first(db: Store, ana: Client) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob")
    filled = fulfil(db, given, "eva", 3, LATER)

    with pytest.raises(VoucherFilled, match="'V1' was filled by eva on 2022-12-22") as caught:
        fulfil(db, given, "carmen", 1, LATER)

    assert caught.value.service == filled
    assert db.run(Service.history(ana.client_id)) == [filled]


def test_one_of_ten_concurrent_fills_succeeds(db: Store, ana: Client) -> None:
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


def test_a_moved_voucher_is_not_filled_under_its_old_key(db: Store, ana: Client) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob")
    moved = correct(db, given, LATER, at=NOON - timedelta(days=3))

    with pytest.raises(ServiceUnknown):
        fulfil(db, given, "eva", 1, LATER)

    assert db.run(Service.unfilled()) == [moved]


def test_a_struck_out_voucher_no_longer_waits_and_cannot_be_filled(db: Store, ana: Client) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob")
    struck = strike_out(db, given, LATER)

    assert db.run(Service.unfilled()) == []
    assert struck.fill_pending is None
    with pytest.raises(VoucherUnknown, match="struck out"):
        find_waiting_voucher(db, "V1")
    with pytest.raises(ServiceUnknown, match="struck out"):
        fulfil(db, given, "eva", 1, LATER)
    assert list(db.scan(Service.scan())) == [struck]


def test_a_struck_out_voucher_still_marked_as_waiting_cannot_be_filled(db: Store, ana: Client) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob")
    db.put(given.model_copy(update={"valid": False}))

    with pytest.raises(ServiceUnknown):
        fulfil(db, given, "eva", 1, LATER)


def test_the_number_of_a_waiting_voucher_cannot_be_issued_again(db: Store, ana: Client, juan: Client) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob", service_id="s1")

    with pytest.raises(VoucherTaken, match=f"'V1' of client '{ana.client_id}' waits already"):
        issue(db, juan.client_id, "toys", "V1", NOON, "bob")
    with pytest.raises(AlreadyEntered):
        issue(db, ana.client_id, "toys", "V1", NOON, "bob", service_id="s1")

    assert db.run(Service.unfilled()) == [given]
    fulfil(db, given, "eva", 1, LATER)
    assert issue(db, juan.client_id, "toys", "V1", NOON, "bob").fill_pending == "PENDING"


def test_food_cannot_be_issued_as_a_voucher(db: Store, ana: Client) -> None:
    with pytest.raises(NotAVoucher):
        issue(db, ana.client_id, "food-1", "V1", NOON, "bob")


@pytest.mark.parametrize("number", ["", "  ", "\t"])
def test_a_voucher_without_a_number_cannot_be_issued_or_found(db: Store, ana: Client, number: str) -> None:
    with pytest.raises(EmptyText, match=r"is not a voucher number\. Write at least one letter or digit"):
        issue(db, ana.client_id, "toys", number, NOON, "bob")
    with pytest.raises(EmptyText):
        find_waiting_voucher(db, number)

    assert list(db.scan(Service.scan())) == []


def test_spaces_around_a_voucher_number_are_ignored(db: Store, ana: Client) -> None:
    given = issue(db, ana.client_id, "toys", " V1 ", NOON, "bob")

    assert given.fill_voucher == "V1"
    assert find_waiting_voucher(db, "V1 ") == given
    with pytest.raises(VoucherTaken):
        issue(db, ana.client_id, "toys", "V1", NOON, "bob")


def test_a_voucher_issued_again_a_minute_later_waits_and_is_filled_once(db: Store, ana: Client) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob", service_id="s1")

    for minutes in range(2):
        at = NOON + timedelta(minutes=minutes)
        with pytest.raises(AlreadyEntered):
            issue(db, ana.client_id, "toys", "V1", at, "bob", service_id="s1")

    assert db.run(Service.unfilled()) == [given]
    fulfil(db, find_waiting_voucher(db, "V1"), "eva", 1, LATER)
    with pytest.raises(VoucherUnknown):
        find_waiting_voucher(db, "V1")


def test_a_voucher_cannot_be_filled_before_it_was_issued_or_moved_after_it_was_filled(
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
