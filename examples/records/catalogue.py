"""The catalogue: categories, collections in them, posts in these, and the records of a post.

All ids come from one sequence and stand in keys as they are, without leading zeros: an order by id is an order of
texts, stable and not by number.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from pksk import (
    Attribute,
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
    Updated,
    access,
    batch,
    collect,
    transaction,
)

from .table import records

LastUpdate = Annotated[datetime | None, Attribute("last_update_time"), Updated()]


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
    def drop(cls, category_id: int) -> Delete[Category]:
        """A category taken away; whether collections still name it is not known here."""
        return cls.primary.delete(id=category_id)


class Collection(Entity, table=records, items=10_000):
    """A collection. Its categories stand in it and, as items of their own, beside it: each way is one read."""

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
    """That a collection is in a category; in the index, the collections of a category stand together."""

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
    """A collection and its links in one read, which also shows whether the two agree."""
    return collect(Collection.primary(id=collection_id), CollectionCategory.primary(id=collection_id))


@access()
def add_collection(collection: Collection) -> Transaction:
    """A new collection with its links, if all its categories exist."""
    return transaction(
        *(Category.primary.check(id=each) for each in collection.categories),
        Put(collection).if_absent(),
        *(Put(CollectionCategory(id=collection.id, category_id=each)) for each in collection.categories),
    )


@access(example={"added": [3], "removed": [4]})
def change_collection(collection: Collection, added: Sequence[int], removed: Sequence[int]) -> Transaction:
    """A changed collection with its links, if nobody else has changed it since it was read."""
    unchanged = F.last_update == collection.last_update
    return transaction(
        *(Category.primary.check(id=each) for each in added),
        Put(collection).when(unchanged),
        *(Put(CollectionCategory(id=collection.id, category_id=each)) for each in added),
        *(CollectionCategory.primary.delete(id=collection.id, category_id=each) for each in removed),
    )


class Post(Entity, table=records, items=10_000):
    """A part of a collection that is published at once. Posts are few, so one partition of the index has them all."""

    id: int
    collection_id: int
    name: str
    status: str = "Draft"
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
def add_post(post: Post) -> Transaction:
    """A new post, if its collection exists."""
    return transaction(Collection.primary.check(id=post.collection_id), Put(post).if_absent())


class Record(Entity, table=records):
    """A line of a register. The records of each post are a partition of the index; there is no list of all."""

    id: int
    post_id: int
    data: dict[str, str] = {}
    last_update: LastUpdate = None

    primary = Key("{id}", "record_post#{post_id}")
    by_post = Key("record_post#{post_id}", "{id}", index="gsi_sk_altSort")

    @access(items=5000)
    @classmethod
    def of_post(cls, post_id: int) -> Query[Record]:
        """The records of a post."""
        return cls.by_post(post_id=post_id)

    @access(items=2, example={"ids": [1001, 1002]})
    @classmethod
    def several(cls, ids: Sequence[int]) -> list[Query[Record]]:
        """Records by id: a query for each, since their post, which is in the key, is not known."""
        return [cls.primary(id=each) for each in ids]

    @access(items=25)
    @classmethod
    def drop_all(cls, found: list[Record]) -> Batch[Record]:
        """The records of a post taken away, after they were read through the index."""
        return batch(*(cls.primary.delete(id=each.id, post_id=each.post_id) for each in found))


@access()
def add_record(record: Record) -> Transaction:
    """A new record, if its post exists. Many at once all ask for the same post, and some will have to try again."""
    return transaction(Post.primary.check(id=record.post_id), Put(record).if_absent())


@access()
def change_record(record: Record) -> Transaction:
    """A changed record, if nobody else has changed it; its place in the index is written with it."""
    unchanged = F.last_update == record.last_update
    return transaction(Post.primary.check(id=record.post_id), Put(record).when(unchanged))


class RecordHousehold(Entity, table=records):
    """The records of a post that belong to one household; with the post as its partition."""

    post_id: Annotated[int, Reference(Post)]
    household: str
    record_ids: Annotated[list[int], Attribute("records")] = []

    primary = Key("{post_id}", "recordHousehold#{household}")
    by_household = Key("recordHousehold#{household}", "{post_id}", index="gsi_sk_altSort")

    @access(items=500)
    @classmethod
    def of_post(cls, post_id: int) -> Query[RecordHousehold]:
        """The households of a post."""
        return cls.primary(post_id=post_id)

    @access()
    @classmethod
    def one(cls, post_id: int, household: str) -> Get[RecordHousehold]:
        """A household."""
        return cls.primary.get(post_id=post_id, household=household)


@access()
def add_household(household: RecordHousehold) -> Transaction:
    """A household, if its post exists: that is what the reference means."""
    return transaction(Post.primary.check(id=household.post_id), Put(household))
