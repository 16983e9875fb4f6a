"""Moves every sequence past the numbers that are in use, such as after an import of items that have numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pksk import Store

from ..described import parts_of
from ..places import Activity, Asset, Collection, Facility, Geozone
from ..products import Product
from ..relationships import Place
from .places import NUMBERS
from .policies import pass_over

__all__ = ["POLICY_TYPES", "recount"]

POLICY_TYPES = ("booking", "party", "change", "fee")


def recount(db: Store) -> int:
    """Read the numbers of all places and policies, and move the sequences, which never go back.

    Gives how many series there are. What others draw meanwhile is never drawn twice.
    """
    series = len(POLICY_TYPES)
    for collection in db.iter(Collection.every()):
        for kind, parts, number in _highest(db, collection.collection_id):
            db.reconcile(NUMBERS[kind][0], number, **parts)
            series += 1
    for policy_type in POLICY_TYPES:
        pass_over(db, policy_type)
    return series


def _highest(db: Store, collection_id: str) -> Iterator[tuple[type[Place | Asset], dict[str, Any], int]]:
    found: dict[tuple[type[Place | Asset], tuple[tuple[str, Any], ...]], int] = {}
    for place in _places(db, collection_id):
        sequence, number = NUMBERS[type(place)]
        series = (type(place), tuple(parts_of(place, sequence.entity).items()))
        found[series] = max(found.get(series, 0), getattr(place, number))
    return ((kind, dict(parts), number) for (kind, parts), number in found.items())


def _places(db: Store, collection_id: str) -> Iterator[Place | Asset]:
    yield from db.iter(Geozone.of_collection(collection_id))
    for facility in db.iter(Facility.of_collection(collection_id)):
        yield facility
        yield from db.iter(Asset.of_facility(collection_id, facility.facility_type, facility.facility_id))
    for activity in db.iter(Activity.of_collection(collection_id)):
        yield activity
        yield from db.iter(Product.of_activity(collection_id, activity.activity_type, activity.activity_id))
