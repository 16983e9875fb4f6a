"""The sweep: bookings that were not paid in time are released, once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest

from examples.parks.bookings import Booking, UserDay, expire_booking
from examples.parks.errors import PoolMissing, PoolOverfull
from examples.parks.operations.balance import balance
from examples.parks.operations.bookings import Stay, SweepResult, book, cancel, confirm, days_and_pools, sweep
from examples.parks.products import InventoryPool
from examples.parks.tables import key_fields, transactional
from pksk import Store, TransactionFailed, connect
from tests.examples.parks.conftest import DAYS, NOW, Meanwhile, offer, units_left

LATE = NOW - timedelta(hours=1)


def test_a_sweep_ends_only_bookings_that_were_not_paid_in_time(db: Store) -> None:
    book(db, "ann", offer(), Stay(DAYS[0], DAYS[2], 2), now=LATE)
    book(db, "bob", offer(), Stay(DAYS[0], DAYS[0], 1), now=NOW)
    confirm(db, book(db, "eve", offer(), Stay(DAYS[0], DAYS[0], 1), now=LATE), "PAY-1", 100, NOW)

    assert sweep(db, NOW) == SweepResult(ended=1, units=6)

    assert units_left(db) == [3, 5, 5]
    assert [each.status for each in db.run(Booking.of_user("ann"))] == ["expired"]


def test_a_second_sweep_does_nothing(db: Store) -> None:
    book(db, "ann", offer(), Stay(DAYS[0], DAYS[0], 2), now=LATE)
    sweep(db, NOW)

    assert sweep(db, NOW) == SweepResult()

    assert units_left(db) == [5, 5, 5]


def test_the_index_holds_only_bookings_that_wait_for_payment(db: Store) -> None:
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=LATE)
    book(db, "bob", offer(), Stay(DAYS[0], DAYS[0]), now=LATE)
    confirm(db, booking, "PAY-1", 100, NOW)

    rows = db.client.call("Scan", {"TableName": transactional.name, "IndexName": "sparse-index-1"})["Items"]

    assert [row["userId"] for row in rows] == [{"S": "bob"}]


def test_concurrent_sweeps_return_units_once(db: Store) -> None:
    for number in range(10):
        book(db, f"buyer-{number}", offer(1 + number % 2), Stay(DAYS[0], DAYS[2], 1), now=LATE)

    with ThreadPoolExecutor(5) as threads:
        swept = list(threads.map(lambda _: sweep(db, NOW), range(5)))

    assert sum(each.ended for each in swept) == 10
    assert sum(each.units for each in swept) == 30
    assert (units_left(db), units_left(db, 2)) == ([5, 5, 5], [5, 5, 5])
    assert balance(db).wrong == ()


def test_a_person_with_a_swept_booking_may_book_the_same_day_again(db: Store) -> None:
    book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=LATE)
    sweep(db, NOW)

    assert book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW).status == "in progress"


@pytest.mark.parametrize("ending", ["swept", "paid", "cancelled"])
def test_a_booking_that_ended_meanwhile_stays_unchanged(db: Store, ending: str) -> None:
    book(db, "bob", offer(), Stay(DAYS[0], DAYS[0], 2), now=NOW)
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=LATE)
    acts = {
        "swept": lambda: sweep(db, NOW),
        "paid": lambda: confirm(db, booking, "PAY-1", 100, NOW),
        "cancelled": lambda: cancel(db, booking, NOW),
    }

    with connect(db.client, hooks=[Meanwhile(acts[ending])]) as other:
        assert sweep(other, NOW) == SweepResult(skipped=1)

    assert units_left(db) == [2 if ending == "paid" else 3, 5, 5]
    assert balance(db).wrong == ()


def test_an_unpaid_booking_ends_once(db: Store) -> None:
    book(db, "bob", offer(), Stay(DAYS[0], DAYS[0], 2), now=NOW)
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=LATE)
    dates, pools = days_and_pools(db, booking)
    db.run(expire_booking(booking, dates, pools))

    with pytest.raises(TransactionFailed) as caught:
        db.run(expire_booking(booking, dates, pools))

    assert list(caught.value.failures) == [0]
    assert units_left(db) == [3, 5, 5]


def test_a_full_pool_takes_no_units_back(db: Store) -> None:
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=LATE)
    _, (pool,) = days_and_pools(db, booking)
    db.put(pool.model_copy(update={"availability": pool.capacity}))

    swept = sweep(db, NOW)

    assert (swept.ended, len(swept.failed)) == (0, 1)
    assert units_left(db) == [5, 5, 5]
    assert [each.status for each in db.run(Booking.of_user("ann"))] == ["in progress"]
    with pytest.raises(PoolOverfull):
        cancel(db, booking, NOW)


@pytest.mark.parametrize("what", ["no pool", "a full pool", "another's mark"])
def test_a_booking_that_cannot_end_does_not_stop_others_from_ending(db: Store, what: str) -> None:
    bad = book(db, "ann", offer(2), Stay(DAYS[0], DAYS[1], 2), now=LATE - timedelta(minutes=1))
    book(db, "bob", offer(), Stay(DAYS[0], DAYS[0], 2), now=LATE)
    _, (_, pool) = days_and_pools(db, bad)
    if what == "no pool":
        db.delete(InventoryPool.primary.delete(**key_fields(pool)))
    elif what == "a full pool":
        db.put(pool.model_copy(update={"availability": pool.capacity}))
    else:
        db.put(UserDay.of(bad).model_copy(update={"booking_id": uuid4()}))

    swept = sweep(db, NOW)

    assert (swept.ended, swept.units, swept.skipped) == (1, 2, 0)
    (message,) = swept.failed
    assert str(bad.booking_id) in message
    assert units_left(db) == [5, 5, 5]
    assert sweep(db, NOW) == SweepResult(failed=swept.failed)

    db.put(pool)
    db.put(UserDay.of(bad))
    assert sweep(db, NOW) == SweepResult(ended=1, units=4)
    assert balance(db).wrong == ()


def test_a_missing_pool_is_named_by_its_day(db: Store) -> None:
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[1]), now=NOW)
    _, (_, pool) = days_and_pools(db, booking)
    db.delete(InventoryPool.primary.delete(**key_fields(pool)))

    with pytest.raises(PoolMissing) as caught:
        cancel(db, booking, NOW)

    assert (caught.value.booking_id, caught.value.days) == (booking.booking_id, [DAYS[1]])
    assert units_left(db) == [4, 5]
