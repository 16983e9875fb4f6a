"""The parks system, as `pksk demo parks` and its own command run it."""

from __future__ import annotations

from ..tour import System
from .bookings import Booking, UserDay
from .data import generate
from .operations.places import move_sequences
from .places import Facility
from .product_dates import product_dates
from .products import InventoryPool, ProductDate
from .tables import audit, pubsub, reference, transactional, waiting_room
from .tour import run_tour

system = System(
    "parks",
    "places, products and bookings that are never sold twice",
    tables=(reference, transactional, audit, pubsub, waiting_room, product_dates),
    generate=generate,
    run_tour=run_tour,
    items=1000,
    after_load=lambda db, _: move_sequences(db),
    keys=(
        Facility.primary,
        ProductDate.primary,
        InventoryPool.primary,
        Booking.primary,
        Booking.by_user,
        Booking.pending,
        UserDay.primary,
    ),
    short_names={
        "asset::{collection_id}::{facility_type}::{facility_id}::{asset_type}::{asset_id}": "{asset}",
        "{activity_type}::{activity_id}::{product_id}": "{product}",
        "{activity_type}::{activity_id}": "{activity}",
        "{facility_type}::{facility_id}": "{facility}",
        "{collection_id}": "{park}",
    },
    commands=(("load", "1,000 items in parks.db"), ("show park_1", "what a park has")),
)
