"""The tables of the parks system, and what their entities have in common."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from pksk import GSI, Attribute, BoundKey, Created, Entity, F, Key, N, Table, Updated, Version

# The attribute `schema` is the discriminator: `geozone`, `facility` and so on. One index lists places by what they
# are related to: facilities of an asset, policies of a type, both ends of a relationship. The index on userId
# exists in the live table, but no access pattern uses it.
# pksk: accept unused-index: the live table has it
reference = Table(
    "reference-data",
    indexes=[
        GSI("globalId-index", pk="globalId", sk="sk"),
        GSI("userId-index", pk="userId", sk="sk"),
        GSI("entityRelationship-index", pk="gsipk", sk="gsisk"),
    ],
    stream=True,
    discriminator="schema",
)

# Only bookings that wait for payment have isPending, so the last index is as small as their number.
transactional = Table(
    "transactional-data",
    indexes=[
        GSI("globalId-index", pk="globalId", sk="sk"),
        GSI("userId-index", pk="userId", sk="sk"),
        GSI("sparse-index-1", pk="isPending", sk=N("sessionExpiry"), projection=["bookingId", "userId"]),
    ],
    stream=True,
    discriminator="schema",
)

audit = Table("audit", discriminator=None)

pubsub = Table("pubsub", discriminator=None)

waiting_room = Table(
    "waiting-room",
    indexes=[GSI("userId-index", pk="userId"), GSI("clientIp-index", pk="clientIp", sk="pk")],
    ttl="ttl",
)


# Ids count from 1 and have no leading zeros in keys: 10 sorts before 2. So lists come in text order, and a range of
# ids raises an error.
CollectionId = Annotated[str, Attribute("collectionId")]
ActivityType = Annotated[str, Attribute("activityType")]
ActivityId = Annotated[int, Attribute("activityId")]
FacilityType = Annotated[str, Attribute("facilityType")]
FacilityId = Annotated[int, Attribute("facilityId")]
AssetType = Annotated[str, Attribute("assetType")]
AssetId = Annotated[int, Attribute("assetId")]
ProductId = Annotated[int, Attribute("productId")]

# The user of changes that no person makes: the importer, the sweep.
SYSTEM = "system"


class ItemKey(BaseModel):
    """The key of another item, as stored in the table."""

    model_config = ConfigDict(frozen=True)

    pk: str
    sk: str

    @classmethod
    def of(cls, entity: Entity) -> ItemKey:
        """The key of an entity."""
        item = entity.to_item()
        return cls(pk=item["pk"]["S"], sk=item["sk"]["S"])

    def __str__(self) -> str:
        return f"{self.pk} {self.sk}"

    @property
    def schema_name(self) -> str:
        """The schema of the item: the first word of its partition key."""
        return self.pk.partition("::")[0]


def key_fields(entity: Entity, kind: type[Entity] | None = None) -> dict[str, Any]:
    """The values of an entity's key fields, to name it in a request; or those of another entity's key."""
    fields = BoundKey(kind or type(entity), "primary").entity_key.fields
    return {name: getattr(entity, name) for name in fields}


class ProductEntity(Entity):
    """The key fields of a product, for the entities that belong to one."""

    collection_id: CollectionId
    activity_type: ActivityType
    activity_id: ActivityId
    product_id: ProductId


def product_key(collection_id: str, activity_type: str, activity_id: int, product_id: int) -> dict[str, Any]:
    """The values of a product's key fields."""
    values = (collection_id, activity_type, activity_id, product_id)
    return dict(zip(ProductEntity.model_fields, values, strict=True))


class Point(BaseModel):
    type: Literal["point"] = "point"
    coordinates: tuple[float, float]


class Envelope(BaseModel):
    """A box, by its north-western and south-eastern corners."""

    type: Literal["envelope"] = "envelope"
    coordinates: tuple[tuple[float, float], tuple[float, float]]


class PublishedEntity(Entity):
    """The fields of everything that visitors can find, with an id that finds it without its parent.

    A boundary can be larger than an item; then `boundary_url` is its address.
    """

    display_name: Annotated[str, Attribute("displayName")] = ""
    description: str = ""
    global_id: Annotated[UUID, Attribute("globalId")] = Field(default_factory=uuid4)
    location: Point | None = None
    envelope: Envelope | None = None
    boundary_url: Annotated[str | None, Attribute("boundaryUrl")] = None
    is_visible: Annotated[bool, Attribute("isVisible")] = True
    search_terms: Annotated[list[str], Attribute("searchTerms")] = []
    admin_notes: Annotated[str | None, Attribute("adminNotes")] = None
    changed_by: Annotated[str, Attribute("changedBy")] = SYSTEM
    is_deleted: Annotated[bool, Attribute("isDeleted")] = False
    deleted_at: Annotated[AwareDatetime | None, Attribute("deletedAt")] = None
    version: Annotated[int, Version()] = 0
    creation_date: Annotated[datetime | None, Attribute("creationDate"), Created()] = None
    last_updated: Annotated[datetime | None, Attribute("lastUpdated"), Updated()] = None

    by_global_id = Key("{global_id}", index="globalId-index")


# Items from before this attribute existed count as not deleted.
NOT_DELETED = F.is_deleted.missing() | (F.is_deleted == False)  # noqa: E712
