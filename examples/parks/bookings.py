"""Bookings and what hangs on them: days, payments, refunds, the people who book, and what was changed by whom."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID, uuid4

from annotated_types import Len
from pydantic import AwareDatetime, Field

from pksk import (
    Attribute,
    Batch,
    Entity,
    F,
    Get,
    Key,
    Put,
    Query,
    Scan,
    Transaction,
    Update,
    access,
    batch,
    collect,
    gte,
    lt,
    transaction,
)

from .described import ActivityId, ActivityType, CollectionId, KeyText, ProductId
from .products import InventoryPool
from .tables import audit, transactional

Status = Literal["in progress", "confirmed", "expired", "cancelled"]


class Booking(Entity, table=transactional, discriminator="booking"):
    """A booking. While it waits for payment it is pending; without that attribute it is not in the sparse index."""

    collection_id: CollectionId
    activity_type: ActivityType
    activity_id: ActivityId
    product_id: ProductId
    start: Annotated[date, Attribute("startDate")]
    end: Annotated[date, Attribute("endDate")]
    booking_id: Annotated[UUID, Attribute("bookingId")] = Field(default_factory=uuid4)
    user_id: Annotated[str, Attribute("userId")]
    status: Status = "in progress"
    is_pending: Annotated[Literal["PENDING"] | None, Attribute("isPending")] = None
    session_expiry: Annotated[int | None, Attribute("sessionExpiry")] = None
    cancellation_time: Annotated[AwareDatetime | None, Attribute("cancellationTime")] = None

    primary = Key(
        "booking::{collection_id}::{activity_type}::{activity_id}::{product_id}", "{start}::{booking_id}"
    )
    by_global_id = Key("{booking_id}", index="globalId-index")
    by_user = Key("{user_id}", index="userId-index")
    pending = Key("{is_pending}", "{session_expiry}", index="sparse-index-1")

    def parts(self) -> dict[str, object]:
        """The parts of the key, to name this booking in a request."""
        return {name: getattr(self, name) for name in Booking.primary.declared.fields}

    @access()
    @classmethod
    def by_id(cls, booking_id: UUID) -> Query[Booking]:
        """A booking by its id alone."""
        return cls.by_global_id(booking_id=booking_id)

    @access(items=50)
    @classmethod
    def on_day(
        cls, collection_id: str, activity_type: str, activity_id: int, product_id: int, day: date
    ) -> Query[Booking]:
        """The bookings of a product that begin on a day."""
        return cls.primary(
            collection_id=collection_id,
            activity_type=activity_type,
            activity_id=activity_id,
            product_id=product_id,
            start=day,
        )

    @access(items=500)
    @classmethod
    def from_day(
        cls,
        collection_id: str,
        activity_type: str,
        activity_id: int,
        product_id: int,
        first: date,
        last: date,
    ) -> Query[Booking]:
        """The bookings of a product that begin on a day or later and end by another; the end is a filter."""
        bookings = cls.primary(
            collection_id=collection_id,
            activity_type=activity_type,
            activity_id=activity_id,
            product_id=product_id,
            start=gte(first),
        )
        return bookings.filter(F.end <= last)

    @access(items=20)
    @classmethod
    def of_user(cls, user_id: str) -> Query[Booking]:
        """The bookings of a person."""
        return cls.by_user(user_id=user_id)

    @access(items=1)
    @classmethod
    def of_user_on_day(cls, user_id: str, day: date) -> Query[Booking]:
        """The bookings of a person that begin on a day, to refuse a second one."""
        return cls.by_user(user_id=user_id, start=day)

    @access(rate="96/day", items=20)
    @classmethod
    def expired(cls, now: int) -> Query[Booking]:
        """The bookings whose time to pay is over, every quarter of an hour; whole items come from the table."""
        return cls.pending(is_pending="PENDING", session_expiry=lt(now)).hydrate()

    @access()
    @classmethod
    def cancel(cls, booking: Booking, now: datetime) -> Update[Booking]:
        """Cancel a booking; of two at once, the second finds the time of the first and fails."""
        change = cls.primary.update(**booking.parts()).set(status="cancelled", cancellation_time=now)
        return change.when(F.cancellation_time.missing())


class BookingDate(Entity, table=transactional, discriminator="bookingDate"):
    booking_id: Annotated[UUID, Attribute("bookingId")]
    day: date
    quantity: int
    product_date: Annotated[KeyText, Attribute("productDate")]
    asset: KeyText
    global_id: Annotated[UUID, Attribute("globalId")] = Field(default_factory=uuid4)

    primary = Key("bookingDate::{booking_id}", "{day}")
    by_global_id = Key("{global_id}", index="globalId-index")

    @access(items=3)
    @classmethod
    def of_booking(cls, booking_id: UUID) -> Query[BookingDate]:
        """The days of a booking."""
        return cls.primary(booking_id=booking_id)


@access()
def create_booking(
    booking: Booking, dates: list[BookingDate], pools: list[InventoryPool], quantity: int
) -> Transaction:
    """A booking, its days, and what it takes from each pool: across two tables, all or nothing."""
    return transaction(
        Put(booking).if_absent(),
        *(Put(each) for each in dates),
        *(pool.taken(quantity) for pool in pools),
    )


@access()
def expire_booking(booking: Booking, pools: list[InventoryPool], quantity: int) -> Transaction:
    """An unpaid booking ends and gives back what it held; a second run finds it ended and does nothing."""
    ended = Booking.primary.update(**booking.parts()).set(status="expired").remove("is_pending")
    unpaid = F.is_pending.exists() & (F.status == "in progress")
    return transaction(ended.when(unpaid), *(pool.given_back(quantity) for pool in pools))


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

    @access()
    @classmethod
    def claim(cls, claim: RefundHash) -> Put[RefundHash]:
        """The right to make a refund; the second claim fails."""
        return Put(claim).if_absent()

    @access(example={"digest": bytes(32)})
    @classmethod
    def by_digest(cls, digest: bytes) -> Query[RefundHash]:
        """The claim with a digest, whatever its day."""
        return cls.by_global_id(digest=digest)


class User(Entity, table=transactional, discriminator="user"):
    """A person. All stand in one partition, which a load of more than 3,000 reads a second would feel."""

    subject: UUID
    email: str | None = None
    phone: str | None = None

    primary = Key("user", "{subject}")

    @access()
    @classmethod
    def one(cls, subject: UUID) -> Get[User]:
        """A person."""
        return cls.primary.get(subject=subject)

    @access()
    @classmethod
    def every(cls) -> Scan[User]:
        """Everyone, to feed the search index anew: a scan, and it says so."""
        return cls.scan()


class Change(Entity, table=audit):
    """Who changed what. Two changes by one person in one second need a time that tells them apart."""

    user: str
    at: AwareDatetime
    key: KeyText
    action: Literal["INSERT", "MODIFY", "REMOVE"]

    primary = Key("{user}", "{at}")

    @access(items=100)
    @classmethod
    def by_user(cls, user: str, since: datetime) -> Query[Change]:
        """What a person changed since a time."""
        return cls.primary(user=user, at=gte(since))

    @access(items=25)
    @classmethod
    def write_all(cls, changes: list[Change]) -> Batch:
        """Several rows, each for itself."""
        return batch(*(Put(each) for each in changes))
