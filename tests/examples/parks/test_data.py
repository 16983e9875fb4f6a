"""The generated data: it agrees with itself, and refers to nothing that comes later."""

from __future__ import annotations

from collections import Counter

import pytest

from examples.parks.bookings import Booking, BookingDate, BookingId, UserDay
from examples.parks.data import generate
from examples.parks.data.season import STATUSES
from examples.parks.described import KeyText
from examples.parks.money import Payment
from examples.parks.operations.balance import balance
from examples.parks.people import User
from examples.parks.places import Collection
from examples.parks.policies import LatestPolicy
from examples.parks.relationships import Relationship
from examples.parks.sequences import geozone_numbers
from examples.parks.system import system
from pksk import Entity, connect
from tests.examples.seen import Seen


@pytest.mark.parametrize("items", [400, 1000, 5000])
def test_there_are_as_many_as_were_asked_for(items: int) -> None:
    assert len(list(generate(items))) == items


def test_there_is_a_whole_park_however_few_are_asked_for() -> None:
    assert sum(isinstance(each, Collection) for each in generate(100)) == 1


@pytest.mark.parametrize("items", range(100, 500, 50))
def test_there_is_a_booking_of_each_status_however_few_are_asked_for(items: int) -> None:
    bookings = [each for each in generate(items) if isinstance(each, Booking)]

    assert {each.status for each in bookings} == set(STATUSES)


def test_a_tour_of_the_fewest_items_finds_all_that_it_asks_for() -> None:
    seen = Seen()

    system.show("memory:", seen, 100)

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


def test_what_is_referred_to_comes_first() -> None:
    seen: set[KeyText | str] = set()
    for each in generate(1000):
        assert [key for key in referred(each) if key not in seen] == []
        seen |= {KeyText.of(each), *([str(each.subject)] if isinstance(each, User) else [])}
        seen |= {str(each.booking_id)} if isinstance(each, Booking) else set()


def referred(each: Entity) -> list[KeyText | str]:
    if isinstance(each, Relationship):
        return [*each.ends]
    if isinstance(each, BookingDate):
        return [str(each.booking_id), each.product_date, each.asset]
    if isinstance(each, Payment | BookingId | UserDay):
        return [str(each.booking_id)]
    if isinstance(each, LatestPolicy):
        return [KeyText(pk=f"policy::{each.policy_type}::{each.policy_id}", sk=f"v{each.version}")]
    return [each.user_id] if isinstance(each, Booking) else []


def test_some_people_book_far_more_than_others() -> None:
    bookings = Counter(each.user_id for each in generate(5000) if isinstance(each, Booking))
    (_, most), *_ = bookings.most_common(1)

    assert most > 3 * bookings.total() / len(bookings)
