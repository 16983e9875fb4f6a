"""Curates the catalogue: categories, and collections with the links that say which categories they are in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pksk import ConditionFailed, Store, Transaction, TransactionFailed

from . import catalogue
from .catalogue import Category, Collection, CollectionCategory, Post
from .refusals import Drifted, InUse, Missing, Unfit, of_members, of_one
from .table import ids

__all__ = [
    "add_category",
    "add_collection",
    "change_collection",
    "drop_category",
    "drop_collection",
    "mend_collection",
    "read_collection",
    "rename_category",
]

# Of a transaction: the collection, a check and a link for each new category, and a link that goes for each old one.
MOST_WRITES = 100


def add_category(db: Store, name: str) -> Category:
    """A new category, under the next number."""
    return db.run(Category.add(Category(id=db.next(ids), name=name)))


def rename_category(db: Store, read: Category, name: str) -> Category:
    """Another name for a category that was read, unless somebody else has changed it since."""
    try:
        return db.run(Category.change(read.model_copy(update={"name": name})))
    except ConditionFailed as failed:
        raise of_one(failed, "category", read.id) from failed


def drop_category(db: Store, category_id: int) -> None:
    """Take away a category that no collection is in.

    That is asked through the index, which follows the table a moment later: a collection of that very moment is not
    seen, and then names a category that is gone.
    """
    link = db.first(CollectionCategory.of_category(category_id))
    if link is not None:
        raise InUse("category", category_id, f"collection {link.id}")
    if db.run(Category.drop(category_id)) is None:
        raise Missing("category", category_id)


def add_collection(db: Store, name: str, categories: Iterable[int]) -> Collection:
    """A new collection with its links; all its categories must be there."""
    chosen = _chosen(categories)
    _check_size(chosen, [])
    collection = Collection(id=db.next(ids), name=name, categories=chosen)
    members = [*(("category", each) for each in chosen), ("collection", collection.id)]
    try:
        return _stored(db, catalogue.add_collection(collection))
    except TransactionFailed as failed:
        raise of_members(failed, members) from failed


def read_collection(db: Store, collection_id: int) -> Collection:
    """A collection, of which one read tells whether its links are what it says they are."""
    collection, linked = _with_links(db, collection_id)
    if set(collection.categories) != linked:
        # A query may meet a transaction of which it sees a part; the second one cannot meet the same.
        collection, linked = _with_links(db, collection_id)
    if set(collection.categories) != linked:
        raise Drifted(collection_id, set(collection.categories), linked)
    return collection


def change_collection(
    db: Store, read: Collection, *, name: str | None = None, categories: Iterable[int] | None = None
) -> Collection:
    """Another name or other categories for a collection that was read; links come and go in the same transaction."""
    chosen = read.categories if categories is None else _chosen(categories)
    added = [each for each in chosen if each not in read.categories]
    removed = [each for each in read.categories if each not in chosen]
    changed = read.model_copy(update={"name": read.name if name is None else name, "categories": chosen})
    return _write(db, changed, added, removed)


def mend_collection(db: Store, collection_id: int) -> Collection:
    """Links as the collection says they are, where the two have drifted apart."""
    collection, linked = _with_links(db, collection_id)
    named = set(collection.categories)
    return _write(db, collection, sorted(named - linked), sorted(linked - named))


def drop_collection(db: Store, read: Collection) -> None:
    """Take away a collection that was read, with its links; not while it has posts, as far as the index knows."""
    post = db.first(Post.of_collection(read.id))
    if post is not None:
        raise InUse("collection", read.id, f"post {post.id}")
    try:
        db.run(catalogue.drop_collection(read))
    except TransactionFailed as failed:
        raise of_members(failed, [("collection", read.id)]) from failed


def _with_links(db: Store, collection_id: int) -> tuple[Collection, set[int]]:
    found = list(db.iter(catalogue.collection_with_links(collection_id).consistently()))
    collections = [each for each in found if isinstance(each, Collection)]
    if not collections:
        raise Missing("collection", collection_id)
    return collections[0], {each.category_id for each in found if isinstance(each, CollectionCategory)}


def _write(db: Store, collection: Collection, added: list[int], removed: list[int]) -> Collection:
    _check_size(added, removed)
    members = [*(("category", each) for each in added), ("collection", collection.id)]
    try:
        return _stored(db, catalogue.change_collection(collection, added, removed))
    except TransactionFailed as failed:
        raise of_members(failed, members) from failed


def _stored(db: Store, write: Transaction) -> Collection:
    return next(each for each in db.run(write) if isinstance(each, Collection))


def _chosen(categories: Iterable[int]) -> list[int]:
    return sorted(set(categories))


def _check_size(added: Sequence[int], removed: Sequence[int]) -> None:
    """Refuse what one transaction cannot do: two halves would leave a collection that is linked in part."""
    writes = 1 + 2 * len(added) + len(removed)
    if writes > MOST_WRITES:
        raise Unfit(
            f"{len(added)} categories more and {len(removed)} fewer are {writes} writes at once; "
            f"{MOST_WRITES} can be. Do it in two steps."
        )
