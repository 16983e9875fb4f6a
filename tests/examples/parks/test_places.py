"""Places: unique numbers, and relationships that are created and removed with their place."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from examples.parks.errors import InvalidPlaceKey, ParksError, PlaceMissing
from examples.parks.operations.places import (
    add,
    move_sequences,
    relate,
    related_places,
    relationships_of,
    remove,
    set_related,
    unrelate,
)
from examples.parks.places import Activity, Asset, Facility, Geozone
from examples.parks.policies import LatestPolicy
from examples.parks.products import Product
from examples.parks.relationships import Relationship
from examples.parks.sequences import facility_numbers, geozone_numbers, policy_numbers
from examples.parks.tables import ItemKey, reference
from pksk import Store, connect
from tests.examples.parks.conftest import NOW, Meanwhile

CAMPGROUND = ItemKey(pk="facility::park_1", sk="campground::1")
CAMPING = ItemKey(pk="activity::park_1", sk="camp::1")
NOWHERE = ItemKey(pk="facility::park_1", sk="campground::99")


def zone(db: Store, *related: ItemKey) -> Geozone:
    return add(db, Geozone, related, collection_id="park_1", display_name="Shore", changed_by="ann")


def test_geozones_of_a_collection_have_successive_numbers(db: Store) -> None:
    assert [zone(db).geozone_id for _ in range(3)] == [1, 2, 3]


def test_each_type_of_a_facility_has_its_own_numbers(db: Store) -> None:
    numbers = [
        add(db, Facility, collection_id="park_1", facility_type=kind).facility_id
        for kind in ("trail", "trailSegment", "trail")
    ]

    assert numbers == [1, 1, 2]


def test_products_and_activities_are_numbered_too(db: Store) -> None:
    activity = add(db, Activity, [CAMPGROUND], collection_id="park_1", activity_type="dayuse")
    product = add(
        db,
        Product,
        [ItemKey.of(activity)],
        collection_id="park_1",
        activity_type="dayuse",
        activity_id=activity.activity_id,
    )

    assert (activity.activity_id, product.product_id) == (1, 1)
    assert related_places(db, ItemKey.of(activity)) == [
        product,
        db.get(Facility.one("park_1", "campground", 1)),
    ]


def test_assets_are_numbered_by_type_in_an_existing_facility(db: Store) -> None:
    campground: dict[str, Any] = {"collection_id": "park_1", "facility_type": "campground", "facility_id": 1}
    pads = [add(db, Asset, **campground, asset_type="tentPad").asset_id for _ in range(2)]

    assert pads == [1, 2]
    assert add(db, Asset, **campground, asset_type="berth").asset_id == 1
    with pytest.raises(PlaceMissing):
        add(db, Asset, **{**campground, "facility_id": 99}, asset_type="tentPad")


def test_places_that_are_added_concurrently_have_different_numbers(db: Store) -> None:
    with ThreadPoolExecutor(10) as threads:
        numbers = list(threads.map(lambda _: zone(db).geozone_id, range(40)))

    assert sorted(numbers) == list(range(1, 41))


def test_numbers_that_were_assigned_by_hand_are_skipped(db: Store) -> None:
    for number in (1, 2, 9):
        db.create(Geozone(collection_id="park_1", geozone_id=number))

    assert zone(db).geozone_id == 10


def test_sequences_move_past_the_numbers_in_use_and_never_back(db: Store) -> None:
    db.create(Geozone(collection_id="park_1", geozone_id=41))
    db.create(LatestPolicy(policy_type="fee", policy_id=7, version=1))
    db.reconcile(facility_numbers, 100, collection_id="park_1", facility_type="campground")

    move_sequences(db)
    move_sequences(db)

    assert db.next(geozone_numbers, collection_id="park_1") == 42
    assert db.next(policy_numbers, policy_type="fee") == 8
    assert db.next(facility_numbers, collection_id="park_1", facility_type="campground") == 101


def test_a_place_is_stored_with_its_relationships_or_not_at_all(db: Store) -> None:
    made = zone(db, CAMPGROUND, CAMPGROUND)
    before = db.client.call("Scan", {"TableName": reference.name, "Select": "COUNT"})["Count"]

    with pytest.raises(PlaceMissing) as caught:
        zone(db, CAMPGROUND, NOWHERE)

    assert relationships_of(db, ItemKey.of(made)) == [Relationship.between(CAMPGROUND, ItemKey.of(made))]
    assert caught.value.keys == [NOWHERE]
    assert db.client.call("Scan", {"TableName": reference.name, "Select": "COUNT"})["Count"] == before
    assert zone(db).geozone_id == 3  # a gap, since 2 was drawn


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("display_nam", r"^Geozone has no field 'display_nam'\. Did you mean 'display_name'\? It has: "),
        ("nofield", r"^Geozone has no field 'nofield'\. It has: .*collection_id\.$"),
        ("geozone_id", "geozone_id is drawn from a sequence and cannot be given"),
    ],
)
def test_an_unknown_field_is_rejected_and_draws_no_number(db: Store, name: str, message: str) -> None:
    fields: dict[str, Any] = {"collection_id": "park_1", name: "Shore"}

    with pytest.raises(ParksError, match=message):
        add(db, Geozone, **fields)

    assert zone(db).geozone_id == 1


def test_a_place_of_a_missing_collection_is_rejected(db: Store) -> None:
    with pytest.raises(PlaceMissing) as caught:
        add(db, Geozone, collection_id="park_9")

    assert caught.value.keys == [ItemKey(pk="collection", sk="park_9")]


def test_a_pair_has_one_relationship_in_either_direction(db: Store) -> None:
    one = relate(db, CAMPGROUND, CAMPING)

    assert relate(db, CAMPING, CAMPGROUND) == one
    assert relationships_of(db, CAMPGROUND) == relationships_of(db, CAMPING) == [one]
    unrelate(db, CAMPING, CAMPGROUND)
    assert relationships_of(db, CAMPGROUND) == relationships_of(db, CAMPING) == []
    unrelate(db, CAMPING, CAMPGROUND)


def test_relationships_of_one_kind_are_replaced_and_the_others_stay(db: Store) -> None:
    trails = [ItemKey.of(add(db, Facility, collection_id="park_1", facility_type="trail")) for _ in range(3)]
    own = ItemKey.of(zone(db, trails[0], trails[1]))
    relate(db, own, CAMPING)

    came, went = set_related(db, own, "facility", trails[1:])

    assert (came, went) == ([Relationship.between(own, trails[2])], [Relationship.between(own, trails[0])])
    assert {pair.other for pair in relationships_of(db, own)} == {
        f"{key.pk}::{key.sk}" for key in (*trails[1:], CAMPING)
    }
    assert set_related(db, own, "facility", trails[1:]) == ([], [])


def test_a_place_is_not_related_to_itself(db: Store) -> None:
    with pytest.raises(ParksError, match=r"^facility::park_1 campground::1 cannot be related to itself\.$"):
        relate(db, CAMPGROUND, CAMPGROUND)
    with pytest.raises(ParksError, match="related to itself"):
        set_related(db, CAMPGROUND, "facility", [CAMPGROUND])

    assert relationships_of(db, CAMPGROUND) == []


def test_a_place_that_older_data_relates_to_itself_is_removed(db: Store) -> None:
    made = zone(db)
    own = ItemKey.of(made)
    parts = {"schema": "geozone", "pk": own.pk, "sk": own.sk}
    db.put(Relationship(**{f"{name}{end}": text for name, text in parts.items() for end in (1, 2)}))

    assert len(relationships_of(db, own)) == 1
    remove(db, made, NOW)

    assert relationships_of(db, own) == []


@pytest.mark.parametrize(("schema", "wanted"), [("facility", [CAMPGROUND, CAMPING]), ("facilty", [])])
def test_keys_of_another_schema_replace_nothing(db: Store, schema: str, wanted: list[ItemKey]) -> None:
    trail = ItemKey.of(add(db, Facility, collection_id="park_1", facility_type="trail"))
    own = ItemKey.of(zone(db, trail))

    with pytest.raises(
        InvalidPlaceKey, match=r"activity::park_1 camp::1|'facilty' is not a kind of place. Kinds are:"
    ):
        set_related(db, own, schema, wanted)

    assert relationships_of(db, own) == [Relationship.between(own, trail)]


@pytest.mark.parametrize(
    ("pk", "sk", "message"),
    [
        ("lake::park_1", "1", "'lake' is not a kind of place"),
        ("asset::park_1::campground::1", "tentPad::1", "'asset' is not a kind of place"),
        ("", "", "'' is not a kind of place"),
        ("geozone::park_1", "first", "geozone::park_1 first is not the key of a geozone"),
        ("geozone", "1", "geozone 1 is not the key of a geozone"),
        ("facility::park_1", "campground", "facility::park_1 campground is not the key of a facility"),
    ],
)
@pytest.mark.parametrize("act", [relate, unrelate])
def test_text_that_is_not_the_key_of_a_place_is_rejected(
    db: Store, act: Any, pk: str, sk: str, message: str
) -> None:
    key = ItemKey(pk=pk, sk=sk)

    for pair in ((key, CAMPING), (CAMPING, key)):
        with pytest.raises(InvalidPlaceKey) as caught:
            act(db, *pair)
        assert str(caught.value).startswith(message)
    with pytest.raises(InvalidPlaceKey):
        zone(db, key)


def test_a_number_cannot_be_given_by_the_caller(db: Store) -> None:
    with pytest.raises(ParksError, match="geozone_id is drawn from a sequence and cannot be given"):
        add(db, Geozone, collection_id="park_1", geozone_id=99)

    assert zone(db).geozone_id == 1


def test_a_place_cannot_be_related_to_a_missing_place(db: Store) -> None:
    with pytest.raises(PlaceMissing) as caught:
        relate(db, CAMPING, NOWHERE)

    assert caught.value.keys == [NOWHERE]
    assert relationships_of(db, CAMPING) == []


@pytest.mark.parametrize("many", [2, 130])
def test_removing_a_place_removes_all_its_relationships(db: Store, many: int) -> None:
    trails = [
        Facility(collection_id="park_1", facility_type="trail", facility_id=number) for number in range(many)
    ]
    made = zone(db)
    own = ItemKey.of(made)
    for trail in trails:
        db.create(trail)
    db.batch_put(*(Relationship.between(own, ItemKey.of(trail)) for trail in trails))

    remove(db, made, NOW, "ann")

    stored = db.get(Geozone.one("park_1", made.geozone_id))
    assert stored is not None
    assert (stored.is_deleted, stored.deleted_at, stored.changed_by) == (True, NOW, "ann")
    assert db.run(Geozone.visible("park_1")) == []
    assert relationships_of(db, own) == relationships_of(db, ItemKey.of(trails[-1])) == []


def test_a_removed_place_cannot_be_related_or_removed_again(db: Store) -> None:
    made = zone(db, CAMPGROUND)
    remove(db, made, NOW)

    with pytest.raises(PlaceMissing):
        relate(db, ItemKey.of(made), CAMPGROUND)
    with pytest.raises(PlaceMissing):
        remove(db, made, NOW)
    assert relationships_of(db, CAMPGROUND) == []


def test_relating_during_a_removal_leaves_no_dangling_relationship(db: Store) -> None:
    trails = [ItemKey.of(add(db, Facility, collection_id="park_1", facility_type="trail")) for _ in range(20)]
    zones = [zone(db) for _ in range(20)]

    def related_to(number: int) -> None:
        try:
            relate(db, ItemKey.of(zones[number]), trails[number])
        except PlaceMissing:
            assert db.get(Geozone.one("park_1", zones[number].geozone_id)).is_deleted  # type: ignore[union-attr]

    with ThreadPoolExecutor(8) as threads:
        removed = [threads.submit(remove, db, each, NOW) for each in zones]
        list(threads.map(related_to, range(20)))
        for each in removed:
            each.result()

    assert [pair for trail in trails for pair in relationships_of(db, trail)] == []


def test_deleted_places_are_not_followed(db: Store) -> None:
    made = zone(db, CAMPGROUND)
    db.update(Geozone.primary.update(collection_id="park_1", geozone_id=made.geozone_id).set(is_deleted=True))

    assert related_places(db, CAMPGROUND) == []


def test_a_relationship_added_during_a_removal_is_removed_too(db: Store) -> None:
    made = zone(db)

    with connect(db.client, hooks=[Meanwhile(lambda: relate(db, ItemKey.of(made), CAMPGROUND))]) as other:
        remove(other, made, NOW)

    assert relationships_of(db, CAMPGROUND) == []
