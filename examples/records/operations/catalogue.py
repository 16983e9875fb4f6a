"""Curates the catalogue: categories, and collections with the links that say which categories they are in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pksk import ConditionFailed, NotFound, Store, Transaction, TransactionFailed

from .. import catalogue
from ..catalogue import Category, Collection, CollectionCategory, Post, Status
from ..errors import InUse, InvalidInput, LinksDiffer, Missing, error_of_transaction, error_of_write
from ..registers import Record, RecordHousehold
from ..tables import ids

# Members of a transaction: the collection, a check and a link for each new category, and a deletion for each old
# one.
MOST_WRITES = 100


def add_category(db: Store, name: str) -> Category:
    """Add a category with the next id."""
    return db.run(Category.add(Category(id=db.next(ids), name=name)))


def rename_category(db: Store, read: Category, name: str) -> Category:
    """Rename a category, unless it has changed since it was read."""
    try:
        return db.run(Category.change(read.model_copy(update={"name": name})))
    except ConditionFailed as failed:
        raise error_of_write(failed, "category", read.id) from failed


def drop_category(db: Store, category_id: int) -> None:
    """Delete a category that no collection is in.

    This is checked in the index, which lags: a collection added at the same moment is not noticed, and then names a
    category that is deleted.
    """
    link = db.first(CollectionCategory.of_category(category_id))
    if link is not None:
        raise InUse("category", category_id, f"collection {link.id}")
    if db.run(Category.drop(category_id)) is None:
        raise Missing("category", category_id)


def add_collection(db: Store, name: str, categories: Iterable[int]) -> Collection:
    """Add a collection with its links; all its categories must exist."""
    chosen = _chosen(categories)
    _check_size(chosen, [])
    collection = Collection(id=db.next(ids), name=name, categories=chosen)
    members = [*(("category", each) for each in chosen), ("collection", collection.id)]
    try:
        return _stored(db, catalogue.add_collection(collection))
    except TransactionFailed as failed:
        raise error_of_transaction(failed, members) from failed


def read_collection(db: Store, collection_id: int) -> Collection:
    """Read a collection; the same read checks that its links agree with it."""
    collection, linked = _with_links(db, collection_id)
    if set(collection.categories) != linked:
        # A query may see part of a running transaction; a second query cannot see the same one.
        collection, linked = _with_links(db, collection_id)
    if set(collection.categories) != linked:
        raise LinksDiffer(collection_id, set(collection.categories), linked)
    return collection


def change_collection(
    db: Store, read: Collection, *, name: str | None = None, categories: Iterable[int] | None = None
) -> Collection:
    """Change the name or the categories of a collection; links are added and deleted in the same transaction."""
    chosen = read.categories if categories is None else _chosen(categories)
    added = [each for each in chosen if each not in read.categories]
    removed = [each for each in read.categories if each not in chosen]
    changed = read.model_copy(update={"name": read.name if name is None else name, "categories": chosen})
    return _write(db, changed, added, removed)


def repair_links(db: Store, collection_id: int) -> Collection:
    """Repair links that do not agree with their collection."""
    collection, linked = _with_links(db, collection_id)
    named = set(collection.categories)
    return _write(db, collection, sorted(named - linked), sorted(linked - named))


def drop_collection(db: Store, read: Collection) -> None:
    """Delete a collection with its links, but not while it has posts, as far as the index shows."""
    post = db.first(Post.of_collection(read.id))
    if post is not None:
        raise InUse("collection", read.id, f"post {post.id}")
    try:
        db.run(catalogue.drop_collection(read))
    except TransactionFailed as failed:
        raise error_of_transaction(failed, [("collection", read.id)]) from failed


def _with_links(db: Store, collection_id: int) -> tuple[Collection, set[int]]:
    items = list(db.iter(catalogue.collection_with_links(collection_id).consistently()))
    collections = [each for each in items if isinstance(each, Collection)]
    if not collections:
        raise Missing("collection", collection_id)
    return collections[0], {each.category_id for each in items if isinstance(each, CollectionCategory)}


def _write(db: Store, collection: Collection, added: list[int], removed: list[int]) -> Collection:
    _check_size(added, removed)
    members = [*(("category", each) for each in added), ("collection", collection.id)]
    try:
        return _stored(db, catalogue.change_collection(collection, added, removed))
    except TransactionFailed as failed:
        raise error_of_transaction(failed, members) from failed


def _stored(db: Store, write: Transaction) -> Collection:
    return next(each for each in db.run(write) if isinstance(each, Collection))


def _chosen(categories: Iterable[int]) -> list[int]:
    return sorted(set(categories))


def _check_size(added: Sequence[int], removed: Sequence[int]) -> None:
    """Raise an error for more changes than one transaction takes: two halves could leave links incomplete."""
    writes = 1 + 2 * len(added) + len(removed)
    if writes > MOST_WRITES:
        raise InvalidInput(
            f"{len(added)} categories more and {len(removed)} fewer are {writes} writes at once; "
            f"{MOST_WRITES} can be. Do it in two steps."
        )


# The states from which a post can get into another one.
BEFORE: Final[dict[Status, tuple[Status, ...]]] = {
    "Publication Requested": ("Draft", "Publish Error"),
    "Publishing": ("Publication Requested",),
    "Published": ("Publishing",),
    "Publish Error": ("Publishing", "Unpublishing"),
    "Unpublishing": ("Published",),
    "Draft": ("Unpublishing",),
}


def add_post(db: Store, collection_id: int, name: str) -> Post:
    """Add a post with a name to an existing collection."""
    _check_name(name)
    post = Post(id=db.next(ids), collection_id=collection_id, name=name)
    try:
        return db.run(Post.add(post))
    except ConditionFailed as failed:
        raise error_of_write(failed, "post", post.id) from failed


def change_post(db: Store, read: Post, *, name: str | None = None, collection_id: int | None = None) -> Post:
    """Change the name or the collection of a post, unless it has changed since it was read."""
    if name is not None:
        _check_name(name)
    fields = {"name": name, "collection_id": collection_id}
    changes = {field: value for field, value in fields.items() if value is not None}
    try:
        return db.run(Post.change(read.model_copy(update=changes)))
    except ConditionFailed as failed:
        raise error_of_write(failed, "post", read.id) from failed


def _check_name(name: str) -> None:
    if not name.strip():
        raise InvalidInput("A post needs a name, to tell it from others.")


def proceed(db: Store, post_id: int, status: Status) -> Post:
    """Move a post to its next state. If two try the same step at once, the second raises an error."""
    try:
        return db.run(Post.proceed(post_id, status, BEFORE[status]))
    except NotFound as failed:
        raise Missing("post", post_id) from failed
    except ConditionFailed as failed:
        raise InvalidInput(
            f"The post {post_id} is {failed.item.status!r}, and cannot become {status!r}."
        ) from failed


def drop_post(db: Store, post_id: int) -> int:
    """Delete a post with its records and households, and return how many records there were.

    The post is deleted first: from then on no record can be added, since each checks it. If the rest is
    interrupted, `drop_records` completes it.
    """
    try:
        db.run(Post.drop(post_id))
    except NotFound as failed:
        raise Missing("post", post_id) from failed
    return drop_records(db, post_id)


def drop_records(db: Store, post_id: int) -> int:
    """Delete all records and households of a post, and return how many records there were.

    They are found through the index, which may not have one that was just added; calling it again finds it.
    """
    records = list(db.iter(Record.of_post(post_id)))
    if records:
        db.run(Record.drop_all(records))
    households = list(db.iter(RecordHousehold.of_post(post_id)))
    if households:
        db.run(RecordHousehold.drop_all(households))
    return len(records)
