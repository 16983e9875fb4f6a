"""Checks that pools, bookings and their days agree, by reading all of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from uuid import UUID

from pksk import Store

from ..bookings import HOLDING, Booking, BookingDate, BookingId, UserDay
from ..products import InventoryPool
from ..tables import ItemKey


@dataclass(frozen=True)
class Balance:
    """The capacity of all pools and how much is booked; `wrong` has a line for each contradiction."""

    pools: int = 0
    capacity: int = 0
    left: int = 0
    booked: int = 0
    bookings: Counter[str] = field(default_factory=Counter)
    wrong: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.booked:,} of {self.capacity:,} booked"


def balance(db: Store) -> Balance:
    """Compare every pool with the bookings that hold its units; there must be no concurrent writes.

    If the booked units of each pool equal its capacity minus what is left, no unit is sold twice and none is lost.
    """
    every = list(db.scan(Booking.scan()))
    bookings = {each.booking_id: each for each in every}
    ids = {each.booking_id for each in db.scan(BookingId.scan())}
    days = _days(db)
    booked = _booked(bookings, days)
    pools = {ItemKey.of(each): each for each in db.scan(InventoryPool.scan())}
    marks = {(each.person, each.start): each.booking_id for each in db.scan(UserDay.scan())}
    wrong = [
        *_wrong_counts(pools, booked),
        *_incomplete_bookings(bookings, days),
        *_wrong_user_days(bookings, marks),
    ]
    wrong += _wrong_ids(Counter(each.booking_id for each in every), ids)
    return Balance(
        pools=len(pools),
        capacity=sum(pool.capacity for pool in pools.values()),
        left=sum(pool.availability for pool in pools.values()),
        booked=sum(booked.values()),
        bookings=Counter(each.status for each in every),
        wrong=tuple(wrong),
    )


def _days(db: Store) -> dict[UUID, list[BookingDate]]:
    days: dict[UUID, list[BookingDate]] = defaultdict(list)
    for each in db.scan(BookingDate.scan()):
        days[each.booking_id].append(each)
    return days


def _booked(bookings: dict[UUID, Booking], days: dict[UUID, list[BookingDate]]) -> Counter[ItemKey]:
    """The booked units of each pool, from the days of bookings that hold units."""
    booked: Counter[ItemKey] = Counter()
    for number, booking in bookings.items():
        if booking.status in HOLDING:
            for each in days[number]:
                booked[_pool_key(each)] += each.quantity
    return booked


def _pool_key(day: BookingDate) -> ItemKey:
    """The key of a pool, from the two keys of a booking's day."""
    product = day.product_date.pk.removeprefix("productDate")
    return ItemKey(pk=f"inventoryPool{product}::{day.product_date.sk}", sk=f"{day.asset.pk}::{day.asset.sk}")


def _wrong_counts(pools: dict[ItemKey, InventoryPool], booked: Counter[ItemKey]) -> Iterator[str]:
    for key, pool in pools.items():
        units_taken = pool.capacity - pool.availability
        if units_taken != booked[key] or not 0 <= pool.availability <= pool.capacity:
            yield f"{key.pk} {key.sk}: {booked[key]} booked, {pool.availability} left of {pool.capacity}"
    yield from (
        f"{key.pk} {key.sk}: booked, but the pool does not exist" for key in booked.keys() - pools.keys()
    )


def _incomplete_bookings(bookings: dict[UUID, Booking], days: dict[UUID, list[BookingDate]]) -> Iterator[str]:
    for number, booking in bookings.items():
        if {each.day for each in days[number]} != set(booking.days):
            yield f"booking {number}: its days are not those from {booking.start} to {booking.end}"
    yield from (
        f"booking {number}: it has days, but does not exist" for number in days.keys() - bookings.keys()
    )


def _wrong_ids(named: Counter[UUID], ids: set[UUID]) -> Iterator[str]:
    yield from (f"{many} bookings have the id {number}" for number, many in named.items() if many > 1)
    yield from (f"booking {number}: its uniqueness item is missing" for number in named.keys() - ids)
    yield from (f"the id {number} has a uniqueness item, but no booking" for number in ids - named.keys())


def _wrong_user_days(bookings: dict[UUID, Booking], marks: dict[tuple[str, date], UUID]) -> Iterator[str]:
    held = {(each.user_id, each.start): each for each in bookings.values() if each.status in HOLDING}
    for (person, start), booking in held.items():
        if marks.get((person, start)) != booking.booking_id:
            yield f"booking {booking.booking_id}: {person} has no uniqueness item for {start}"
    yield from (
        f"{person} has a uniqueness item for {start}, but no booking"
        for person, start in marks.keys() - held.keys()
    )
