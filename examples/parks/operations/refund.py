"""Refunds: at most what was paid, and not twice by a second click."""

from __future__ import annotations

from datetime import datetime
from typing import NoReturn
from uuid import uuid4

from pksk import AlreadyExists, ConditionFailed, NotFound, Store, TransactionFailed

from ..bookings import Booking
from ..money import Payment, Refund, RefundHash, TransactionId, give_refund
from ..refusals import NotHeld, NumberTaken, RefundRepeated, RefundTooHigh, Refusal

__all__ = ["refund"]


def refund(
    db: Store, booking: Booking, client_transaction_id: str, cents: int, now: datetime, refund_id: str = ""
) -> Refund:
    """Give back some of what was paid for a booking. Raises `RefundRepeated`, `NumberTaken` or `RefundTooHigh`."""
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
        _refuse(failed, payment, given)
    return given


def _refuse(failed: TransactionFailed, payment: Payment, given: Refund) -> NoReturn:
    guard, taken, booking = (failed.failures.get(place) for place in range(3))
    number = payment.client_transaction_id
    if guard is not None:
        raise RefundRepeated(f"{given.cents} cents of {number} were given back a moment ago.") from failed
    if isinstance(taken, AlreadyExists):
        raise NumberTaken(taken.item, TransactionId.made(given)) from failed
    if isinstance(booking, NotFound):
        raise NotHeld(given.booking_id, "not there") from failed
    if isinstance(booking, ConditionFailed):
        left = payment.cents - booking.item.refunded_cents
        raise RefundTooHigh(f"{given.cents} cents are more than is left of {number}: {left}.") from failed
    raise failed
