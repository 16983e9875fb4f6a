"""Any sequence of bookings, payments, cancellations and sweeps, ids and numbers used twice, against a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from examples.parks.bookings import Booking
from examples.parks.errors import ParksError
from examples.parks.operations.balance import balance
from examples.parks.operations.bookings import HOLD, Stay, book, cancel, confirm, sweep
from examples.parks.products import InventoryPool, ProductDate
from examples.parks.tables import reference, transactional
from pksk import Store, connect
from tests.examples.parks.conftest import CAPACITY, DAYS, NOW, offer, units_left


@dataclass
class Model:
    """What is left on each day, and each booking: its person, its days, how many, its status, until when.

    `ids` says which of them has an id, and `paid` for which a payment was taken and how much it was.
    """

    left: list[int] = field(default_factory=lambda: [CAPACITY] * len(DAYS))
    bookings: list[list[object]] = field(default_factory=list)
    ids: dict[UUID, int] = field(default_factory=dict)
    paid: dict[str, tuple[int, int]] = field(default_factory=dict)

    def book(self, person: str, days: list[int], quantity: int, minute: int, number: UUID) -> int | None:
        """The place of the booking that this makes, or that it is; None if it is rejected."""
        if number in self.ids:
            there = self.ids[number]
            return there if self.bookings[there][:3] == [person, days, quantity] else None
        held = [each for each in self.bookings if each[3] in ("in progress", "confirmed")]
        if any(each[0] == person and each[1][0] == days[0] for each in held):  # type: ignore[index]
            return None
        if any(self.left[day] < quantity for day in days):
            return None
        self._give(days, -quantity)
        self.ids[number] = len(self.bookings)
        self.bookings.append([person, days, quantity, "in progress", minute + 30])
        return self.ids[number]

    def pay(self, number: int, payment: str, cents: int) -> bool:
        """Whether the booking is confirmed by this payment, now or before."""
        if payment in self.paid:
            return self.paid[payment] == (number, cents) and self.bookings[number][3] == "confirmed"
        if not self.end(number, ("in progress",), "confirmed"):
            return False
        self.paid[payment] = (number, cents)
        return True

    def end(self, number: int, before: tuple[str, ...], status: str) -> bool:
        booking = self.bookings[number]
        if booking[3] not in before:
            return False
        booking[3] = status
        if status != "confirmed":
            self._give(booking[1], booking[2])  # type: ignore[arg-type]
        return True

    def _give(self, days: list[int], quantity: int) -> None:
        for day in days:
            self.left[day] += quantity


WHAT = st.one_of(
    st.tuples(
        st.just("book"),
        st.sampled_from(["ann", "bob", "eve"]),
        st.sampled_from([[0], [1], [2], [0, 1], [1, 2], [0, 1, 2]]),
        st.integers(1, 3),
        st.integers(0, 5).map(lambda number: UUID(int=number)),
    ),
    st.tuples(
        st.just("pay"), st.integers(0, 5), st.sampled_from(["PAY-1", "PAY-2", "PAY-3"]), st.integers(1, 2)
    ),
    st.tuples(st.just("cancel"), st.integers(0, 5)),
    st.tuples(st.just("sweep")),
)


@settings(max_examples=30)
@given(steps=st.lists(st.tuples(WHAT, st.integers(0, 20)), max_size=16))
def test_the_store_does_what_the_model_does(steps: list[tuple[tuple[object, ...], int]]) -> None:
    model, made, minute = Model(), list[Booking](), 0
    with connect("memory:") as db:
        _open(db)
        for what, later in steps:
            minute += later
            _both(db, model, made, what, minute)
            assert units_left(db) == model.left
        stored = [each for booking in made for each in db.run(Booking.by_id(booking.booking_id))]
        assert [each.status for each in stored] == [each[3] for each in model.bookings]
        paid = dict(model.paid.values())
        assert [each.paid_cents for each in stored] == [paid.get(place, 0) for place in range(len(stored))]
        assert balance(db).wrong == ()


def _open(db: Store) -> None:
    db.create_tables(reference, transactional)
    for day in DAYS:
        db.put(ProductDate(**offer().product, day=day))
        whole = offer().model_dump()
        db.put(InventoryPool(**whole, day=day, capacity=CAPACITY, availability=CAPACITY))


def _both(db: Store, model: Model, made: list[Booking], what: tuple[object, ...], minute: int) -> None:
    now = NOW + timedelta(minutes=minute)
    match what:
        case ("book", str(person), list(days), int(quantity), UUID() as chosen):
            stay = Stay(DAYS[days[0]], DAYS[days[-1]], quantity)
            place = model.book(person, days, quantity, minute, chosen)
            try:
                booking = book(db, person, offer(), stay, now=now, hold=HOLD, booking_id=chosen)
            except ParksError:
                assert place is None
            else:
                assert place is not None
                made[place:] = made[place:] or [booking]
                assert booking.booking_id == made[place].booking_id
                assert booking.status == model.bookings[place][3]
        case ("pay", int(number), str(payment), int(cents)) if number < len(made):
            could = model.pay(number, payment, cents)
            assert _done(lambda: confirm(db, made[number], payment, cents, now)) == could
        case ("cancel", int(number)) if number < len(made):
            could = model.end(number, ("in progress", "confirmed"), "cancelled")
            assert _done(lambda: cancel(db, made[number], now)) == could
        case ("sweep",):
            late = [n for n, each in enumerate(model.bookings) if each[4] < minute]  # type: ignore[operator]
            ended = sum(model.end(number, ("in progress",), "expired") for number in late)
            assert sweep(db, now).ended == ended


def _done(call: object) -> bool:
    assert callable(call)
    try:
        call()
    except ParksError:
        return False
    return True
