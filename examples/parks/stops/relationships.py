"""Relationships: one item for a pair, read from both ends."""

from __future__ import annotations

from ...tour import Tour, in_any_order
from ..data import NOW
from ..described import KeyText
from ..operations.places import add, remove
from ..operations.relate import relate, relate_all, related, relationships_of, unrelate
from ..places import Facility, Geozone
from ..products import Product
from ..relationships import Relationship, expand
from .made import Made, alike

__all__ = ["CAMPGROUND", "CAMPING", "ZONE", "stop", "text"]

CAMPGROUND = KeyText(pk="facility::park_1", sk="campground::1")
CAMPING = KeyText(pk="activity::park_1", sk="frontcountryCamp::1")
ZONE = KeyText(pk="geozone::park_1", sk="1")


def text(key: KeyText) -> str:
    """A key as relationships hold it."""
    return f"{key.pk}::{key.sk}"


def stop(tour: Tour, made: Made) -> None:
    """Ask both directions, then change some."""
    tour.section("Relationships: one item for each pair, and an index for the way back")
    pairs = made.of(Relationship, lambda each: each.other)
    below = [pair for pair in pairs if pair.one == text(CAMPGROUND)]
    above = sorted((pair for pair in pairs if pair.other == text(CAMPING)), key=lambda each: each.one)
    tour.run(Relationship.below(text(CAMPGROUND)), below)
    tour.run(Relationship.below_of_schema(text(CAMPGROUND), "activity"), below)
    tour.run(Relationship.above(text(CAMPING)), above)
    tour.run(Relationship.above_of_schema(text(CAMPING), "facility"), above)
    tour.run(Relationship.of_schemas(text(CAMPGROUND), "facility", "activity"), below)
    facility = made.one(Facility, collection_id="park_1", facility_type="campground", facility_id=1)
    camping = made.of(Product, collection_id="park_1", activity_type="frontcountryCamp", activity_id=1)
    tour.run(expand([CAMPGROUND, CAMPGROUND]), alike([facility]))
    tour.call(
        "The places around an activity, whichever way they are related",
        lambda db: related(db, CAMPING),
        alike([*camping, facility]),
    )
    _changed(tour, made)


def _changed(tour: Tour, made: Made) -> None:
    trails = [KeyText(pk="facility::park_1", sk=f"trail::{number}") for number in (1, 2)]
    zone = tour.call(
        "A geozone with two facilities: four items and three checks, or nothing",
        lambda db: add(
            db, Geozone, [CAMPGROUND, trails[0]], collection_id="park_1", display_name="New Shore"
        ),
        lambda zone: zone.display_name == "New Shore",
    )
    own = KeyText.of(zone)
    tour.call(
        "Its facilities are replaced: one comes, one goes, one stays",
        lambda db: relate_all(db, own, "facility", [CAMPGROUND, trails[1]]),
        ([Relationship.between(own, trails[1])], [Relationship.between(own, trails[0])]),
    )
    tour.call(
        "A relationship the other way round is the same one",
        lambda db: relate(db, trails[1], own),
        Relationship.between(own, trails[1]),
    )
    tour.call("One is taken away", lambda db: unrelate(db, own, trails[1]), None)
    tour.call(
        "What is left",
        lambda db: relationships_of(db, own),
        [Relationship.between(own, CAMPGROUND)],
    )
    tour.call(
        "The geozone goes, and its relationships with it", lambda db: remove(db, zone, NOW, "ann"), None
    )
    above = [pair for pair in made.of(Relationship) if pair.other == text(CAMPGROUND)]
    tour.run(Relationship.above(text(CAMPGROUND)), in_any_order(above))
