"""The figures that the page about the parks system states."""

from __future__ import annotations

from datetime import timedelta

import pytest

from examples.parks.operations.bookings import Stay, book, confirm, refund, sweep
from examples.parks.operations.waiting_room import join
from examples.parks.places import Geozone
from examples.parks.products import Inventory, InventoryPool
from examples.parks.sequences import geozone_numbers
from examples.parks.waiting_room import Queue
from pksk import Store
from tests.examples.parks.conftest import DAYS, NOW, offer


def test_a_number_costs_one_write_unit_for_any_number_of_items(db: Store) -> None:
    for number in range(1, 501):
        db.create(Geozone(collection_id="park_1", geozone_id=number, description="A shore of the lake. " * 8))

    with db.meter() as drawing:
        db.next(geozone_numbers, collection_id="park_1")
    with db.meter() as counting:
        assert db.count(Geozone.of_collection("park_1")) == 500

    assert (drawing.consumed.read, drawing.consumed.write) == (0, 1)
    assert counting.consumed.read == 26.5


@pytest.mark.parametrize(("days", "read", "write"), [(1, 0.5, 14), (2, 0.5, 19), (3, 0.5, 24)])
def test_what_a_booking_costs(db: Store, days: int, read: float, write: float) -> None:
    with db.meter() as meter:
        book(db, "ann", offer(), Stay(DAYS[0], DAYS[days - 1]), now=NOW)

    assert (meter.consumed.read, meter.consumed.write) == (read, write)


def test_what_a_payment_and_its_refund_cost(db: Store) -> None:
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW)
    with db.meter() as paying:
        confirm(db, booking, "PAY-1", 2300, NOW)
    with db.meter() as refunding:
        refund(db, booking, "PAY-1", 2300, NOW)

    assert (paying.consumed.read, paying.consumed.write) == (0, 10)
    assert (refunding.consumed.read, refunding.consumed.write) == (1, 12)


def test_what_a_place_in_a_queue_costs(db: Store) -> None:
    key = {"collection_id": "park_1", "activity_type": "camp", "activity_id": 1, "start": DAYS[0]}
    queue = db.create(Queue.model_validate({**key, "opening_time": int(NOW.timestamp())}))
    with db.meter() as joining:
        join(db, queue, "ann", "192.0.2.1", NOW)

    assert (joining.consumed.read, joining.consumed.write) == (1, 3)


def test_what_a_sweep_costs(db: Store) -> None:
    with db.meter() as nothing:
        sweep(db, NOW)
    book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW - timedelta(hours=1))
    with db.meter() as one:
        sweep(db, NOW)

    assert (nothing.consumed.read, nothing.consumed.write) == (0.5, 0)
    assert (one.consumed.read, one.consumed.write) == (3, 9)


def test_a_pool_is_one_item_instead_of_two_hundred_units(db: Store) -> None:
    day = {**offer().model_dump(), "day": DAYS[0]}
    db.batch_put(*(Inventory(**day, unit_id=unit) for unit in range(200)))
    product = ("park_1", "camp", 1, 1)

    with db.meter() as units:
        assert db.count(Inventory.on_day(*product, DAYS[0])) == 200
    with db.meter() as pools:
        assert len(db.run(InventoryPool.on_day(*product, DAYS[0]))) == 2

    assert units.consumed.read == 7
    assert pools.consumed.read == 0.5


def test_days_in_separate_partitions_take_a_request_each(db: Store) -> None:
    with db.meter() as meter:
        assert len(db.run(InventoryPool.in_span(offer(), DAYS[0], DAYS[0] + timedelta(days=6)))) == 6

    assert (meter.calls, meter.consumed.read) == (7, 3.5)
