"""The catalogue: categories, collections and their links, posts."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pksk import Store

from ...tour import Tour
from ..catalogue import Category, Collection, CollectionCategory, Post, collection_with_links
from ..expected import Expected, alike, error_of, same
from ..operations import catalogue as operations
from ..people import User
from ..tables import records

_MISSING_ID = 9_999_999


def catalogue_steps(tour: Tour, expected: Expected) -> None:
    """Read categories and collections, change them, and run into conflicts."""
    tour.section("Catalogue: a collection, its links to categories, and what is checked in one transaction")
    _categories(tour, expected)
    _collections(tour, expected)
    _changes(tour, expected)
    _drift(tour, expected)


def _categories(tour: Tour, expected: Expected) -> None:
    categories = expected.of(Category)
    tour.run(Category.every(), alike(sorted(categories, key=lambda each: each.name)))
    chosen = [each.id for each in categories[:3]]
    tour.run(Category.several(chosen), alike(categories[:3]))
    maps = Category(id=expected.next_id(), name="Maps")
    tour.call("A new category", lambda db: operations.add_category(db, maps.name), same(maps))
    read = tour.run(Category.several([maps.id]), alike([maps]))[0]
    atlas = maps.model_copy(update={"name": "Atlases"})
    tour.call("It is renamed", lambda db: operations.rename_category(db, read, atlas.name), same(atlas))
    tour.call(
        "Renaming it again as it was first read raises an error",
        error_of(lambda db: operations.rename_category(db, read, "Charts")),
        f"The category {maps.id} has changed since it was read.",
    )
    names = sorted([*categories, atlas], key=lambda each: each.name)
    tour.run(Category.every(), alike(names), title="The list has it once, under its new name")
    tour.call(
        "It is deleted, since no collection is in it", lambda db: operations.drop_category(db, maps.id), None
    )


def _collections(tour: Tour, expected: Expected) -> None:
    collections, links = expected.of(Collection), expected.of(CollectionCategory)
    tour.run(Collection.every(), alike(collections, by=lambda each: each.name))
    tour.run(Collection.several([each.id for each in collections[:2]]), alike(collections[:2]))
    category = links[0].category_id
    of_category = [each for each in links if each.category_id == category]
    tour.run(CollectionCategory.of_category(category), alike(of_category, by=lambda each: str(each.id)))
    one = collections[0]
    linked = [each for each in links if each.id == one.id]
    tour.run(
        collection_with_links(one.id), alike([one, *sorted(linked, key=lambda each: str(each.category_id))])
    )


def _changes(tour: Tour, expected: Expected) -> None:
    first, second, third = (each.id for each in expected.of(Category)[:3])
    collection = Collection(id=expected.next_id(), name="Letters", categories=[first, second])
    tour.call(
        "A new collection",
        lambda db: operations.add_collection(db, collection.name, collection.categories),
        same(collection),
    )
    expected.next_id()  # An id is drawn before the transaction fails, so there is a gap.
    tour.call(
        "A collection in a missing category raises an error",
        error_of(lambda db: operations.add_collection(db, "Diaries", [first, _MISSING_ID])),
        f"There is no category {_MISSING_ID}.",
    )
    read = tour.call("It is read", lambda db: operations.read_collection(db, collection.id), same(collection))
    changed = collection.model_copy(update={"categories": [second, third]})
    tour.call(
        "It moves from one category to another: one link is deleted, one added",
        lambda db: operations.change_collection(db, read, categories=changed.categories),
        same(changed),
    )
    tour.call(
        "Changing it again as it was first read raises an error",
        error_of(lambda db: operations.change_collection(db, read, name="Old letters")),
        f"The collection {collection.id} has changed since it was read.",
    )
    tour.call(
        "Deleting a category that is in use raises an error",
        error_of(lambda db: operations.drop_category(db, third)),
        lambda answer: answer.startswith(f"The category {third} is in use by collection "),
    )
    read = tour.call(
        "The collection is read again",
        lambda db: operations.read_collection(db, collection.id),
        same(changed),
    )
    tour.call("It is deleted with its links", lambda db: operations.drop_collection(db, read), None)
    tour.call(
        "Reading the deleted collection raises an error",
        error_of(lambda db: operations.read_collection(db, collection.id)),
        f"There is no collection {collection.id}.",
    )


def _drift(tour: Tour, expected: Expected) -> None:
    one = expected.of(Collection)[0]
    lost = one.categories[0]
    remaining = sorted(set(one.categories) - {lost})
    tour.db.delete(CollectionCategory.primary.delete(id=one.id, category_id=lost))
    tour.call(
        "A link was deleted by hand, and reading notices",
        error_of(lambda db: operations.read_collection(db, one.id)),
        f"The collection {one.id} names the categories {one.categories} and is linked to {remaining}.",
    )
    tour.call("The links are repaired", lambda db: operations.repair_links(db, one.id), same(one))
    tour.call("Now the two agree", lambda db: operations.read_collection(db, one.id), same(one))


def post_steps(tour: Tour, expected: Expected) -> None:
    """Read posts, and take one through its states."""
    tour.section(
        "Posts: few enough for one partition of the index, which lists all posts or those of a collection"
    )
    stored = expected.of(Post)
    one = stored[0]
    tour.run(Post.one(one.id), same(one))
    tour.run(Post.every(), alike(stored, by=lambda each: str(each.collection_id)))
    of_collection = [each for each in stored if each.collection_id == one.collection_id]
    tour.run(
        Post.of_collection(one.collection_id), alike(of_collection, by=lambda each: str(each.collection_id))
    )
    new_post = Post(id=expected.next_id(), collection_id=one.collection_id, name="Births 1899")
    read = tour.call(
        "A new post",
        lambda db: operations.add_post(db, new_post.collection_id, new_post.name),
        same(new_post),
    )
    expected.next_id()
    tour.call(
        "A post of a missing collection raises an error",
        error_of(lambda db: operations.add_post(db, _MISSING_ID, "Births 1900")),
        f"There is no collection {_MISSING_ID}.",
    )
    renamed = new_post.model_copy(update={"name": "Births 1898 and 1899"})
    tour.call("It is renamed", lambda db: operations.change_post(db, read, name=renamed.name), same(renamed))
    requested = renamed.model_copy(update={"status": "Publication Requested"})
    tour.call(
        "Its publication is requested",
        lambda db: operations.proceed(db, new_post.id, "Publication Requested"),
        same(requested),
    )
    tour.call(
        "Publishing it before it is in the state for that raises an error",
        error_of(lambda db: operations.proceed(db, new_post.id, "Published")),
        f"The post {new_post.id} is 'Publication Requested', and cannot become 'Published'.",
    )
    tour.call("It is deleted; it has no records", lambda db: operations.drop_post(db, new_post.id), 0)


_INDEX, _PLAIN_INDEX = (each.name for each in records.indexes)


def index_steps(tour: Tour, expected: Expected) -> None:
    """Count the items of each kind in the table and in both indexes."""
    tour.section(
        "The indexes: items without altSort are not in the first, and the second has names with accents"
    )
    items = [each.to_item() for each in expected.everything]
    in_table = Counter(_kind(each) for each in items) + Counter(sequence=1, unique=len(expected.of(User)))
    in_index = Counter(_kind(each) for each in items if "altSort" in each)
    in_plain = Counter(_kind(each) for each in items if "plainName" in each)
    item_counts = tour.call(
        "Items by kind, in the table and its indexes", counted, (in_table, in_index, in_plain)
    )
    rows = [(kind, *(f"{counts[kind]:,}" for counts in item_counts)) for kind in sorted(item_counts[0])]
    tour.table(["kind", "in the table", "by altSort", "by plain name"], rows, right=(1, 2, 3))


def counted(db: Store) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """How many items of each kind are in the table, in its index, and in the index of plain names."""
    in_table, in_index, in_plain = (
        Counter(map(_kind, _rows(db, **of)))
        for of in ({}, {"IndexName": _INDEX}, {"IndexName": _PLAIN_INDEX})
    )
    return in_table, in_index, in_plain


def _rows(db: Store, **more: Any) -> list[dict[str, Any]]:
    """All items, read past the store, which never reads an index as a whole."""
    rows: list[dict[str, Any]] = []
    request = {"TableName": records.name, "ProjectionExpression": "sk", **more}
    while True:
        answer = db.client.call("Scan", request)
        rows += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return rows
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def _kind(item: dict[str, Any]) -> str:
    kind: str = item["sk"]["S"].split("#")[0]
    return kind
