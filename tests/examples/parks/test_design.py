"""The design of the parks system: queries that it cannot serve, and mistakes that it rules out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any
from uuid import UUID

import pytest

from examples.parks import product_dates
from examples.parks.bookings import Booking, cancel_booking, create_booking
from examples.parks.design import reference, transactional
from examples.parks.places import Facility, Geozone
from examples.parks.products import InventoryPool, Offer, ProductDate
from examples.parks.relationships import Relationship
from examples.parks.tables import ItemKey, audit, waiting_room
from pksk import F, Table, begins, gt, key_collisions, sequence
from pksk.expressions import evaluate, parse_condition
from tests.examples.example_requests import entities, error_code, expected

CASES = expected("parks")["key"]
ENTITIES = entities([reference, transactional])

BOOKING = UUID("5f1c0c9a-3f43-4f9e-9d0a-0d1f2b3c4d5e")
POOL: dict[str, Any] = next(case["values"] for case in CASES if case["entity"] == "InventoryPool")
OFFER = Offer.model_validate(POOL)

REJECTED: dict[str, tuple[str, Callable[[], object]]] = {
    "one item from an index, which has no GetItem": (
        "plan-get-index",
        lambda: Booking.by_global_id.get(booking_id=BOOKING),
    ),
    "a read of this moment from an index, which lags": (
        "plan-consistent-index",
        lambda: Booking.by_user(user_id="u-1").consistently().plan,
    ),
    "the bookings of an activity, whose partition needs the product too": (
        "plan-missing-part",
        lambda: Booking.primary(collection_id="park_1", activity_type="dayuse", activity_id=1),
    ),
    "geozones whose number begins with 1, which are 1, 10 and 11": (
        "bounds-operator",
        lambda: Geozone.primary(collection_id="park_1", geozone_id=begins("1")).plan,
    ),
    "geozones from a number on, since 10 sorts before 9": (
        "bounds-unordered",
        lambda: Geozone.primary(collection_id="park_1", geozone_id=gt(5)).plan,
    ),
    "the facilities of all collections": (
        "where-no-index",
        lambda: Facility.where(facility_type="campground"),
    ),
    "a delete by prefix, since a delete names one item": (
        "key-missing-part",
        lambda: InventoryPool.primary.delete(collection_id="park_1", activity_type="dayuse"),
    ),
    "a filter on what is the key": (
        "plan-filter-key",
        lambda: Booking.by_user(user_id="u-1").filter(F.user_id == "u-1").plan,
    ),
    "a change of a key by an update": (
        "write-key-field",
        lambda: Geozone.primary.update(collection_id="park_1", geozone_id=1).set(geozone_id=2),
    ),
    "the rows that wait for payment, whole, without reading the table": (
        "plan-not-projected",
        lambda: Booking.pending(is_pending="PENDING").plan,
    ),
    "130 writes that should be all or nothing": (
        "write-transaction-size",
        lambda: create_booking(sample("Booking").model_copy(update={"end": date(2026, 8, 20)}), OFFER, 1),
    ),
}


def sample(name: str) -> Any:
    values = next(case["values"] for case in CASES if case["entity"] == name)
    return ENTITIES[name].model_validate(values)


@pytest.mark.parametrize("what", REJECTED)
def test_a_query_that_no_key_can_serve_is_rejected(what: str) -> None:
    code, call = REJECTED[what]

    assert error_code(call) == code


def test_a_list_of_one_type_excludes_types_that_begin_alike() -> None:
    trails = Facility.of_type("park_1", "trail").plan

    assert trails.exact
    assert trails.requests[0]["ExpressionAttributeValues"][":v1"] == {"S": "trail::"}


def test_no_two_tables_with_documents_have_a_key_in_common() -> None:
    searched = (reference, transactional, waiting_room, product_dates.product_dates)
    with_the_log = key_collisions(*searched, audit)

    assert key_collisions(*searched) == ()
    assert with_the_log
    assert all("Change.primary" in str(each) for each in with_the_log)


def test_both_layouts_of_product_dates_serve_the_same_query() -> None:
    span = ("park_1", "dayuse", 1, 1, date(2025, 12, 1), date(2025, 12, 31))
    together, apart = ProductDate.within(*span).plan, product_dates.ProductDate.within(*span).plan

    assert together.requests[0]["ExpressionAttributeValues"] == {
        ":v0": {"S": "productDate::park_1::dayuse::1"},
        ":v1": {"S": "1::2025-12-01"},
        ":v2": {"S": "1::2025-12-31"},
    }
    assert apart.requests[0]["ExpressionAttributeValues"] == {
        ":v0": {"S": "productDate::park_1::dayuse::1::1"},
        ":v1": {"S": "2025-12-01"},
        ":v2": {"S": "2025-12-31"},
    }
    assert together.exact
    assert apart.exact


def test_a_pair_of_places_has_one_relationship_whichever_comes_first() -> None:
    geozone, facility = (
        ItemKey(pk="geozone::park_1", sk="1"),
        ItemKey(pk="facility::park_1", sk="campground::1"),
    )

    assert Relationship.between(geozone, facility) == Relationship.between(facility, geozone)


def test_a_pool_is_found_at_every_level_of_the_hierarchy() -> None:
    levels = [
        InventoryPool.below(OFFER, POOL["day"], "campground"),
        InventoryPool.below(OFFER, POOL["day"], "campground", 1),
        InventoryPool.below(OFFER, POOL["day"], "campground", 1, "tentPad"),
    ]

    assert [level.plan.requests[0]["ExpressionAttributeValues"][":v1"]["S"] for level in levels] == [
        "asset::park_7::campground::",
        "asset::park_7::campground::1::",
        "asset::park_7::campground::1::tentPad::",
    ]


def test_a_second_cancellation_fails_on_the_time_of_the_first() -> None:
    cancel = cancel_booking(sample("Booking"), [], [], datetime.fromisoformat("2026-06-01T00:00:00+00:00"))

    condition = cancel.request["TransactItems"][0]["Update"]["ConditionExpression"]
    assert "attribute_not_exists(cancellationTime)" in condition


def test_a_counter_can_share_the_partition_of_the_items_it_counts() -> None:
    numbers = sequence(
        "geozone::{collection_id}",
        table=Table("live"),
        key=("geozone::{collection_id}", "counter"),
        attribute="counterValue",
    )

    request = numbers.take(collection_id="park_1").request
    assert request["Key"] == {"pk": {"S": "geozone::park_1"}, "sk": {"S": "counter"}}
    assert request["UpdateExpression"].startswith("ADD counterValue")


# As they are in the live table.
STORED: dict[str, tuple[Any, dict[str, Any]]] = {
    "geozone": (Geozone.of_collection("park_1"), {"pk": {"S": "geozone::park_1"}, "sk": {"S": "1"}}),
    "inventoryPool": (
        InventoryPool.on_day("park_1", "dayuse", 1, 1, date(2026, 7, 1)),
        {
            "pk": {"S": "inventoryPool::park_1::dayuse::1::1::2026-07-01"},
            "sk": {"S": "asset::park_1::campground::1::site::1"},
        },
    ),
    "booking": (Booking.by_id(BOOKING), {"globalId": {"S": str(BOOKING)}}),
}


@pytest.mark.parametrize("schema", STORED)
def test_a_stored_item_passes_the_filter_by_its_schema(schema: str) -> None:
    query, key = STORED[schema]
    request = query.plan.requests[0]
    places = (request.get("ExpressionAttributeNames", {}), request["ExpressionAttributeValues"])
    item = {**key, "schema": {"S": schema}}

    assert "FilterExpression" not in request or evaluate(
        parse_condition(request["FilterExpression"], *places), item
    )
