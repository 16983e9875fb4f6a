"""The tour of the parks system: every access pattern of its design, and every operation."""

from __future__ import annotations

from ..tour import Tour
from .comparisons import layout_steps
from .data import generate
from .expected import Expected
from .operations.audit import skip_changes
from .steps.bookings import audit_steps, booking_steps, rush_steps
from .steps.places import place_steps, policy_steps, relationship_steps
from .steps.products import product_steps
from .steps.waiting_room import waiting_room_steps


def run_tour(tour: Tour, items: int) -> None:
    """Fill the store, and run everything; the expected answers are computed from the data before."""
    expected = Expected(generate(items))
    tour.fill(expected.entities, len(expected.entities))
    skip_changes(tour.db)
    place_steps(tour, expected)
    product_steps(tour, expected)
    relationship_steps(tour, expected)
    policy_steps(tour, expected)
    booking_steps(tour, expected)
    waiting_room_steps(tour, expected)
    audit_steps(tour)
    layout_steps(tour)
    rush_steps(tour)
