"""Bookings read, made, paid, cancelled, refunded and swept; the rush; and the audit of all changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from ...tour import Tour, error_name
from ..audit import Change
from ..bookings import Booking, BookingDate
from ..data import NOW
from ..expected import Expected
from ..operations.audit import write_audit_rows
from ..operations.balance import balance
from ..operations.bookings import Stay, SweepResult, book, cancel, confirm, milliseconds, refund, sweep
from ..payments import Payment, Refund, RefundHash, money_of_booking
from ..products import InventoryPool
from ..rush import rush
from .products import FIRST, OFFER

MINE = UUID("0c5b7f3e-8d0d-4c67-9a83-6f1f3f0f8a01")
YOURS = UUID("0c5b7f3e-8d0d-4c67-9a83-6f1f3f0f8a02")
PAYMENT = "PAY-1"


def booking_steps(tour: Tour, expected: Expected) -> None:
    """Read bookings, then make some."""
    tour.section("Bookings: by id, by product and day, by person, and those that wait for payment")
    _booking_reads(tour, expected)
    tour.section("Booking: one transaction over two tables, or nothing")
    _booking_calls(tour, expected)
    _sweep_calls(tour, expected)


def _booking_reads(tour: Tour, expected: Expected) -> None:
    one = expected.of(Booking, status="cancelled")[0]
    product = (one.collection_id, one.activity_type, one.activity_id, one.product_id)
    fields = dict(zip(("collection_id", "activity_type", "activity_id", "product_id"), product, strict=True))
    bookings = expected.of(Booking, _booking_order, **fields)
    tour.run(Booking.by_id(one.booking_id), [one])
    tour.run(Booking.on_day(*product, one.start), [each for each in bookings if each.start == one.start])
    last = FIRST + timedelta(days=5)
    tour.run(
        Booking.from_day(*product, FIRST + timedelta(days=1), last),
        [each for each in bookings if each.start > FIRST and each.end <= last],
    )
    of_user = expected.of(Booking, _booking_order, user_id=one.user_id)
    tour.run(Booking.of_user(one.user_id), of_user)
    tour.run(
        Booking.of_user_on_day(one.user_id, one.start), [each for each in of_user if each.start == one.start]
    )
    days = expected.of(BookingDate, lambda each: each.day, booking_id=one.booking_id)
    tour.run(BookingDate.of_booking(one.booking_id), days)
    paid, back = (
        expected.one(Payment, booking_id=one.booking_id),
        expected.one(Refund, booking_id=one.booking_id),
    )
    tour.run(Payment.of_booking(one.booking_id), [paid])
    tour.run(Payment.by_id(paid.client_transaction_id), [paid])
    tour.run(Refund.of_booking(one.booking_id), [back])
    tour.run(Refund.by_id(back.refund_id), [back])
    tour.run(money_of_booking(one.booking_id), [paid, back])


def _booking_order(booking: Booking) -> str:
    return f"{booking.start}::{booking.booking_id}"


def _booking_calls(tour: Tour, expected: Expected) -> None:
    day = next(pool.day for pool in expected.of(InventoryPool, **OFFER.model_dump()) if pool.availability > 2)
    availability = expected.one(InventoryPool, **OFFER.model_dump(), day=day).availability
    mine = tour.call(
        "A booking holds two units",
        lambda db: book(db, "ann", OFFER, Stay(day, day, 2), now=NOW, booking_id=MINE),
        lambda booking: (booking.booking_id, booking.status) == (MINE, "in progress"),
    )
    tour.run(InventoryPool.one(OFFER, day), lambda pool: pool.availability == availability - 2)
    tour.call(
        "The same call with the same id returns the same booking",
        lambda db: book(db, "ann", OFFER, Stay(day, day, 2), now=NOW, booking_id=MINE),
        mine,
    )
    tour.call(
        "A second booking for the same day raises an error",
        error_name(lambda db: book(db, "ann", OFFER, Stay(day, day, 1), now=NOW, booking_id=YOURS)),
        "AlreadyBooked",
    )
    tour.call(
        "More units than are left raise an error, and none is taken",
        error_name(
            lambda db: book(db, "bob", OFFER, Stay(day, day, availability), now=NOW, booking_id=YOURS)
        ),
        "SoldOut",
    )
    paid = tour.call(
        "A payment confirms it",
        lambda db: confirm(db, mine, PAYMENT, 4600, NOW),
        lambda booking: (booking.status, booking.paid_cents) == ("confirmed", 4600),
    )
    tour.call("Part of it is refunded", lambda db: refund(db, paid, PAYMENT, 1000, NOW, "BACK-1").cents, 1000)
    guard = RefundHash.of("ann", PAYMENT, 1000, NOW)
    tour.run(RefundHash.by_digest(guard.digest), [guard])
    tour.call(
        "The booking is cancelled, and the pool has its units back",
        lambda db: (cancel(db, paid, NOW).status, db.run(InventoryPool.one(OFFER, day)).availability),  # type: ignore[union-attr]
        ("cancelled", availability),
    )
    tour.call(
        "Another booking is made, and not paid in time",
        lambda db: (
            book(db, "bob", OFFER, Stay(day, day, 1), now=NOW - timedelta(hours=2), booking_id=YOURS).status
        ),
        "in progress",
    )


def _sweep_calls(tour: Tour, expected: Expected) -> None:
    tour.section("The sweep: unpaid bookings end, found through an index that has only these")
    late = [
        each
        for each in expected.of(Booking, lambda each: each.session_expiry, status="in progress")
        if (each.session_expiry or 0) < milliseconds(NOW)
    ]
    waiting = {each.booking_id for each in late} | {YOURS}
    tour.run(
        Booking.expired(milliseconds(NOW)), lambda bookings: {each.booking_id for each in bookings} == waiting
    )
    units = sum(day.quantity for day in expected.of(BookingDate) if day.booking_id in waiting) + 1
    tour.call(
        "The sweep ends all bookings that were not paid in time",
        lambda db: sweep(db, NOW),
        SweepResult(len(waiting), units),
    )
    tour.call("A second sweep finds nothing to do", lambda db: sweep(db, NOW), SweepResult())
    tour.call("Every pool agrees with its bookings", lambda db: balance(db).wrong, ())


ATTEMPTS = 300
BUYERS = 50


def rush_steps(tour: Tour) -> None:
    """Let many buyers book, then count."""
    tour.section(f"The rush: {ATTEMPTS} attempts by {BUYERS} buyers at a time, and a sweep beside them")
    endings = rush(tour.db, ATTEMPTS, BUYERS)
    result = tour.call(
        "For every pool, capacity minus what is left is what is booked",
        balance,
        lambda result: result.wrong == () and result.capacity == result.booked + result.left,
    )
    headers = ("Attempts", "Paid", "Cancelled", "Walked away", "Sold out", "Units", "Booked", "Left", "Lost")
    figures = (
        endings.total(),
        *(endings[ending] for ending in ("paid", "cancelled", "left", "sold out")),
        *(result.capacity, result.booked, result.left, result.capacity - result.booked - result.left),
    )
    tour.table(headers, [figures], right=range(len(headers)))
    lost = result.capacity - result.booked - result.left
    tour.prove(
        f"{ATTEMPTS} attempts by {BUYERS} concurrent buyers: of {result.capacity} units, {result.booked} are booked, "
        f"{result.left} are left, none is sold twice, and {lost or 'none'} is lost.",
        holds=result.wrong == () and lost == 0,
    )


def audit_steps(tour: Tour) -> None:
    """Write the audit rows of all changes in this tour twice, and read those of a person."""
    tour.section("The audit: a row for each change, with a key of its own")
    written: list[Change] = tour.call(
        "The changes of this tour, from both streams",
        write_audit_rows,
        lambda rows: len(rows) > 50,
    )
    tour.run(
        Change.write_all(written), lambda _: True, title="The same rows written again replace themselves"
    )
    ann = sorted((row for row in written if row.user == "ann"), key=_row_order)
    tour.run(Change.by_user("ann", datetime(2025, 1, 1, tzinfo=UTC)), ann)
    seconds = {(row.user, row.at) for row in written}
    keys = {(row.user, _row_order(row)) for row in written}
    tour.table(
        ("audit rows", "keys by person and second", "keys by person, time, number and event"),
        [(len(written), len(seconds), len(keys))],
        right=(0, 1, 2),
    )


def _row_order(row: Change) -> tuple[datetime, str, str]:
    return row.at, row.sequence_number, row.event_id
