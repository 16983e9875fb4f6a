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

__all__ = [
    "add_category",
    "add_collection",
    "add_post",
    "change_collection",
    "change_post",
    "drop_category",
    "drop_collection",
    "drop_post",
    "drop_records",
    "proceed",
    "read_collection",
    "rename_category",
    "repair_links",
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
        raise error_of_write(failed, "category", read.id) from failed


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
        raise error_of_transaction(failed, members) from failed


def read_collection(db: Store, collection_id: int) -> Collection:
    """A collection, of which one read tells whether its links are what it says they are."""
    collection, linked = _with_links(db, collection_id)
    if set(collection.categories) != linked:
        # A query may meet a transaction of which it sees a part; the second one cannot meet the same.
        collection, linked = _with_links(db, collection_id)
    if set(collection.categories) != linked:
        raise LinksDiffer(collection_id, set(collection.categories), linked)
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


def repair_links(db: Store, collection_id: int) -> Collection:
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
        raise error_of_transaction(failed, [("collection", read.id)]) from failed


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
        raise error_of_transaction(failed, members) from failed


def _stored(db: Store, write: Transaction) -> Collection:
    return next(each for each in db.run(write) if isinstance(each, Collection))


def _chosen(categories: Iterable[int]) -> list[int]:
    return sorted(set(categories))


def _check_size(added: Sequence[int], removed: Sequence[int]) -> None:
    """Refuse what one transaction cannot do: two halves would leave a collection that is linked in part."""
    writes = 1 + 2 * len(added) + len(removed)
    if writes > MOST_WRITES:
        raise InvalidInput(
            f"{len(added)} categories more and {len(removed)} fewer are {writes} writes at once; "
            f"{MOST_WRITES} can be. Do it in two steps."
        )


# From which states a post gets into another one.
BEFORE: Final[dict[Status, tuple[Status, ...]]] = {
    "Publication Requested": ("Draft", "Publish Error"),
    "Publishing": ("Publication Requested",),
    "Published": ("Publishing",),
    "Publish Error": ("Publishing", "Unpublishing"),
    "Unpublishing": ("Published",),
    "Draft": ("Unpublishing",),
}


def add_post(db: Store, collection_id: int, name: str) -> Post:
    """A new post of a collection, which must be there; it needs a name."""
    _check_name(name)
    post = Post(id=db.next(ids), collection_id=collection_id, name=name)
    try:
        return db.run(Post.add(post))
    except ConditionFailed as failed:
        raise error_of_write(failed, "post", post.id) from failed


def change_post(db: Store, read: Post, *, name: str | None = None, collection_id: int | None = None) -> Post:
    """Another name or another collection for a post that was read, unless somebody else has changed it since."""
    if name is not None:
        _check_name(name)
    given = {"name": name, "collection_id": collection_id}
    changes = {field: value for field, value in given.items() if value is not None}
    try:
        return db.run(Post.change(read.model_copy(update=changes)))
    except ConditionFailed as failed:
        raise error_of_write(failed, "post", read.id) from failed


def _check_name(name: str) -> None:
    if not name.strip():
        raise InvalidInput("A post needs a name: without one nobody could tell it from others.")


def proceed(db: Store, post_id: int, status: Status) -> Post:
    """A post in its next state. Of two that try the same step at once, one is told that it came too late."""
    try:
        return db.run(Post.proceed(post_id, status, BEFORE[status]))
    except NotFound as failed:
        raise Missing("post", post_id) from failed
    except ConditionFailed as failed:
        raise InvalidInput(
            f"The post {post_id} is {failed.item.status!r}, from where it cannot be {status!r}."
        ) from failed


def drop_post(db: Store, post_id: int) -> int:
    """Take away a post with its records and households; gives how many records there were.

    The post goes first: from then on no record can be added, since each asks for it. If the rest is interrupted,
    `drop_records` ends it.
    """
    try:
        db.run(Post.drop(post_id))
    except NotFound as failed:
        raise Missing("post", post_id) from failed
    return drop_records(db, post_id)


def drop_records(db: Store, post_id: int) -> int:
    """Take away all records and households of a post; gives how many records there were.

    They are found through the index. One that was added a moment ago may not be there yet: doing it again finds it.
    """
    found = list(db.iter(Record.of_post(post_id)))
    if found:
        db.run(Record.drop_all(found))
    households = list(db.iter(RecordHousehold.of_post(post_id)))
    if households:
        db.run(RecordHousehold.drop_all(households))
    return len(found)
