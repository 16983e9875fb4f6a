"""Refunds: at most what was paid, and not twice by a second click."""

from __future__ import annotations

from datetime import datetime
from uuid import uuid4

from pksk import Store, TransactionFailed

from ..bookings import Booking
from ..money import Payment, Refund, RefundHash, give_refund
from ..refusals import RefundRepeated, RefundTooHigh, Refusal

__all__ = ["refund"]


def refund(
    db: Store, booking: Booking, client_transaction_id: str, cents: int, now: datetime, refund_id: str = ""
) -> Refund:
    """Give back some of what was paid for a booking. Raises `RefundRepeated` or `RefundTooHigh`."""
    if cents < 1:
        raise Refusal(f"{cents} cents are nothing to give back.")
    payments = db.iter(Payment.of_booking(booking.booking_id))
    if client_transaction_id not in {each.client_transaction_id for each in payments}:
        raise Refusal(f"{client_transaction_id} is no payment of the booking {booking.booking_id}.")
    given = Refund(
        booking_id=booking.booking_id, day=now.date(), refund_id=refund_id or str(uuid4()), cents=cents
    )
    guard = RefundHash.made(booking.user_id, client_transaction_id, cents, now)
    try:
        db.run(give_refund(booking, given, guard))
    except TransactionFailed as failed:
        if 0 in failed.failures:
            raise RefundRepeated(
                f"{cents} cents of {client_transaction_id} were given back a moment ago."
            ) from failed
        if 1 in failed.failures:
            raise RefundTooHigh(
                f"{cents} cents are more than is left of {client_transaction_id}."
            ) from failed
        raise
    return given
