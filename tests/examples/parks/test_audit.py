"""The trail of changes: every change has its row, under a key that no other change has."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from examples.parks.audit import Change
from examples.parks.bookings import Booking
from examples.parks.operations.audit import skip_changes, write_audit_rows
from examples.parks.operations.bookings import Stay, book, cancel, sweep
from examples.parks.operations.places import add
from examples.parks.places import Geozone
from examples.parks.system import system
from examples.parks.tables import ItemKey, key_fields, reference
from pksk import Clock, Engine, Store, connect
from tests.examples.parks.conftest import DAYS, NOW, offer

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def rows(db: Store) -> list[dict[str, object]]:
    found: list[dict[str, object]] = db.client.call("Scan", {"TableName": "audit"})["Items"]
    return found


def test_changes_of_one_person_in_one_second_each_have_a_row() -> None:
    clock = Clock(1_790_000_000)
    with Engine.open(clock=clock) as engine, connect(engine, clock=clock) as db:
        db.create_tables(*system.tables)
        skip_changes(db)
        for number in range(30):
            db.create(Geozone(collection_id="park_1", geozone_id=number, changed_by="ann"))
        write_audit_rows(db)

        found = db.run(Change.by_user("ann", LONG_AGO))

    assert len({row.at for row in found}) == 1
    assert len(found) == 30
    assert {row.key for row in found} == {ItemKey(pk="geozone::park_1", sk=str(n)) for n in range(30)}


def test_a_row_has_the_user_the_action_and_the_changed_fields(db: Store) -> None:
    skip_changes(db)
    zone = add(db, Geozone, collection_id="park_1", changed_by="ann")
    db.run(Geozone.edit("park_1", zone.geozone_id, "Far Shore", ["shore"], "bob"))
    db.delete(Geozone.primary.delete(collection_id="park_1", geozone_id=zone.geozone_id))

    write_audit_rows(db)

    (inserted,) = db.run(Change.by_user("ann", LONG_AGO))
    (modified,) = db.run(Change.by_user("bob", LONG_AGO))
    drawn, removed = sorted(db.run(Change.by_user("system", LONG_AGO)), key=lambda row: row.action)
    assert [each.action for each in (inserted, modified, removed)] == ["insert", "modify", "remove"]
    assert {each.key for each in (inserted, modified, removed)} == {ItemKey.of(zone)}
    changed = {"display_name", "search_terms", "changed_by", "version", "last_updated"}
    assert set(modified.fields) == changed
    assert drawn.key.pk == "sequence::geozone::park_1"


def test_changes_of_a_booking_are_under_its_person(db: Store) -> None:
    skip_changes(db)
    booking = book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW)
    cancel(db, booking, NOW)

    write_audit_rows(db)

    assert [(row.schema_name, row.action) for row in db.run(Change.by_user("ann", LONG_AGO))] == [
        ("Booking", "insert"),
        ("Booking", "modify"),
    ]


def test_swept_bookings_and_removals_are_not_under_their_person(db: Store) -> None:
    skip_changes(db)
    book(db, "ann", offer(), Stay(DAYS[0], DAYS[0]), now=NOW)
    ended = book(db, "ann", offer(), Stay(DAYS[1], DAYS[1]), now=NOW - timedelta(hours=1))
    sweep(db, NOW)
    db.delete(Booking.primary.delete(**key_fields(ended)))

    write_audit_rows(db)

    ann, others = (db.run(Change.by_user(who, LONG_AGO)) for who in ("ann", "system"))
    assert [row.action for row in ann] == ["insert", "insert"]
    assert [row.action for row in others if row.schema_name == "Booking"] == ["modify", "remove"]


def test_changes_that_are_read_twice_make_the_same_rows(db: Store) -> None:
    first = write_audit_rows(db)
    before = rows(db)

    again = write_audit_rows(db, consumer="another")

    assert sorted(map(str, first)) == sorted(map(str, again))
    assert len(first) == len(before) == len(rows(db)) > 10


def test_the_audit_continues_where_it_stopped_and_through_shard_splits(
    db: Store, pksk_engine: Engine
) -> None:
    skip_changes(db)
    edits = []
    for number in range(4):
        if number:
            db.run(Geozone.edit("park_1", 1, f"name {number}", []))
        else:
            db.create(Geozone(collection_id="park_1", geozone_id=1))
        pksk_engine.roll_shards(reference.name)
        if number == 2:
            pksk_engine.split(reference.name)
        edits.append(write_audit_rows(db))

    assert [[row.action for row in some] for some in edits] == [
        ["insert"],
        ["modify"],
        ["modify"],
        ["modify"],
    ]
    assert write_audit_rows(db) == []
    everything = write_audit_rows(db, consumer="another")
    assert [row.action for row in everything if row.key.pk == "geozone::park_1"] == [
        "insert", "modify", "modify", "modify",
    ]  # fmt: skip
