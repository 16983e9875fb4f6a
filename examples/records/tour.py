"""The tour through the records system: every question of its design, every operation, and what they cost."""

from __future__ import annotations

from ..tour import Tour
from .sights.catalogue import catalogue, posts
from .sights.index import index
from .sights.known import Known
from .sights.people import numbers, people
from .sights.places import completion, standardisation, word_sizes
from .sights.registers import hot_spot, registers

__all__ = ["run_tour"]


def run_tour(tour: Tour, items: int) -> None:
    """Fill the store, and look at one part of the system after another."""
    known = Known(items)
    tour.fill(known.everything, len(known.everything))
    numbers(tour, known)
    index(tour, known)
    catalogue(tour, known)
    posts(tour, known)
    registers(tour, known)
    completion(tour, known)
    standardisation(tour, known)
    people(tour, known)
    word_sizes(tour, known)
    hot_spot(tour)
