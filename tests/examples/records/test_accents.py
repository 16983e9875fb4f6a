"""Completion ignores accents and case, while stored keys keep them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Literal, get_args
from unicodedata import normalize

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from examples.records.operations.places import complete_place, store_places
from examples.records.places import Place, PlaceWord
from examples.records.plain_letters import plain_letters
from examples.records.tables import records
from pksk import Store, connect

NAMES = [
    "Évreux, Eure, France",
    "İstanbul, Türkiye",
    "Łódź, Polska",
    "Straßwalchen, Österreich",
    "Evian, France",
]
ALL_CHARACTERS = "".join(filter(str.isprintable, map(chr, range(sys.maxunicode + 1))))
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
FORMS: tuple[Form, ...] = get_args(Form)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("evr", ["Évreux, Eure, France"]),
        ("EVR", ["Évreux, Eure, France"]),
        ("évr", ["Évreux, Eure, France"]),
        ("E\u0301vr", ["Évreux, Eure, France"]),
        ("ev", ["Evian, France", "Évreux, Eure, France"]),
        ("Ëv", ["Evian, France", "Évreux, Eure, France"]),
        ("év, eure", ["Évreux, Eure, France"]),
        ("ista", ["İstanbul, Türkiye"]),
        ("ISTA", ["İstanbul, Türkiye"]),
        ("İsta", ["İstanbul, Türkiye"]),
        ("ısta", ["İstanbul, Türkiye"]),  # noqa: RUF001 - the letter without a dot is what is tested
        ("istanbul, turk", ["İstanbul, Türkiye"]),
        ("lodz", ["Łódź, Polska"]),
        ("ŁÓ", ["Łódź, Polska"]),
        ("Ło\u0301dz\u0301", ["Łódź, Polska"]),
        ("strass", ["Straßwalchen, Österreich"]),
        ("straß", ["Straßwalchen, Österreich"]),
        ("STRAẞ", ["Straßwalchen, Österreich"]),
        ("straßwalchen, ost", ["Straßwalchen, Österreich"]),
        ("evz", []),
    ],
)
def test_a_name_is_found_with_and_without_accents(typed: str, found: list[str], db: Store) -> None:
    for form in ("NFC", "NFD"):
        db.batch_put(*(Place(id=n, full_name=normalize(form, name)) for n, name in enumerate(NAMES)))

        names = [normalize("NFC", each.full_name) for each in complete_place(db, typed)]
        assert names == found
        db.batch_delete(*(Place(id=n, full_name=normalize(form, name)) for n, name in enumerate(NAMES)))


PARTS = st.text("aeinost EÉİIıŁßẞÆøþΣς,.-'\u0301\u0307\u0328\u00a0\ufb01\uff0c\ud55c", max_size=7)  # noqa: RUF001
ANY_PARTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


@st.composite
def stored_places(draw: st.DrawFn) -> list[Place]:
    """Up to five places whose names completion can find."""
    names = draw(st.lists(st.lists(PARTS | ANY_PARTS, min_size=1, max_size=3).map(", ".join), max_size=5))
    return [place for number, name in enumerate(names) if (place := findable(number, name)) is not None]


def findable(number: int, name: str) -> Place | None:
    try:
        return Place(id=number, full_name=name, count=number % 2)
    except ValidationError:
        return None


def beginnings(text: str) -> Iterator[str]:
    """All beginnings of a text that have two letters before the first comma."""
    for end in range(1, len(text) + 1):
        if len(plain_letters(text[:end]).partition(",")[0].strip()) >= 2:
            yield text[:end]


def begins_so(name: str, typed: str) -> bool:
    """Whether a name begins with the typed text, part by part; parts in between may be left out."""
    first, *larger = [part.strip() for part in plain_letters(typed).split(",")]
    own, *around = [part.strip() for part in plain_letters(name).split(",")]
    for part in filter(None, larger):
        while around and not around[0].startswith(part):
            around.pop(0)
        if not around:
            return False
        around.pop(0)
    return own.startswith(first)


@given(stored_places())
@example([Place(id=1, full_name="Évreux, Eure"), Place(id=2, full_name="E\u0301vre , Ævre")])
@example([Place(id=1, full_name=" Sao Tomé,Príncipe"), Place(id=2, full_name="Æ")])
@settings(max_examples=40, deadline=None)
def test_every_beginning_of_a_name_finds_exactly_the_places_that_begin_so(places: list[Place]) -> None:
    assume(places)
    with connect("memory:") as db:
        db.create_tables(records)
        db.batch_put(*places)

        for place in places:
            plain = plain_letters(place.full_name).lstrip()
            for typed in {*beginnings(plain), *beginnings(place.full_name)}:
                found = complete_place(db, typed, 100)

                assert place in found
                assert {each.id for each in found} == {
                    each.id for each in places if begins_so(each.full_name, typed)
                }
                assert len(found) == len({each.id for each in found})


@given(stored_places(), st.sampled_from(FORMS), st.sampled_from([str.lower, str.title]))
@settings(max_examples=30, deadline=None)
def test_a_name_typed_in_another_form_or_case_finds_the_same(
    places: list[Place], form: Form, change: Callable[[str], str]
) -> None:
    assume(places)
    with connect("memory:") as db:
        db.create_tables(records)
        db.batch_put(*places)

        for place in places:
            typed = normalize(form, change(place.full_name))
            assert complete_place(db, typed, 100) == complete_place(db, place.full_name, 100)


def test_plain_letters_are_the_same_in_every_case_and_form_and_when_applied_again() -> None:
    plain = plain_letters(ALL_CHARACTERS)

    assert plain_letters(plain) == plain
    assert plain_letters(ALL_CHARACTERS.lower()) == plain
    assert [form for form in FORMS if plain_letters(normalize(form, ALL_CHARACTERS)) != plain] == []


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
def test_the_beginning_of_a_text_is_the_beginning_of_its_plain_letters(first: str, rest: str) -> None:
    assert plain_letters(first + rest) == plain_letters(first) + plain_letters(rest)


def test_european_letters_become_plain_ones() -> None:
    letters = "àáâãäåāăąæçćčďđðèéêëēęěğħìíîïīłñńňŋòóôõöøōőœŕřśşšșßţťțŧùúûüūůűųýÿźżžþ"

    assert plain_letters(letters).isascii()
    assert plain_letters(letters.upper()) == plain_letters(letters)


def test_keys_keep_accents_and_plain_names_are_not_in_the_second_index() -> None:
    accented, plain = (Place(id=1, full_name=name).to_item() for name in ("Évreux, France", "Evry, Orléans"))

    assert (accented["sk"], accented["altSort"]) == ({"S": "place#év"}, {"S": "évreux, france"})
    assert (accented["plainStart"], accented["plainName"]) == ({"S": "place#ev"}, {"S": "evreux"})
    assert plain.keys() & {"plainStart", "plainName"} == set()


def test_a_renamed_place_is_found_under_its_new_name_and_leaves_the_index_without_accents(db: Store) -> None:
    db.put(Place(id=1, full_name="Saint-Évre, France"))
    rename = Place.primary.update(id=1, folded="sa")

    db.update(rename.set(full_name="Saint-Òrens, France"))
    assert [len(complete_place(db, typed)) for typed in ("saint-e", "saint-o")] == [0, 1]
    db.update(rename.set(full_name="Saint-Yrieix, France"))
    assert [len(complete_place(db, typed)) for typed in ("saint-o", "saint-y")] == [0, 1]
    (query,) = Place.beginning("saint")[1:]
    assert db.run(query) == []


def test_places_that_were_stored_before_the_second_index_enter_it_by_a_refresh(db: Store) -> None:
    for number, name in enumerate(NAMES):
        item = Place(id=number, full_name=name).to_item()
        older = {key: wire for key, wire in item.items() if key not in ("plainStart", "plainName")}
        db.client.call("PutItem", {"TableName": records.name, "Item": older})
    assert complete_place(db, "evr") == []

    done = db.refresh(Place.scan())

    assert done.attributes == {"plainStart": 4, "plainName": 4}
    assert [place.full_name for place in complete_place(db, "evr")] == ["Évreux, Eure, France"]


def test_accents_cost_a_write_unit_and_each_completion_half_a_read_unit(db: Store) -> None:
    costs = []
    for name in ("Evry, France", "Évreux, France"):
        with db.meter() as meter:
            db.put(Place(id=1, full_name=name))
        costs.append(meter.consumed.write)
    with db.meter() as meter:
        complete_place(db, "evr")

    assert costs == [2, 3]
    assert (meter.calls, meter.consumed.charge_of("records", "gsi_plainStart_plainName").read) == (2, 0.5)


def test_words_of_places_have_plain_letters(db: Store) -> None:
    store_places(db, [Place(id=1, full_name="Łódź, Polska")])

    (word,) = db.run(PlaceWord.several(["lodz"]))
    assert word is not None
    assert word.ids == {1}
