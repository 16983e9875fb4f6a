"""The sweep: bookings that were not paid in time end, and what they held can be booked again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pksk import Store, TransactionFailed

from ..bookings import Booking, expire_booking
from ..refusals import NotHeld, Refusal
from .book import held, milliseconds, refuse

__all__ = ["Swept", "sweep"]


@dataclass(frozen=True)
class Swept:
    """What a sweep did: bookings that it ended, units that it gave back, bookings that others had dealt with.

    `failed` says of each booking that could not end why not; the next sweep tries it again.
    """

    ended: int = 0
    units: int = 0
    passed: int = 0
    failed: tuple[str, ...] = ()


def sweep(db: Store, now: datetime) -> Swept:
    """End all bookings whose hold is over.

    The sparse index has only bookings that wait for payment. Each ends in a transaction of its own, on condition that
    it still waits: so sweeps may run twice, side by side, or beside payments, and nothing is given back twice. One
    that cannot end, such as for a pool that is not there, keeps no other from ending.
    """
    ended = units = passed = 0
    failed: list[str] = []
    for booking in db.iter(Booking.expired(milliseconds(now))):
        try:
            units += _ended(db, booking)
        except NotHeld:
            passed += 1  # paid, cancelled or swept since the index was read
        except Refusal as refusal:
            failed.append(str(refusal))
        except TransactionFailed as broken:
            failed.append(f"The booking {booking.booking_id} cannot end. {str(broken).splitlines()[0]}")
        else:
            ended += 1
    return Swept(ended, units, passed, tuple(failed))


def _ended(db: Store, booking: Booking) -> int:
    """End a booking, and give the number of units that went back."""
    dates, pools = held(db, booking)
    try:
        db.run(expire_booking(booking, dates, pools))
    except TransactionFailed as failed:
        refuse(failed, booking)
    return sum(each.quantity for each in dates)
