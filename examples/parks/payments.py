"""Payments and refunds, the items that keep the bank's numbers unique, and the guard against repeated refunds."""

from __future__ import annotations

from datetime import date, datetime
from hashlib import sha256
from typing import Annotated, Literal
from uuid import UUID

from annotated_types import Len
from pydantic import Field

from pksk import Attribute, Entity, F, Key, Put, Query, Transaction, access, collect, transaction

from .bookings import Booking
from .tables import transactional

# Time is divided into windows of so many seconds, starting at midnight. Within a window, the same refund counts as
# a repeated click. Two clicks in different windows both pass, even within a second: 12:02:59 and 12:03:00.
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
        """The payments of a booking without its refunds, read consistently."""
        return cls.primary(booking_id=booking_id).consistently()

    @access(items=1)
    @classmethod
    def by_id(cls, client_transaction_id: str) -> Query[Payment]:
        """A payment by the bank's number."""
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

    @access(items=1)
    @classmethod
    def by_id(cls, refund_id: str) -> Query[Refund]:
        """A refund by the bank's number."""
        return cls.by_global_id(refund_id=refund_id)


@access(items=3)
def money_of_booking(booking_id: UUID) -> Query[Payment | Refund]:
    """The payments and the refunds of a booking, in one read."""
    return collect(Payment.primary(booking_id=booking_id), Refund.primary(booking_id=booking_id))


class TransactionId(Entity, table=transactional, discriminator="transactionId"):
    """Makes the bank's number of a payment or refund unique for good.

    The key of a payment contains its booking and day. Without this item, one payment could pay for any number of
    bookings, and one refund could be entered for several.
    """

    number: Annotated[str, Attribute("transactionNumber")]
    kind: Literal["payment", "refund"]
    booking_id: Annotated[UUID, Attribute("bookingId")]
    cents: int

    primary = Key("transactionId::{number}", "transactionId")

    @classmethod
    def of(cls, money: Payment | Refund) -> TransactionId:
        """The item for a payment or a refund."""
        return cls(
            number=money.client_transaction_id if isinstance(money, Payment) else money.refund_id,
            kind="payment" if isinstance(money, Payment) else "refund",
            booking_id=money.booking_id,
            cents=money.cents,
        )


class RefundHash(Entity, table=transactional, discriminator="refundHash"):
    """Makes a refund unique within three minutes: the same person, payment and amount have the same digest."""

    day: date
    digest: Annotated[bytes, Len(32, 32)] = Field(examples=[bytes(32)])

    primary = Key("refundHash::{day}", "{digest}")
    by_global_id = Key("{digest}", index="globalId-index")

    @classmethod
    def of(cls, user_id: str, client_transaction_id: str, cents: int, now: datetime) -> RefundHash:
        """The guard of a refund that is requested now."""
        window = int(now.timestamp()) // REFUND_WINDOW_SECONDS
        text = f"{user_id}::{client_transaction_id}::{cents}::{window}"
        return cls(day=now.date(), digest=sha256(text.encode()).digest())

    @access(items=1, example={"digest": bytes(32)})
    @classmethod
    def by_digest(cls, digest: bytes) -> Query[RefundHash]:
        """The guard with a digest, on any day."""
        return cls.by_global_id(digest=digest)


@access()
def confirm_booking(booking: Booking, payment: Payment) -> Transaction:
    """Confirm a booking with a payment whose number is new; it leaves the sparse index, so a sweep skips it."""
    paid = booking.change.set(status="confirmed").add(paid_cents=payment.cents).remove("is_pending")
    unpaid = F.is_pending.exists() & (F.status == "in progress")
    return transaction(
        paid.when(unpaid), Put(TransactionId.of(payment)).if_absent(), Put(payment).if_absent()
    )


@access()
def give_refund(booking: Booking, payment: Payment, refund: Refund, guard: RefundHash) -> Transaction:
    """Refund part of a payment, never more than is left of it, together with the guard: all or nothing."""
    rest = F.refunded_cents <= payment.cents - refund.cents
    return transaction(
        Put(guard).if_absent(),
        Put(TransactionId.of(refund)).if_absent(),
        booking.change.add(refunded_cents=refund.cents).when(rest),
        Put(refund).if_absent(),
    )
