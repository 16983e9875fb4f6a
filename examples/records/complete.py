"""Completes the name of a place while it is typed."""

from __future__ import annotations

from heapq import nsmallest

from pksk import Store

from .places import FEWEST_LETTERS, Place
from .refusals import Unfit

__all__ = ["complete"]


def complete(db: Store, typed: str, most: int = 10) -> list[Place]:
    """The places that are used most of those that begin with what was typed: "Pratt", or "Pratt, Ala".

    All that begin so are read to the end, since the most used may be the last. Parts behind commas must each begin a
    larger place, in this order; behind a last comma there may be nothing yet.
    """
    first, *rest = [part.strip().lower() for part in typed.split(",")]
    larger = [part for part in rest if part]
    if len(first) < FEWEST_LETTERS:
        raise Unfit(f"{typed!r} is too short: places are found by {FEWEST_LETTERS} letters or more.")
    fitting = (place for place in db.iter(Place.beginning(first)) if _fits(place, larger))
    return nsmallest(most, fitting, key=lambda place: (-place.count, place.folded, place.id))


def _fits(place: Place, larger: list[str]) -> bool:
    around = iter(place.folded.split(", ")[1:])
    return all(any(each.startswith(part) for each in around) for part in larger)
