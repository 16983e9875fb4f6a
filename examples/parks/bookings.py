"""Bookings with their days, and the items that keep booking ids and a person's days unique."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

from pydantic import AwareDatetime, Field

from pksk import (
    Attribute,
    Delete,
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
    gte,
    lt,
    transaction,
)

from .places import Asset
from .products import InventoryPool, Offer, ProductDate
from .tables import ItemKey, ProductEntity, key_fields, product_key, transactional

Status = Literal["in progress", "confirmed", "expired", "cancelled"]

# Bookings with one of these statuses hold units.
HOLDING = ("in progress", "confirmed")


class Booking(ProductEntity, table=transactional, discriminator="booking"):
    """A booking. It has `isPending` while it waits for payment, and only then is it in the sparse index."""

    start: Annotated[date, Attribute("startDate")]
    end: Annotated[date, Attribute("endDate")]
    booking_id: Annotated[UUID, Attribute("bookingId")] = Field(default_factory=uuid4)
    user_id: Annotated[str, Attribute("userId")]
    status: Status = "in progress"
    is_pending: Annotated[Literal["PENDING"] | None, Attribute("isPending")] = None
    session_expiry: Annotated[int | None, Attribute("sessionExpiry")] = None
    cancellation_time: Annotated[AwareDatetime | None, Attribute("cancellationTime")] = None
    paid_cents: Annotated[int, Attribute("paidCents")] = 0
    refunded_cents: Annotated[int, Attribute("refundedCents")] = 0

    primary = Key(
        "booking::{collection_id}::{activity_type}::{activity_id}::{product_id}", "{start}::{booking_id}"
    )
    by_global_id = Key("{booking_id}", index="globalId-index")
    by_user = Key("{user_id}", index="userId-index")
    pending = Key("{is_pending}", "{session_expiry}", index="sparse-index-1")

    @property
    def days(self) -> Iterator[date]:
        """The days of the booking, first and last included."""
        return (self.start + timedelta(days=more) for more in range((self.end - self.start).days + 1))

    @property
    def change(self) -> Update[Booking]:
        """An update of this booking, without changes yet."""
        return Booking.primary.update(**key_fields(self))

    @access(items=1)
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
        return cls.primary(**product_key(collection_id, activity_type, activity_id, product_id), start=day)

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
        """The bookings of a product that begin on or after a day and end by another; the end is a filter."""
        bookings = cls.primary(
            **product_key(collection_id, activity_type, activity_id, product_id), start=gte(first)
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
        """The bookings of a person that begin on a day; the index may not have one that was just made."""
        return cls.by_user(user_id=user_id, start=day)

    @access(rate="96/day", items=20)
    @classmethod
    def expired(cls, now: int) -> Query[Booking]:
        """The bookings that were not paid in time, read every quarter of an hour; whole items come from the table."""
        return cls.pending(is_pending="PENDING", session_expiry=lt(now)).hydrate()


class BookingDate(Entity, table=transactional, discriminator="bookingDate"):
    booking_id: Annotated[UUID, Attribute("bookingId")]
    day: date
    quantity: int
    product_date: Annotated[ItemKey, Attribute("productDate")]
    asset: ItemKey
    global_id: Annotated[UUID, Attribute("globalId")] = Field(default_factory=uuid4)

    primary = Key("bookingDate::{booking_id}", "{day}")
    # pksk: accept unused-key: the live table has this key, and other programs may read it
    by_global_id = Key("{global_id}", index="globalId-index")

    @access(items=3)
    @classmethod
    def of_booking(cls, booking_id: UUID) -> Query[BookingDate]:
        """The days of a booking, read consistently."""
        return cls.primary(booking_id=booking_id).consistently()

    @classmethod
    def of(cls, booking: Booking, offer: Offer, day: date, quantity: int) -> BookingDate:
        """A day of a booking, with the keys of the product date and the asset."""
        date_of_product = ProductDate(**offer.product, day=day)
        return cls(
            booking_id=booking.booking_id,
            day=day,
            quantity=quantity,
            product_date=ItemKey.of(date_of_product),
            asset=ItemKey.of(Asset(**offer.asset)),
        )

    @property
    def claim(self) -> tuple[ItemKey, ItemKey, int]:
        """The product date, the asset, and how many units of it."""
        return self.product_date, self.asset, self.quantity

    def offer(self, booking: Booking) -> Offer:
        """The offer that is booked on this day; the fields of the asset come from its key."""
        asset = Asset.primary.entity_key.pair.match(self.asset.pk, self.asset.sk) or {}
        return Offer.model_validate({**booking.model_dump(), **asset})


class BookingId(Entity, table=transactional, discriminator="bookingId"):
    """Makes a booking id unique for good.

    The key of a booking contains its day, so two bookings on different days could have the same id. The days of a
    booking are stored under its id alone, so each of the two would return the other's units.
    """

    booking_id: Annotated[UUID, Attribute("bookingId")]

    primary = Key("bookingId::{booking_id}", "bookingId")

    @classmethod
    def of(cls, booking: Booking) -> BookingId:
        """The item for a booking."""
        return cls(booking_id=booking.booking_id)


class UserDay(Entity, table=transactional, discriminator="userDay"):
    """Makes a person's bookings unique by first day: the key is the person and the day.

    The person is not stored as `userId`, which would put this item into the index by user, among the bookings.
    """

    person: str
    start: date
    booking_id: Annotated[UUID, Attribute("bookingId")]

    primary = Key("userDay::{person}", "{start}")

    @classmethod
    def of(cls, booking: Booking) -> UserDay:
        """The item for a booking."""
        return cls(person=booking.user_id, start=booking.start, booking_id=booking.booking_id)

    @classmethod
    def freed(cls, booking: Booking) -> Delete[UserDay]:
        """Delete the item of this booking, but not that of another booking."""
        mark = cls.primary.delete(person=booking.user_id, start=booking.start)
        return mark.when(F.booking_id.missing() | (F.booking_id == booking.booking_id))


@access(items=5)
def create_booking(booking: Booking, offer: Offer, quantity: int) -> Transaction:
    """Create a booking with its days and uniqueness items, and take its units from the pools, all or nothing."""
    days = list(booking.days)
    return transaction(
        Put(booking).if_absent(),
        Put(BookingId.of(booking)).if_absent(),
        Put(UserDay.of(booking)).if_absent(),
        *(InventoryPool.take(offer, day, quantity) for day in days),
        *(Put(BookingDate.of(booking, offer, day, quantity)).if_absent() for day in days),
    )


@access(items=4)
def expire_booking(booking: Booking, dates: list[BookingDate], pools: list[InventoryPool]) -> Transaction:
    """End an unpaid booking and return its units; a second run fails, since it has ended."""
    unpaid = F.is_pending.exists() & (F.status == "in progress")
    ended = booking.change.set(status="expired").remove("is_pending").when(unpaid)
    return transaction(ended, UserDay.freed(booking), *_given_back(dates, pools))


@access(items=4)
def cancel_booking(
    booking: Booking, dates: list[BookingDate], pools: list[InventoryPool], now: datetime
) -> Transaction:
    """Cancel a booking and return its units; of two cancellations at once, the second fails."""
    held = F.cancellation_time.missing() & F.status.is_in(*HOLDING)
    ended = booking.change.set(status="cancelled", cancellation_time=now).remove("is_pending").when(held)
    return transaction(ended, UserDay.freed(booking), *_given_back(dates, pools))


def _given_back(dates: list[BookingDate], pools: list[InventoryPool]) -> Iterator[Update[Any]]:
    return (pool.give_back(each.quantity) for each, pool in zip(dates, pools, strict=True))


class User(Entity, table=transactional, discriminator="user"):
    """A person. All are in one partition, which limits reads to 3,000 units a second."""

    subject: UUID
    email: str | None = None
    phone: str | None = None

    # pksk: accept constant-partition-key: the key of the live table, read once for each sign-in
    primary = Key("user", "{subject}")

    @access()
    @classmethod
    def one(cls, subject: UUID) -> Get[User]:
        """A person."""
        return cls.primary.get(subject=subject)

    @access()
    @classmethod
    def every(cls) -> Scan[User]:
        """All people, to rebuild a search index: a scan, as its name says."""
        return cls.scan()
