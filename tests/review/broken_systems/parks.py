"""Parks whose keys break the conventions, and that filter, count and store as one should not."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Final
from uuid import UUID, uuid4

from pydantic import Field

from pksk import GSI, Attribute, Entity, F, Get, Key, Put, Query, Table, Update, access, sequence

_CONVENTIONS: Final = (
    "schema-name-first",
    "guessable-partition-keys",
    "sort-key-by-bounds",
    "unique-across-tables",
)

reference = Table(
    "reference-data",
    indexes=[GSI("globalId-index", pk="globalId", sk="sk"), GSI("userId-index", pk="userId", sk="sk")],
    discriminator="schema",
    conventions=_CONVENTIONS,
)
transactional = Table("transactional-data", discriminator="schema", conventions=_CONVENTIONS)

booking_numbers = sequence("booking", table=transactional, attribute="counterValue")


class Collection(Entity, table=reference, discriminator="collection"):
    """All collections in one partition, without a bound on their number."""

    collection_id: str
    boundary: bytes = b""

    primary = Key("collection", "{collection_id}")

    @access(rate=20, item_size=390_000)
    @classmethod
    def one(cls, collection_id: str) -> Get[Collection]:
        return cls.primary.get(collection_id=collection_id)


class Geozone(Entity, table=reference, discriminator="geozone", per_partition=200):
    """The name of another schema first, and an id that nobody can guess where there are few items."""

    collection_id: str
    geozone_id: UUID
    global_id: Annotated[UUID, Attribute("globalId")] = Field(default_factory=uuid4)

    primary = Key("zone::{collection_id}", "{geozone_id}")
    by_global_id = Key("{global_id}", index="globalId-index")

    @access(rate=5, items=40, item_size=2_000)
    @classmethod
    def of_collection(cls, collection_id: str) -> Query[Geozone]:
        return cls.primary(collection_id=collection_id)


class ProductDate(Entity, table=reference, discriminator="productDate", per_partition=366):
    collection_id: str
    product_id: int
    number: int
    day: date
    global_id: Annotated[UUID, Attribute("globalId")] = Field(default_factory=uuid4)

    primary = Key("productDate::{collection_id}::{product_id}", "{number:06d}")
    by_global_id = Key("{global_id}", index="globalId-index")

    @access(
        rate=40, items=366, item_size=400, example={"first": date(2025, 12, 1), "last": date(2025, 12, 31)}
    )
    @classmethod
    def within(cls, collection_id: str, product_id: int, first: date, last: date) -> Query[ProductDate]:
        """Reads the dates of a year to return those of a month."""
        query = cls.primary(collection_id=collection_id, product_id=product_id)
        return query.filter(F.day.between(first, last))

    @access(rate=5, items=1, item_size=400)
    @classmethod
    def by_id(cls, global_id: UUID) -> Query[ProductDate]:
        return cls.by_global_id(global_id=global_id)


class Booking(Entity, table=transactional, discriminator="booking", items=5_000_000):
    booking_id: UUID
    user_id: str

    primary = Key("booking::{booking_id}", "{user_id}")

    @access(rate=50, item_size=600)
    @classmethod
    def add(cls, booking: Booking) -> Put[Booking]:
        return Put(booking)


class CollectionUser(Entity, table=transactional, discriminator="collectionUser", items=50):
    """The key of a collection in another table, with the same document id."""

    user: str

    primary = Key("collection", "{user}")

    @access(rate=5, items=50, item_size=200)
    @classmethod
    def every(cls) -> Query[CollectionUser]:
        return cls.primary()


@access(rate=1_200)
def next_number() -> Update:
    """One counter for the bookings of all parks, at the opening of a season."""
    return booking_numbers.take()


FINDINGS = {
    (
        "warning",
        "constant-partition-key",
        "Collection.primary",
    ): "All collections share a key, without a bound.",
    (
        "warning",
        "large-item",
        "Collection",
    ): "Large boundaries belong into an object store, with their URL in the item.",
    (
        "warning",
        "schema-name-first",
        "Geozone.primary",
    ): "A partition key begins with the name of its schema.",
    (
        "warning",
        "sort-key-by-bounds",
        "Geozone.primary",
    ): "Few items in a partition: a natural sort key, no UUID.",
    ("warning", "unused-key", "Geozone.by_global_id"): "No one looks a geozone up by its global id.",
    (
        "warning",
        "range-filter",
        "ProductDate.within",
    ): "Dates are a natural sort key, and a range of them one read.",
    (
        "warning",
        "guessable-partition-keys",
        "Booking.primary",
    ): "Partition keys should be guessable by people.",
    (
        "warning",
        "schema-name-first",
        "CollectionUser.primary",
    ): "A partition key begins with the name of its schema.",
    (
        "warning",
        "unique-across-tables",
        "Collection.primary",
    ): "Keys are unique across the tables of one search index.",
    (
        "error",
        "busy-item",
        "BookingSequence",
    ): "An atomic counter is one item, and nothing raises its ceiling.",
    (
        "warning",
        "unused-index",
        "reference-data/userId-index",
    ): "The index on users is written and never read.",
}
