"""Refunds: never above what was paid, and a second click gives nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from examples.parks.bookings import Booking
from examples.parks.errors import NotHeld, NumberTaken, ParksError, RefundRepeated, RefundTooHigh
from examples.parks.operations.bookings import Stay, book, cancel, confirm, refund
from examples.parks.payments import REFUND_WINDOW_SECONDS, Refund, RefundHash
from pksk import Store
from tests.examples.parks.conftest import DAYS, NOW, offer

LATER = NOW + timedelta(seconds=REFUND_WINDOW_SECONDS)


@pytest.fixture
def paid(db: Store) -> Booking:
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW)
    return confirm(db, booking, "PAY-1", 2300, NOW)


def refunded_total(db: Store, booking: Booking) -> int:
    return sum(each.cents for each in db.run(Refund.of_booking(booking.booking_id)))


def test_part_of_a_payment_is_refunded(db: Store, paid: Booking) -> None:
    made = refund(db, paid, "PAY-1", 1000, NOW, "BACK-1")

    assert db.run(Refund.by_id("BACK-1")) == [made]
    assert [each.refunded_cents for each in db.run(Booking.by_id(paid.booking_id))] == [1000]
    digest = RefundHash.of("ann", "PAY-1", 1000, NOW).digest
    assert [each.day for each in db.run(RefundHash.by_digest(digest))] == [NOW.date()]


def test_a_second_click_refunds_nothing(db: Store, paid: Booking) -> None:
    refund(db, paid, "PAY-1", 1000, NOW)

    with pytest.raises(RefundRepeated):
        refund(db, paid, "PAY-1", 1000, NOW + timedelta(seconds=1))

    assert refunded_total(db, paid) == 1000


def test_the_same_refund_later_is_a_new_refund(db: Store, paid: Booking) -> None:
    refund(db, paid, "PAY-1", 1000, NOW)
    refund(db, paid, "PAY-1", 1000, LATER)

    assert refunded_total(db, paid) == 2000


@pytest.mark.parametrize(("second", "passes"), [(59, True), (58, False)])
def test_clicks_in_two_neighbouring_windows_both_pass(
    db: Store, paid: Booking, second: int, passes: bool
) -> None:
    refund(db, paid, "PAY-1", 1000, datetime(2026, 7, 1, 12, 2, second, tzinfo=UTC))
    again = datetime(2026, 7, 1, 12, 2, second, tzinfo=UTC) + timedelta(seconds=1)

    if passes:
        refund(db, paid, "PAY-1", 1000, again)
    else:
        with pytest.raises(RefundRepeated):
            refund(db, paid, "PAY-1", 1000, again)

    assert refunded_total(db, paid) == (2000 if passes else 1000)


def test_a_refund_accepts_an_outdated_booking(db: Store) -> None:
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW)
    confirm(db, booking, "PAY-1", 2300, NOW)

    assert refund(db, booking, "PAY-1", 2300, NOW).cents == 2300
    with pytest.raises(RefundTooHigh):
        refund(db, booking, "PAY-1", 1, NOW)


@pytest.mark.parametrize("later", [timedelta(), timedelta(days=1)])
def test_a_refund_has_its_own_number(db: Store, paid: Booking, later: timedelta) -> None:
    other = confirm(db, book(db, "bob", offer(), Stay(DAYS[0], DAYS[0]), now=NOW), "PAY-2", 2300, NOW)
    refund(db, paid, "PAY-1", 1000, NOW, "BACK-1")

    with pytest.raises(NumberTaken, match=r"BACK-1 belongs to a refund of 1000 cents .* refund of 900 cents"):
        refund(db, paid, "PAY-1", 900, NOW + later, "BACK-1")
    with pytest.raises(NumberTaken, match=str(paid.booking_id)):
        refund(db, other, "PAY-2", 1000, NOW + later, "BACK-1")
    with pytest.raises(NumberTaken, match="belongs to a payment of 2300 cents"):
        refund(db, paid, "PAY-1", 900, NOW + later, "PAY-2")

    assert (refunded_total(db, paid), refunded_total(db, other)) == (1000, 0)


@pytest.mark.parametrize("later", [timedelta(seconds=1), timedelta(minutes=10), timedelta(days=1)])
def test_repeating_a_refund_with_the_same_number_returns_the_existing_refund(
    db: Store, paid: Booking, later: timedelta
) -> None:
    made = refund(db, paid, "PAY-1", 1000, NOW, "BACK-1")

    assert refund(db, paid, "PAY-1", 1000, NOW + later, "BACK-1") == made

    assert db.run(Refund.of_booking(paid.booking_id)) == [made]
    assert [each.refunded_cents for each in db.run(Booking.by_id(paid.booking_id))] == [1000]


def test_the_last_refund_of_a_payment_can_be_requested_again(db: Store, paid: Booking) -> None:
    made = refund(db, paid, "PAY-1", 2300, NOW, "BACK-1")

    assert refund(db, paid, "PAY-1", 2300, LATER, "BACK-1") == made
    with pytest.raises(RefundTooHigh):
        refund(db, paid, "PAY-1", 2300, LATER, "BACK-2")


def test_a_refund_of_a_missing_booking_is_rejected(db: Store, paid: Booking) -> None:
    db.delete(paid)

    with pytest.raises(NotHeld, match="is not there"):
        refund(db, paid, "PAY-1", 1000, NOW)


def test_a_cancelled_booking_is_refunded(db: Store, paid: Booking) -> None:
    cancel(db, paid, NOW)

    assert refund(db, paid, "PAY-1", 2300, NOW).cents == 2300


def test_refunds_never_exceed_the_payment(db: Store, paid: Booking) -> None:
    refund(db, paid, "PAY-1", 2000, NOW)

    with pytest.raises(RefundTooHigh, match=r"301 cents are more than is left of PAY-1: 300\."):
        refund(db, paid, "PAY-1", 301, NOW)

    assert refund(db, paid, "PAY-1", 300, NOW).cents == 300
    assert refunded_total(db, paid) == 2300


def test_concurrent_refunds_never_exceed_the_payment(db: Store, paid: Booking) -> None:
    def one(cents: int) -> int:
        try:
            return refund(db, paid, "PAY-1", cents, NOW).cents
        except RefundTooHigh:
            return 0

    with ThreadPoolExecutor(8) as threads:
        done = list(threads.map(one, range(500, 516)))

    assert sum(each > 0 for each in done) == 4
    assert refunded_total(db, paid) == sum(done) <= 2300


@pytest.mark.parametrize(("payment", "cents"), [("PAY-1", 0), ("PAY-1", -5), ("PAY-2", 100)])
def test_an_invalid_refund_is_rejected(db: Store, paid: Booking, payment: str, cents: int) -> None:
    with pytest.raises(ParksError):
        refund(db, paid, payment, cents, NOW)

    assert refunded_total(db, paid) == 0
