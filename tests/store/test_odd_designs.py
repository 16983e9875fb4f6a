"""Rare designs: random shards, one item for each bucket, None stored as NULL, a TTL in a subclass only, all types."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Annotated
from uuid import UUID, uuid4

import pytest
from pydantic import AwareDatetime, Field
from ulid import ULID

from pksk import (
    GSI,
    TTL,
    AlreadyExists,
    Attribute,
    Clock,
    Entity,
    F,
    Key,
    Null,
    Put,
    Shard,
    Store,
    Table,
    connect,
)
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import named
from tests.store.table_contents import stored

odd = Table(named("odd"), ttl="expires", indexes=[GSI("spread", pk="x1", sk="x2")])


class Vote(Entity, table=odd):
    """Nothing of the item says in which shard it is."""

    id: str
    choice: str
    weight: int = 1

    primary = Key("VOTE#{id}", "META")
    spread = Key("CHOICE#{choice}#{shard}", "{id}", index="spread", shard=Shard(3))


class Answer(Entity, table=odd):
    id: UUID = Field(default_factory=uuid4)
    made: ULID = Field(default_factory=ULID)
    text: Annotated[str | None, Null()] = None
    note: str | None = None

    primary = Key("ANSWER#{id}", "{made}")


class Page(Entity, table=odd):
    site: str
    path: str

    primary = Key("SITE#{site}", "{path}")


class Draft(Page, table=odd):
    """Ends some time, and what it is a kind of does not."""

    until: Annotated[datetime | None, TTL(), Attribute("expires")] = None


@pytest.fixture
def tables() -> Iterable[Table]:
    return (odd,)


def test_all_random_shards_are_read(db: Store, eventually: Eventually) -> None:
    votes = [Vote(id=f"{n:02d}", choice="yes") for n in range(20)]
    db.batch_put(*votes)

    eventually(lambda: db.iter(Vote.spread(choice="yes")), votes)
    eventually(lambda: db.count(Vote.spread(choice="yes")), 20)


def test_an_updated_item_in_a_shard_is_found_once(db: Store, door: Door, eventually: Eventually) -> None:
    db.put(Vote(id="1", choice="yes"))
    before = stored(door, odd, "VOTE#1", "META")["x1"]
    db.update(Vote.primary.update(id="1").add(weight=1))
    unchanged = stored(door, odd, "VOTE#1", "META")["x1"]
    changed = db.update(Vote.primary.update(id="1").set(choice="no"))

    assert unchanged == before
    eventually(lambda: db.iter(Vote.spread(choice="no")), [changed])
    eventually(lambda: db.iter(Vote.spread(choice="yes")), [])


def test_none_is_not_stored_unless_declared_as_null(db: Store, door: Door) -> None:
    answer = db.put(Answer())
    item = stored(door, odd, f"ANSWER#{answer.id}", str(answer.made))

    assert item["text"] == {"NULL": True}
    assert "note" not in item
    assert db.get(Answer.primary.get(id=answer.id, made=answer.made)) == answer


def test_null_can_be_queried_and_written_again(db: Store, door: Door) -> None:
    answer = db.put(Answer(text="yes"))
    update = Answer.primary.update(id=answer.id, made=answer.made)
    changed = db.update(update.set(text=None))
    again = db.update(update.set(note="n").when(F.text == None))  # noqa: E711 - it is a condition

    assert (changed.text, again.note) == (None, "n")
    assert stored(door, odd, f"ANSWER#{answer.id}", str(answer.made))["text"] == {"NULL": True}


def test_ids_that_sort_by_time_come_in_order(db: Store) -> None:
    one = uuid4()
    made = [Answer(id=one, made=ULID.from_timestamp(1_700_000_000 + second)) for second in (3, 1, 2)]
    db.batch_put(*made)

    assert [each.made for each in db.iter(Answer.primary(id=one))] == sorted(each.made for each in made)


def test_expired_items_are_hidden_from_queries_on_the_base_too(db: Store, clock: Clock) -> None:
    soon = datetime.fromtimestamp(int(clock()) + 60, UTC)
    page = db.put(Page(site="x", path="a"))
    draft = db.put(Draft(site="x", path="b", until=soon))
    before = list(db.iter(Page.primary(site="x")))
    clock.advance(60)

    assert before == [page, draft]
    assert list(db.iter(Page.primary(site="x"))) == [page]
    assert db.count(Page.primary(site="x")) == 1
    assert db.get(Page.primary.get(site="x", path="b")) is None
    assert db.batch_get(Page.primary.get(site="x", path="b")) == [None]
    assert db.create(Draft(site="x", path="b")) == Draft(site="x", path="b")


class Reading(Entity, table=Table("hourly-readings")):
    sensor: str
    at: AwareDatetime
    celsius: int = 0
    primary = Key("SENSOR#{sensor}", "{at:%Y-%m-%dT%H}", one_per_bucket=("at",))


def test_one_item_for_each_bucket_is_replaced_found_and_moved_by_any_value_of_its_bucket() -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    db = connect("memory:")
    db.create_tables(Reading.__pksk__.table)
    db.put(Reading(sensor="a", at=noon))
    latest = db.put(Reading(sensor="a", at=noon + timedelta(minutes=9), celsius=2))

    assert list(db.iter(Reading.primary(sensor="a"))) == [latest]
    assert db.get(Reading, sensor="a", at=noon + timedelta(minutes=59)) == latest
    assert db.get(Reading, sensor="a", at=noon + timedelta(minutes=60)) is None
    assert db.first(Reading.primary(sensor="a", at=noon)) is None
    with pytest.raises(AlreadyExists):
        db.create(Reading(sensor="a", at=noon + timedelta(minutes=30)))
    moved = db.move(db.move(latest, at=noon + timedelta(minutes=10)), at=noon + timedelta(hours=1))
    assert list(db.iter(Reading.scan())) == [moved]


def test_an_entity_with_another_value_of_its_bucket_carries_unknown_attributes() -> None:
    db = connect("memory:")
    db.create_tables(Reading.__pksk__.table)
    read = Reading(sensor="a", at=datetime(2026, 1, 1, 12, tzinfo=UTC))
    db.client.call("PutItem", {"TableName": "hourly-readings", "Item": Put(read).item | {"unit": {"S": "K"}}})
    (found,) = db.iter(Reading.scan())

    db.put(found.model_copy(update={"at": found.at + timedelta(minutes=5)}))
    (kept,) = db.client.call("Scan", {"TableName": "hourly-readings"})["Items"]
    db.delete(Reading, sensor="a", at=found.at)
    db.put(found.model_copy(update={"at": found.at + timedelta(hours=5)}))
    (new,) = db.client.call("Scan", {"TableName": "hourly-readings"})["Items"]

    assert kept["unit"] == {"S": "K"}
    assert "unit" not in new
