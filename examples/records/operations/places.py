"""Gazettes places: stores them, and enters each under the words that it is found by."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest

from pksk import Store

from ..errors import InvalidInput
from ..places import FEWEST_LETTERS, Place, PlaceSettings, PlaceWord
from .standardise import words_of

__all__ = ["complete_place", "store_places"]


def store_places(db: Store, places: Iterable[Place]) -> int:
    """Store places and their words; gives how many words were touched.

    Doing it again changes nothing, since words have sets of places. A word is written once, whatever the number of
    places that are new under it: each write costs as much as its whole list.
    """
    new = list(places)
    settings = db.get(PlaceSettings.one()) or PlaceSettings()
    entered: dict[str, set[int]] = {}
    for place in new:
        for word in words_of(place, settings):
            entered.setdefault(word, set()).add(place.id)
    if new:
        db.run(Place.load(new))
    for word, place_ids in entered.items():
        db.run(PlaceWord.enter(word, place_ids))
    return len(entered)


def complete_place(db: Store, typed: str, most: int = 10) -> list[Place]:
    """The places that are used most of those that begin with what was typed: "Pratt", or "Pratt, Ala".

    All that begin so are read to the end, since the most used may be the last. Parts behind commas must each begin a
    larger place, in this order; behind a last comma there may be nothing yet.
    """
    first, *rest = [part.strip().lower() for part in typed.split(",")]
    larger = [part for part in rest if part]
    if len(first) < FEWEST_LETTERS:
        raise InvalidInput(f"{typed!r} is too short: places are found by {FEWEST_LETTERS} letters or more.")
    fitting = (place for place in db.iter(Place.beginning(first)) if _fits(place, larger))
    return nsmallest(most, fitting, key=lambda place: (-place.count, place.folded, place.id))


def _fits(place: Place, larger: list[str]) -> bool:
    around = iter(place.folded.split(", ")[1:])
    return all(any(each.startswith(part) for each in around) for part in larger)
