"""What the parks system says no to: an error for each, with what a caller needs to go on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from uuid import UUID

from pksk import StoreError
from pksk.errors import did_you_mean

from .payments import TransactionId
from .tables import ItemKey

__all__ = [
    "AlreadyBooked",
    "AlreadyWaiting",
    "FieldUnknown",
    "IdTaken",
    "InvalidPlaceKey",
    "NoStream",
    "NotHeld",
    "NotOffered",
    "NumberTaken",
    "ParksError",
    "PlaceMissing",
    "PoolMissing",
    "PoolOverfull",
    "QueueClosed",
    "RefundRepeated",
    "RefundTooHigh",
    "RoomFull",
    "SoldOut",
]


class ParksError(Exception):
    """Something that was asked for and not done; nothing was written."""


class SoldOut(ParksError):
    """Fewer units are left on a day than were asked for."""

    def __init__(self, day: date, wanted: int, left: int) -> None:
        super().__init__(f"{day} is sold out: {wanted} wanted, {left} left.")
        self.day, self.wanted, self.left = day, wanted, left


class NotOffered(ParksError):
    """A day that cannot be booked: the product is closed then, or the asset has no pool."""

    def __init__(self, day: date) -> None:
        super().__init__(f"{day} is not offered.")
        self.day = day


class AlreadyBooked(ParksError):
    """The person has a booking that begins on the same day."""

    def __init__(self, day: date, booking_id: UUID) -> None:
        super().__init__(f"There is a booking that begins on {day} already: {booking_id}.")
        self.day, self.booking_id = day, booking_id


class IdTaken(ParksError):
    """The id of a booking is that of another one, with other days, another offer, quantity or person."""

    def __init__(self, booking_id: UUID) -> None:
        super().__init__(f"The id {booking_id} is that of another booking; take a new one.")
        self.booking_id = booking_id


class NotHeld(ParksError):
    """A booking that holds nothing any more, or not in the way that the call needs; `status` says which."""

    def __init__(self, booking_id: UUID, status: str, more: str = "") -> None:
        super().__init__(f"The booking {booking_id} is {status}{more}.")
        self.booking_id, self.status = booking_id, status


class PoolMissing(ParksError):
    """A booking holds units of pools that are not there, so it cannot give them back; `days` says of which days."""

    def __init__(self, booking_id: UUID, days: Iterable[date]) -> None:
        self.booking_id, self.days = booking_id, list(days)
        told = ", ".join(map(str, self.days))
        super().__init__(f"The booking {booking_id} holds units of pools that are not there: {told}.")


class PoolOverfull(ParksError):
    """Units of a booking that do not fit into their pool, which is not as its bookings have left it."""

    def __init__(self, booking_id: UUID) -> None:
        super().__init__(
            f"The pools of the booking {booking_id} have no room for what it gives back; see the balance."
        )
        self.booking_id = booking_id


class NumberTaken(ParksError):
    """A number of the bank that is of another payment or refund; `taken` says of which."""

    def __init__(self, taken: TransactionId, wanted: TransactionId) -> None:
        was, now = (
            f"{each.kind} of {each.cents} cents for the booking {each.booking_id}" for each in (taken, wanted)
        )
        super().__init__(f"The number {taken.number} is that of a {was}; it cannot be a {now} too.")
        self.taken = taken


class RefundRepeated(ParksError):
    """The same refund was asked for a moment ago."""


class RefundTooHigh(ParksError):
    """More than was paid and is not refunded yet."""


class NoStream(ParksError):
    """A table that is not there, or has no stream, so that nothing tells what was changed."""


class InvalidPlaceKey(ParksError):
    """A key that no place can have, or a kind of place that there is not."""


class PlaceMissing(ParksError):
    """Places that are not there, or deleted."""

    def __init__(self, keys: Iterable[ItemKey]) -> None:
        self.keys = list(keys)
        super().__init__(f"Not there: {', '.join(map(str, self.keys))}.")

    @classmethod
    def of(cls, failures: Iterable[StoreError]) -> PlaceMissing:
        """What the failed members of a transaction asked for."""
        keys = (each.request.request["Key"] for each in failures)
        return cls(ItemKey(pk=key["pk"]["S"], sk=key["sk"]["S"]) for key in keys)


class FieldUnknown(ParksError):
    """A field that a kind of place does not have."""

    def __init__(self, kind: str, name: str, known: Sequence[str]) -> None:
        near = did_you_mean(name, known)
        meant = f" Did you mean {near!r}?" if near else ""
        super().__init__(f"{kind} has no field {name!r}.{meant} It has: {', '.join(known)}.")
        self.name = name


class QueueClosed(ParksError):
    """A queue whose opening is so long past that a place in it would be gone already."""

    def __init__(self, what: str, since: datetime) -> None:
        super().__init__(f"The queue for {what} is over since {since:%Y-%m-%dT%H:%M} UTC.")
        self.since = since


class AlreadyWaiting(ParksError):
    """The person has a place in the queue."""


class RoomFull(ParksError):
    """As many are let in as there is room for."""
