"""Money of bookings: payments, refunds, marks that their numbers are taken, and the guard against repeated refunds."""

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

__all__ = [
    "REFUND_WINDOW_SECONDS",
    "Payment",
    "Refund",
    "RefundHash",
    "TransactionId",
    "confirm_booking",
    "give_refund",
    "money_of_booking",
]

# Time is cut into windows of so many seconds, from midnight on. In one window the same refund is taken for a repeated
# click; on either side of where two of them meet it passes twice, also within a second: 12:02:59 and 12:03:00.
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
        """The payments of a booking without its refunds, as they are at this moment."""
        return cls.primary(booking_id=booking_id).consistently()

    @access(items=1)
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

    @access(items=1)
    @classmethod
    def by_id(cls, refund_id: str) -> Query[Refund]:
        """A refund by the number that the bank knows."""
        return cls.by_global_id(refund_id=refund_id)


@access(items=3)
def money_of_booking(booking_id: UUID) -> Query[Payment | Refund]:
    """The payments and the refunds of a booking, in one read."""
    return collect(Payment.primary(booking_id=booking_id), Refund.primary(booking_id=booking_id))


class TransactionId(Entity, table=transactional, discriminator="transactionId"):
    """That a number of the bank is taken, for good: the key of a payment has its booking and its day too.

    Without it one payment could pay for any number of bookings, and one refund be entered for several.
    """

    number: Annotated[str, Attribute("transactionNumber")]
    kind: Literal["payment", "refund"]
    booking_id: Annotated[UUID, Attribute("bookingId")]
    cents: int

    primary = Key("transactionId::{number}", "transactionId")

    @classmethod
    def of(cls, money: Payment | Refund) -> TransactionId:
        """The mark of a payment or a refund."""
        return cls(
            number=money.client_transaction_id if isinstance(money, Payment) else money.refund_id,
            kind="payment" if isinstance(money, Payment) else "refund",
            booking_id=money.booking_id,
            cents=money.cents,
        )


class RefundHash(Entity, table=transactional, discriminator="refundHash"):
    """One refund in a window of three minutes: the same person, payment and amount have the same digest."""

    day: date
    digest: Annotated[bytes, Len(32, 32)] = Field(examples=[bytes(32)])

    primary = Key("refundHash::{day}", "{digest}")
    by_global_id = Key("{digest}", index="globalId-index")

    @classmethod
    def of(cls, user_id: str, client_transaction_id: str, cents: int, now: datetime) -> RefundHash:
        """The guard of a refund that is asked for now."""
        window = int(now.timestamp()) // REFUND_WINDOW_SECONDS
        text = f"{user_id}::{client_transaction_id}::{cents}::{window}"
        return cls(day=now.date(), digest=sha256(text.encode()).digest())

    @access(items=1, example={"digest": bytes(32)})
    @classmethod
    def by_digest(cls, digest: bytes) -> Query[RefundHash]:
        """The guard with a digest, whatever its day."""
        return cls.by_global_id(digest=digest)


@access()
def confirm_booking(booking: Booking, payment: Payment) -> Transaction:
    """A payment of a new number confirms a booking, which leaves the sparse index; a later sweep finds it paid."""
    paid = booking.change.set(status="confirmed").add(paid_cents=payment.cents).remove("is_pending")
    unpaid = F.is_pending.exists() & (F.status == "in progress")
    return transaction(
        paid.when(unpaid), Put(TransactionId.of(payment)).if_absent(), Put(payment).if_absent()
    )


@access()
def give_refund(booking: Booking, payment: Payment, refund: Refund, guard: RefundHash) -> Transaction:
    """Some of a booking's payment, never more than is not given back yet, with its guard: all of it, or nothing."""
    rest = F.refunded_cents <= payment.cents - refund.cents
    return transaction(
        Put(guard).if_absent(),
        Put(TransactionId.of(refund)).if_absent(),
        booking.change.add(refunded_cents=refund.cents).when(rest),
        Put(refund).if_absent(),
    )
