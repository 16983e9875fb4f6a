"""Products, their dates, and the pools that count what is left."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

from pydantic import BaseModel, ConfigDict, Field

from pksk import Attribute, F, Get, Key, Query, Update, access, between

from .places import Asset
from .tables import (
    ActivityId,
    ActivityType,
    AssetId,
    AssetType,
    CollectionId,
    FacilityId,
    FacilityType,
    ItemKey,
    ProductEntity,
    ProductId,
    PublishedEntity,
    key_fields,
    product_key,
    reference,
)


class Product(PublishedEntity, table=reference, discriminator="product"):
    collection_id: CollectionId
    activity_type: ActivityType
    activity_id: ActivityId
    product_id: ProductId
    shown_from: Annotated[int, Attribute("discoveryStart")] = 0
    shown_until: Annotated[int | None, Attribute("discoveryEnd")] = None

    primary = Key("product::{collection_id}::{activity_type}::{activity_id}", "{product_id}")

    @access()
    @classmethod
    def one(cls, collection_id: str, activity_type: str, activity_id: int, product_id: int) -> Get[Product]:
        """A product."""
        return cls.primary.get(**product_key(collection_id, activity_type, activity_id, product_id))

    @access(items=10)
    @classmethod
    def of_activity(cls, collection_id: str, activity_type: str, activity_id: int) -> Query[Product]:
        """The products of an activity."""
        return cls.primary(collection_id=collection_id, activity_type=activity_type, activity_id=activity_id)

    @access(items=10)
    @classmethod
    def shown(cls, collection_id: str, activity_type: str, activity_id: int, now: int) -> Query[Product]:
        """The products of an activity that visitors may see now."""
        in_time = (F.shown_from <= now) & (F.shown_until.missing() | (F.shown_until > now))
        return cls.of_activity(collection_id, activity_type, activity_id).filter(in_time)


class ProductDate(ProductEntity, table=reference, discriminator="productDate"):
    """One day of a product. The dates of all products of an activity share a partition, ordered by product."""

    day: date
    policies: list[ItemKey] = []
    is_open: Annotated[bool, Attribute("isOpen")] = True
    global_id: Annotated[UUID, Attribute("globalId")] = Field(default_factory=uuid4)

    primary = Key("productDate::{collection_id}::{activity_type}::{activity_id}", "{product_id}::{day}")
    by_global_id = Key("{global_id}", index="globalId-index")

    @access(rate=40, items=31, example={"first": date(2025, 12, 1), "last": date(2025, 12, 31)})
    @classmethod
    def within(
        cls,
        collection_id: str,
        activity_type: str,
        activity_id: int,
        product_id: int,
        first: date,
        last: date,
    ) -> Query[ProductDate]:
        """The dates of one product in a span of days."""
        return cls.primary(
            **product_key(collection_id, activity_type, activity_id, product_id), day=between(first, last)
        )

    @access(items=3650)
    @classmethod
    def of_activity(cls, collection_id: str, activity_type: str, activity_id: int) -> Query[ProductDate]:
        """All dates of all products of an activity."""
        return cls.primary(collection_id=collection_id, activity_type=activity_type, activity_id=activity_id)


class AvailabilitySignal(ProductEntity, table=reference, discriminator="availabilitySignal"):
    """A day whose availability must be recounted, if it is dirty; the index finds the dirty days of a bucket."""

    day: date
    cadence_bucket: Annotated[int, Attribute("cadenceBucket")]
    dirty: bool = True

    primary = Key(
        "availabilitySignal::{collection_id}::{activity_type}::{activity_id}::{product_id}", "{day}"
    )
    by_bucket = Key("{cadence_bucket}", "{dirty:1/0}", index="entityRelationship-index")

    @access(items=100)
    @classmethod
    def dirty_ones(cls, cadence_bucket: int) -> Query[AvailabilitySignal]:
        """The days of a bucket that must be recounted."""
        return cls.by_bucket(cadence_bucket=cadence_bucket, dirty=True)


class Offer(BaseModel):
    """A product together with the asset of a facility that it uses."""

    model_config = ConfigDict(frozen=True)

    collection_id: str
    activity_type: str
    activity_id: int
    product_id: int
    facility_type: str
    facility_id: int
    asset_type: str
    asset_id: int

    @property
    def product(self) -> dict[str, Any]:
        """The parts of the product's key."""
        return self.model_dump(include=set(Product.primary.entity_key.fields))

    @property
    def asset(self) -> dict[str, Any]:
        """The parts of the asset's key."""
        return self.model_dump(include=set(Asset.primary.entity_key.fields))


class OfferDay(ProductEntity):
    """The key fields of an offer on one day."""

    day: date
    facility_type: FacilityType
    facility_id: FacilityId
    asset_type: AssetType
    asset_id: AssetId


class Inventory(OfferDay, table=reference, discriminator="inventory"):
    """One unit on one day; no longer used, since one item per unit was too many."""

    unit_id: Annotated[int, Attribute("unitId")]
    allocation_status: Annotated[
        Literal["available", "held", "reserved", "releasing"], Attribute("allocationStatus")
    ] = "available"

    primary = Key(
        "inventory::{collection_id}::{activity_type}::{activity_id}::{product_id}::{day}",
        "asset::{collection_id}::{facility_type}::{facility_id}::{asset_type}::{asset_id}::{unit_id}",
    )

    @access(items=200)
    @classmethod
    def on_day(
        cls, collection_id: str, activity_type: str, activity_id: int, product_id: int, day: date
    ) -> Query[Inventory]:
        """All units of a product on a day."""
        return cls.primary(**product_key(collection_id, activity_type, activity_id, product_id), day=day)


class InventoryPool(OfferDay, table=reference, discriminator="inventoryPool"):
    """How many units of an asset are left on a day: one number, which bookings count down."""

    capacity: int
    availability: int

    primary = Key(
        "inventoryPool::{collection_id}::{activity_type}::{activity_id}::{product_id}::{day}",
        "asset::{collection_id}::{facility_type}::{facility_id}::{asset_type}::{asset_id}",
    )

    @access()
    @classmethod
    def one(cls, offer: Offer, day: date) -> Get[InventoryPool]:
        """One pool, read consistently."""
        return cls.primary.get(**offer.model_dump(), day=day).consistently()

    @access(items=10)
    @classmethod
    def on_day(
        cls, collection_id: str, activity_type: str, activity_id: int, product_id: int, day: date
    ) -> Query[InventoryPool]:
        """All pools of a product on a day."""
        return cls.primary(**product_key(collection_id, activity_type, activity_id, product_id), day=day)

    @access(items=5)
    @classmethod
    def below(
        cls,
        offer: Offer,
        day: date,
        facility_type: str,
        facility_id: int | None = None,
        asset_type: str | None = None,
    ) -> Query[InventoryPool]:
        """The pools of a product on a day within a facility type, a facility, or a type of asset."""
        place = {"facility_type": facility_type, "facility_id": facility_id, "asset_type": asset_type}
        parts = {name: value for name, value in place.items() if value is not None}
        return cls.primary(**offer.product, day=day, **parts)

    @access(items=70, example={"first": date(2026, 7, 1), "last": date(2026, 7, 7)})
    @classmethod
    def in_span(cls, offer: Offer, first: date, last: date) -> Query[InventoryPool]:
        """The pools of a product in a span of days: one partition, and one request, for each day."""
        return cls.primary(**offer.product, day=between(first, last))

    @classmethod
    def take(cls, offer: Offer, day: date, quantity: int) -> Update[InventoryPool]:
        """Take units, if enough are left."""
        change = cls.primary.update(**offer.model_dump(), day=day).add(availability=-quantity)
        return change.when(F.availability >= quantity)

    def give_back(self, quantity: int) -> Update[InventoryPool]:
        """Return units, never to more than the capacity."""
        change = InventoryPool.primary.update(**key_fields(self)).add(availability=quantity)
        return change.when(F.availability <= self.capacity - quantity)


class PassPool(ProductEntity, table=reference, discriminator="passPool"):
    """How many passes are left on one day."""

    day: date
    kind: str
    number: int
    version: int
    capacity: int
    availability: int

    primary = Key(
        "inventoryPool::{collection_id}::{activity_type}::{activity_id}::{product_id}::{day}",
        "asset::{kind}::{number}::v{version}",
    )
