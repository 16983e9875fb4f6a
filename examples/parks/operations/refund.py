"""Refunds: at most what was paid, and not twice by a second click."""

from __future__ import annotations

from datetime import datetime
from uuid import uuid4

from pksk import AlreadyExists, ConditionFailed, NotFound, Store, TransactionFailed

from ..bookings import Booking
from ..money import Payment, Refund, RefundHash, TransactionId, give_refund
from ..refusals import NotHeld, NumberTaken, RefundRepeated, RefundTooHigh, Refusal

__all__ = ["refund"]


def refund(
    db: Store, booking: Booking, client_transaction_id: str, cents: int, now: datetime, refund_id: str = ""
) -> Refund:
    """Give back some of what was paid for a booking; with the same `refund_id` again, nothing more.

    Whoever may ask twice, as after a lost answer, gives a `refund_id`: the refund that is there is given back, whenever
    it is asked for. Raises `NumberTaken` where that is of another refund, booking or amount; `RefundRepeated` where the
    same is asked for without it within a window of three minutes; `RefundTooHigh`.
    """
    if cents < 1:
        raise Refusal(f"{cents} cents are nothing to give back.")
    payments = db.iter(Payment.of_booking(booking.booking_id))
    payment = next((each for each in payments if each.client_transaction_id == client_transaction_id), None)
    if payment is None:
        raise Refusal(f"{client_transaction_id} is no payment of the booking {booking.booking_id}.")
    given = Refund(
        booking_id=booking.booking_id, day=now.date(), refund_id=refund_id or str(uuid4()), cents=cents
    )
    guard = RefundHash.made(booking.user_id, client_transaction_id, cents, now)
    try:
        db.run(give_refund(booking, payment, given, guard))
    except TransactionFailed as failed:
        return _given_before(db, failed, payment, given)
    return given


def _given_before(db: Store, failed: TransactionFailed, payment: Payment, given: Refund) -> Refund:
    """The refund where this very one is there already; else the reason why it could not be given."""
    guard, taken, booking = (failed.failures.get(place) for place in range(3))
    number, mark = payment.client_transaction_id, TransactionId.made(given)
    if isinstance(taken, AlreadyExists) and taken.item != mark:
        raise NumberTaken(taken.item, mark) from failed
    if isinstance(taken, AlreadyExists):
        # Its day is in its key, and need not be today.
        refunds = db.iter(Refund.of_booking(given.booking_id).consistently())
        stored = next((each for each in refunds if each.refund_id == given.refund_id), None)
        if stored is not None:
            return stored
    if guard is not None:
        raise RefundRepeated(f"{given.cents} cents of {number} were given back a moment ago.") from failed
    if isinstance(booking, NotFound):
        raise NotHeld(given.booking_id, "not there") from failed
    if isinstance(booking, ConditionFailed):
        left = payment.cents - booking.item.refunded_cents
        raise RefundTooHigh(f"{given.cents} cents are more than is left of {number}: {left}.") from failed
    raise failed
