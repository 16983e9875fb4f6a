"""A sync writes changes, fills an index beside them, and goes on after missed changes and lost state."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from pksk import (
    Clock,
    DesignError,
    Engine,
    Entity,
    Key,
    Partitioning,
    Store,
    Table,
    connect,
    connect_async,
)
from pksk.errors import ConsumerStale
from pksk.search import AsyncSync, EmbeddedSink, ItemWrite, Keyword, SearchDocument, SearchIndex, Sync, Text
from pksk.search.sink import EPOCH_SHIFT
from tests.search.places import SUMMER, Campsite, Park, places, reference


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine.open(clock=clock, partitioning=Partitioning(partitions=2)) as engine:
        yield engine


@pytest.fixture
def db(engine: Engine) -> Iterator[Store]:
    with connect(engine) as db:
        db.create_tables(reference)
        yield db


@pytest.fixture
def sink() -> Iterator[EmbeddedSink]:
    with EmbeddedSink(places) as sink:
        yield sink


@pytest.fixture
def sync(db: Store, sink: EmbeddedSink) -> Sync:
    return Sync(db, places, sink)


def shown(sink: EmbeddedSink) -> dict[str, str]:
    """The names of all documents."""
    with sink.reading() as connection:
        rows = connection.execute(
            "SELECT documents.id, json_extract(body, '$.name') FROM documents ORDER BY 1"
        )
        return dict(rows.fetchall())


def park(number: int, **fields: Any) -> Park:
    return Park(id=str(number), name=fields.pop("name", f"Park {number}"), **fields)


def test_changes_are_written_and_removals_removed(db: Store, sync: Sync, sink: EmbeddedSink) -> None:
    db.put(park(1))
    db.put(park(2))
    db.put(Campsite(id="9", name="Alice", sites=[{"number": 4}, {"number": 5}]))
    sync.run(follow=False)
    db.put(park(1, name="Renamed"))
    db.delete(Park, id="2")
    db.put(Campsite(id="9", name="Alice", sites=[{"number": 4}]))
    sync.run(follow=False)

    assert shown(sink) == {"PARK%231#META": "Renamed", "CAMP%239#META#0": "Alice 4"}
    assert sync.counts.applied == 6
    assert sync.verify().agrees


def test_an_item_that_no_longer_meets_the_condition_is_removed(
    db: Store, sync: Sync, sink: EmbeddedSink
) -> None:
    db.put(park(1))
    sync.run(follow=False)
    db.update(Park.primary.update(id="1").set(closed=True))
    sync.run(follow=False)

    assert shown(sink) == {}
    db.update(Park.primary.update(id="1").set(closed=False))
    sync.run(follow=False)
    assert shown(sink) == {"PARK%231#META": "Park 1"}


def test_an_item_that_cannot_be_indexed_is_a_dead_letter_until_it_can(
    db: Store, sync: Sync, sink: EmbeddedSink
) -> None:
    db.put(park(1))
    sync.run(follow=False)
    db.put(park(1, name="New", visits=2**64))
    db.put(park(2))
    sync.run(follow=False)

    (letter,) = sync.dead_letters()
    assert "cannot be indexed as a number" in letter.reason
    assert shown(sink) == {"PARK%231#META": "Park 1", "PARK%232#META": "Park 2"}
    assert [(each.kind, each.id) for each in sync.verify().differences] == [("failed", "PARK%231#META")]
    assert sync.retry(letter).status == "rejected"

    db.put(park(1, name="Right"))
    assert sync.retry(letter).status == "applied"
    assert sync.dead_letters() == []
    sync.run(follow=False)
    assert shown(sink)["PARK%231#META"] == "Right"


def test_an_item_that_does_not_fit_its_entity_is_a_dead_letter_too(
    db: Store, engine: Engine, sync: Sync, sink: EmbeddedSink
) -> None:
    item = park(1).to_item() | {"visits": {"S": "many"}}
    engine.call("PutItem", {"TableName": "reference", "Item": item})
    sync.run(follow=False)

    (letter,) = sync.dead_letters()
    assert letter.id == "PARK%231#META"
    db.put(park(1))
    assert sync.retry(letter).status == "applied"
    assert sync.dead_letters() == []
    sync.drop(letter)


def test_a_backfill_fills_a_new_index_with_what_the_stream_no_longer_has(
    db: Store, sync: Sync, sink: EmbeddedSink, clock: Clock
) -> None:
    db.batch_put(park(number) for number in range(50))
    clock.advance(3 * 24 * 3600)
    db.put(park(7, name="Changed"))

    backfilled = sync.backfill()

    assert (backfilled.items, backfilled.rejected) == (50, 0)
    assert len(shown(sink)) == 50
    assert shown(sink)["PARK%237#META"] == "Changed"
    assert sync.backfill().applied == 0
    db.delete(Park, id="3")
    sync.run(follow=False)
    assert sync.verify().agrees


def test_after_missed_changes_a_rebuild_makes_the_index_anew(
    db: Store, sync: Sync, sink: EmbeddedSink, clock: Clock
) -> None:
    db.batch_put(park(number) for number in range(20))
    sync.run(follow=False)
    db.delete(Park, id="3")
    db.put(park(4, name="Missed"))
    clock.advance(3 * 24 * 3600)
    db.put(park(5, name="Late"))
    with pytest.raises(ConsumerStale):
        sync.run(follow=False)

    calls = 1
    while not sync.rebuild(max_read_units=1)[0].complete:
        calls += 1

    assert calls > 1
    sync.run(follow=False)
    assert sync.verify().agrees
    assert len(shown(sink)) == 19
    assert shown(sink)["PARK%234#META"] == "Missed"


def test_a_sync_whose_state_was_lost_goes_on_above_the_epochs_in_the_index(
    db: Store, sync: Sync, sink: EmbeddedSink
) -> None:
    for number in range(5):
        db.put(park(1, name=f"Name {number}"))
        sync.run(follow=False)
    before = sink.highest_version("reference")
    db.drop_tables("pksk-changes")
    db.put(park(1, name="After"))

    sync.run(follow=False)

    assert shown(sink) == {"PARK%231#META": "After"}
    assert sink.highest_version("reference") >> EPOCH_SHIFT > before >> EPOCH_SHIFT


def test_a_worker_that_meets_a_later_epoch_takes_one_above_it_and_replays(db: Store) -> None:
    db.put(park(1))
    stale = places.documents_of(park(1, name="Written under a later epoch"))
    db.put(park(1, name="Current"))

    class MeetsALaterEpoch(EmbeddedSink):
        """Another program writes just before the worker does."""

        def apply(self, writes: Any) -> Any:
            if not fenced:
                fenced.append(True)
                super().apply([ItemWrite(stale, 50 << EPOCH_SHIFT)])
            return super().apply(writes)

    fenced: list[bool] = []
    sink = MeetsALaterEpoch(places)
    sync = Sync(db, places, sink)
    sync.run(follow=False)

    assert shown(sink) == {"PARK%231#META": "Current"}
    assert sync.counts.fenced >= 1
    assert sink.highest_version("reference") >> EPOCH_SHIFT > 50
    sink.close()


def test_a_failure_of_the_sink_is_waited_for(db: Store) -> None:
    class FailsTwice(EmbeddedSink):
        def apply(self, writes: Any) -> Any:
            if len(failures) < 2:
                failures.append(True)
                raise ConnectionError("the index is down")
            return super().apply(writes)

    failures: list[bool] = []
    sink = FailsTwice(places)
    sync = Sync(db, places, sink)
    db.put(park(1))
    sync.run(follow=False)

    assert shown(sink) == {"PARK%231#META": "Park 1"}
    assert sync.dead_letters() == []


def test_an_index_follows_several_tables() -> None:
    old = Table("old", stream=True)

    class OldPark(Entity, table=old):
        id: str
        name: str
        primary = Key("PARK#{id}", "META")
        search = SearchDocument({"name": Text(boost=3, suggest=True), "status": Keyword(of="name")})

    both = SearchIndex("places", Park, OldPark)
    with connect("memory:") as db, EmbeddedSink(both) as sink:
        db.create_tables(reference, old)
        db.put(park(1))
        db.put(OldPark(id="1", name="Former"))
        sync = Sync(db, both, sink)
        sync.run(follow=False)
        db.delete(Park, id="1")
        sync.run(follow=False)

        assert shown(sink) == {"%told#PARK%231#META": "Former"}
        assert sync.verify().agrees
        assert [each.table for each in sync.status()] == ["reference", "old"]


def test_a_table_without_both_images_is_rejected() -> None:
    class Trail(Entity, table=Table("trails", stream="KEYS_ONLY")):
        id: str
        primary = Key("TRAIL#{id}", "META")
        search = SearchDocument({"id": Keyword()})

    trails = SearchIndex("trails", Trail)
    with connect("memory:") as db, EmbeddedSink(trails) as sink, pytest.raises(DesignError) as caught:
        Sync(db, trails, sink)

    assert caught.value.code == "search-stream"


def test_verify_finds_what_was_deleted_added_or_changed_by_hand_and_repair_restores_it(
    db: Store, sync: Sync, sink: EmbeddedSink
) -> None:
    db.batch_put(park(number) for number in range(30))
    sync.run(follow=False)
    high = 40 << EPOCH_SHIFT
    missing, stale, extra = park(1), park(2, name="By hand"), park(99)
    other = places.documents_of(park(3))
    with sink._writing() as connection:
        sink._remove_documents(connection, places.documents_of(missing).id)
        connection.execute("DELETE FROM items WHERE id = ?", (places.documents_of(missing).id,))
        connection.execute("UPDATE items SET digest = 5 WHERE id = ?", (places.documents_of(stale).id,))
    wrong = type(other)("PARK#3#wrong", other.table, other.entity, other.key, other.documents[:0], None, 0)
    documents = (type(other.documents[0])("PARK#3#wrong", "", other.documents[0].body),)
    wrong = type(other)("PARK#3#wrong", other.table, other.entity, other.key, documents, None, other.digest)
    sink.apply([ItemWrite(places.documents_of(extra), 3), ItemWrite(wrong, 4)])

    verified = sync.verify(settle_seconds=0)

    assert {(each.id, each.kind) for each in verified.differences} == {
        (places.documents_of(missing).id, "missing"),
        (places.documents_of(stale).id, "stale"),
        (places.documents_of(extra).id, "extra"),
        ("PARK#3#wrong", "extra"),
    }
    repaired = sync.repair(verified)
    assert (repaired.written, repaired.removed, repaired.rejected) == (2, 2, 0)
    assert sync.verify(settle_seconds=0).agrees
    assert high > sink.highest_version("reference")


def test_a_deep_verification_finds_documents_that_were_edited_by_hand(
    db: Store, sync: Sync, sink: EmbeddedSink
) -> None:
    db.batch_put(park(number, opened=SUMMER, fee=Decimal("12.5")) for number in range(5))
    sync.run(follow=False)
    with sink.reading() as connection:
        connection.execute("UPDATE documents SET body = '{}' WHERE item = 'PARK%233#META'")
        connection.execute("DELETE FROM documents WHERE item = 'PARK%234#META'")

    assert sync.verify().agrees
    verified = sync.verify(deep=True)
    assert [(each.id, each.kind) for each in verified.differences] == [
        ("PARK%233#META", "altered"),
        ("PARK%234#META", "altered"),
    ]
    sync.repair(verified)
    assert sync.verify(deep=True).agrees


def test_a_change_after_a_repair_is_applied_by_a_worker_of_an_earlier_epoch(
    db: Store, sync: Sync, sink: EmbeddedSink
) -> None:
    db.put(park(1))
    sync.run(follow=False)
    with sink._writing() as connection:
        connection.execute("UPDATE items SET digest = 5")
    sync.repair(sync.verify(settle_seconds=0))
    db.put(park(1, name="After the repair"))
    sync.run(follow=False)

    assert shown(sink) == {"PARK%231#META": "After the repair"}


def test_metrics_say_what_was_written(db: Store, sync: Sync) -> None:
    db.put(park(1))
    sync.run(follow=False)

    assert 'pksk_search_items_total{index="places",outcome="applied"} 1' in sync.metrics()


def test_an_asynchronous_store_has_the_same_sync() -> None:
    async def main() -> None:
        async with connect_async("memory:") as db:
            await db.create_tables(reference)
            for number in range(3):
                await db.put(park(number))
            with EmbeddedSink(places) as sink:
                sync = AsyncSync(db, places, sink)
                await sync.run(follow=False)
                assert len(shown(sink)) == 3
                assert (await sync.backfill()).applied == 0
                assert (await sync.rebuild())[0].items == 3
                verified = await sync.verify()
                assert verified.agrees
                assert (await sync.repair(verified)).written == 0
                assert await sync.dead_letters() == []
                assert [each.condition for each in await sync.status()] == ["reading"]

    asyncio.run(main())
