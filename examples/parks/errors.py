"""The errors of the parks system, with what a caller needs to go on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from uuid import UUID

from pksk import StoreError
from pksk.errors import did_you_mean

from .payments import TransactionId
from .tables import ItemKey


class ParksError(Exception):
    """A call that failed; nothing was written."""


class SoldOut(ParksError):
    """Fewer units are left on a day than the booking needs."""

    def __init__(self, day: date, quantity: int, left: int) -> None:
        super().__init__(f"{day} is sold out: {quantity} wanted, {left} left.")
        self.day, self.wanted, self.left = day, quantity, left


class NotOffered(ParksError):
    """A day that cannot be booked: the product is closed, or the asset has no pool."""

    def __init__(self, day: date) -> None:
        super().__init__(f"{day} is not offered.")
        self.day = day


class AlreadyBooked(ParksError):
    """The person already has a booking that begins on this day."""

    def __init__(self, day: date, booking_id: UUID) -> None:
        super().__init__(f"Another booking begins on {day} already: {booking_id}.")
        self.day, self.booking_id = day, booking_id


class IdTaken(ParksError):
    """The id belongs to another booking, with other days, another offer, quantity or person."""

    def __init__(self, booking_id: UUID) -> None:
        super().__init__(f"The id {booking_id} belongs to another booking. Fix: take a new one.")
        self.booking_id = booking_id


class NotHeld(ParksError):
    """The booking no longer holds units, or not in the way that the call needs; `status` is its status."""

    def __init__(self, booking_id: UUID, status: str, more: str = "") -> None:
        super().__init__(f"The booking {booking_id} is {status}{more}.")
        self.booking_id, self.status = booking_id, status


class PoolMissing(ParksError):
    """Some pools of the booking's `days` do not exist, so its units cannot be returned."""

    def __init__(self, booking_id: UUID, days: Iterable[date]) -> None:
        self.booking_id, self.days = booking_id, list(days)
        listed = ", ".join(map(str, self.days))
        super().__init__(f"The booking {booking_id} holds units of pools that do not exist: {listed}.")


class PoolOverfull(ParksError):
    """The units of the booking do not fit into their pool, whose count does not match its bookings."""

    def __init__(self, booking_id: UUID) -> None:
        super().__init__(
            f"The pools of the booking {booking_id} have no room for its units; run `balance` to see why."
        )
        self.booking_id = booking_id


class NumberTaken(ParksError):
    """The bank's number belongs to another payment or refund, `taken`."""

    def __init__(self, taken: TransactionId, wanted: TransactionId) -> None:
        was, now = (
            f"{each.kind} of {each.cents} cents for the booking {each.booking_id}" for each in (taken, wanted)
        )
        super().__init__(f"The number {taken.number} belongs to a {was}, so it cannot be a {now}.")
        self.taken = taken


class RefundRepeated(ParksError):
    """The same refund was requested a moment ago."""


class RefundTooHigh(ParksError):
    """More than was paid and not yet refunded."""


class InvalidPlaceKey(ParksError):
    """No place can have this key, or there are no places of this kind."""


class PlaceMissing(ParksError):
    """Places that do not exist or are deleted."""

    def __init__(self, keys: Iterable[ItemKey]) -> None:
        self.keys = list(keys)
        super().__init__(f"These places do not exist: {', '.join(map(str, self.keys))}.")

    @classmethod
    def of(cls, failures: Iterable[StoreError]) -> PlaceMissing:
        """The error for the failed members of a transaction."""
        keys = (each.request.request["Key"] for each in failures)
        return cls(ItemKey(pk=key["pk"]["S"], sk=key["sk"]["S"]) for key in keys)


class FieldUnknown(ParksError):
    """A field that places of this kind do not have."""

    def __init__(self, kind: str, name: str, known: Sequence[str]) -> None:
        near = did_you_mean(name, known)
        meant = f" Did you mean {near!r}?" if near else ""
        super().__init__(f"{kind} has no field {name!r}.{meant} It has: {', '.join(known)}.")
        self.name = name


class QueueClosed(ParksError):
    """The opening of the queue is so long ago that a place in it would have expired already."""

    def __init__(self, what: str, since: datetime) -> None:
        super().__init__(f"The queue for {what} closed at {since:%Y-%m-%dT%H:%M} UTC.")
        self.since = since


class AlreadyWaiting(ParksError):
    """The person already has a place in the queue."""


class RoomFull(ParksError):
    """No more people can be let in."""
