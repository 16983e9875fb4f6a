"""The generated data: it agrees with itself, and refers to nothing that comes later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import cos, hypot, radians

import pytest

from examples.parks.bookings import Booking, BookingDate, BookingId, User, UserDay
from examples.parks.data import generate
from examples.parks.data.park import FACILITY, PARK, REGION, ZONE, Park
from examples.parks.data.season import STATUSES, People
from examples.parks.operations.balance import balance
from examples.parks.payments import Payment, Refund, TransactionId
from examples.parks.places import Asset, Collection, Facility, Geozone
from examples.parks.policies import LatestPolicy
from examples.parks.products import Product
from examples.parks.relationships import Relationship, parent_of
from examples.parks.sequences import geozone_numbers
from examples.parks.system import system
from examples.parks.tables import ItemKey, PublishedEntity
from pksk import Entity, connect
from tests.examples.recorded_tour import RecordedTour


@pytest.mark.parametrize("items", [500, 1000, 5000])
def test_the_requested_number_of_items_is_generated(items: int) -> None:
    assert len(list(generate(items))) == items


def test_the_smallest_data_has_a_whole_park() -> None:
    assert sum(isinstance(each, Collection) for each in generate(100)) == 1


@pytest.mark.parametrize("items", range(100, 500, 50))
def test_the_smallest_data_has_a_booking_of_each_status(items: int) -> None:
    bookings = [each for each in generate(items) if isinstance(each, Booking)]

    assert {each.status for each in bookings} == set(STATUSES)


@pytest.mark.wider
def test_a_tour_of_the_smallest_data_finds_everything_it_reads() -> None:
    seen = RecordedTour()

    system.take_tour("memory:", seen, 100)

    assert seen.wrong == []


def test_pools_agree_with_bookings_once_it_is_loaded() -> None:
    with connect("memory:") as db:
        system.load(db, 1000)
        found = balance(db)
        zones = db.next(geozone_numbers, collection_id="park_1")

    assert found.wrong == ()
    assert found.booked > 100
    assert set(found.bookings) == {"confirmed", "in progress", "cancelled", "expired"}
    assert zones == 4


def test_referenced_items_come_first() -> None:
    seen: set[ItemKey | str] = set()
    for each in generate(1000):
        assert [key for key in references(each) if key not in seen] == []
        seen |= {ItemKey.of(each), *([str(each.subject)] if isinstance(each, User) else [])}
        seen |= {str(each.booking_id)} if isinstance(each, Booking) else set()


def references(each: Entity) -> list[ItemKey | str]:
    if isinstance(each, Relationship):
        return [*each.ends]
    if isinstance(each, BookingDate):
        return [str(each.booking_id), each.product_date, each.asset]
    if isinstance(each, Payment | Refund | TransactionId | BookingId | UserDay):
        return [str(each.booking_id)]
    if isinstance(each, LatestPolicy):
        return [ItemKey(pk=f"policy::{each.policy_type}::{each.policy_id}", sk=f"v{each.version}")]
    return [each.user_id] if isinstance(each, Booking) else []


def test_some_people_book_far_more_than_others() -> None:
    bookings = Counter(each.user_id for each in generate(5000) if isinstance(each, Booking))
    (_, most), *_ = bookings.most_common(1)

    assert most > 3 * bookings.total() / len(bookings)


def test_every_payment_and_refund_has_its_own_number() -> None:
    made = list(generate(1000))
    money = [TransactionId.of(each) for each in made if isinstance(each, Payment | Refund)]

    assert [each for each in made if isinstance(each, TransactionId)] == money
    assert len({each.number for each in money}) == len(money) > 50


def test_places_lie_inside_their_parents_and_parks_in_the_region() -> None:
    made = {ItemKey.of(each): each for each in parks() if isinstance(each, PublishedEntity)}
    inside: Counter[str] = Counter()
    for each in made.values():
        assert _holds(each, each)
        if isinstance(each, Collection):
            assert all(low <= at <= high for (low, high), at in zip(REGION, _at(each), strict=True))
        else:
            above = made[parent_of(each)]  # type: ignore[arg-type]
            assert _holds(above, each)
            assert _km(above, each) <= PARK[1]
        inside[type(each).__name__] += 1

    assert min(inside[kind] for kind in ("Collection", "Geozone", "Facility", "Asset", "Product")) >= 30


def test_a_facility_lies_in_its_zone_and_its_assets_lie_in_it() -> None:
    everything = list(parks())
    made = {ItemKey.of(each): each for each in everything if isinstance(each, PublishedEntity)}
    pairs = [each.ends for each in everything if isinstance(each, Relationship)]
    related = [(made[one], made[two]) for one, two in pairs]
    stood = [(made[parent_of(each)], each) for each in made.values() if isinstance(each, Asset)]

    for above, below in (*related, *stood):
        assert _holds(above, below)
        reach = ZONE if isinstance(above, Geozone) else FACILITY
        assert _km(above, below) <= reach[1]
    kinds = {(type(above), type(below)) for above, below in (*related, *stood)}
    assert kinds >= {(Geozone, Facility), (Facility, Asset)}
    assert {below for _, below in kinds} >= {Product}


def parks() -> Iterator[Entity]:
    people = People(100)
    return (each for number in range(1, 31) for each in Park(number, 3, people).entities())


def _at(place: PublishedEntity) -> tuple[float, float]:
    assert place.location is not None
    return place.location.coordinates


def _holds(above: PublishedEntity, below: PublishedEntity) -> bool:
    """Whether the box of a place holds the box and the point of another."""
    assert above.envelope is not None
    assert below.envelope is not None
    (west, north), (east, south) = above.envelope.coordinates
    points = (*below.envelope.coordinates, _at(below))
    return all(west <= x <= east and south <= y <= north for x, y in points)


def _km(one: PublishedEntity, two: PublishedEntity) -> float:
    (x1, y1), (x2, y2) = _at(one), _at(two)
    return hypot((x1 - x2) * cos(radians(y1)), y1 - y2) * 111.2
