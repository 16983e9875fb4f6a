"""Places: stored under the words that find them, and completed while they are typed."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest

from pksk import Store

from ..errors import InvalidInput
from ..places import FEWEST_LETTERS, Place, PlaceSettings, PlaceWord, typed_parts
from .standardise import words_of


def store_places(db: Store, places: Iterable[Place]) -> int:
    """Store places and their words, and return how many words were written.

    Doing it again changes nothing, since words have sets of places. Each word is written once, for all its new
    places: a write costs as much as its whole list.
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
    """The most used places that begin with the typed text, without regard to accents and case: "evr", or "Pratt, Ala".

    All matches are read, since the most used may be the last. Each part after a comma must be the beginning of a
    larger place, in this order; the part after the last comma may be empty.
    """
    first, *rest = typed_parts(typed)
    if len(first) < FEWEST_LETTERS:
        raise InvalidInput(f"{typed!r} is too short: places are found by {FEWEST_LETTERS} letters or more.")
    places = {place.id: place for query in Place.beginning(typed) for place in db.iter(query)}
    larger = [part for part in rest if part]
    fitting = (place for place in places.values() if _fits(place, larger))
    return nsmallest(most, fitting, key=lambda place: (-place.count, place.folded, place.id))


def _fits(place: Place, larger: list[str]) -> bool:
    around = iter(typed_parts(place.full_name)[1:])
    return all(any(each.startswith(part) for each in around) for part in larger)
