"""Relationships between places: one item for a pair, read from either end.

The end that is higher up (geozone, facility, activity, product, in this order) is always the first, so that a pair
has one item and not two. Both keys hold whole keys of other items, which the delimiter cannot take apart again:
they are taken as they are, and the four texts are stored beside them.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, TypeAlias

from pydantic import computed_field

from pksk import (
    Batch,
    BoundKey,
    Check,
    Delete,
    Entity,
    F,
    Get,
    Key,
    Put,
    Query,
    Transaction,
    Update,
    access,
    batch,
    begins,
    transaction,
)

from .errors import InvalidPlaceKey, ParksError
from .places import Activity, Asset, Collection, Facility, Geozone
from .products import Product
from .tables import NOT_DELETED, SYSTEM, ItemKey, key_fields, reference

__all__ = [
    "Place",
    "Relationship",
    "change_relationships",
    "create_place",
    "entity_of_schema",
    "expand",
    "get_place",
    "hide_place",
    "parent_of",
]

Place: TypeAlias = Geozone | Facility | Activity | Product

_KINDS: dict[str, type[Entity]] = {
    "collection": Collection,
    "geozone": Geozone,
    "facility": Facility,
    "activity": Activity,
    "product": Product,
}
# The highest first.
_RANKS = {schema: rank for rank, schema in enumerate(_KINDS)}


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
    def between(cls, first: ItemKey, second: ItemKey) -> Relationship:
        """The relationship of two different places, the higher one first. Raises `InvalidPlaceKey`."""
        for key in (first, second):
            _parsed_key(key)
        if first == second:
            raise ParksError(f"{first} cannot be related to itself.")
        one, two = sorted((first, second), key=lambda key: (_RANKS[key.schema_name], key.pk, key.sk))
        return cls(
            schema1=one.schema_name,
            pk1=one.pk,
            sk1=one.sk,
            schema2=two.schema_name,
            pk2=two.pk,
            sk2=two.sk,
        )

    @property
    def ends(self) -> tuple[ItemKey, ItemKey]:
        """The keys of the two places, the higher one first."""
        return ItemKey(pk=self.pk1, sk=self.sk1), ItemKey(pk=self.pk2, sk=self.sk2)

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

    def removal(self) -> Delete[Relationship]:
        """The deletion of this relationship."""
        return Relationship.primary.delete(one=self.one, other=self.other)


def get_place(key: ItemKey) -> Get[Any]:
    """The place that a key is of, as a read by the class that its schema names. Raises `InvalidPlaceKey`."""
    kind, parts = _parsed_key(key)
    return kind.get(**parts)


def parent_of(place: Place | Asset) -> ItemKey:
    """What a place belongs to: a product to its activity, an asset to its facility, all others to a collection."""
    if isinstance(place, Product):
        return ItemKey.of(Activity(**key_fields(place, Activity)))
    if isinstance(place, Asset):
        return ItemKey.of(Facility(**key_fields(place, Facility)))
    return ItemKey.of(Collection(collection_id=place.collection_id))


def entity_of_schema(schema: str) -> type[Entity]:
    """The class of places of a schema. Raises `InvalidPlaceKey`."""
    if schema not in _KINDS:
        raise InvalidPlaceKey(f"{schema!r} is no kind of place; kinds are: {', '.join(_KINDS)}.")
    return _KINDS[schema]


def _parsed_key(key: ItemKey) -> tuple[BoundKey[Any], dict[str, Any]]:
    kind: BoundKey[Any] = BoundKey(entity_of_schema(key.schema_name), "primary")
    parts = kind.entity_key.pair.match(key.pk, key.sk)
    if parts is None:
        raise InvalidPlaceKey(f"{key} is no key of a {key.schema_name}.")
    return kind, parts


def _existence_checks(keys: Iterable[ItemKey]) -> list[Check[Any]]:
    """That all these places are there and not deleted, each once: a transaction takes no item twice."""
    found = [_parsed_key(key) for key in dict.fromkeys(keys)]
    return [kind.check(**parts).when(NOT_DELETED) for kind, parts in found]


_PITCH = ItemKey(pk="facility::park_1", sk="campground::1")
_NORTH, _SOUTH = (
    Relationship.between(ItemKey(pk="geozone::park_1", sk=number), _PITCH) for number in ("1", "2")
)
_ZONE = Geozone(collection_id="park_1", geozone_id=1)


@access(example={"place": _ZONE, "related": [_PITCH]})
def create_place(place: Place | Asset, related: list[ItemKey]) -> Transaction:
    """A new place with its relationships, if what it belongs to and is related to is there: all, or nothing."""
    own, others = ItemKey.of(place), list(dict.fromkeys(related))
    pairs = [Put(Relationship.between(own, other)) for other in others]
    return transaction(Put(place).if_absent(), *pairs, *_existence_checks([parent_of(place), *others]))


@access(example={"added": [_NORTH], "stale": [_SOUTH]})
def change_relationships(added: list[Relationship], stale: list[Relationship]) -> Transaction:
    """Relationships that come, if both of their ends are there, and relationships that go, all at once."""
    ends = [end for pair in added for end in pair.ends]
    return transaction(
        *(Put(pair) for pair in added), *(pair.removal() for pair in stale), *_existence_checks(ends)
    )


@access(example={"place": _ZONE, "relationships": [_NORTH]})
def hide_place(
    place: Place, relationships: list[Relationship], now: datetime, by: str = SYSTEM
) -> Transaction:
    """A soft delete: the place stays, lists leave it out, and its relationships go with it."""
    kind: BoundKey[Any] = BoundKey(type(place), "primary")
    hidden: Update[Any] = kind.update(**key_fields(place)).set(is_deleted=True, deleted_at=now, changed_by=by)
    return transaction(hidden.when(NOT_DELETED), *(pair.removal() for pair in relationships))


@access(items=50, example={"keys": [_PITCH, ItemKey(pk="geozone::park_1", sk="1")]})
def expand(keys: list[ItemKey]) -> Batch[Geozone | Facility | Activity | Product]:
    """The places that relationships lead to, each once, of whatever kinds they are."""
    return batch(*(get_place(key) for key in dict.fromkeys(keys)))
