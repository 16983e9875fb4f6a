"""Relationships between places: one item for a pair, read from either end.

The end that is higher up (geozone, facility, activity, product, in this order) is always the first, so that a pair
has one item and not two. Both keys hold whole keys of other items, which the delimiter cannot take apart again:
they are taken as they are, and the four texts are stored beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import computed_field

from pksk import Batch, Delete, Entity, F, Key, Put, Query, Transaction, access, batch, begins, transaction

from .described import KeyText
from .places import Facility, Geozone
from .tables import reference

RANKS = ("geozone", "facility", "activity", "product")


class Relationship(Entity, table=reference, discriminator="relationship"):
    schema1: str
    pk1: str
    sk1: str
    schema2: str
    pk2: str
    sk2: str

    @computed_field  # type: ignore[prop-decorator]
    @property
    def one(self) -> str:
        return f"{self.pk1}::{self.sk1}"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def other(self) -> str:
        return f"{self.pk2}::{self.sk2}"

    primary = Key("rel::{one:*}", "{other:*}", codec="raw")
    reverse = Key("rel::{other:*}", "{one:*}", index="entityRelationship-index", codec="raw")

    @classmethod
    def between(cls, first: KeyText, second: KeyText) -> Relationship:
        """The relationship of two items, the higher one first."""
        one, two = sorted((first, second), key=_rank)
        return cls(schema1=_schema(one), pk1=one.pk, sk1=one.sk, schema2=_schema(two), pk2=two.pk, sk2=two.sk)

    @access(items=10)
    @classmethod
    def below(cls, one: str) -> Query[Relationship]:
        """What is related to an item and stands below it."""
        return cls.primary(one=one)

    @access(items=5)
    @classmethod
    def below_of_schema(cls, one: str, schema: str) -> Query[Relationship]:
        """What is related to an item, of one kind only."""
        return cls.primary(one=one, other=begins(f"{schema}::"))

    @access(items=10)
    @classmethod
    def above(cls, other: str) -> Query[Relationship]:
        """What is related to an item and stands above it."""
        return cls.reverse(other=other)

    @access(items=5)
    @classmethod
    def above_of_schema(cls, other: str, schema: str) -> Query[Relationship]:
        """What is related to an item and stands above it, of one kind only."""
        return cls.reverse(other=other, one=begins(f"{schema}::"))

    @access(items=10)
    @classmethod
    def of_schemas(cls, one: str, schema1: str, schema2: str) -> Query[Relationship]:
        """The same by what is stored beside the keys; everything related is read, and the rest left out."""
        return cls.primary(one=one).filter((F.schema1 == schema1) & (F.schema2 == schema2))

    @access(items=25)
    @classmethod
    def write_all(cls, relationships: list[Relationship]) -> Batch:
        """Several relationships, each for itself."""
        return batch(*(Put(each) for each in relationships))

    def gone(self) -> Delete[Relationship]:
        """The deletion of this relationship."""
        return Relationship.primary.delete(one=self.one, other=self.other)


def _schema(key: KeyText) -> str:
    return key.pk.partition("::")[0]


def _rank(key: KeyText) -> int:
    return RANKS.index(_schema(key)) if _schema(key) in RANKS else len(RANKS)


_PITCH = KeyText(pk="facility::park_1", sk="campground::1")
_NORTH = Relationship.between(KeyText(pk="geozone::park_1", sk="1"), _PITCH)
_SOUTH = Relationship.between(KeyText(pk="geozone::park_1", sk="2"), _PITCH)


@access()
def create_geozone(geozone: Geozone, relationships: list[Relationship]) -> Transaction:
    """A new geozone together with its relationships: all of it, or nothing."""
    return transaction(Put(geozone).if_absent(), *(Put(each) for each in relationships))


@access(example={"added": [_NORTH], "stale": [_SOUTH]})
def replace_relationships(added: list[Relationship], stale: list[Relationship]) -> Transaction:
    """The difference between the relationships that an item had and those that it has now."""
    return transaction(*(Put(each) for each in added), *(each.gone() for each in stale))


@access()
def hide_geozone(
    collection_id: str, geozone_id: int, relationships: list[Relationship], now: datetime
) -> Transaction:
    """A geozone and its relationships taken out of sight, so that none of them leads nowhere."""
    return transaction(Geozone.hide(collection_id, geozone_id, now), *(each.gone() for each in relationships))


@access(items=50, example={"keys": [("park_1", "campground", 1), ("park_1", "trail", 2)]})
def expand_facilities(keys: Sequence[tuple[str, str, int]]) -> Batch[Facility]:
    """The facilities that relationships lead to, each once."""
    return batch(*(Facility.one(*key) for key in dict.fromkeys(keys)))
