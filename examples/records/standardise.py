"""Standardises a written place: which place of the gazetteer is meant by "Autauga Co., Ala.".

Levels are looked at from the largest, which is written last, to the smallest. Each must lie in one that was found
before it; what does not fit is left out, and told.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .gazetteer import Gazetteer
from .places import Place
from .written import Level, Reading, joined, levels

__all__ = ["Standard", "standardise", "standardise_all"]


@dataclass(frozen=True)
class Standard:
    """What a written place was understood as: a place or nothing, and which of its parts did not fit."""

    text: str
    place: Place | None
    skipped: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.place.full_name if self.place else "nowhere"


@dataclass(frozen=True)
class _Found:
    """A level with the places that it may be, and the reading that led to them."""

    level: Level
    reading: Reading
    ids: frozenset[int]


def standardise(gazetteer: Gazetteer, text: str) -> Standard:
    """The place that a text means; one batch asks for all its words."""
    written = levels(text, gazetteer.settings)
    gazetteer.words(each.name for level in written for each in level.readings)
    found: list[_Found] = []
    for level in reversed(written):
        found = _and_next(gazetteer, found, level)
    place = _best(gazetteer, *found[-2:]) if found else None
    return Standard(text, place, tuple(_skipped(written, found)))


def standardise_all(gazetteer: Gazetteer, texts: Iterable[str]) -> list[Standard]:
    """Many texts, such as those of a register; all their words are asked for together."""
    wanted = list(texts)
    written = [level for text in wanted for level in levels(text, gazetteer.settings)]
    gazetteer.words(each.name for level in written for each in level.readings)
    return [standardise(gazetteer, text) for text in wanted]


def _and_next(gazetteer: Gazetteer, found: list[_Found], level: Level) -> list[_Found]:
    """The levels found so far with the next one, in the last of them, or else in one before, which is then the last."""
    words = gazetteer.words(each.name for each in level.readings)
    for depth in range(len(found), 0, -1) if found else [0]:
        for reading in level.readings:
            ids = words[reading.name]
            if depth:
                above, larger = gazetteer.ancestors(ids), found[depth - 1].ids
                ids = frozenset(each for each in ids if above[each] & larger)
            if ids:
                return [*found[:depth], _Found(level, reading, _of_type(gazetteer, reading, ids))]
    return found


def _of_type(gazetteer: Gazetteer, reading: Reading, ids: frozenset[int]) -> frozenset[int]:
    """Those that are of a type that was written, or all if none is."""
    if not reading.types or len(ids) == 1:
        return ids
    places = gazetteer.places(ids).values()
    return frozenset(place.id for place in places if place.type in reading.types) or ids


def _best(gazetteer: Gazetteer, *found: _Found) -> Place | None:
    """The place that most people mean by the last level that was found, in the one before it if there is one.

    That is the one of this name and not of another, in what it is in today and not once was, the larger one, and then
    the one that is used more.
    """
    *larger, last = found
    today = gazetteer.ancestors(last.ids, once=False)

    def likely(place: Place) -> tuple[bool, bool, int, int, int]:
        named = joined(place.name, gazetteer.settings) == last.reading.name
        inside = all(today[place.id] & each.ids for each in larger)
        return named, inside, -place.depth, place.count, -place.id

    return max(gazetteer.places(last.ids).values(), key=likely, default=None)


def _skipped(written: list[Level], found: list[_Found]) -> Iterable[str]:
    used = {id(each.level): each.reading for each in found}
    for level in written:
        if id(level) not in used:
            yield level.text
        elif used[id(level)].left_out:
            yield used[id(level)].left_out
