"""Publishes posts: new ones, changed ones, the states that one goes through, and how one is taken away."""

from __future__ import annotations

from typing import Final

from pksk import ConditionFailed, NotFound, Store

from .catalogue import Post, Status
from .refusals import Missing, Unfit, of_one
from .registers import Record, RecordHousehold
from .table import ids

__all__ = ["add_post", "change_post", "drop_post", "drop_records", "proceed"]

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
        raise of_one(failed, "post", post.id) from failed


def change_post(db: Store, read: Post, *, name: str | None = None, collection_id: int | None = None) -> Post:
    """Another name or another collection for a post that was read, unless somebody else has changed it since."""
    if name is not None:
        _check_name(name)
    given = {"name": name, "collection_id": collection_id}
    changes = {field: value for field, value in given.items() if value is not None}
    try:
        return db.run(Post.change(read.model_copy(update=changes)))
    except ConditionFailed as failed:
        raise of_one(failed, "post", read.id) from failed


def _check_name(name: str) -> None:
    if not name.strip():
        raise Unfit("A post needs a name: without one nobody could tell it from others.")


def proceed(db: Store, post_id: int, status: Status) -> Post:
    """A post in its next state. Of two that try the same step at once, one is told that it came too late."""
    try:
        return db.run(Post.proceed(post_id, status, BEFORE[status]))
    except NotFound as failed:
        raise Missing("post", post_id) from failed
    except ConditionFailed as failed:
        raise Unfit(
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
