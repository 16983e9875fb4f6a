"""The rush of an opening day: many people book scarce units at once.

Every attempt is the same in every run: its number determines what is wanted and the id of its booking. So after a
crash, run it again with the same arguments: existing bookings are found, and the rest is tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from random import Random
from threading import Event, Lock
from uuid import UUID, uuid5

from pksk import AlreadyExists, Store, WriteConflict

from .bookings import Booking
from .errors import NotHeld, SoldOut
from .operations.bookings import HOLD, Stay, book, cancel, confirm, sweep
from .products import InventoryPool, Offer, ProductDate
from .tables import reference, transactional

_NAMESPACE = UUID("6f7d2f0c-5b0e-4a54-9a52-0d6a3c1f7e11")

DAYS = [date(2026, 8, 1) + timedelta(days=more) for more in range(5)]
OFFERS = [
    Offer(
        collection_id="rush",
        activity_type="dayuse",
        activity_id=1,
        product_id=1,
        facility_type="campground",
        facility_id=1,
        asset_type="tentPad",
        asset_id=number,
    )
    for number in range(1, 5)
]
# An attempt wants about three units on the average; so about five of six find no units left.
ATTEMPTS_PER_UNIT = 40
OUTCOMES = {"pays": 70, "leaves": 20, "cancels": 10}
CENTS = 2300
# More than one, so that they conflict.
SWEEPS = 3


@dataclass(frozen=True)
class Attempt:
    """What one attempt wants to book, and what happens to the booking."""

    number: int
    offer: Offer
    stay: Stay
    outcome: str

    @classmethod
    def of(cls, number: int) -> Attempt:
        """The attempt with a number, the same in every run."""
        random = Random(f"rush: {number}")
        first = random.randrange(len(DAYS))
        last = min(first + random.choice((0, 0, 1, 2)), len(DAYS) - 1)
        return cls(
            number,
            random.choice(OFFERS),
            Stay(DAYS[first], DAYS[last], random.choice((1, 2, 3))),
            random.choices(list(OUTCOMES), list(OUTCOMES.values()))[0],
        )


def prepare(db: Store, attempts: int) -> None:
    """Create the pools of the rush; existing ones stay as they are."""
    db.ensure_tables(reference, transactional)
    capacity = max(3, attempts // ATTEMPTS_PER_UNIT)
    for day in DAYS:
        with suppress(AlreadyExists):
            db.create(ProductDate(**OFFERS[0].product, day=day))
        for offer in OFFERS:
            pool = InventoryPool(**offer.model_dump(), day=day, capacity=capacity, availability=capacity)
            with suppress(AlreadyExists):
                db.create(pool)


def rush(
    db: Store, attempts: int, buyers: int = 50, on_progress: Callable[[int], None] | None = None
) -> Counter[str]:
    """Make so many attempts with so many buyers at a time, while sweeps end unpaid bookings.

    Returns how the attempts ended: "paid", "cancelled", "left", "sold out", or "before" for those of an earlier
    run. If it is interrupted, it stops once the running attempts have ended.
    """
    prepare(db, attempts)
    counted, numbers, lock, over = Counter[str](), iter(range(attempts)), Lock(), Event()

    def buying() -> None:
        while not over.is_set():
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            ending = make_attempt(db, Attempt.of(number))
            with lock:
                counted[ending] += 1
                if on_progress is not None:
                    on_progress(counted.total())

    def sweeping() -> None:
        while not over.wait(0.05):
            sweep(db, _now())

    with ThreadPoolExecutor(buyers + SWEEPS) as threads:
        bought = [threads.submit(buying) for _ in range(buyers)]
        swept = [threads.submit(sweeping) for _ in range(SWEEPS)]
        try:
            wait(bought, return_when=FIRST_EXCEPTION)
        finally:
            over.set()  # even after an interruption: running attempts end, and no others begin
    for each in (*bought, *swept):
        each.result()
    sweep(db, _now() + timedelta(seconds=1))
    return counted


def make_attempt(db: Store, wish: Attempt) -> str:
    """Make one attempt, and return how it ended."""
    while True:
        try:
            return _buy(db, wish)
        except SoldOut:
            return "sold out"
        except NotHeld:
            return "before"
        except WriteConflict:
            continue  # too many conflicts on one pool: try again


def _buy(db: Store, wish: Attempt) -> str:
    booking = book(
        db,
        f"buyer-{wish.number}",
        wish.offer,
        wish.stay,
        now=_now(),
        hold=timedelta() if wish.outcome == "leaves" else HOLD,
        booking_id=uuid5(_NAMESPACE, str(wish.number)),
    )
    if booking.status != "in progress":
        return "before"
    return _end(db, booking, wish)


def _end(db: Store, booking: Booking, wish: Attempt) -> str:
    if wish.outcome == "pays":
        confirm(db, booking, f"RUSH-{wish.number}", wish.stay.quantity * CENTS, _now())
        return "paid"
    if wish.outcome == "cancels":
        cancel(db, booking, _now())
        return "cancelled"
    return "left"


def _now() -> datetime:
    return datetime.now(UTC)
