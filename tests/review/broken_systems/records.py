"""Records in one overloaded index that every entity is in, whether it is looked for there or not."""

from __future__ import annotations

from typing import Annotated

from pksk import GSI, Attribute, Entity, Get, Key, Put, Query, Table, Update, access, begins, sequence

records = Table("records", indexes=[GSI("gsi_sk_altSort", pk="kind", sk="altSort")], discriminator=None)

ids = sequence(
    "records", table=records, key=("sequence", "sequence"), attribute="sequenceValue", name="Sequence"
)


class Post(Entity, table=records, items=50_000):
    id: int
    name: str
    collection: int | None = None

    primary = Key("{id}", "post")
    every_post = Key("post", "{collection}", index="gsi_sk_altSort")

    @access(rate=2, items=500, item_size=400)
    @classmethod
    def every(cls) -> Query[Post]:
        """Lacks the posts without a collection."""
        return cls.every_post()


class Record(Entity, table=records, items=80_000_000):
    """All records under one key of the index, sorted by numbers as text."""

    id: int
    post: int
    household: str | None = None

    primary = Key("{id}", "record")
    all_records = Key("record", "{id}", index="gsi_sk_altSort")

    @access(rate=1_300, item_size=900)
    @classmethod
    def add(cls, record: Record) -> Put[Record]:
        return Put(record)

    @access(rate=3, items=20, item_size=900)
    @classmethod
    def newest(cls) -> Query[Record]:
        return cls.all_records().reverse().limit(20)


class RecordHousehold(Entity, table=records, items=20_000_000):
    """Its sort key continues the name of another entity."""

    post: int
    household: str

    primary = Key("{post}", "record_household#{household}")
    by_household = Key("household#{household}", "{post}", index="gsi_sk_altSort")

    @access(rate=5, item_size=300)
    @classmethod
    def one(cls, post: int, household: str) -> Get[RecordHousehold]:
        return cls.primary.get(post=post, household=household)


class Place(Entity, table=records, items=4_000_000):
    id: int
    full_name: Annotated[str, Attribute("fullName")]

    primary = Key("{id}", "place")
    by_name = Key("place#{full_name:.2}", "{full_name}", index="gsi_sk_altSort")

    @access(rate=40, items=20, item_size=300)
    @classmethod
    def beginning(cls, start: str) -> Query[Place]:
        return cls.by_name(full_name=begins(start))


@access(rate=1_300)
def next_id() -> Update:
    """An id for each record, one at a time."""
    return ids.take()


FINDINGS = {
    (
        "info",
        "left-out-of-index",
        "Post.every_post",
    ): "Without a value in the sort key, an item is not in the index.",
    (
        "error",
        "constant-partition-key",
        "Record.all_records",
    ): "The records of each post belong into their own key.",
    ("warning", "meaningless-order", "Record.newest"): "Numbers in text are not in the order of numbers.",
    (
        "info",
        "prefix-of-another-entity",
        "RecordHousehold.primary",
    ): "What begins with 'record' is not only records.",
    (
        "warning",
        "unused-key",
        "RecordHousehold.by_household",
    ): "Where the index is of no use, leave its key out.",
    ("info", "letter-case", "Place.beginning"): "People type names in small letters.",
    ("error", "busy-item", "Sequence"): "Draw ids in blocks: the counter is the busiest item of all.",
}
