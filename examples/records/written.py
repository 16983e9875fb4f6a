"""Written places, taken apart: "Autauga Co., Ala., U.S.A." is three levels of words, the largest last."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from .places import Place, PlaceSettings

__all__ = ["Level", "Reading", "joined", "levels", "words_of"]

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
