"""Bookings: booked, paid, cancelled, refunded, and ended by the sweep, each in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import NoReturn
from uuid import UUID, uuid4

from pksk import AlreadyExists, ConditionFailed, NotFound, Store, TransactionFailed, Update

from ..bookings import Booking, BookingDate, cancel_booking, create_booking, expire_booking
from ..errors import (
    AlreadyBooked,
    IdTaken,
    NotHeld,
    NotOffered,
    NumberTaken,
    ParksError,
    PoolMissing,
    PoolOverfull,
    RefundRepeated,
    RefundTooHigh,
    SoldOut,
)
from ..payments import Payment, Refund, RefundHash, TransactionId, confirm_booking, give_refund
from ..products import InventoryPool, Offer, ProductDate

# How long a booking may wait for its payment.
HOLD = timedelta(minutes=30)
# A transaction takes 100 items: the booking, its two uniqueness items, and two for each day.
MOST_DAYS = 48


@dataclass(frozen=True)
class Stay:
    """First and last day, and how many units."""

    first: date
    last: date
    quantity: int = 1


def book(
    db: Store,
    user_id: str,
    offer: Offer,
    stay: Stay,
    *,
    now: datetime,
    hold: timedelta = HOLD,
    booking_id: UUID | None = None,
) -> Booking:
    """Book units of an offer for some days, and hold them until they are paid or the hold ends.

    With a `booking_id`, the call can be repeated, for example after a lost response: it returns the existing
    booking if everything else is the same. Raises `SoldOut`, `NotOffered`, `AlreadyBooked` or `IdTaken`.
    """
    if stay.quantity < 1 or stay.last < stay.first:
        raise ParksError(f"Nothing can be booked for {stay.quantity} from {stay.first} to {stay.last}.")
    if (stay.last - stay.first).days >= MOST_DAYS:
        raise ParksError(f"{stay.first} to {stay.last} is too long; a booking has at most {MOST_DAYS} days.")
    booking = Booking(
        **offer.product,
        start=stay.first,
        end=stay.last,
        booking_id=booking_id or uuid4(),
        user_id=user_id,
        is_pending="PENDING",
        session_expiry=milliseconds(now + hold),
    )
    _check_open(db, booking)
    try:
        db.run(create_booking(booking, offer, stay.quantity))
    except TransactionFailed as failed:
        return _existing_booking(failed, booking, offer, stay.quantity)
    return booking


def confirm(db: Store, booking: Booking, client_transaction_id: str, cents: int, now: datetime) -> Booking:
    """Take the payment of a pending booking; repeating the same payment changes nothing.

    Raises `NumberTaken` if the number belongs to another payment or amount, and `NotHeld` if the booking was paid
    by another payment, cancelled, or ended by the sweep.
    """
    if cents < 1:
        raise ParksError(f"{cents} cents are not a payment.")
    payment = Payment(
        booking_id=booking.booking_id,
        day=now.date(),
        client_transaction_id=client_transaction_id,
        cents=cents,
    )
    try:
        db.run(confirm_booking(booking, payment))
    except TransactionFailed as failed:
        return _existing_payment(failed, booking, TransactionId.of(payment))
    return booking.model_copy(update={"status": "confirmed", "is_pending": None, "paid_cents": cents})


def cancel(db: Store, booking: Booking, now: datetime) -> Booking:
    """Cancel a booking, paid or not, and return its units.

    Raises `NotHeld` if it holds no units, and `PoolMissing` or `PoolOverfull` if its pools cannot take them back.
    """
    dates, pools = days_and_pools(db, booking)
    try:
        db.run(cancel_booking(booking, dates, pools, now))
    except TransactionFailed as failed:
        raise_booking_error(failed, booking)
    return booking.model_copy(update={"status": "cancelled", "is_pending": None, "cancellation_time": now})


def days_and_pools(db: Store, booking: Booking) -> tuple[list[BookingDate], list[InventoryPool]]:
    """The days of a booking, and the pool of each. Raises `PoolMissing`."""
    dates = list(db.iter(BookingDate.of_booking(booking.booking_id)))
    pools = db.batch_get(*(InventoryPool.one(each.offer(booking), each.day) for each in dates))
    existing = [pool for pool in pools if pool is not None]
    if len(existing) < len(dates):
        missing = (each.day for each, pool in zip(dates, pools, strict=True) if pool is None)
        raise PoolMissing(booking.booking_id, missing)
    return dates, existing


def milliseconds(at: datetime) -> int:
    """A time in milliseconds, the unit of `sessionExpiry`."""
    return int(at.timestamp() * 1000)


def open_days(db: Store, product: tuple[str, str, int, int], first: date, last: date) -> set[date]:
    """The days of a span on which a product is open for booking."""
    return {each.day for each in db.iter(ProductDate.within(*product, first, last)) if each.is_open}


def _check_open(db: Store, booking: Booking) -> None:
    product = booking.collection_id, booking.activity_type, booking.activity_id, booking.product_id
    days = open_days(db, product, booking.start, booking.end)
    for day in booking.days:
        if day not in days:
            raise NotOffered(day)


def _existing_booking(failed: TransactionFailed, booking: Booking, offer: Offer, quantity: int) -> Booking:
    """The same booking if it already exists; otherwise raises why it could not be made."""
    own, claim, mark = (failed.failures.get(place) for place in range(3))
    if isinstance(own, AlreadyExists) and _is_same_booking(failed, own.item, booking, offer, quantity):
        stored: Booking = own.item
        return stored
    if isinstance(own, AlreadyExists) or isinstance(claim, AlreadyExists):
        raise IdTaken(booking.booking_id) from failed
    if isinstance(mark, AlreadyExists):
        raise AlreadyBooked(booking.start, mark.item.booking_id) from failed
    for place, day in enumerate(booking.days, start=3):
        pool = failed.failures.get(place)
        if isinstance(pool, NotFound):
            raise NotOffered(day) from failed
        if isinstance(pool, ConditionFailed):
            raise SoldOut(day, quantity, pool.item.availability) from failed
    raise failed


def _is_same_booking(
    failed: TransactionFailed, stored: Booking, booking: Booking, offer: Offer, quantity: int
) -> bool:
    """Whether an existing booking is the requested one: its days say which offer, and how many units."""
    days = list(booking.days)
    there = [failed.failures.get(place) for place in range(3 + len(days), 3 + 2 * len(days))]
    claims = {BookingDate.of(booking, offer, day, quantity).claim for day in days}
    held = {each.item.claim for each in there if isinstance(each, AlreadyExists)}
    return (stored.user_id, stored.end) == (booking.user_id, booking.end) and held == claims


def _existing_payment(failed: TransactionFailed, booking: Booking, mark: TransactionId) -> Booking:
    """The booking if this payment has confirmed it already; otherwise raises why it could not."""
    number_error = failed.failures.get(1)
    if not isinstance(number_error, AlreadyExists):
        raise_booking_error(failed, booking)
    if number_error.item != mark:
        raise NumberTaken(number_error.item, mark) from failed
    stored = _stored_booking(failed, booking)
    if stored.status != "confirmed":
        paid_before = f"; {mark.number} paid {mark.cents} cents for it before"
        raise NotHeld(booking.booking_id, stored.status, paid_before) from failed
    return stored


def _stored_booking(failed: TransactionFailed, booking: Booking) -> Booking:
    """The stored booking, the first member of every transaction about it."""
    own = failed.failures.get(0)
    return own.item if isinstance(own, ConditionFailed) and own.item is not None else booking


def raise_booking_error(failed: TransactionFailed, booking: Booking) -> NoReturn:
    """Raise why a booking was not paid, cancelled or ended; it is the first member of each such transaction."""
    if 0 not in failed.failures:
        if any(isinstance(each.request, Update) for each in failed.failures.values()):
            raise PoolOverfull(booking.booking_id) from failed
        raise failed
    missing = isinstance(failed.failures[0], NotFound)
    status = "not there" if missing else _stored_booking(failed, booking).status
    raise NotHeld(booking.booking_id, status) from failed


@dataclass(frozen=True)
class SweepResult:
    """What a sweep did: bookings ended, units returned, and bookings skipped since they had changed meanwhile.

    `failed` has the reason for each booking that could not end; the next sweep tries it again.
    """

    ended: int = 0
    units: int = 0
    skipped: int = 0
    failed: tuple[str, ...] = ()


def sweep(db: Store, now: datetime) -> SweepResult:
    """End all bookings that were not paid in time.

    The sparse index has only bookings that wait for payment. Each ends in its own transaction, on condition that it
    still waits. So sweeps may run twice, at the same time, or during payments, and no unit is returned twice. A
    booking that cannot end, for example since its pool does not exist, does not keep others from ending.
    """
    ended = units = skipped = 0
    failed: list[str] = []
    for booking in db.iter(Booking.expired(milliseconds(now))):
        try:
            units += _end_booking(db, booking)
        except NotHeld:
            skipped += 1  # paid, cancelled or swept since the index was read
        except ParksError as error:
            failed.append(str(error))
        except TransactionFailed as broken:
            failed.append(f"The booking {booking.booking_id} cannot end. {str(broken).splitlines()[0]}")
        else:
            ended += 1
    return SweepResult(ended, units, skipped, tuple(failed))


def _end_booking(db: Store, booking: Booking) -> int:
    """End a booking, and return how many units it held."""
    dates, pools = days_and_pools(db, booking)
    try:
        db.run(expire_booking(booking, dates, pools))
    except TransactionFailed as failed:
        raise_booking_error(failed, booking)
    return sum(each.quantity for each in dates)


def refund(
    db: Store, booking: Booking, client_transaction_id: str, cents: int, now: datetime, refund_id: str = ""
) -> Refund:
    """Refund part of a booking's payment.

    With a `refund_id`, the call can be repeated: it returns the existing refund, however much later. Raises
    `NumberTaken` if that id belongs to another refund, booking or amount, `RefundRepeated` if the same refund
    without an id was requested within three minutes, and `RefundTooHigh`.
    """
    if cents < 1:
        raise ParksError(f"{cents} cents are not a refund.")
    payments = db.iter(Payment.of_booking(booking.booking_id))
    payment = next((each for each in payments if each.client_transaction_id == client_transaction_id), None)
    if payment is None:
        raise ParksError(f"{client_transaction_id} is not a payment of the booking {booking.booking_id}.")
    payback = Refund(
        booking_id=booking.booking_id, day=now.date(), refund_id=refund_id or str(uuid4()), cents=cents
    )
    guard = RefundHash.of(booking.user_id, client_transaction_id, cents, now)
    try:
        db.run(give_refund(booking, payment, payback, guard))
    except TransactionFailed as failed:
        return _existing_refund(db, failed, payment, payback)
    return payback


def _existing_refund(db: Store, failed: TransactionFailed, payment: Payment, payback: Refund) -> Refund:
    """The same refund if it already exists; otherwise raises why it could not be given."""
    guard, taken, booking = (failed.failures.get(place) for place in range(3))
    number, mark = payment.client_transaction_id, TransactionId.of(payback)
    if isinstance(taken, AlreadyExists) and taken.item != mark:
        raise NumberTaken(taken.item, mark) from failed
    if isinstance(taken, AlreadyExists):
        # Its day is in its key, and need not be today.
        refunds = db.iter(Refund.of_booking(payback.booking_id).consistently())
        stored = next((each for each in refunds if each.refund_id == payback.refund_id), None)
        if stored is not None:
            return stored
    if guard is not None:
        raise RefundRepeated(f"{payback.cents} cents of {number} were refunded a moment ago.") from failed
    if isinstance(booking, NotFound):
        raise NotHeld(payback.booking_id, "not there") from failed
    if isinstance(booking, ConditionFailed):
        refundable = payment.cents - booking.item.refunded_cents
        raise RefundTooHigh(
            f"{payback.cents} cents are more than is left of {number}: {refundable}."
        ) from failed
    raise failed
