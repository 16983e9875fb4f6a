"""Places: what a visitor sees of a park, what is found by its id alone, and what an editor changes."""

from __future__ import annotations

from ...tour import Tour, in_any_order
from ..data import NOW
from ..design import find
from ..operations.places import add, remove
from ..operations.recount import recount
from ..people import User
from ..places import Activity, Asset, Collection, Facility, Geozone, PassAsset, ProtectedArea
from ..policies import Config, LatestPolicy
from .made import Made, alike

__all__ = ["PARK", "stop"]

PARK = "park_1"


def stop(tour: Tour, made: Made) -> None:
    """Ask for places, then add, edit and remove one."""
    tour.section("Places: keys that begin with the name of what they are, and hold what it belongs to")
    _asked(tour, made)
    _of_collection(tour, made)
    _found(tour, made)
    _changed(tour, made)


def _asked(tour: Tour, made: Made) -> None:
    tour.run(Collection.one(PARK), alike(made.one(Collection, collection_id=PARK)))
    tour.run(Collection.every(), alike(made.of(Collection, lambda each: each.collection_id)))
    tour.run(ProtectedArea.every(), alike(made.of(ProtectedArea, lambda each: each.register_number)))
    tour.run(PassAsset.versions("pass", 1), made.of(PassAsset, lambda each: str(each.version)))
    tour.run(Config.one("public"), made.one(Config, scope="public"))
    person = made.of(User)[3]
    tour.run(User.one(person.subject), person)
    tour.run(User.every(), in_any_order(made.of(User)))


def _of_collection(tour: Tour, made: Made) -> None:
    # Numbers are text in a key: 10 comes before 2.
    zones = made.of(Geozone, lambda each: str(each.geozone_id), collection_id=PARK)
    tour.run(Geozone.one(PARK, 1), alike(zones[0]))
    tour.run(Geozone.of_collection(PARK), alike(zones))
    tour.run(Geozone.visible(PARK), alike([zone for zone in zones if zone.is_visible]))
    facilities = made.of(
        Facility, lambda each: f"{each.facility_type}::{each.facility_id}", collection_id=PARK
    )
    tour.run(Facility.one(PARK, "campground", 1), alike(facilities[0]))
    tour.run(Facility.of_collection(PARK), alike(facilities))
    trails = [each for each in facilities if each.facility_type == "trail"]
    tour.run(Facility.of_type(PARK, "trail"), alike(trails))
    hiking = [each for each in facilities if "hiking" in each.activities]
    tour.run(Facility.with_activity(PARK, "hiking"), alike(hiking))
    activities = made.of(
        Activity, lambda each: f"{each.activity_type}::{each.activity_id}", collection_id=PARK
    )
    tour.run(Activity.one(PARK, "dayuse", 1), alike(activities[0]))
    tour.run(Activity.of_collection(PARK), alike(activities))
    camps = [each for each in activities if each.activity_type == "frontcountryCamp"]
    tour.run(Activity.of_type(PARK, "frontcountryCamp"), alike(camps))
    assets = made.of(Asset, lambda each: f"{each.facility_id} {each.asset_id}", collection_id=PARK)
    pads = [each for each in assets if each.facility_type == "campground"]
    tour.run(
        Asset.of_facility(PARK, "campground", 1), alike([each for each in pads if each.facility_id == 1])
    )
    tour.run(Asset.of_facilities_of_type(PARK, "campground"), alike(pads))


def _found(tour: Tour, made: Made) -> None:
    zone, product = made.of(Geozone)[0], made.of(Facility)[2]
    tour.run(Geozone.by_id(zone.global_id), alike([zone]))
    tour.run(find(product.global_id), alike([product]))
    tour.run(Geozone.migrate(), lambda found: alike(made.of(Geozone, _order))(sorted(found, key=_order)))


def _order(zone: Geozone) -> tuple[str, int]:
    return zone.collection_id, zone.geozone_id


def _changed(tour: Tour, made: Made) -> None:
    # A series of geozones in each collection, of facilities and activities for each of their types, of products in
    # each activity, of assets in each facility for each of their types, and of policies for each of theirs.
    series = {each.collection_id for each in made.of(Geozone)}
    series |= {f"{each.collection_id} {each.facility_type}" for each in made.of(Facility)}
    series |= {f"{each.collection_id} {each.activity_type}" for each in made.of(Activity)}
    series |= {f"{each.collection_id} {each.activity_type} {each.activity_id}" for each in made.of(Activity)}
    series |= {f"{each.collection_id} {each.facility_type} {each.facility_id}/" for each in made.of(Asset)}
    series |= {each.policy_type for each in made.of(LatestPolicy)}
    tour.call("The sequences are moved past the numbers that were loaded", recount, len(series))
    number = len(made.of(Geozone, collection_id=PARK)) + 1

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
    tour.call("The geozone is taken out of sight", lambda db: remove(db, zone, NOW, "ann"), None)
    visible = made.of(Geozone, lambda each: str(each.geozone_id), collection_id=PARK, is_visible=True)
    tour.run(Geozone.visible(PARK), alike(visible))
