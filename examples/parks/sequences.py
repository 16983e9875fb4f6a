"""Sequences for the numbers of geozones, facilities and so on: one for each partition, or for each type in it.

Each sequence has a partition of its own, such as `sequence::geozone::park_1`. So lists of geozones never contain a
counter, and drawing numbers does not heat the partition that visitors read. To keep a counter beside the items that
it counts, declare it with `key=("geozone::{collection_id}", "counter")`.
"""

from __future__ import annotations

from functools import partial

from pksk import sequence

from .tables import ActivityId, ActivityType, AssetType, CollectionId, FacilityId, FacilityType, reference

_sequence = partial(sequence, table=reference, attribute="counterValue", collection_id=CollectionId)

geozone_numbers = _sequence("geozone::{collection_id}")
facility_numbers = _sequence("facility::{collection_id}::{facility_type}", facility_type=FacilityType)
activity_numbers = _sequence("activity::{collection_id}::{activity_type}", activity_type=ActivityType)
product_numbers = _sequence(
    "product::{collection_id}::{activity_type}::{activity_id}",
    activity_type=ActivityType,
    activity_id=ActivityId,
)
asset_numbers = _sequence(
    "asset::{collection_id}::{facility_type}::{facility_id}::{asset_type}",
    facility_type=FacilityType,
    facility_id=FacilityId,
    asset_type=AssetType,
)
policy_numbers = sequence("policy::{policy_type}", table=reference, attribute="counterValue")
