"""Places: completed while they are typed, and standardised from what old books say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any
from unicodedata import normalize

from pksk import PkskError, Put
from pksk.capacity import read_units, write_units
from pksk.limits import ITEM_BYTES
from pksk.values import item_size

from ...tour import Tour, in_any_order
from ..data import word_lists
from ..expected import Expected, alike, error_of, same
from ..operations.gazetteer import Gazetteer
from ..operations.places import complete_place, store_places
from ..operations.standardise import Standard, standardise, standardise_all
from ..places import Place, PlaceSettings, PlaceWord
from ..plain_letters import plain_letters

# Written places, the place that each means, and the parts that do not fit.
CASES: dict[str, tuple[str | None, tuple[str, ...]]] = {
    "Alabama, United States": ("Alabama, United States", ()),
    "Ala., U.S.A.": ("Alabama, United States", ()),
    "Autauga, Alabama, United States": ("Autauga, Alabama, United States", ()),
    "Autauga Co., Ala.": ("Autauga, Alabama, United States", ()),
    "near Prattville, Autauga, Alabama": ("Prattville, Autauga, Alabama, United States", ()),
    "Old Prattville, Alabama": ("Prattville, Autauga, Alabama, United States", ("old",)),
    "Prattville, Nowhere, Alabama": ("Prattville, Autauga, Alabama, United States", ("Nowhere",)),
    "Prattville, Elmore, Alabama": ("Prattville, Autauga, Alabama, United States", ("Elmore",)),
    "Springfield, Illinois": ("Springfield, Sangamon, Illinois, United States", ()),
    "Washington": ("Washington, United States", ()),
    "Washington Co., Va.": ("Washington, Virginia, United States", ()),
    "Georgia": ("Georgia", ()),
    "Atlanta, Ga.": ("Atlanta, Fulton, Georgia, United States", ()),
    "Tiflis, Georgia": ("Tbilisi, Georgia", ()),
    "London, Canada West": ("London, Middlesex, Ontario, Canada", ()),
    "City of London": ("London, Middlesex, England", ()),
    "St. Louis, Missouri": ("Saint Louis, Missouri, United States", ()),
    "Salt Lake City, Utah": ("Salt Lake City, Salt Lake, Utah, United States", ()),
    "Berwick, Scotland": ("Berwick-upon-Tweed, Northumberland, England", ()),
    "Portland, Massachusetts": ("Portland, Cumberland, Maine, United States", ()),
    "Montréal, Lower Canada": ("Montreal, Quebec, Canada", ()),
    "Lodz, Poland": ("Łódź, Poland", ()),
    "Strasswalchen, Austria": ("Straßwalchen, Salzburg, Austria", ()),
    "Atlantis": (None, ("Atlantis",)),
}


def completion_steps(tour: Tour, expected: Expected) -> None:
    """Read places by the beginnings of their names, and by id."""
    tour.section("Places: two letters lead to a partition of each index, more to a range of it")
    places = expected.of(Place)
    _beginnings(tour, places)
    chosen = [places[0], places[-1]]
    tour.run(Place.several([each.id for each in chosen]), alike(chosen))
    tour.run(PlaceSettings.one(), same(expected.of(PlaceSettings)[0]))
    tour.call("One letter is too short", error_of(lambda db: complete_place(db, "a")), _too_short("a"))
    for typed in ("Al", "New, United", "Spring"):
        tour.call(f"{typed!r} is typed: the five most used", _completing(typed), alike(_best(places, typed)))
    _accents(tour, places)
    _buckets(tour, places)


def _beginnings(tour: Tour, places: list[Place]) -> None:
    beginning = {each.id for each in places if plain_letters(each.full_name).startswith("al")}
    tour.run(Place.beginning("Al"), lambda results: {each.id for each in results} == beginning)


def _best(places: list[Place], typed: str) -> list[Place]:
    """The five most used of the places that begin with the typed text, in plain Python."""
    first, *larger = plain_letters(typed).split(", ")
    names = {each.id: plain_letters(each.full_name) for each in places}
    fitting = [
        each
        for each in places
        if names[each.id].startswith(first) and all(f", {part}" in names[each.id] for part in larger)
    ]
    return sorted(fitting, key=lambda each: (-each.count, each.folded, each.id))[:5]


# The same beginnings without accents, as the names are written, in capitals, and with accents of their own.
_TYPED = {
    "evr": ("Évr", "ÉVR", "E\u0301vr"),
    "ista": ("İsta", "ISTA", "I\u0307sta"),
    "lodz": ("Łódź", "ŁÓDŹ", "Ło\u0301dz\u0301"),
    "strasse": ("Straße", "STRASSE", "STRAẞE"),
}


def _accents(tour: Tour, places: list[Place]) -> None:
    """Complete names by their beginning with and without accents, composed and decomposed."""
    rows, right = [], []
    for plain, others in _TYPED.items():
        best = _best(places, plain)
        spellings = ", ".join(dict.fromkeys(normalize("NFC", each) for each in others))
        result = tour.call(
            f"{plain} is typed, or {spellings}: each finds the same",
            _completing_each([plain, *others]),
            _each(alike(best)),
        )
        right += [each == best for each in result]
        cost = tour.steps[-1].consumed.read / len(result)
        rows.append((plain, spellings, ", ".join(each.name for each in best), f"{cost:g}"))
    tour.table(["typed", "or", "found", "read units each"], rows, right=(3,))
    accented = sum(each.plain_name is not None for each in places)
    tour.prove(
        f"{len(right)} prefixes, with and without accents, found the same places as plain Python among all "
        f"{len(places):,}. Keys keep the accents; a second index has the {accented} accented names without them.",
        holds=all(right),
    )


def _completing_each(typed: list[str]) -> Callable[[Any], list[list[Place]]]:
    return lambda db: [complete_place(db, each, 5) for each in typed]


def _each(right: Callable[[list[Place]], bool]) -> Callable[[list[list[Place]]], bool]:
    return lambda results: all(map(right, results))


def _completing(typed: str) -> Callable[[Any], list[Place]]:
    return lambda db: complete_place(db, typed, 5)


def _too_short(typed: str) -> str:
    return f"{typed!r} is too short: places are found by 2 letters or more."


def _buckets(tour: Tour, places: list[Place]) -> None:
    """Show how unevenly two letters divide places."""
    counted = Counter(each.folded[:2] for each in places)
    rows = []
    for letters, many in counted.most_common(5):
        size = sum(item_size(each.to_item()) for each in places if each.folded.startswith(letters))
        rows.append(
            (letters, f"{many:,}", f"{many / len(places):.1%}", f"{size:,}", f"{read_units(size) / 2:g}")
        )
    headers = ["letters", "places", "of all", "bytes", "read units to read them"]
    tour.note(f"{len(places):,} places begin with {len(counted)} pairs of letters; the largest partitions:")
    tour.table(headers, rows, right=(1, 2, 3, 4))


def standardisation_steps(tour: Tour, expected: Expected) -> None:
    """Standardise places as old books write them."""
    tour.section("Standardisation: words lead to places, and places that are inside each other remain")
    words, places = expected.of(PlaceWord), expected.of(Place)
    tour.run(PlaceWord.several([each.word for each in words[:2]]), alike(words[:2]))
    tour.run(PlaceWord.every(), in_any_order(words))
    gazetteer = Gazetteer(tour.db)
    one = "Ala., U.S.A."
    tour.call(f"{one!r}, with an empty cache", lambda _: standardise(gazetteer, one), _means(one))
    tour.call("The same again, from the cache", lambda _: standardise(gazetteer, one), _means(one))
    _cases(tour, places)
    _common_names(tour, expected)
    _new_place(tour, places)


def _means(text: str) -> Callable[[Standard], bool]:
    return lambda result: (result.place and result.place.full_name, result.skipped) == CASES[text]


def _cases(tour: Tour, places: list[Place]) -> None:
    """Standardise all texts whose place was generated."""
    names = {each.full_name for each in places} | {None}
    texts = [text for text, (meant, _) in CASES.items() if meant in names]
    results = tour.call(
        f"{len(texts)} places as they are written, with one batch for all their words",
        lambda db: standardise_all(Gazetteer(db), texts),
        lambda answer: all(_means(each.text)(each) for each in answer) and len(answer) == len(texts),
    )
    rows = [
        (each.text, each.place.full_name if each.place else "", ", ".join(each.skipped)) for each in results
    ]
    tour.table(["written", "understood as", "left out"], rows)


def _common_names(tour: Tour, expected: Expected) -> None:
    """Show that a name of many places costs more: each of them is read by a query of its own."""
    words = sorted(expected.of(PlaceWord), key=lambda each: (-len(each.ids), each.word))
    rows = []
    for word in [words[0], words[1], words[-1]]:
        with tour.db.meter() as meter:
            standardise(Gazetteer(tour.db), f"{word.word}, United States")
        rows.append((word.word, len(word.ids), meter.calls, f"{meter.consumed.read:g}"))
    tour.note("A name in the United States, with an empty cache; each place of that name needs a query:")
    tour.table(["name", "places of it", "requests", "read units"], rows, right=(1, 2, 3))


def _new_place(tour: Tour, places: list[Place]) -> None:
    new = Place(
        id=max(each.id for each in places) + 1,
        full_name="Spring Hill, Alabama, United States",
        located_in=_alabama(places),
    )
    tour.run(Place.load([new]), alike([new]))
    plain = tour.steps[-1].consumed.write
    accented = Place(
        id=new.id + 1, full_name="Évreux-le-Neuf, Alabama, United States", located_in=new.located_in
    )
    tour.run(Place.load([accented]), alike([accented]))
    cost = tour.steps[-1].consumed.write
    tour.note(
        f"A place whose name has accents costs {cost:g} write units, with an entry in the second index; another "
        f"one {plain:g}.",
        holds=(plain, cost) == (2, 3),
    )
    tour.call("The first is stored under its word", lambda db: store_places(db, [new]), 1)
    tour.call(
        "The word finds it",
        lambda db: standardise(Gazetteer(db), "Spring Hill, Ala."),
        lambda result: result.place == new,
    )


def _alabama(places: list[Place]) -> int:
    return next(each.id for each in places if each.full_name == "Alabama, United States")


def word_size_steps(tour: Tour, expected: Expected) -> None:
    """Show how the list of a word grows, and where it ends."""
    tour.section("Words: all places of a name are in one item, which ends at 400 KB")
    words = sorted(word_lists(expected.of(Place)), key=lambda each: -len(each.ids))
    common = ", ".join(f"{each.word} ({len(each.ids)})" for each in words[:5])
    tour.note(f"The words that lead to most places: {common}.")
    rows = []
    for many in (1, 100, 1_000, 10_000, 100_000):
        size = _size(many)
        fits = "yes" if _fits(many) else "no"
        rows.append((f"{many:,}", f"{size:,}", f"{read_units(size) / 2:g}", f"{write_units(size):g}", fits))
    tour.table(["places", "bytes", "read units", "write units to add one", "fits"], rows, right=(0, 1, 2, 3))
    most = ITEM_BYTES * 10_000 // _size(10_000)
    tour.note(
        f"With ids of seven digits a word can have about {most:,} places. Each new one is a write of the whole list."
    )


def _word(many: int) -> PlaceWord:
    return PlaceWord(word="springfield", ids=set(range(1_000_001, 1_000_001 + many)))


def _size(many: int) -> int:
    return item_size(_word(many).to_item())


def _fits(many: int) -> bool:
    try:
        Put(_word(many))
    except PkskError:
        return False
    return True
