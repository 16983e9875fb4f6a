"""Bookings: all of one is made or nothing, whatever it fails on; and each is paid and cancelled once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from examples.parks.bookings import Booking, BookingDate, BookingId
from examples.parks.errors import (
    AlreadyBooked,
    IdTaken,
    NotHeld,
    NotOffered,
    NumberTaken,
    ParksError,
    SoldOut,
)
from examples.parks.operations.balance import balance
from examples.parks.operations.bookings import MOST_DAYS, Stay, book, cancel, confirm, sweep
from examples.parks.payments import Payment, TransactionId, money_of_booking
from examples.parks.products import InventoryPool, ProductDate
from examples.parks.tables import reference, transactional
from pksk import Delays, Engine, Store, connect
from tests.examples.parks.conftest import DAYS, NOW, offer, units_left


def everything(db: Store) -> list[Any]:
    tables = (reference.name, transactional.name)
    return [db.client.call("Scan", {"TableName": name})["Items"] for name in tables]


def test_a_booking_takes_from_the_pool_of_each_day_and_waits_for_payment(db: Store) -> None:
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[1], 2), now=NOW)

    assert units_left(db) == [3, 3, 5]
    assert units_left(db, 2) == [5, 5, 5]
    assert db.run(Booking.by_id(booking.booking_id)) == [booking]
    days = db.run(BookingDate.of_booking(booking.booking_id))
    assert [(each.day, each.quantity, each.offer(booking)) for each in days] == [
        (day, 2, offer()) for day in DAYS[:2]
    ]
    assert (booking.status, booking.is_pending) == ("in progress", "PENDING")


REJECTED: dict[str, tuple[type[ParksError], Callable[[Store], object]]] = {
    "more than are left on the last day": (
        SoldOut,
        lambda db: book(db, "bob", offer(), Stay(DAYS[0], DAYS[2], 5), now=NOW),
    ),
    "a day that is closed": (
        NotOffered,
        lambda db: book(db, "bob", offer(2), Stay(DAYS[1], DAYS[1]), now=NOW),
    ),
    "a day that there is not": (
        NotOffered,
        lambda db: book(db, "bob", offer(), Stay(DAYS[2], DAYS[2] + timedelta(days=1)), now=NOW),
    ),
    "an asset that has no pool": (
        NotOffered,
        lambda db: book(db, "bob", offer(3), Stay(DAYS[0], DAYS[0]), now=NOW),
    ),
    "a second booking of a person for a day": (
        AlreadyBooked,
        lambda db: book(db, "ann", offer(2), Stay(DAYS[2], DAYS[2]), now=NOW),
    ),
    "nothing": (ParksError, lambda db: book(db, "bob", offer(), Stay(DAYS[0], DAYS[0], 0), now=NOW)),
    "less than nothing, which would give": (
        ParksError,
        lambda db: book(db, "bob", offer(), Stay(DAYS[0], DAYS[0], -1), now=NOW),
    ),
    "more days than fit into a transaction": (
        ParksError,
        lambda db: book(db, "bob", offer(), Stay(DAYS[0], DAYS[0] + timedelta(days=MOST_DAYS)), now=NOW),
    ),
    "days that end before they begin": (
        ParksError,
        lambda db: book(db, "bob", offer(), Stay(DAYS[2], DAYS[0]), now=NOW),
    ),
}


@pytest.mark.parametrize("what", REJECTED)
def test_an_invalid_booking_is_rejected_and_nothing_is_written(db: Store, what: str) -> None:
    error, call = REJECTED[what]
    book(db, "ann", offer(), Stay(DAYS[2], DAYS[2], 3), now=NOW)
    db.update(ProductDate.primary.update(**offer().product, day=DAYS[1]).set(is_open="closed" not in what))
    before = everything(db)

    with pytest.raises(ParksError) as caught:
        call(db)

    assert type(caught.value) is error
    assert everything(db) == before


def test_the_longest_booking_is_made_and_cancelled(db: Store) -> None:
    days = [DAYS[0] + timedelta(days=more) for more in range(MOST_DAYS)]
    for day in days[len(DAYS) :]:
        db.put(ProductDate(**offer().product, day=day))
        db.put(InventoryPool(**offer().model_dump(), day=day, capacity=5, availability=5))

    booking = book(db, "ann", offer(), Stay(days[0], days[-1]), now=NOW)

    assert balance(db).booked == MOST_DAYS
    cancel(db, booking, NOW)
    assert balance(db).wrong == ()


def test_a_sold_out_error_has_the_number_of_remaining_units(db: Store) -> None:
    book(db, "ann", offer(), Stay(DAYS[1], DAYS[1], 3), now=NOW)

    with pytest.raises(SoldOut) as caught:
        book(db, "bob", offer(), Stay(DAYS[0], DAYS[2], 3), now=NOW)

    assert (caught.value.day, caught.value.wanted, caught.value.left) == (DAYS[1], 3, 2)


def test_a_second_booking_is_rejected_even_if_the_first_is_not_in_the_index_yet() -> None:
    with Engine.open(delays=Delays(global_index=3600)) as engine, connect(engine) as db:
        db.create_tables(reference, transactional)
        db.put(ProductDate(**offer().product, day=DAYS[0]))
        pool = {**offer().model_dump(), "day": DAYS[0], "capacity": 5, "availability": 5}
        db.put(InventoryPool(**pool))
        first = book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW)

        assert db.run(Booking.of_user_on_day("ann", DAYS[0])) == []
        with pytest.raises(AlreadyBooked) as caught:
            book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW)
        assert caught.value.booking_id == first.booking_id


def test_repeating_a_booking_request_books_once(db: Store) -> None:
    number, stay = uuid4(), Stay(DAYS[0], DAYS[0], 2)
    first = book(db, "ann", offer(), stay, now=NOW, booking_id=number)

    again = book(db, "ann", offer(), stay, now=NOW + timedelta(minutes=1), booking_id=number)

    assert again == first
    assert units_left(db) == [3, 5, 5]


def test_the_id_of_another_persons_booking_is_rejected(db: Store) -> None:
    number, stay = uuid4(), Stay(DAYS[0], DAYS[0])
    book(db, "ann", offer(), stay, now=NOW, booking_id=number)

    with pytest.raises(IdTaken):
        book(db, "bob", offer(), stay, now=NOW, booking_id=number)


OTHER: dict[str, tuple[int, Stay]] = {
    "a day that it has too": (1, Stay(DAYS[1], DAYS[1], 2)),
    "a day that it has not": (1, Stay(DAYS[2], DAYS[2], 2)),
    "more days from the same one on": (1, Stay(DAYS[0], DAYS[2], 2)),
    "fewer days from the same one on": (1, Stay(DAYS[0], DAYS[0], 2)),
    "more units": (1, Stay(DAYS[0], DAYS[1], 3)),
    "another asset": (2, Stay(DAYS[0], DAYS[1], 2)),
}


@pytest.mark.parametrize("ended", [False, True])
@pytest.mark.parametrize("what", OTHER)
def test_an_id_belongs_to_one_booking_for_good(db: Store, what: str, ended: bool) -> None:
    asset_id, stay = OTHER[what]
    number = uuid4()
    first = book(db, "ann", offer(), Stay(DAYS[0], DAYS[1], 2), now=NOW, booking_id=number)
    if ended:
        cancel(db, first, NOW)
    before = everything(db)

    with pytest.raises(IdTaken) as caught:
        book(db, "ann", offer(asset_id), stay, now=NOW, booking_id=number)

    assert caught.value.booking_id == number
    assert everything(db) == before


def test_the_balance_finds_two_bookings_with_one_id(db: Store) -> None:
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW)
    db.put(booking.model_copy(update={"start": DAYS[1], "end": DAYS[1]}))

    assert f"2 bookings have the id {booking.booking_id}" in balance(db).wrong


def test_the_balance_finds_an_id_without_its_uniqueness_item(db: Store) -> None:
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW)
    db.delete(BookingId.primary.delete(booking_id=booking.booking_id))

    assert balance(db).wrong == (f"booking {booking.booking_id}: its uniqueness item is missing",)


def test_a_payment_confirms_a_booking_once(db: Store) -> None:
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW)

    paid = confirm(db, booking, "PAY-1", 2300, NOW)

    assert db.run(Booking.by_id(booking.booking_id)) == [paid]
    assert (paid.status, paid.is_pending, paid.paid_cents) == ("confirmed", None, 2300)
    assert confirm(db, booking, "PAY-1", 2300, NOW + timedelta(days=1)) == paid
    with pytest.raises(NotHeld) as caught:
        confirm(db, booking, "PAY-2", 2300, NOW)
    assert caught.value.status == "confirmed"
    payments = db.run(money_of_booking(booking.booking_id))
    assert payments == [
        Payment(booking_id=booking.booking_id, day=NOW.date(), client_transaction_id="PAY-1", cents=2300)
    ]


@pytest.mark.parametrize("later", [timedelta(), timedelta(days=1)])
def test_a_payment_pays_for_one_booking_only(db: Store, later: timedelta) -> None:
    first, second = (book(db, name, offer(), Stay(DAYS[0], DAYS[0]), now=NOW) for name in ("ann", "bob"))
    confirm(db, first, "PAY-1", 2300, NOW)
    before = everything(db)

    with pytest.raises(NumberTaken) as caught:
        confirm(db, second, "PAY-1", 2300, NOW + later)

    assert caught.value.taken == TransactionId(
        number="PAY-1", kind="payment", booking_id=first.booking_id, cents=2300
    )
    assert str(caught.value) == (
        f"The number PAY-1 belongs to a payment of 2300 cents for the booking {first.booking_id}, so "
        f"it cannot be a payment of 2300 cents for the booking {second.booking_id}."
    )
    assert everything(db) == before
    assert len(db.run(Payment.by_id("PAY-1"))) == 1


def test_a_payment_that_is_used_concurrently_pays_for_one_booking(db: Store) -> None:
    bookings = [
        book(db, f"buyer-{number}", offer(1 + number % 2), Stay(DAYS[0], DAYS[0]), now=NOW)
        for number in range(8)
    ]

    def pay(booking: Booking) -> bool:
        try:
            return confirm(db, booking, "PAY-1", 2300, NOW).status == "confirmed"
        except NumberTaken:
            return False

    with ThreadPoolExecutor(8) as threads:
        paid = list(threads.map(pay, bookings))

    assert sum(paid) == len(db.run(Payment.by_id("PAY-1"))) == 1


def test_a_payment_of_another_amount_is_rejected(db: Store) -> None:
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW)
    confirm(db, booking, "PAY-1", 2300, NOW)

    with pytest.raises(
        NumberTaken, match=r"PAY-1 belongs to a payment of 2300 cents .* payment of 999 cents"
    ):
        confirm(db, booking, "PAY-1", 999, NOW)


def test_a_payment_does_not_restore_a_cancelled_booking(db: Store) -> None:
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW)
    cancel(db, confirm(db, booking, "PAY-1", 2300, NOW), NOW)

    with pytest.raises(NotHeld, match=r"is cancelled; PAY-1 paid 2300 cents for it before\.$") as caught:
        confirm(db, booking, "PAY-1", 2300, NOW)

    assert (caught.value.booking_id, caught.value.status) == (booking.booking_id, "cancelled")


@pytest.mark.parametrize("cents", [0, -500])
def test_a_payment_of_nothing_is_rejected(db: Store, cents: int) -> None:
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW)

    with pytest.raises(ParksError, match=f"{cents} cents are not a payment"):
        confirm(db, booking, "PAY-1", cents, NOW)

    assert db.run(Booking.by_id(booking.booking_id)) == [booking]


def test_a_payment_for_a_swept_booking_is_rejected(db: Store) -> None:
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW - timedelta(hours=1))
    sweep(db, NOW)

    with pytest.raises(NotHeld) as caught:
        confirm(db, booking, "PAY-1", 2300, NOW)

    assert caught.value.status == "expired"
    assert db.run(money_of_booking(booking.booking_id)) == []


@pytest.mark.parametrize("is_paid", [True, False])
def test_a_cancelled_booking_returns_its_units_once_and_frees_the_day(db: Store, is_paid: bool) -> None:
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[2], 2), now=NOW)
    if is_paid:
        booking = confirm(db, booking, "PAY-1", 2300, NOW)

    cancelled = cancel(db, booking, NOW)

    assert units_left(db) == [5, 5, 5]
    assert db.run(Booking.by_id(booking.booking_id)) == [cancelled]
    with pytest.raises(NotHeld) as caught:
        cancel(db, booking, NOW)
    assert caught.value.status == "cancelled"
    assert sweep(db, NOW + timedelta(hours=1)).ended == 0
    assert units_left(db) == [5, 5, 5]
    book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW)


def test_a_missing_booking_cannot_be_paid_or_cancelled(db: Store) -> None:
    made_up = Booking(**offer().product, start=DAYS[0], end=DAYS[0], user_id="ann")

    with pytest.raises(NotHeld, match="is not there"):
        cancel(db, made_up, NOW)
    with pytest.raises(NotHeld, match="is not there"):
        confirm(db, made_up, "PAY-1", 1, NOW)


def test_after_concurrent_payments_cancellations_and_sweeps_no_booking_is_in_progress(db: Store) -> None:
    late = NOW - timedelta(hours=1)
    bookings = [
        book(db, f"buyer-{number}", offer(1 + number % 2), Stay(DAYS[number % 3], DAYS[number % 3]), now=late)
        for number in range(12)
    ]

    def race(number: int) -> str:
        booking = bookings[number // 2]
        try:
            paid = number % 2
            done = confirm(db, booking, f"PAY-{number}", 100, NOW) if paid else cancel(db, booking, NOW)
        except NotHeld:
            return "too late"
        return done.status

    with ThreadPoolExecutor(8) as threads:
        sweeps = [threads.submit(sweep, db, NOW) for _ in range(3)]
        endings = list(threads.map(race, range(24)))
        ended = sum(each.result().ended for each in sweeps)

    stored = [booking for each in bookings for booking in db.run(Booking.by_id(each.booking_id))]
    assert all(booking.status != "in progress" for booking in stored)
    assert sum(booking.status == "expired" for booking in stored) == ended
    assert sum(booking.status == "cancelled" for booking in stored) == endings.count("cancelled")
    assert balance(db).wrong == ()
