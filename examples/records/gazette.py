"""Gazettes places: stores them, and enters each under the words that it is found by."""

from __future__ import annotations

from collections.abc import Iterable

from pksk import Store

from .places import Place, PlaceSettings, PlaceWord
from .written import words_of

__all__ = ["gazette"]


def gazette(db: Store, places: Iterable[Place]) -> int:
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
