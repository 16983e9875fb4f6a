"""The tour of the records system: every access pattern of its design, every operation, and what they cost."""

from __future__ import annotations

from ..tour import Tour
from .expected import Expected
from .steps.catalogue import catalogue_steps, index_steps, post_steps
from .steps.people import people_steps, sequence_steps
from .steps.places import completion_steps, standardisation_steps, word_size_steps
from .steps.registers import hot_spot_steps, register_steps


def run_tour(tour: Tour, items: int) -> None:
    """Fill the store, and run everything; the expected answers are computed from the data before."""
    expected = Expected(items)
    tour.fill(expected.everything, len(expected.everything))
    sequence_steps(tour, expected)
    index_steps(tour, expected)
    catalogue_steps(tour, expected)
    post_steps(tour, expected)
    register_steps(tour, expected)
    completion_steps(tour, expected)
    standardisation_steps(tour, expected)
    people_steps(tour, expected)
    word_size_steps(tour, expected)
    hot_spot_steps(tour)
