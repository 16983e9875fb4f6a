"""A tour of the parks system: every question of its design, and everything that it does."""

from __future__ import annotations

from ..tour import Tour
from .data import generate
from .operations.trail import trails
from .stops import audit, bookings, layouts, places, policies, products, relationships, rush, waiting
from .stops.made import Made

__all__ = ["run_tour"]


def run_tour(tour: Tour, items: int) -> None:
    """Fill the store, then ask and do everything; what comes out is reckoned from the data beforehand."""
    made = Made(generate(items))
    tour.fill(made.entities, len(made.entities))
    watched = trails(tour.db, "LATEST")
    places.stop(tour, made)
    products.stop(tour, made)
    relationships.stop(tour, made)
    policies.stop(tour, made)
    bookings.stop(tour, made)
    waiting.stop(tour, made)
    audit.stop(tour, watched)
    layouts.stop(tour)
    rush.stop(tour)
