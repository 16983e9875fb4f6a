"""Standardises a written place: which place is meant by "Autauga Co., Ala.".

Levels are processed from the largest, which is written last, to the smallest. Each must be in one that was found
before; levels that do not fit are skipped and reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..places import Place, PlaceSettings
from ..plain_letters import plain_letters
from .gazetteer import Gazetteer


@dataclass(frozen=True)
class Standard:
    """The place that a text was understood as, or None, and the parts that did not fit."""

    text: str
    place: Place | None
    skipped: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.place.full_name if self.place else "nowhere"


@dataclass(frozen=True)
class _Match:
    """A level with its possible places, and the reading that led to them."""

    level: Level
    reading: Reading
    ids: frozenset[int]


def standardise(gazetteer: Gazetteer, text: str) -> Standard:
    """The place that a text means; one batch reads all its words."""
    written = levels(text, gazetteer.settings)
    gazetteer.words(each.name for level in written for each in level.readings)
    matches: list[_Match] = []
    for level in reversed(written):
        matches = _and_next(gazetteer, matches, level)
    place = _best(gazetteer, *matches[-2:]) if matches else None
    return Standard(text, place, tuple(_skipped(written, matches)))


def standardise_all(gazetteer: Gazetteer, texts: Iterable[str]) -> list[Standard]:
    """The places that many texts mean, such as those of a register; all words are read together."""
    all_texts = list(texts)
    written = [level for text in all_texts for level in levels(text, gazetteer.settings)]
    gazetteer.words(each.name for level in written for each in level.readings)
    return [standardise(gazetteer, text) for text in all_texts]


def _and_next(gazetteer: Gazetteer, matches: list[_Match], level: Level) -> list[_Match]:
    """The levels found so far with the next one, inside the last of them or else inside an earlier one."""
    words = gazetteer.words(each.name for each in level.readings)
    for depth in range(len(matches), 0, -1) if matches else [0]:
        for reading in level.readings:
            ids = words[reading.name]
            if depth:
                above, larger = gazetteer.ancestors(ids), matches[depth - 1].ids
                ids = frozenset(each for each in ids if above[each] & larger)
            if ids:
                return [*matches[:depth], _Match(level, reading, _of_type(gazetteer, reading, ids))]
    return matches


def _of_type(gazetteer: Gazetteer, reading: Reading, ids: frozenset[int]) -> frozenset[int]:
    """The places of a type that was written, or all if there is none."""
    if not reading.types or len(ids) == 1:
        return ids
    places = gazetteer.places(ids).values()
    return frozenset(place.id for place in places if place.type in reading.types) or ids


def _best(gazetteer: Gazetteer, *matches: _Match) -> Place | None:
    """The most likely place for the last level that was found, inside the level before it.

    Preferred in this order: a place of exactly this name, a place that is there today and not only formerly, a
    larger one, and one that is used more.
    """
    *larger, last = matches
    today = gazetteer.ancestors(last.ids, former=False)

    def likely(place: Place) -> tuple[bool, bool, int, int, int]:
        named = joined(place.name, gazetteer.settings) == last.reading.name
        inside = all(today[place.id] & each.ids for each in larger)
        return named, inside, -place.depth, place.count, -place.id

    return max(gazetteer.places(last.ids).values(), key=likely, default=None)


def _skipped(written: list[Level], matches: list[_Match]) -> Iterable[str]:
    used = {id(each.level): each.reading for each in matches}
    for level in written:
        if id(level) not in used:
            yield level.text
        elif used[id(level)].left_out:
            yield used[id(level)].left_out


# These characters join what they are in: "U.S." is one word, and so is "O'Brien".
_INSIDE_WORDS = re.compile(r"[.'\u2019]")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Reading:
    """One reading of a level: a name as one word, its types, and the words that it leaves out."""

    name: str
    types: frozenset[str] = frozenset()
    left_out: str = ""


@dataclass(frozen=True)
class Level:
    """One part of a written place, and all its readings, the most likely first."""

    text: str
    readings: tuple[Reading, ...]


def joined(name: str, settings: PlaceSettings) -> str:
    """A name as the word that finds it: "Alabama Territory" is "alabamaterritory"."""
    return "".join(_words(name, settings))


def words_of(place: Place, settings: PlaceSettings) -> list[str]:
    """The words that find a place: each of its names as one word."""
    return list(dict.fromkeys(joined(name, settings) for name in (place.name, *place.also_named)))


def levels(text: str, settings: PlaceSettings) -> list[Level]:
    """The levels of a written place in the order of the text, without empty ones."""
    parts = [part.strip() for part in text.split(",")]
    return [Level(part, readings) for part in parts if (readings := tuple(_readings(part, settings)))]


def _readings(part: str, settings: PlaceSettings) -> list[Reading]:
    """All words as a name, such as Salt Lake City; then without type words; then without leading words."""
    words = _words(part, settings)
    names = [word for word in words if word not in settings.type_words]
    types = frozenset(words) - frozenset(names)
    backed_off = [
        Reading("".join(names[start:]), types, " ".join(names[:start])) for start in range(len(names))
    ]
    whole = [Reading("".join(words))] if words and types else []
    return whole + backed_off


def _words(text: str, settings: PlaceSettings) -> list[str]:
    """The words of a text in plain letters, with abbreviations spelled out and noise words removed."""
    plain = plain_letters(_INSIDE_WORDS.sub("", text))
    full = [word for each in _WORD.findall(plain) for word in settings.abbreviations.get(each, each).split()]
    return [word for word in full if word not in settings.noise_words]
