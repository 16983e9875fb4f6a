"""The parks system: what there is to visit, and how many can still come."""

from __future__ import annotations

from ..tour import System
from .data import generate
from .operations.recount import recount
from .product_dates import product_dates
from .tables import audit, pubsub, reference, transactional, waiting_room
from .tour import tour

__all__ = ["system"]

system = System(
    "parks",
    "places, products and bookings that are never sold twice",
    tables=(reference, transactional, audit, pubsub, waiting_room, product_dates),
    generate=generate,
    tour=tour,
    items=1000,
    loaded=lambda db, _: recount(db),
)
