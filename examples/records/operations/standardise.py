"""Standardises a written place: which place of the gazetteer is meant by "Autauga Co., Ala.".

Levels are looked at from the largest, which is written last, to the smallest. Each must lie in one that was found
before it; what does not fit is left out, and told.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from ..places import Place, PlaceSettings
from .gazetteer import Gazetteer

__all__ = ["Level", "Reading", "Standard", "joined", "levels", "standardise", "standardise_all", "words_of"]


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


# These join what they stand in: "U.S." is one word, and so is "O'Brien".
_INSIDE_WORDS = re.compile(r"[.'\u2019]")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Reading:
    """One way to understand a level: a name as one word, its kinds, and the words that it leaves out."""

    name: str
    types: frozenset[str] = frozenset()
    left_out: str = ""


@dataclass(frozen=True)
class Level:
    """One part of a written place, and all ways to understand it, the most likely first."""

    text: str
    readings: tuple[Reading, ...]


def joined(name: str, settings: PlaceSettings) -> str:
    """A name as the word that it is found by: "Alabama Territory" is "alabamaterritory"."""
    return "".join(_words(name, settings))


def words_of(place: Place, settings: PlaceSettings) -> list[str]:
    """The words under which a place is found: each of its names as one."""
    return list(dict.fromkeys(joined(name, settings) for name in (place.name, *place.also_named)))


def levels(text: str, settings: PlaceSettings) -> list[Level]:
    """The levels of a written place, in the order in which they are written; empty ones are left out."""
    parts = [part.strip() for part in text.split(",")]
    return [Level(part, readings) for part in parts if (readings := tuple(_readings(part, settings)))]


def _readings(part: str, settings: PlaceSettings) -> list[Reading]:
    """All words as a name, such as Salt Lake City; then without those of types; then without the first words of it."""
    words = _words(part, settings)
    names = [word for word in words if word not in settings.type_words]
    types = frozenset(words) - frozenset(names)
    backed_off = [
        Reading("".join(names[start:]), types, " ".join(names[:start])) for start in range(len(names))
    ]
    whole = [Reading("".join(words))] if words and types else []
    return whole + backed_off


def _words(text: str, settings: PlaceSettings) -> list[str]:
    """The words of a text in plain lower-case letters, abbreviations written out, noise left out."""
    apart = unicodedata.normalize("NFKD", _INSIDE_WORDS.sub("", text)).casefold()
    plain = "".join(each for each in apart if not unicodedata.combining(each))
    full = [word for each in _WORD.findall(plain) for word in settings.abbreviations.get(each, each).split()]
    return [word for word in full if word not in settings.noise_words]
