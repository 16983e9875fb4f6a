"""Categories and collections: links in one transaction, drift, and who came first."""

from __future__ import annotations

from random import Random

import pytest

from examples.records.catalogue import Category, Collection, CollectionCategory
from examples.records.errors import ChangedMeanwhile, InUse, InvalidInput, LinksDiffer, Missing
from examples.records.operations.catalogue import (
    add_category,
    add_collection,
    add_post,
    change_collection,
    drop_category,
    drop_collection,
    read_collection,
    rename_category,
    repair_links,
)
from pksk import Store


def links(db: Store, category_id: int) -> set[int]:
    return {each.id for each in db.iter(CollectionCategory.of_category(category_id))}


def test_a_renamed_category_is_listed_only_under_its_new_name(db: Store) -> None:
    births = add_category(db, "Births")
    add_category(db, "Census")

    rename_category(db, births, "Wills")

    assert [each.name for each in db.iter(Category.every())] == ["Census", "Wills"]


def test_renaming_an_outdated_category_raises_an_error_with_the_stored_item(db: Store) -> None:
    read = add_category(db, "Births")
    rename_category(db, read, "Baptisms")

    with pytest.raises(ChangedMeanwhile) as caught:
        rename_category(db, read, "Christenings")

    assert isinstance(caught.value.stored, Category)
    assert caught.value.stored.name == "Baptisms"


def test_renaming_a_missing_category_creates_nothing(db: Store) -> None:
    with pytest.raises(Missing, match=r"There is no category 7\."):
        rename_category(db, Category(id=7, name="Births"), "Deaths")

    assert list(db.iter(Category.every())) == []


def test_a_category_without_collections_can_be_deleted(db: Store) -> None:
    births = add_category(db, "Births")
    collection = add_collection(db, "Alabama", [births.id])

    with pytest.raises(InUse, match=f"is in use by collection {collection.id}"):
        drop_category(db, births.id)
    drop_collection(db, collection)
    drop_category(db, births.id)

    assert list(db.iter(Category.every())) == []
    with pytest.raises(Missing):
        drop_category(db, births.id)


def test_a_collection_in_a_missing_category_names_it_and_stores_nothing(db: Store) -> None:
    births = add_category(db, "Births")

    with pytest.raises(Missing) as caught:
        add_collection(db, "Alabama", [births.id, 998, 999])

    assert (caught.value.kind, caught.value.key) == ("category", 998)
    assert list(db.iter(Collection.every())) == []
    assert links(db, births.id) == set()


def test_changing_a_category_deletes_one_link_and_adds_one(db: Store) -> None:
    one, two, three = (add_category(db, name).id for name in "abc")
    collection = add_collection(db, "Alabama", [one, two])

    changed = change_collection(db, collection, categories=[two, three])

    assert read_collection(db, collection.id) == changed
    assert [links(db, each) for each in (one, two, three)] == [set(), {collection.id}, {collection.id}]


def test_the_second_of_two_concurrent_changes_changes_no_link(db: Store) -> None:
    one, two, three = (add_category(db, name).id for name in "abc")
    read = add_collection(db, "Alabama", [one])
    change_collection(db, read, categories=[two])

    with pytest.raises(ChangedMeanwhile):
        change_collection(db, read, categories=[three])

    assert read_collection(db, read.id).categories == [two]
    assert links(db, three) == set()


def test_more_links_than_a_transaction_takes_are_rejected_before_anything_is_sent(db: Store) -> None:
    many = [add_category(db, str(number)).id for number in range(50)]

    with pytest.raises(InvalidInput, match="50 categories more and 0 fewer are 101 writes"):
        add_collection(db, "Alabama", many)

    collection = add_collection(db, "Alabama", many[:49])
    others = [add_category(db, str(number)).id for number in range(40)]
    with pytest.raises(InvalidInput, match="Do it in two steps"):
        change_collection(db, collection, categories=others)
    assert read_collection(db, collection.id) == collection


def test_a_lost_link_is_found_and_repaired(db: Store) -> None:
    one, two = (add_category(db, name).id for name in "ab")
    collection = add_collection(db, "Alabama", [one])
    db.delete(CollectionCategory.primary.delete(id=collection.id, category_id=one))
    db.put(CollectionCategory(id=collection.id, category_id=two))

    with pytest.raises(LinksDiffer) as drifted:
        read_collection(db, collection.id)
    repair_links(db, collection.id)

    assert (drifted.value.named, drifted.value.linked) == ({one}, {two})
    assert read_collection(db, collection.id).categories == [one]
    assert (links(db, one), links(db, two)) == ({collection.id}, set())


def test_a_collection_with_posts_cannot_be_deleted(db: Store) -> None:
    collection = add_collection(db, "Alabama", [])
    post = add_post(db, collection.id, "1850")

    with pytest.raises(InUse, match=f"is in use by post {post.id}"):
        drop_collection(db, collection)

    assert read_collection(db, collection.id) == collection


@pytest.mark.parametrize("number", range(3))
def test_any_sequence_of_changes_matches_a_dictionary(db: Store, number: int) -> None:
    random = Random(number)
    model: dict[int, set[int]] = {}
    categories = [add_category(db, f"c{each}").id for each in range(6)]
    stored: dict[int, Collection] = {}
    for _ in range(40):
        chosen = set(random.sample([*categories, 999], random.randint(0, 4)))
        try:
            if not stored or random.random() < 0.4:
                made = add_collection(db, "x", chosen)
                stored[made.id], model[made.id] = made, chosen
            elif random.random() < 0.8:
                one = random.choice(list(stored))
                stored[one] = change_collection(db, stored[one], categories=chosen)
                model[one] = chosen
            else:
                one = random.choice(list(stored))
                drop_collection(db, stored.pop(one))
                del model[one]
        except Missing:
            assert 999 in chosen

    assert {each.id: set(each.categories) for each in db.iter(Collection.every())} == model
    for category in categories:
        assert links(db, category) == {one for one, chosen in model.items() if category in chosen}
    assert [read_collection(db, one).id for one in model] == list(model)
