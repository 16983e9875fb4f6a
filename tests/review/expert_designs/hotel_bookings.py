"""Hotels: free rooms by night, bookings that cannot take more than there are, and who arrives today."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal
from uuid import UUID, uuid4

from pydantic import AwareDatetime, Field

from pksk import (
    GSI,
    Entity,
    F,
    Key,
    Put,
    Query,
    Spread,
    Table,
    Transaction,
    Update,
    access,
    between,
    transaction,
)

hotels = Table(
    "hotels",
    indexes=[
        GSI("gsi1", pk="gsi1pk", sk="gsi1sk"),
        GSI("arrivals", pk="arrival_pk", sk="arrival_sk", projection=["room"]),
    ],
)

HotelId = Annotated[str, Spread(values=800, largest=0.03)]
RoomKind = Literal["single", "double", "suite", "family"]


class Night(Entity, table=hotels, per_partition=730 * 4, items=2_300_000):
    hotel_id: HotelId
    night: date
    room: RoomKind
    free: int = 0

    primary = Key("HOTEL#{hotel_id}", "NIGHT#{night}#{room}")

    @access(rate=900, items=28, item_size=120, example={"first": date(2026, 1, 1), "last": date(2026, 1, 7)})
    @classmethod
    def available(cls, hotel_id: str, first: date, last: date) -> Query[Night]:
        """The free rooms of some nights."""
        return cls.primary(hotel_id=hotel_id, night=between(first, last))


class Booking(Entity, table=hotels, items=30_000_000):
    booking_id: Annotated[UUID, Spread(values=30_000_000)] = Field(default_factory=uuid4)
    guest_id: Annotated[str, Spread(values=9_000_000)]
    hotel_id: HotelId
    arrival: date
    nights: int
    room: RoomKind
    status: Literal["held", "paid", "cancelled"] = "held"
    hold_until: AwareDatetime | None = None

    primary = Key("BOOKING#{booking_id}", "BOOKING")
    of_guest = Key("GUEST#{guest_id}", "{arrival}#{booking_id}", index="gsi1")
    arrivals = Key("ARRIVALS#{hotel_id}", "{arrival}#{booking_id}", index="arrivals", when=F.status == "paid")

    @access(rate=40, items=10, item_size=350)
    @classmethod
    def of(cls, guest_id: str) -> Query[Booking]:
        """The last bookings of a guest."""
        return cls.of_guest(guest_id=guest_id).reverse().limit(10)

    @access(rate=3, items=80, item_size=350)
    @classmethod
    def arriving(cls, hotel_id: str, day: date) -> Query[Booking]:
        """The paid bookings that begin on a day."""
        return cls.arrivals(hotel_id=hotel_id, arrival=day).hydrate()

    @access(rate=10, item_size=350)
    @classmethod
    def pay(cls, booking_id: UUID) -> Update[Booking]:
        """A booking is paid."""
        return cls.primary.update(booking_id=booking_id).set(status="paid").when(F.status == "held")


@access(rate=12, items=4, item_size=350)
def book(booking: Booking, nights: list[date]) -> Transaction:
    """A booking, and a room less in each of its nights."""
    taken = (
        Night.primary.update(hotel_id=booking.hotel_id, night=night, room=booking.room)
        .add(free=-1)
        .when(F.free > 0)
        for night in nights
    )
    return transaction(Put(booking).if_absent(), *taken)


FINDINGS: dict[tuple[str, str, str], str] = {}
