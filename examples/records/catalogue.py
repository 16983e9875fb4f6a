"""The catalogue: categories, collections in them, and posts, which are published as a whole.

All ids come from one sequence and have no leading zeros in keys, so an order by id is a text order: stable, but not
numeric.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, Field

from pksk import (
    Batch,
    Delete,
    Entity,
    F,
    Get,
    Key,
    Put,
    Query,
    Reference,
    Transaction,
    Update,
    access,
    batch,
    collect,
    transaction,
)

from .tables import LastUpdate, records

Status: TypeAlias = Literal[
    "Draft", "Publication Requested", "Publishing", "Published", "Publish Error", "Unpublishing"
]


class Category(Entity, table=records, items=100):
    id: int
    name: str
    last_update: LastUpdate = None

    primary = Key("{id}", "category")
    by_kind = Key("category", "{name}", index="gsi_sk_altSort", codec="raw")

    @access(items=100)
    @classmethod
    def every(cls) -> Query[Category]:
        """All categories by name."""
        return cls.by_kind()

    @access(items=3, example={"ids": [1, 2, 3]})
    @classmethod
    def several(cls, ids: Sequence[int]) -> Batch[Category]:
        """Categories by id."""
        return batch(*(cls.primary.get(id=each) for each in ids))

    @access()
    @classmethod
    def add(cls, category: Category) -> Put[Category]:
        """A new category."""
        return Put(category).if_absent()

    @access()
    @classmethod
    def change(cls, category: Category) -> Put[Category]:
        """Save a changed category, if it has not changed since it was read; a new name changes its position."""
        return Put(category).when(F.id.exists() & (F.last_update == category.last_update))

    @access()
    @classmethod
    def drop(cls, category_id: int) -> Delete[Category]:
        """Delete a category; this does not check whether collections still name it."""
        return cls.primary.delete(id=category_id)


class Collection(Entity, table=records, items=10_000):
    """A collection. Its categories are stored in it and also as items of their own, so each direction is one read."""

    id: int
    name: str
    categories: list[int] = []
    last_update: LastUpdate = None

    primary = Key("{id}", "collection")
    by_kind = Key("collection", "{name}", index="gsi_sk_altSort", codec="raw")

    @access(items=1000)
    @classmethod
    def every(cls) -> Query[Collection]:
        """All collections by name."""
        return cls.by_kind()

    @access(items=2, example={"ids": [4, 5]})
    @classmethod
    def several(cls, ids: Sequence[int]) -> Batch[Collection]:
        """Collections by id."""
        return batch(*(cls.primary.get(id=each) for each in ids))


class CollectionCategory(Entity, table=records):
    """The link of a collection to a category; in the index, the collections of a category are one partition."""

    id: int
    category_id: int

    primary = Key("{id}", "collection_category#{category_id}")
    by_category = Key("collection_category#{category_id}", "{id}", index="gsi_sk_altSort")

    @access(items=200)
    @classmethod
    def of_category(cls, category_id: int) -> Query[CollectionCategory]:
        """The collections of a category."""
        return cls.by_category(category_id=category_id)


@access(items=4)
def collection_with_links(collection_id: int) -> Query[Collection | CollectionCategory]:
    """A collection and its links in one read, which shows whether the two agree."""
    return collect(Collection.primary(id=collection_id), CollectionCategory.primary(id=collection_id))


@access()
def add_collection(collection: Collection) -> Transaction:
    """Add a collection with its links, if all its categories exist."""
    return transaction(
        *(Category.primary.check(id=each) for each in collection.categories),
        Put(collection).if_absent(),
        *(Put(CollectionCategory(id=collection.id, category_id=each)) for each in collection.categories),
    )


@access(example={"added": [3], "removed": [4]})
def change_collection(collection: Collection, added: Sequence[int], removed: Sequence[int]) -> Transaction:
    """Save a changed collection with its links, if it has not changed since it was read."""
    return transaction(
        *(Category.primary.check(id=each) for each in added),
        Put(collection).when(F.id.exists() & (F.last_update == collection.last_update)),
        *(Put(CollectionCategory(id=collection.id, category_id=each)) for each in added),
        *(CollectionCategory.primary.delete(id=collection.id, category_id=each) for each in removed),
    )


@access()
def drop_collection(collection: Collection) -> Transaction:
    """Delete a collection with its links, if it has not changed since it was read."""
    return transaction(
        Collection.primary.delete(id=collection.id).when(
            F.id.exists() & (F.last_update == collection.last_update)
        ),
        *(
            CollectionCategory.primary.delete(id=collection.id, category_id=each)
            for each in collection.categories
        ),
    )


class Import(BaseModel):
    """A running import: a digest of the register, and the ids drawn for its lines."""

    lines: int
    digest: str
    first_ids: list[int]


class Post(Entity, table=records, items=10_000):
    """A part of a collection that is published at once. Posts are few, so one partition of the index has them all."""

    id: int
    collection_id: Annotated[int, Reference(Collection)]
    name: str
    status: Status = "Draft"
    importing: Import | None = None
    # The digests of all registers that were imported.
    imported: set[str] = Field(default_factory=set)
    last_update: LastUpdate = None

    primary = Key("{id}", "post")
    by_kind = Key("post", "{collection_id}", index="gsi_sk_altSort")

    @access()
    @classmethod
    def one(cls, post_id: int) -> Get[Post]:
        """A post."""
        return cls.primary.get(id=post_id)

    @access(items=1000)
    @classmethod
    def every(cls) -> Query[Post]:
        """All posts, by collection."""
        return cls.by_kind()

    @access(items=10)
    @classmethod
    def of_collection(cls, collection_id: int) -> Query[Post]:
        """The posts of a collection."""
        return cls.by_kind(collection_id=collection_id)

    @access()
    @classmethod
    def add(cls, post: Post) -> Put[Post]:
        """Add a post, if its collection exists, which the reference checks."""
        return Put(post).if_absent()

    @access()
    @classmethod
    def change(cls, post: Post) -> Put[Post]:
        """Save a changed post, if it has not changed since it was read."""
        return Put(post).when(F.id.exists() & (F.last_update == post.last_update))

    @access(example={"status": "Publishing", "before": ["Publication Requested"]})
    @classmethod
    def proceed(cls, post_id: int, status: Status, before: Sequence[Status]) -> Update[Post]:
        """Move a post from one of some states to the next."""
        return cls.primary.update(id=post_id).set(status=status).when(F.status.is_in(*before))

    @access()
    @classmethod
    def begin_import(cls, post_id: int, progress: Import) -> Update[Post]:
        """Start an import into a post, unless another one is running; the post keeps the ids drawn for it."""
        new = F.importing.missing() & ~F.imported.contains(progress.digest)
        return cls.primary.update(id=post_id).set(importing=progress).when(new)

    @access()
    @classmethod
    def end_import(cls, post_id: int, progress: Import) -> Update[Post]:
        """End an import into a post; an import with other ids, which may be running by now, continues."""
        ended = cls.primary.update(id=post_id).remove("importing").add(imported={progress.digest})
        return ended.when(F.importing.first_ids == progress.first_ids)

    @access()
    @classmethod
    def drop(cls, post_id: int) -> Delete[Post]:
        """Delete a post before its records: from then on none can be added."""
        return cls.primary.delete(id=post_id).if_present()
