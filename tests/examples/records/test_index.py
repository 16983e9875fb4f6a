"""The index: its entries, items that it leaves out, and that no write loses an entry."""

from __future__ import annotations

from collections import Counter

from examples.records.catalogue import Category, Collection, Post
from examples.records.data import generate
from examples.records.places import Place
from examples.records.steps.catalogue import counted
from pksk import Store
from tests.examples.records.conftest import ITEMS


def test_items_without_an_index_sort_key_are_not_in_the_index(loaded_store: Store) -> None:
    in_table, in_index, _ = counted(loaded_store)

    left_out = {"placeWord", "placeSettings", "givenNameVariants", "surnameVariants", "sequence", "unique"}
    assert in_table.keys() - in_index.keys() == left_out
    assert all(in_index[kind] == many for kind, many in in_table.items() if kind not in left_out)
    made = Counter(type(each).__name__ for each in generate(ITEMS))
    assert (in_index["place"], in_index["record_post"]) == (made["Place"], made["Record"])


def test_an_update_of_any_field_keeps_every_entity_in_the_index(loaded_store: Store) -> None:
    category = next(iter(loaded_store.iter(Category.every())))
    collection = next(iter(loaded_store.iter(Collection.every())))
    post = next(iter(loaded_store.iter(Post.every())))
    place = next(iter(loaded_store.iter(Place.beginning("al")[0])))
    before = counted(loaded_store)

    loaded_store.update(Category.primary.update(id=category.id).set(name="Zebras"))
    loaded_store.update(Collection.primary.update(id=collection.id).set(name="Zebras"))
    loaded_store.update(Post.primary.update(id=post.id).set(name="Zebras"))
    loaded_store.update(Place.primary.update(id=place.id, folded=place.folded).add(count=1))

    assert counted(loaded_store) == before
    assert [each.name for each in loaded_store.iter(Category.every())][-1] == "Zebras"


def test_a_place_and_a_category_may_have_the_same_number(loaded_store: Store) -> None:
    place = next(loaded_store.iter(Place.several([1])[0]))
    (category,) = loaded_store.batch_get(Category.primary.get(id=1))

    assert (place.full_name, category and category.name) == ("United States", "Births")


def test_lists_are_read_to_the_last_page_for_any_page_size(loaded_store: Store) -> None:
    posts = list(loaded_store.iter(Post.every()))

    assert list(loaded_store.iter(Post.every().pages(1))) == posts
    assert len(posts) == sum(isinstance(each, Post) for each in generate(ITEMS))
