"""Places: collections, their geozones, facilities and activities, and the assets of a facility."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pksk import Attribute, Entity, F, Get, Key, Query, Scan, Update, access

from .tables import (
    NOT_DELETED,
    SYSTEM,
    ActivityId,
    ActivityType,
    AssetId,
    AssetType,
    CollectionId,
    FacilityId,
    FacilityType,
    PublishedEntity,
    reference,
)


class Collection(PublishedEntity, table=reference, discriminator="collection", items=1000):
    """A park or a group of parks. All are in one partition: they are few, and listed together."""

    collection_id: CollectionId

    primary = Key("collection", "{collection_id}")

    @access()
    @classmethod
    def one(cls, collection_id: str) -> Get[Collection]:
        """A collection."""
        return cls.primary.get(collection_id=collection_id)

    @access(items=1000)
    @classmethod
    def every(cls) -> Query[Collection]:
        """All collections."""
        return cls.primary()


class Geozone(PublishedEntity, table=reference, discriminator="geozone"):
    collection_id: CollectionId
    geozone_id: Annotated[int, Attribute("geozoneId")]

    primary = Key("geozone::{collection_id}", "{geozone_id}")

    @access()
    @classmethod
    def one(cls, collection_id: str, geozone_id: int) -> Get[Geozone]:
        """A geozone."""
        return cls.primary.get(collection_id=collection_id, geozone_id=geozone_id)

    @access(items=20)
    @classmethod
    def of_collection(cls, collection_id: str) -> Query[Geozone]:
        """The geozones of a collection."""
        return cls.primary(collection_id=collection_id)

    @access(items=20)
    @classmethod
    def visible(cls, collection_id: str) -> Query[Geozone]:
        """The geozones that the public may see."""
        is_visible = (F.is_visible == True) & NOT_DELETED  # noqa: E712
        return cls.primary(collection_id=collection_id).filter(is_visible)

    @access(items=1)
    @classmethod
    def by_id(cls, global_id: UUID) -> Query[Geozone]:
        """A geozone by its global id; an index has no GetItem, so this is a query that finds one item."""
        return cls.by_global_id(global_id=global_id)

    @access()
    @classmethod
    def edit(
        cls, collection_id: str, geozone_id: int, name: str, terms: list[str], by: str = SYSTEM
    ) -> Update[Geozone]:
        """Change some fields; the key cannot change, and markers keep version and time."""
        change = cls.primary.update(collection_id=collection_id, geozone_id=geozone_id)
        return change.set(display_name=name, changed_by=by).append(search_terms=terms).remove("admin_notes")

    @access(items=100_000)
    @classmethod
    def migrate(cls) -> Scan[Geozone]:
        """Every geozone of every collection, for a migration: a scan, as its name says."""
        return cls.scan()


class Facility(PublishedEntity, table=reference, discriminator="facility"):
    collection_id: CollectionId
    facility_type: FacilityType
    facility_id: FacilityId
    activities: list[str] = []

    primary = Key("facility::{collection_id}", "{facility_type}::{facility_id}")

    @access()
    @classmethod
    def one(cls, collection_id: str, facility_type: str, facility_id: int) -> Get[Facility]:
        """A facility."""
        return cls.primary.get(
            collection_id=collection_id, facility_type=facility_type, facility_id=facility_id
        )

    @access(items=50)
    @classmethod
    def of_collection(cls, collection_id: str) -> Query[Facility]:
        """The facilities of a collection, by type."""
        return cls.primary(collection_id=collection_id)

    @access(items=10)
    @classmethod
    def of_type(cls, collection_id: str, facility_type: str) -> Query[Facility]:
        """The facilities of one type: of `trail`, and not of `trailSegment`."""
        return cls.primary(collection_id=collection_id, facility_type=facility_type)

    @access(items=50)
    @classmethod
    def with_activity(cls, collection_id: str, activity: str) -> Query[Facility]:
        """The facilities of a collection with an activity; all are read, and the others are filtered out."""
        return cls.primary(collection_id=collection_id).filter(F.activities.contains(activity))


class Activity(PublishedEntity, table=reference, discriminator="activity"):
    collection_id: CollectionId
    activity_type: ActivityType
    activity_id: ActivityId

    primary = Key("activity::{collection_id}", "{activity_type}::{activity_id}")

    @access()
    @classmethod
    def one(cls, collection_id: str, activity_type: str, activity_id: int) -> Get[Activity]:
        """An activity."""
        return cls.primary.get(
            collection_id=collection_id, activity_type=activity_type, activity_id=activity_id
        )

    @access(items=50)
    @classmethod
    def of_collection(cls, collection_id: str) -> Query[Activity]:
        """The activities of a collection, by type."""
        return cls.primary(collection_id=collection_id)

    @access(items=10)
    @classmethod
    def of_type(cls, collection_id: str, activity_type: str) -> Query[Activity]:
        """The activities of one type."""
        return cls.primary(collection_id=collection_id, activity_type=activity_type)


class Asset(PublishedEntity, table=reference, discriminator="asset"):
    """Something in a facility that can be booked: a tent pad, a berth. The index finds all assets of a facility."""

    collection_id: CollectionId
    facility_type: FacilityType
    facility_id: FacilityId
    asset_type: AssetType
    asset_id: AssetId

    primary = Key("asset::{collection_id}::{facility_type}::{facility_id}", "{asset_type}::{asset_id}")
    by_facility = Key(
        "facility::{collection_id}", "{facility_type}::{facility_id}", index="entityRelationship-index"
    )

    @access(items=100)
    @classmethod
    def of_facility(cls, collection_id: str, facility_type: str, facility_id: int) -> Query[Asset]:
        """The assets of a facility."""
        return cls.primary(collection_id=collection_id, facility_type=facility_type, facility_id=facility_id)

    @access(items=500)
    @classmethod
    def of_facilities_of_type(cls, collection_id: str, facility_type: str) -> Query[Asset]:
        """The assets of all facilities of one type."""
        return cls.by_facility(collection_id=collection_id, facility_type=facility_type)


class PassAsset(Entity, table=reference, discriminator="passAsset"):
    """A pass: an asset that belongs to no facility, and has versions."""

    kind: str
    number: int
    version: int
    quantity: int = 0

    primary = Key("asset::{kind}::{number}", "v{version}")

    @access(items=5)
    @classmethod
    def versions(cls, kind: str, number: int) -> Query[PassAsset]:
        """The versions of a pass."""
        return cls.primary(kind=kind, number=number)


class ProtectedArea(PublishedEntity, table=reference, discriminator="protectedArea", items=1100):
    """A protected area by its register number; superseded by collections."""

    register_number: Annotated[str, Attribute("registerNumber")]

    primary = Key("protectedArea", "{register_number}")

    @access(items=1100)
    @classmethod
    def every(cls) -> Query[ProtectedArea]:
        """All protected areas."""
        return cls.primary()
