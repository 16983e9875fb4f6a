"""Money of bookings: payments, refunds, and the guard against the same refund twice."""

from __future__ import annotations

from datetime import date, datetime
from hashlib import sha256
from typing import Annotated
from uuid import UUID

from annotated_types import Len
from pydantic import Field

from pksk import Attribute, Entity, F, Key, Put, Query, Transaction, access, collect, transaction

from .bookings import Booking
from .tables import transactional

__all__ = [
    "REFUND_WINDOW_SECONDS",
    "Payment",
    "Refund",
    "RefundHash",
    "confirm_booking",
    "give_refund",
    "money_of_booking",
]

# Within so many seconds, the same refund is taken for a repeated click.
REFUND_WINDOW_SECONDS = 180


class Payment(Entity, table=transactional, discriminator="transaction"):
    booking_id: Annotated[UUID, Attribute("bookingId")]
    day: date
    client_transaction_id: Annotated[str, Attribute("clientTransactionId")]
    cents: int

    primary = Key("transaction::{booking_id}", "{day}::{client_transaction_id}")
    by_global_id = Key("{client_transaction_id}", index="globalId-index")

    @access(items=2)
    @classmethod
    def of_booking(cls, booking_id: UUID) -> Query[Payment]:
        """The payments of a booking, without its refunds."""
        return cls.primary(booking_id=booking_id)

    @access()
    @classmethod
    def by_id(cls, client_transaction_id: str) -> Query[Payment]:
        """A payment by the number that the bank knows."""
        return cls.by_global_id(client_transaction_id=client_transaction_id)


class Refund(Entity, table=transactional, discriminator="refund"):
    booking_id: Annotated[UUID, Attribute("bookingId")]
    day: date
    refund_id: Annotated[str, Attribute("refundTransactionId")]
    cents: int

    primary = Key("transaction::{booking_id}", "refund::{day}::{refund_id}")
    by_global_id = Key("{refund_id}", index="globalId-index")

    @access(items=1)
    @classmethod
    def of_booking(cls, booking_id: UUID) -> Query[Refund]:
        """The refunds of a booking."""
        return cls.primary(booking_id=booking_id)

    @access()
    @classmethod
    def by_id(cls, refund_id: str) -> Query[Refund]:
        """A refund by the number that the bank knows."""
        return cls.by_global_id(refund_id=refund_id)


@access(items=3)
def money_of_booking(booking_id: UUID) -> Query[Payment | Refund]:
    """The payments and the refunds of a booking, in one read."""
    return collect(Payment.primary(booking_id=booking_id), Refund.primary(booking_id=booking_id))


class RefundHash(Entity, table=transactional, discriminator="refundHash"):
    """One refund in a window of three minutes: the same person, payment and amount have the same digest."""

    day: date
    digest: Annotated[bytes, Len(32, 32)] = Field(examples=[bytes(32)])

    primary = Key("refundHash::{day}", "{digest}")
    by_global_id = Key("{digest}", index="globalId-index")

    @classmethod
    def made(cls, user_id: str, client_transaction_id: str, cents: int, now: datetime) -> RefundHash:
        """The guard of a refund that is asked for now."""
        window = int(now.timestamp()) // REFUND_WINDOW_SECONDS
        text = f"{user_id}::{client_transaction_id}::{cents}::{window}"
        return cls(day=now.date(), digest=sha256(text.encode()).digest())

    @access(example={"digest": bytes(32)})
    @classmethod
    def by_digest(cls, digest: bytes) -> Query[RefundHash]:
        """The guard with a digest, whatever its day."""
        return cls.by_global_id(digest=digest)


@access()
def confirm_booking(booking: Booking, payment: Payment) -> Transaction:
    """A payment confirms a booking, which leaves the sparse index; a sweep that comes later finds it paid."""
    paid = booking.change.set(status="confirmed").add(paid_cents=payment.cents).remove("is_pending")
    unpaid = F.is_pending.exists() & (F.status == "in progress")
    return transaction(paid.when(unpaid), Put(payment).if_absent())


@access()
def give_refund(booking: Booking, refund: Refund, guard: RefundHash) -> Transaction:
    """A refund with its guard, never above what was paid and is not refunded yet: all of it, or nothing."""
    rest = F.refunded_cents <= booking.paid_cents - refund.cents
    return transaction(
        Put(guard).if_absent(),
        booking.change.add(refunded_cents=refund.cents).when(rest),
        Put(refund).if_absent(),
    )
