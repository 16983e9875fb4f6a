"""Products, their dates, and what is left of them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from ...tour import Tour
from ..data import NOW, OPENING
from ..expected import Expected, alike
from ..products import AvailabilitySignal, Inventory, InventoryPool, Offer, Product, ProductDate

CAMP = ("park_1", "frontcountryCamp", 1)
DAY_USE = ("park_1", "dayuse", 1)
OFFER = Offer(
    collection_id="park_1",
    activity_type="frontcountryCamp",
    activity_id=1,
    product_id=1,
    facility_type="campground",
    facility_id=1,
    asset_type="tentPad",
    asset_id=1,
)
FIRST = OPENING.date()


def activity(collection_id: str, activity_type: str, activity_id: int) -> dict[str, Any]:
    """The fields that belong to an activity."""
    return {"collection_id": collection_id, "activity_type": activity_type, "activity_id": activity_id}


def product_steps(tour: Tour, expected: Expected) -> None:
    """Read products and their dates."""
    tour.section("Products: one date a day, and pools that count down")
    products = expected.of(Product, lambda each: str(each.product_id), **activity(*CAMP))
    tour.run(Product.one(*CAMP, 1), alike(products[0]))
    tour.run(Product.of_activity(*CAMP), alike(products))
    now = int(NOW.timestamp()) - 7 * 24 * 3600
    tour.run(Product.shown(*CAMP, now), alike([each for each in products if each.shown_from <= now]))
    dates = expected.of(ProductDate, _date_order, **activity(*CAMP))
    week = [each for each in dates if each.product_id == 1 and each.day < FIRST + timedelta(days=7)]
    tour.run(ProductDate.within(*CAMP, 1, FIRST, FIRST + timedelta(days=6)), week)
    tour.run(ProductDate.of_activity(*CAMP), dates)
    dirty = expected.of(AvailabilitySignal, dirty=True)
    tour.run(
        AvailabilitySignal.dirty_ones(15),
        lambda signals: sorted(map(repr, signals)) == sorted(map(repr, dirty)),
    )
    units = expected.of(Inventory, lambda each: str(each.unit_id), collection_id="park_1")
    tour.run(Inventory.on_day(*DAY_USE, 1, FIRST), units)
    _pools(tour, expected)


def _date_order(each: ProductDate) -> str:
    return f"{each.product_id}::{each.day}"


def _pools(tour: Tour, expected: Expected) -> None:
    pools = expected.of(InventoryPool, lambda each: (each.day, str(each.asset_id)), **OFFER.product)
    first = [pool for pool in pools if pool.day == FIRST]
    tour.run(InventoryPool.one(OFFER, FIRST), first[0])
    tour.run(InventoryPool.on_day(*CAMP, 1, FIRST), first)
    tour.run(InventoryPool.below(OFFER, FIRST, "campground", 1, "tentPad"), first)
    days = [pool for pool in pools if pool.day < FIRST + timedelta(days=3)]
    tour.run(InventoryPool.in_span(OFFER, FIRST, FIRST + timedelta(days=2)), days)
    # Passes are in the same partition, but are not pools.
    day_use = expected.of(InventoryPool, day=FIRST, **activity(*DAY_USE))
    tour.run(InventoryPool.on_day(*DAY_USE, 1, FIRST), day_use)
