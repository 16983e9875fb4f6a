"""The season of one product: its dates, its pools, and the bookings that have been made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from random import Random
from uuid import UUID

from pksk import Entity

from ..bookings import HOLDING, Booking, BookingDate, BookingId, Status, User, UserDay
from ..payments import Payment, Refund, TransactionId
from ..products import AvailabilitySignal, Inventory, InventoryPool, Offer, PassPool, Product, ProductDate
from ..tables import ItemKey, key_fields

# The current time of the data, and the time when the season opened.
NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
OPENING = datetime(2026, 6, 26, 14, tzinfo=UTC)

STATUSES: dict[Status, int] = {"confirmed": 80, "in progress": 10, "cancelled": 6, "expired": 4}
CENTS = 2300


@dataclass
class Season:
    """The dates, pools and bookings of a product over some days; the busier its park, the more is booked.

    The first bookings get the statuses in `due`, which a park shares among all its seasons: so it has one of each.
    """

    random: Random
    people: People
    days: int
    busy: float
    due: list[Status]

    def entities(self, product: Product, offers: list[Offer]) -> Iterator[Entity]:
        """Dates and pools first, then the bookings that took from them."""
        days = [OPENING.date() + timedelta(days=more) for more in range(self.days)]
        yield from (self._date(product, day) for day in days)
        for offer in offers:
            capacity = self.random.randint(4, 12)
            remaining = dict.fromkeys(days, capacity)
            wishes = round(self.days * (0.2 + self.busy))
            booked = [each for _ in range(wishes) for each in self._booked(offer, remaining)]
            yield from (
                InventoryPool(**offer.model_dump(), day=day, capacity=capacity, availability=remaining[day])
                for day in days
            )
            yield from booked
        yield from self._older(product, offers[0], days[0])

    def _date(self, product: Product, day: date) -> ProductDate:
        policies = [ItemKey(pk=f"policy::{kind}::1", sk="latest") for kind in ("booking", "fee")]
        return ProductDate(
            **key_fields(product),
            day=day,
            policies=policies,
            is_open=day.weekday() != 1,
            global_id=self._identity(),
        )

    def _older(self, product: Product, offer: Offer, day: date) -> Iterator[Entity]:
        """Some inventory from before there were pools, and passes, which are in the same partition as pools."""
        yield AvailabilitySignal(
            **key_fields(product), day=day, cadence_bucket=15, dirty=product.product_id == 1
        )
        if product.activity_type == "dayuse":
            yield PassPool(
                **key_fields(product),
                day=day,
                kind="pass",
                number=1,
                version=2,
                capacity=200,
                availability=200,
            )
            yield from (Inventory(**offer.model_dump(), day=day, unit_id=unit) for unit in (1, 2))

    def _booked(self, offer: Offer, remaining: dict[date, int]) -> Iterator[Entity]:
        """A booking with everything that belongs to it, or nothing if there is no room for it."""
        start = self.random.choices(
            list(remaining), [3 if day.weekday() in (4, 5) else 1 for day in remaining]
        )[0]
        nights = 1 if offer.activity_type == "dayuse" else self.random.choice((1, 1, 2, 3))
        days = [start + timedelta(days=more) for more in range(nights)]
        quantity = self.random.choice((1, 1, 1, 2, 4))
        status = self.random.choices(list(STATUSES), list(STATUSES.values()))[0]
        if any(remaining.get(day, 0) < quantity or day.weekday() == 1 for day in days):
            return
        person = self.people.someone(self.random, start)
        if person is None:
            return
        status = self.due.pop(0) if self.due else status
        booking = self._booking(offer, days, person, status)
        yield from self._money(booking, quantity * nights * CENTS)
        yield BookingId.of(booking)
        if status in HOLDING:
            remaining.update({day: remaining[day] - quantity for day in days})
            yield UserDay.of(booking)
        yield from (
            BookingDate.of(booking, offer, day, quantity).model_copy(update={"global_id": self._identity()})
            for day in days
        )

    def _booking(self, offer: Offer, days: list[date], person: str, status: Status) -> Booking:
        pending = status == "in progress"
        until = NOW + timedelta(minutes=self.random.randint(-60, 29)) if pending else OPENING
        return Booking(
            **offer.product,
            start=days[0],
            end=days[-1],
            booking_id=self._identity(),
            user_id=person,
            status=status,
            is_pending="PENDING" if pending else None,
            session_expiry=int(until.timestamp() * 1000),
            cancellation_time=OPENING if status == "cancelled" else None,
        )

    def _money(self, booking: Booking, cents: int) -> Iterator[Entity]:
        """The booking with its payment; if it was cancelled, all of it was refunded."""
        if booking.status not in ("confirmed", "cancelled"):
            yield booking
            return
        back = cents if booking.status == "cancelled" else 0
        yield booking.model_copy(update={"paid_cents": cents, "refunded_cents": back})
        number, day = f"PAY-{booking.booking_id.hex[:12]}", OPENING.date()
        paid = Payment(booking_id=booking.booking_id, day=day, client_transaction_id=number, cents=cents)
        yield from (paid, TransactionId.of(paid))
        if back:
            refund = Refund(booking_id=booking.booking_id, day=day, refund_id=f"BACK-{number}", cents=back)
            yield from (refund, TransactionId.of(refund))

    def _identity(self) -> UUID:
        return UUID(int=self.random.getrandbits(128), version=4)


class People:
    """So many people by number, and the days for which they have a booking."""

    def __init__(self, many: int) -> None:
        self.many = many
        self._taken: set[tuple[int, date]] = set()

    def users(self, first: int, end: int) -> Iterator[User]:
        """The people with these numbers; those beyond `many` never book."""
        for number in range(first, end):
            yield User(subject=_subject(number), email=f"visitor{number}@example.org")

    def subject(self, number: int) -> str:
        """The id of a person, as bookings store it."""
        return str(_subject(number))

    def someone(self, random: Random, start: date) -> str | None:
        """A person without a booking that begins on this day, busy ones more often; None after a few tries."""
        for _ in range(5):
            number = int(self.many * random.random() ** 2)
            if (number, start) not in self._taken:
                self._taken.add((number, start))
                return self.subject(number)
        return None


@cache
def _subject(number: int) -> UUID:
    return UUID(int=Random(f"parks: person {number}").getrandbits(128), version=4)
