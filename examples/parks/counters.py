"""Counters: the next number of a geozone, a facility and so on, by one atomic addition.

Each stands under the key of what it counts, with the sort key `counter`. Where that is the partition of the things
themselves, a list of them leaves it out by a filter; the plan says so.
"""

from __future__ import annotations

from typing import Annotated

from pksk import Attribute, Entity, F, Key, Update, access

from .described import ActivityId, ActivityType, CollectionId, FacilityId, FacilityType
from .tables import reference


class Counter(Entity):
    counter_value: Annotated[int, Attribute("counterValue")] = 0


class GeozoneCounter(Counter, table=reference, discriminator="geozoneCounter"):
    collection_id: CollectionId

    primary = Key("geozone::{collection_id}", "counter")

    @access()
    @classmethod
    def next(cls, collection_id: str) -> Update[GeozoneCounter]:
        """The next number of a geozone; the first call makes the counter."""
        return cls.primary.update(collection_id=collection_id).add(counter_value=1).upsert()

    @access()
    @classmethod
    def reconcile(cls, collection_id: str, highest: int) -> Update[GeozoneCounter]:
        """Raise the counter to the highest number in use; it never goes back."""
        change = cls.primary.update(collection_id=collection_id).set(counter_value=highest)
        return change.when(F.counter_value < highest)


class FacilityCounter(Counter, table=reference, discriminator="facilityCounter"):
    collection_id: CollectionId
    facility_type: FacilityType

    primary = Key("facility::{collection_id}::{facility_type}", "counter")

    @access()
    @classmethod
    def next(cls, collection_id: str, facility_type: str) -> Update[FacilityCounter]:
        """The next number of a facility of one type."""
        change = cls.primary.update(collection_id=collection_id, facility_type=facility_type)
        return change.add(counter_value=1).upsert()


class ActivityCounter(Counter, table=reference, discriminator="activityCounter"):
    collection_id: CollectionId
    activity_type: ActivityType

    primary = Key("activity::{collection_id}::{activity_type}", "counter")

    @access()
    @classmethod
    def next(cls, collection_id: str, activity_type: str) -> Update[ActivityCounter]:
        """The next number of an activity of one type."""
        change = cls.primary.update(collection_id=collection_id, activity_type=activity_type)
        return change.add(counter_value=1).upsert()


class ProductCounter(Counter, table=reference, discriminator="productCounter"):
    collection_id: CollectionId
    activity_type: ActivityType
    activity_id: ActivityId

    primary = Key("product::{collection_id}::{activity_type}::{activity_id}", "counter")

    @access()
    @classmethod
    def next(cls, collection_id: str, activity_type: str, activity_id: int) -> Update[ProductCounter]:
        """The next number of a product."""
        change = cls.primary.update(
            collection_id=collection_id, activity_type=activity_type, activity_id=activity_id
        )
        return change.add(counter_value=1).upsert()


class AssetCounter(Counter, table=reference, discriminator="assetCounter"):
    collection_id: CollectionId
    facility_type: FacilityType
    facility_id: FacilityId
    asset_type: Annotated[str, Attribute("assetType")]

    primary = Key("asset::{collection_id}::{facility_type}::{facility_id}::{asset_type}", "counter")

    @access()
    @classmethod
    def next(
        cls, collection_id: str, facility_type: str, facility_id: int, asset_type: str
    ) -> Update[AssetCounter]:
        """The next number of an asset of one type in a facility."""
        change = cls.primary.update(
            collection_id=collection_id,
            facility_type=facility_type,
            facility_id=facility_id,
            asset_type=asset_type,
        )
        return change.add(counter_value=1).upsert()


class PolicyCounter(Counter, table=reference, discriminator="policyCounter"):
    policy_type: Annotated[str, Attribute("policyType")]

    primary = Key("policy::{policy_type}", "counter")

    @access()
    @classmethod
    def next(cls, policy_type: str) -> Update[PolicyCounter]:
        """The next number of a policy of one type."""
        return cls.primary.update(policy_type=policy_type).add(counter_value=1).upsert()


class PolicyVersionCounter(Counter, table=reference, discriminator="policyVersionCounter"):
    policy_type: Annotated[str, Attribute("policyType")]
    policy_id: Annotated[int, Attribute("policyId")]

    primary = Key("policy::{policy_type}::{policy_id}::version", "counter")

    @access()
    @classmethod
    def next(cls, policy_type: str, policy_id: int) -> Update[PolicyVersionCounter]:
        """The next version of a policy."""
        change = cls.primary.update(policy_type=policy_type, policy_id=policy_id)
        return change.add(counter_value=1).upsert()
