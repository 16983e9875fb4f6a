"""Registers: the records of a post, each a line of an old book, and the households of some of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pksk import Attribute, Batch, Entity, F, Get, Key, Put, Query, Transaction, access, batch, transaction

from .catalogue import Post
from .tables import LastUpdate, records


class Record(Entity, table=records):
    """A line of a register. The records of each post are a partition of the index; no list has all records."""

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
        """Records by id: a query for each, since the post, which is in the key, is not known."""
        return [cls.primary(id=each) for each in ids]

    @access(items=25)
    @classmethod
    def load(cls, lines: list[Record]) -> Batch[Record]:
        """The records of a register, 25 to a request; the post was checked before."""
        return batch(*(Put(each) for each in lines))

    @access(items=25)
    @classmethod
    def drop_all(cls, found: list[Record]) -> Batch[Record]:
        """Delete the records of a post, which were read through the index."""
        return batch(*(cls.primary.delete(id=each.id, post_id=each.post_id) for each in found))


@access()
def add_record(record: Record) -> Transaction:
    """Add a record, if its post exists. Many at once all check the same post, and some must try again."""
    return transaction(Post.primary.check(id=record.post_id), Put(record).if_absent())


@access()
def change_record(record: Record) -> Transaction:
    """Save a changed record, if it was not changed in the meantime; its index key is written too."""
    unchanged = F.id.exists() & (F.last_update == record.last_update)
    return transaction(Post.primary.check(id=record.post_id), Put(record).when(unchanged))


class RecordHousehold(Entity, table=records):
    """The records of one household; the post is the partition key."""

    post_id: int
    household: str
    record_ids: Annotated[list[int], Attribute("records")] = []

    primary = Key("{post_id}", "record_household#{household}")
    # pksk: accept unused-key: in this layout the sort key of every entity is in the index
    by_household = Key("record_household#{household}", "{post_id}", index="gsi_sk_altSort")

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

    @access(items=25)
    @classmethod
    def load(cls, households: list[RecordHousehold]) -> Batch[RecordHousehold]:
        """The households of a register, 25 to a request."""
        return batch(*(Put(each) for each in households))

    @access(items=25)
    @classmethod
    def drop_all(cls, found: list[RecordHousehold]) -> Batch[RecordHousehold]:
        """Delete the households of a post."""
        return batch(*(cls.primary.delete(post_id=each.post_id, household=each.household) for each in found))


@access()
def add_household(household: RecordHousehold) -> Transaction:
    """Add a household, if its post exists."""
    return transaction(Post.primary.check(id=household.post_id), Put(household))
