"""A park of three days, with two tent pads of five units each."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest

from examples.parks.places import Activity, Collection, Facility
from examples.parks.products import InventoryPool, Offer, Product, ProductDate
from examples.parks.system import system
from pksk import RequestStarted, Store, Table

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
DAYS = [date(2026, 8, 1) + timedelta(days=more) for more in range(3)]
CAPACITY = 5


def offer(asset_id: int = 1) -> Offer:
    return Offer(
        collection_id="park_1",
        activity_type="camp",
        activity_id=1,
        product_id=1,
        facility_type="campground",
        facility_id=1,
        asset_type="tentPad",
        asset_id=asset_id,
    )


def units_left(db: Store, asset_id: int = 1) -> list[int]:
    """What is left of a pad, day by day."""
    pools = [db.get(InventoryPool.one(offer(asset_id), day)) for day in DAYS]
    return [pool.availability for pool in pools if pool is not None]


@pytest.fixture
def pksk_tables() -> list[Table]:
    return list(system.tables)


@pytest.fixture
def db(pksk_store: Store) -> Store:
    pksk_store.create(Collection(collection_id="park_1"))
    pksk_store.create(Facility(collection_id="park_1", facility_type="campground", facility_id=1))
    pksk_store.create(Activity(collection_id="park_1", activity_type="camp", activity_id=1))
    pksk_store.create(Product(**offer().product))
    for day in DAYS:
        pksk_store.put(ProductDate(**offer().product, day=day))
        for asset_id in (1, 2):
            whole = offer(asset_id).model_dump()
            pksk_store.put(InventoryPool(**whole, day=day, capacity=CAPACITY, availability=CAPACITY))
    return pksk_store


class Meanwhile:
    """A hook that does something just before the first transaction of a store is sent, as others might."""

    def __init__(self, act: Callable[[], object]) -> None:
        self._act: Callable[[], object] | None = act

    def __call__(self, sending: RequestStarted) -> None:
        act = self._act
        if act is not None and sending.operation == "TransactWriteItems":
            self._act = None
            act()
