"""The generated data: references between items, and numbers that are never used again."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from examples.records.catalogue import Category, Collection, CollectionCategory, Post
from examples.records.data import gazetteer, generate, last_id, word_lists
from examples.records.data.generate import KINDS, line
from examples.records.data.names import MEN, WOMEN
from examples.records.people import User
from examples.records.places import Place, PlaceWord
from examples.records.registers import Record, RecordHousehold
from examples.records.system import system
from examples.records.tables import ids
from pksk import Store


@pytest.mark.parametrize("items", [100, 1000, 10_000])
def test_items_come_after_the_items_that_they_reference(items: int) -> None:
    seen: set[tuple[type, int]] = set()
    for each in generate(items):
        needed: list[tuple[type, int]] = []
        match each:
            case Place():
                needed = [(Place, above) for above in each.around(former=True)]
            case PlaceWord():
                needed = [(Place, place) for place in each.ids]
            case Collection():
                needed = [(Category, category) for category in each.categories]
            case CollectionCategory():
                needed = [(Collection, each.id), (Category, each.category_id)]
            case Post():
                needed = [(Collection, each.collection_id)]
            case Record():
                needed = [(Post, each.post_id)]
            case RecordHousehold():
                needed = [(Post, each.post_id), *((Record, record) for record in each.record_ids)]
        assert [what for what in needed if what not in seen] == []
        seen.add((type(each), getattr(each, "id", 0)))


@pytest.mark.parametrize("items", [100, 1000])
def test_links_match_the_categories_of_collections(items: int) -> None:
    made = list(generate(items))

    named = {
        (each.id, category) for each in made if isinstance(each, Collection) for category in each.categories
    }
    assert {(each.id, each.category_id) for each in made if isinstance(each, CollectionCategory)} == named


@pytest.mark.parametrize("items", [100, 777, 5000])
def test_the_last_id_is_known_without_generating(items: int) -> None:
    numbered = (Category, Collection, Post, Record, User)

    assert last_id(items) == max(each.id for each in generate(items) if isinstance(each, numbered))


def test_fathers_and_soldiers_are_men_mothers_are_women_and_a_man_marries_a_woman() -> None:
    random = Random(1)
    lines = {kind: [line(random, kind, "Here", 1850) for _ in range(300)] for kind in KINDS}

    for each in lines["Births"] + lines["Church"]:
        assert each["father"].split()[0] in MEN
        assert each["father"].split()[1] == each["surname"]
        assert each["mother"] in WOMEN
    for each in lines["Marriages"]:
        assert {each["given"] in WOMEN, each["spouse"].split()[0] in WOMEN} == {True, False}
    assert {each["given"] for each in lines["Military"]} <= set(MEN)
    assert not set(MEN) & set(WOMEN)
    assert {each["given"] in WOMEN for each in lines["Births"]} == {True, False}


def test_a_million_items_start_without_delay() -> None:
    assert len(list(islice(generate(1_000_000), 1000))) == 1000


def test_every_place_but_the_largest_is_inside_the_place_in_its_name() -> None:
    places = {each.id: each for each in gazetteer(1500)}

    for each in places.values():
        within = each.full_name.partition(", ")[2]
        above = "" if each.located_in is None else places[each.located_in].full_name
        assert above == within


def test_a_word_has_every_place_of_its_name() -> None:
    places = list(gazetteer(2000))
    words = {each.word: each.ids for each in word_lists(places)}

    assert words["springfield"] == {each.id for each in places if each.name == "Springfield"}
    assert words["salem"] == {each.id for each in places if each.name == "Salem"}
    assert len(words["springfield"]) > 10


def test_ids_continue_after_loaded_data_even_after_a_second_load(db: Store) -> None:
    system.load(db, 100)
    first = db.next(ids)
    system.load(db, 100)

    assert (first, db.next(ids)) == (last_id(100) + 1, last_id(100) + 2)
