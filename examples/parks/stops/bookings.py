"""Bookings: asked for by whatever is known of them, made, paid, cancelled, refunded and swept."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from pksk import Store

from ...tour import Tour
from ..bookings import Booking, BookingDate
from ..data import NOW
from ..money import Payment, Refund, RefundHash, money_of_booking
from ..operations.balance import balance
from ..operations.book import Stay, book, cancel, confirm, milliseconds
from ..operations.refund import refund
from ..operations.sweep import Swept, sweep
from ..products import InventoryPool
from ..refusals import Refusal
from .made import Made
from .products import FIRST, OFFER

__all__ = ["MINE", "PAYMENT", "YOURS", "refused", "stop"]

MINE = UUID("0c5b7f3e-8d0d-4c67-9a83-6f1f3f0f8a01")
YOURS = UUID("0c5b7f3e-8d0d-4c67-9a83-6f1f3f0f8a02")
PAYMENT = "PAY-1"


def stop(tour: Tour, made: Made) -> None:
    """Ask for bookings, then make some."""
    tour.section("Bookings: by id, by product and day, by person; and those that wait for payment")
    _asked(tour, made)
    tour.section("Booking: one transaction over two tables, or nothing")
    _made(tour, made)
    _swept(tour, made)


def _asked(tour: Tour, made: Made) -> None:
    one = made.of(Booking, status="cancelled")[0]
    product = (one.collection_id, one.activity_type, one.activity_id, one.product_id)
    fields = dict(zip(("collection_id", "activity_type", "activity_id", "product_id"), product, strict=True))
    bookings = made.of(Booking, _order, **fields)
    tour.run(Booking.by_id(one.booking_id), [one])
    tour.run(Booking.on_day(*product, one.start), [each for each in bookings if each.start == one.start])
    last = FIRST + timedelta(days=5)
    tour.run(
        Booking.from_day(*product, FIRST + timedelta(days=1), last),
        [each for each in bookings if each.start > FIRST and each.end <= last],
    )
    of_user = made.of(Booking, _order, user_id=one.user_id)
    tour.run(Booking.of_user(one.user_id), of_user)
    tour.run(
        Booking.of_user_on_day(one.user_id, one.start), [each for each in of_user if each.start == one.start]
    )
    days = made.of(BookingDate, lambda each: each.day, booking_id=one.booking_id)
    tour.run(BookingDate.of_booking(one.booking_id), days)
    paid, back = made.one(Payment, booking_id=one.booking_id), made.one(Refund, booking_id=one.booking_id)
    tour.run(Payment.of_booking(one.booking_id), [paid])
    tour.run(Payment.by_id(paid.client_transaction_id), [paid])
    tour.run(Refund.of_booking(one.booking_id), [back])
    tour.run(Refund.by_id(back.refund_id), [back])
    tour.run(money_of_booking(one.booking_id), [paid, back])


def _order(booking: Booking) -> str:
    return f"{booking.start}::{booking.booking_id}"


def _made(tour: Tour, made: Made) -> None:
    day = next(pool.day for pool in made.of(InventoryPool, **OFFER.model_dump()) if pool.availability > 2)
    left = made.one(InventoryPool, **OFFER.model_dump(), day=day).availability
    mine = tour.call(
        "A booking holds two units",
        lambda db: book(db, "ann", OFFER, Stay(day, day, 2), now=NOW, booking_id=MINE),
        lambda booking: (booking.booking_id, booking.status) == (MINE, "in progress"),
    )
    tour.run(InventoryPool.one(OFFER, day), lambda pool: pool.availability == left - 2)
    tour.call(
        "Asked again with the same id, it is the same booking",
        lambda db: book(db, "ann", OFFER, Stay(day, day, 2), now=NOW, booking_id=MINE),
        mine,
    )
    tour.call(
        "A second booking for the same day is refused",
        lambda db: refused(db, "ann", Stay(day, day, 1)),
        "AlreadyBooked",
    )
    tour.call(
        "More than are left are refused, and nothing is taken",
        lambda db: refused(db, "bob", Stay(day, day, left)),
        "SoldOut",
    )
    paid = tour.call(
        "A payment confirms it",
        lambda db: confirm(db, mine, PAYMENT, 4600, NOW),
        lambda booking: (booking.status, booking.paid_cents) == ("confirmed", 4600),
    )
    tour.call(
        "Some of it is given back",
        lambda db: refund(db, paid, PAYMENT, 1000, NOW, "BACK-1").cents,
        1000,
    )
    guard = RefundHash.made("ann", PAYMENT, 1000, NOW)
    tour.run(RefundHash.by_digest(guard.digest), [guard])
    tour.call(
        "It is cancelled, and the pool has its units back",
        lambda db: (cancel(db, paid, NOW).status, db.run(InventoryPool.one(OFFER, day)).availability),  # type: ignore[union-attr]
        ("cancelled", left),
    )
    tour.call(
        "Another one is made, and not paid in time",
        lambda db: (
            book(db, "bob", OFFER, Stay(day, day, 1), now=NOW - timedelta(hours=2), booking_id=YOURS).status
        ),
        "in progress",
    )


def refused(db: Store, person: str, stay: Stay) -> str:
    """The name of what a booking is refused with."""
    try:
        book(db, person, OFFER, stay, now=NOW, booking_id=YOURS)
    except Refusal as refusal:
        return type(refusal).__name__
    return "nothing"


def _swept(tour: Tour, made: Made) -> None:
    tour.section("The sweep: holds that are over go back, through an index that has nothing else in it")
    late = [
        each
        for each in made.of(Booking, lambda each: each.session_expiry, status="in progress")
        if (each.session_expiry or 0) < milliseconds(NOW)
    ]
    waiting = {each.booking_id for each in late} | {YOURS}
    tour.run(Booking.expired(milliseconds(NOW)), lambda found: {each.booking_id for each in found} == waiting)
    units = sum(day.quantity for day in made.of(BookingDate) if day.booking_id in waiting) + 1
    tour.call("The sweep ends them", lambda db: sweep(db, NOW), Swept(len(waiting), units))
    tour.call("A second sweep finds nothing to do", lambda db: sweep(db, NOW), Swept())
    tour.call("Every pool agrees with its bookings", lambda db: balance(db).wrong, ())
