"""Places: completed from their first letters, and standardised from free text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from examples.records.data import SETTINGS, gazetteer, word_lists
from examples.records.errors import InvalidInput
from examples.records.operations.gazetteer import Gazetteer
from examples.records.operations.places import complete_place, store_places
from examples.records.operations.standardise import joined, levels, standardise, standardise_all
from examples.records.places import Place, PlaceWord
from examples.records.plain_letters import plain_letters
from examples.records.steps.places import CASES
from examples.records.tables import records
from pksk import PkskError, Store, connect

PLACES = list(gazetteer(1200))
STORE = connect("memory:")


@pytest.fixture(scope="session", autouse=True)
def world() -> None:
    """A gazetteer that no test changes, once also where tests of other modules run between these."""
    STORE.create_tables(records)
    STORE.put(SETTINGS)
    STORE.batch_put(*PLACES)
    STORE.batch_put(*word_lists(PLACES))


def most_used(typed: str, most: int) -> list[Place]:
    """What completion must give, in plain Python."""
    first, *rest = [part.strip() for part in plain_letters(typed).split(",")]
    larger = [part for part in rest if part]
    fitting = [each for each in PLACES if plain_letters(each.full_name).startswith(first)]
    for place in list(fitting):
        rest = plain_letters(place.full_name).split(", ")[1:]
        for part in larger:
            while rest and not rest[0].startswith(part):
                rest.pop(0)
            if not rest:
                fitting.remove(place)
                break
            rest.pop(0)
    return sorted(fitting, key=lambda each: (-each.count, each.folded, each.id))[:most]


@pytest.mark.parametrize(
    "typed",
    [
        "ne",
        "New",
        "SPRING",
        "spring, wash",
        "spring, wash, united",
        "spring, united, wash",
        "lo",
        "zz",
        "perth , ",
        "England,",
        "England, ,",
        "spring,, united",
        "ev",
        "Évreux, EURE",
        "louv, évr",
        "ær",
    ],
)
def test_completion_returns_the_most_used_places_first(typed: str) -> None:
    assert complete_place(STORE, typed, 7) == most_used(typed, 7)


def test_completion_finds_something() -> None:
    assert [each.full_name for each in complete_place(STORE, "spring, ill", 1)] == [
        "Springfield, Sangamon, Illinois, United States"
    ]


def test_a_trailing_comma_changes_nothing() -> None:
    found = complete_place(STORE, "England,")

    assert found == complete_place(STORE, "England")
    assert "England" in [each.full_name for each in found]


@pytest.mark.parametrize("name", ["", "a", "Å, Norway", " Y , Somme, France", ", Alabama"])
def test_a_place_that_completion_could_not_find_is_rejected(name: str) -> None:
    with pytest.raises(ValidationError, match="begins with a name of less than 2 letters"):
        Place(id=1, full_name=name)


@pytest.mark.parametrize("typed", ["", "a", " a ", "a, Alabama", ","])
def test_less_than_two_letters_are_rejected(typed: str) -> None:
    with pytest.raises(InvalidInput, match="too short"):
        complete_place(STORE, typed)


def test_the_most_used_place_is_found_on_the_last_page(db: Store) -> None:
    name = "Sandy " + "long " * 150
    db.batch_put(*(Place(id=number, full_name=f"{name}{number:04d}") for number in range(700)))
    db.put(Place(id=9999, full_name="Sandy z", count=5))

    with db.meter() as meter:
        found = complete_place(db, "sandy", 1)

    assert [each.id for each in found] == [9999]
    assert meter.calls > 1


@pytest.mark.parametrize("text", CASES)
def test_a_written_place_is_understood(text: str) -> None:
    found = standardise(Gazetteer(STORE), text)

    assert (found.place and found.place.full_name, found.skipped) == CASES[text]


def test_every_place_is_found_by_its_full_name() -> None:
    found = standardise_all(Gazetteer(STORE), [each.full_name for each in PLACES])

    assert [each.place and each.place.full_name for each in found] == [each.full_name for each in PLACES]
    assert {each.skipped for each in found} == {()}


@given(st.text(alphabet="Alabm, Georgi.Spnfld'é\n", max_size=40))
@settings(max_examples=60, deadline=None)
def test_any_text_is_accepted_and_the_place_has_one_of_its_words(text: str) -> None:
    found = standardise(Gazetteer(STORE), text)

    if found.place is not None:
        names = {joined(name, SETTINGS) for name in (found.place.name, *found.place.also_named)}
        assert names & {each.name for level in levels(text, SETTINGS) for each in level.readings}


def test_cached_words_and_places_are_not_read_again() -> None:
    kept = Gazetteer(STORE)
    with STORE.meter() as first:
        standardise(kept, "Springfield, Illinois")
        standardise(kept, "Atlantis")
    with STORE.meter() as second:
        standardise(kept, "Springfield, Ill., Atlantis")

    assert first.calls > 10
    assert second.calls == 0


def test_a_small_cache_gives_the_same_answers_at_a_higher_cost() -> None:
    small = Gazetteer(STORE, most=2)

    found = standardise_all(small, CASES)

    assert [(each.place and each.place.full_name, each.skipped) for each in found] == list(CASES.values())


def test_a_word_of_a_deleted_place_finds_nothing(db: Store) -> None:
    db.put(PlaceWord(word="atlantis", ids={7}))

    assert standardise(Gazetteer(db), "Atlantis").place is None
    assert standardise(Gazetteer(db), "Atlantis, Atlantis").place is None


def test_places_inside_each_other_do_not_loop_forever(db: Store) -> None:
    store_places(
        db, [Place(id=1, full_name="Here", located_in=2), Place(id=2, full_name="There", located_in=1)]
    )

    assert standardise(Gazetteer(db), "Here, There").place == Place(id=1, full_name="Here", located_in=2)


def test_places_are_stored_under_all_their_names_once(db: Store) -> None:
    york = Place(id=1, full_name="New York, United States", also_named=["New Amsterdam", "new york"])
    for _ in range(2):
        assert store_places(db, [york]) == 2

    words = db.run(PlaceWord.several(["newyork", "newamsterdam", "york"]))
    assert [each and each.ids for each in words] == [{1}, {1}, None]
    assert store_places(db, []) == 0


def test_a_word_cannot_hold_a_hundred_thousand_places() -> None:
    with pytest.raises(PkskError) as caught:
        PlaceWord.enter("springfield", range(1_000_001, 1_100_001)).request  # noqa: B018 - it raises

    assert "400" in str(caught.value) or "409" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("Autauga Co., Ala.", [["autaugacounty", "autauga"], ["alabama"]]),
        ("near Old St. Stephens", [["oldsaintstephens", "saintstephens", "stephens"]]),
        ("Quebec, , Québec,", [["quebec"], ["quebec"]]),
        ("Salt Lake City", [["saltlakecity", "saltlake", "lake"]]),
        ("the County", [["county"]]),
        ("of the, ...", []),
    ],
)
def test_a_written_place_is_split_into_levels(text: str, readings: list[list[str]]) -> None:
    assert [[each.name for each in level.readings] for level in levels(text, SETTINGS)] == readings
