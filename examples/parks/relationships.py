"""Relationships between places: one item for a pair, read from either end.

The higher place (geozone, facility, activity, product, in this order) always comes first, so that a pair has one
item and not two. Both keys contain whole keys of other items, which the delimiter cannot split again. They are used
as they are, and the four key texts are stored beside them.
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
            schema1=one.schema_name, pk1=one.pk, sk1=one.sk, schema2=two.schema_name, pk2=two.pk, sk2=two.sk
        )

    @property
    def ends(self) -> tuple[ItemKey, ItemKey]:
        """The keys of the two places, the higher one first."""
        return ItemKey(pk=self.pk1, sk=self.sk1), ItemKey(pk=self.pk2, sk=self.sk2)

    @access(items=10)
    @classmethod
    def below(cls, one: str) -> Query[Relationship]:
        """The relationships of a place with lower places."""
        return cls.primary(one=one)

    @access(items=5)
    @classmethod
    def below_of_schema(cls, one: str, schema: str) -> Query[Relationship]:
        """The relationships of a place with lower places of one schema."""
        return cls.primary(one=one, other=begins(f"{schema}::"))

    @access(items=10)
    @classmethod
    def above(cls, other: str) -> Query[Relationship]:
        """The relationships of a place with higher places."""
        return cls.reverse(other=other)

    @access(items=5)
    @classmethod
    def above_of_schema(cls, other: str, schema: str) -> Query[Relationship]:
        """The relationships of a place with higher places of one schema."""
        return cls.reverse(other=other, one=begins(f"{schema}::"))

    @access(items=10)
    @classmethod
    def of_schemas(cls, one: str, schema1: str, schema2: str) -> Query[Relationship]:
        """The same by the stored schemas; all relationships are read, and the others are filtered out."""
        return cls.primary(one=one).filter((F.schema1 == schema1) & (F.schema2 == schema2))

    def removal(self) -> Delete[Relationship]:
        """The deletion of this relationship."""
        return Relationship.primary.delete(one=self.one, other=self.other)


def get_place(key: ItemKey) -> Get[Any]:
    """A read of the place with this key, by the class of its schema. Raises `InvalidPlaceKey`."""
    kind, parts = _parsed_key(key)
    return kind.get(**parts)


def parent_of(place: Place | Asset) -> ItemKey:
    """The parent of a place: the activity of a product, the facility of an asset, else the collection."""
    if isinstance(place, Product):
        return ItemKey.of(Activity(**key_fields(place, Activity)))
    if isinstance(place, Asset):
        return ItemKey.of(Facility(**key_fields(place, Facility)))
    return ItemKey.of(Collection(collection_id=place.collection_id))


def entity_of_schema(schema: str) -> type[Entity]:
    """The entity of a schema. Raises `InvalidPlaceKey`."""
    if schema not in _KINDS:
        raise InvalidPlaceKey(f"{schema!r} is not a kind of place. Kinds are: {', '.join(_KINDS)}.")
    return _KINDS[schema]


def _parsed_key(key: ItemKey) -> tuple[BoundKey[Any], dict[str, Any]]:
    kind: BoundKey[Any] = BoundKey(entity_of_schema(key.schema_name), "primary")
    parts = kind.entity_key.pair.match(key.pk, key.sk)
    if parts is None:
        raise InvalidPlaceKey(f"{key} is not the key of a {key.schema_name}.")
    return kind, parts


def _existence_checks(keys: Iterable[ItemKey]) -> list[Check[Any]]:
    """Checks that these places exist and are not deleted, one for each: a transaction takes an item only once."""
    item_keys = [_parsed_key(key) for key in dict.fromkeys(keys)]
    return [kind.check(**parts).when(NOT_DELETED) for kind, parts in item_keys]


_PITCH = ItemKey(pk="facility::park_1", sk="campground::1")
_NORTH, _SOUTH = (
    Relationship.between(ItemKey(pk="geozone::park_1", sk=number), _PITCH) for number in ("1", "2")
)
_ZONE = Geozone(collection_id="park_1", geozone_id=1)


@access(example={"place": _ZONE, "related": [_PITCH]})
def create_place(place: Place | Asset, related: list[ItemKey]) -> Transaction:
    """Create a place with its relationships, if its parent and all related places exist: all or nothing."""
    own, others = ItemKey.of(place), list(dict.fromkeys(related))
    pairs = [Put(Relationship.between(own, other)) for other in others]
    return transaction(Put(place).if_absent(), *pairs, *_existence_checks([parent_of(place), *others]))


@access(example={"added": [_NORTH], "stale": [_SOUTH]})
def change_relationships(added: list[Relationship], stale: list[Relationship]) -> Transaction:
    """Add relationships if both ends exist, and delete others, in one transaction."""
    ends = [end for pair in added for end in pair.ends]
    return transaction(
        *(Put(pair) for pair in added), *(pair.removal() for pair in stale), *_existence_checks(ends)
    )


@access(example={"place": _ZONE, "relationships": [_NORTH]})
def hide_place(
    place: Place, relationships: list[Relationship], now: datetime, by: str = SYSTEM
) -> Transaction:
    """A soft delete: the place stays but lists leave it out, and its relationships are deleted."""
    kind: BoundKey[Any] = BoundKey(type(place), "primary")
    hidden: Update[Any] = kind.update(**key_fields(place)).set(is_deleted=True, deleted_at=now, changed_by=by)
    return transaction(hidden.when(NOT_DELETED), *(pair.removal() for pair in relationships))


@access(items=50, example={"keys": [_PITCH, ItemKey(pk="geozone::park_1", sk="1")]})
def expand(keys: list[ItemKey]) -> Batch[Geozone | Facility | Activity | Product]:
    """The places with these keys, each once, of whatever entities they are."""
    return batch(*(get_place(key) for key in dict.fromkeys(keys)))
