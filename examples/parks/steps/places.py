"""Places, their relationships and policies: read, then changed."""

from __future__ import annotations

from ...tour import Tour, in_any_order
from ..bookings import User
from ..data import NOW
from ..design import find
from ..expected import Expected, alike
from ..operations.places import (
    add,
    move_sequences,
    relate,
    related_places,
    relationships_of,
    remove,
    set_related,
    unrelate,
)
from ..operations.policies import new_policy, publish
from ..places import Activity, Asset, Collection, Facility, Geozone, PassAsset, ProtectedArea
from ..policies import Config, LatestPolicy, PolicyVersion
from ..products import Product
from ..relationships import Relationship, expand
from ..tables import ItemKey

PARK = "park_1"


def place_steps(tour: Tour, expected: Expected) -> None:
    """Read places, then add, edit and hide one."""
    tour.section("Places: keys that begin with the schema, and contain the key of the parent")
    _table_reads(tour, expected)
    _park_reads(tour, expected)
    _reads_by_id(tour, expected)
    _place_changes(tour, expected)


def _table_reads(tour: Tour, expected: Expected) -> None:
    tour.run(Collection.one(PARK), alike(expected.one(Collection, collection_id=PARK)))
    tour.run(Collection.every(), alike(expected.of(Collection, lambda each: each.collection_id)))
    tour.run(ProtectedArea.every(), alike(expected.of(ProtectedArea, lambda each: each.register_number)))
    tour.run(PassAsset.versions("pass", 1), expected.of(PassAsset, lambda each: str(each.version)))
    tour.run(Config.one("public"), expected.one(Config, scope="public"))
    person = expected.of(User)[3]
    tour.run(User.one(person.subject), person)
    tour.run(User.every(), in_any_order(expected.of(User)))


def _park_reads(tour: Tour, expected: Expected) -> None:
    # Numbers are text in a key: 10 comes before 2.
    zones = expected.of(Geozone, lambda each: str(each.geozone_id), collection_id=PARK)
    tour.run(Geozone.one(PARK, 1), alike(zones[0]))
    tour.run(Geozone.of_collection(PARK), alike(zones))
    tour.run(Geozone.visible(PARK), alike([zone for zone in zones if zone.is_visible]))
    facilities = expected.of(
        Facility, lambda each: f"{each.facility_type}::{each.facility_id}", collection_id=PARK
    )
    tour.run(Facility.one(PARK, "campground", 1), alike(facilities[0]))
    tour.run(Facility.of_collection(PARK), alike(facilities))
    trails = [each for each in facilities if each.facility_type == "trail"]
    tour.run(Facility.of_type(PARK, "trail"), alike(trails))
    hiking = [each for each in facilities if "hiking" in each.activities]
    tour.run(Facility.with_activity(PARK, "hiking"), alike(hiking))
    activities = expected.of(
        Activity, lambda each: f"{each.activity_type}::{each.activity_id}", collection_id=PARK
    )
    tour.run(Activity.one(PARK, "dayuse", 1), alike(activities[0]))
    tour.run(Activity.of_collection(PARK), alike(activities))
    camps = [each for each in activities if each.activity_type == "frontcountryCamp"]
    tour.run(Activity.of_type(PARK, "frontcountryCamp"), alike(camps))
    assets = expected.of(Asset, lambda each: f"{each.facility_id} {each.asset_id}", collection_id=PARK)
    pads = [each for each in assets if each.facility_type == "campground"]
    tour.run(
        Asset.of_facility(PARK, "campground", 1), alike([each for each in pads if each.facility_id == 1])
    )
    tour.run(Asset.of_facilities_of_type(PARK, "campground"), alike(pads))


def _reads_by_id(tour: Tour, expected: Expected) -> None:
    zone, product = expected.of(Geozone)[0], expected.of(Facility)[2]
    tour.run(Geozone.by_id(zone.global_id), alike([zone]))
    tour.run(find(product.global_id), alike([product]))
    tour.run(
        Geozone.migrate(),
        lambda zones: alike(expected.of(Geozone, _zone_order))(sorted(zones, key=_zone_order)),
    )


def _zone_order(zone: Geozone) -> tuple[str, int]:
    return zone.collection_id, zone.geozone_id


def _place_changes(tour: Tour, expected: Expected) -> None:
    # A sequence of geozones in each collection, of facilities and activities for each of their types, of products in
    # each activity, of assets in each facility for each of their types, and of policies for each of theirs.
    series = {each.collection_id for each in expected.of(Geozone)}
    series |= {f"{each.collection_id} {each.facility_type}" for each in expected.of(Facility)}
    series |= {f"{each.collection_id} {each.activity_type}" for each in expected.of(Activity)}
    series |= {
        f"{each.collection_id} {each.activity_type} {each.activity_id}" for each in expected.of(Activity)
    }
    series |= {
        f"{each.collection_id} {each.facility_type} {each.facility_id}/" for each in expected.of(Asset)
    }
    series |= {each.policy_type for each in expected.of(LatestPolicy)}
    tour.call("The sequences are moved past the numbers in the data", move_sequences, len(series))
    number = len(expected.of(Geozone, collection_id=PARK)) + 1

    def added(zone: Geozone) -> bool:
        return (zone.geozone_id, zone.version, zone.display_name) == (number, 1, "Far Shore")

    zone = tour.call(
        "A new geozone draws the next number",
        lambda db: add(db, Geozone, collection_id=PARK, display_name="Far Shore", changed_by="ann"),
        added,
    )
    edit = Geozone.edit(PARK, number, "Further Shore", ["shore"], "ann")
    tour.run(
        edit, lambda now: (now.display_name, now.search_terms, now.version) == ("Further Shore", ["shore"], 2)
    )
    tour.call("The geozone is hidden", lambda db: remove(db, zone, NOW, "ann"), None)
    visible = expected.of(Geozone, lambda each: str(each.geozone_id), collection_id=PARK, is_visible=True)
    tour.run(Geozone.visible(PARK), alike(visible))


CAMPGROUND = ItemKey(pk="facility::park_1", sk="campground::1")
CAMPING = ItemKey(pk="activity::park_1", sk="frontcountryCamp::1")
ZONE = ItemKey(pk="geozone::park_1", sk="1")


def key_text(key: ItemKey) -> str:
    """A key as relationships store it."""
    return f"{key.pk}::{key.sk}"


def relationship_steps(tour: Tour, expected: Expected) -> None:
    """Read relationships from both ends, then change some."""
    tour.section("Relationships: one item for each pair, and an index for the way back")
    pairs = expected.of(Relationship, lambda each: each.other)
    below = [pair for pair in pairs if pair.one == key_text(CAMPGROUND)]
    above = sorted((pair for pair in pairs if pair.other == key_text(CAMPING)), key=lambda each: each.one)
    tour.run(Relationship.below(key_text(CAMPGROUND)), below)
    tour.run(Relationship.below_of_schema(key_text(CAMPGROUND), "activity"), below)
    tour.run(Relationship.above(key_text(CAMPING)), above)
    tour.run(Relationship.above_of_schema(key_text(CAMPING), "facility"), above)
    tour.run(Relationship.of_schemas(key_text(CAMPGROUND), "facility", "activity"), below)
    facility = expected.one(Facility, collection_id="park_1", facility_type="campground", facility_id=1)
    camping = expected.of(Product, collection_id="park_1", activity_type="frontcountryCamp", activity_id=1)
    tour.run(expand([CAMPGROUND, CAMPGROUND]), alike([facility]))
    tour.call(
        "The places around an activity, whichever way they are related",
        lambda db: related_places(db, CAMPING),
        alike([*camping, facility]),
    )
    _relationship_changes(tour, expected)


def _relationship_changes(tour: Tour, expected: Expected) -> None:
    trails = [ItemKey(pk="facility::park_1", sk=f"trail::{number}") for number in (1, 2)]
    zone = tour.call(
        "A geozone related to two facilities: four items and three checks, all or nothing",
        lambda db: add(
            db, Geozone, [CAMPGROUND, trails[0]], collection_id="park_1", display_name="New Shore"
        ),
        lambda zone: zone.display_name == "New Shore",
    )
    own = ItemKey.of(zone)
    tour.call(
        "Its facilities are replaced: one is added, one deleted, one stays",
        lambda db: set_related(db, own, "facility", [CAMPGROUND, trails[1]]),
        ([Relationship.between(own, trails[1])], [Relationship.between(own, trails[0])]),
    )
    tour.call(
        "A relationship the other way round is the same one",
        lambda db: relate(db, trails[1], own),
        Relationship.between(own, trails[1]),
    )
    tour.call("One relationship is deleted", lambda db: unrelate(db, own, trails[1]), None)
    tour.call(
        "The other relationship is left",
        lambda db: relationships_of(db, own),
        [Relationship.between(own, CAMPGROUND)],
    )
    tour.call(
        "The geozone is hidden, and its relationships are deleted",
        lambda db: remove(db, zone, NOW, "ann"),
        None,
    )
    above = [pair for pair in expected.of(Relationship) if pair.other == key_text(CAMPGROUND)]
    tour.run(Relationship.above(key_text(CAMPGROUND)), in_any_order(above))


def policy_steps(tour: Tour, expected: Expected) -> None:
    """Read policies, and publish new versions."""
    tour.section("Policies: a version and the copy of the latest, in one transaction")
    versions = expected.of(PolicyVersion, lambda each: f"v{each.version}", policy_type="fee", policy_id=2)
    tour.run(PolicyVersion.one("fee", 2, 1), versions[0])
    tour.run(PolicyVersion.of_policy("fee", 2), versions)
    tour.run(LatestPolicy.one("fee", 2), LatestPolicy(**versions[-1].model_dump()))
    latest = expected.of(LatestPolicy, lambda each: each.policy_id, policy_type="fee")
    tour.run(
        LatestPolicy.of_type("fee"),
        lambda policies: sorted(policies, key=lambda each: each.policy_id) == latest,
    )
    rules = {"adult": "12.00"}
    tour.call(
        "The next version is published",
        lambda db: publish(db, "fee", 2, rules),
        PolicyVersion(policy_type="fee", policy_id=2, version=versions[-1].version + 1, rules=rules),
    )
    tour.call(
        "A new policy is published in its first version",
        lambda db: new_policy(db, "fee", rules),
        PolicyVersion(policy_type="fee", policy_id=3, version=1, rules=rules),
    )
