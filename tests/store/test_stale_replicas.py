"""What others do at the same moment: replicas that are behind, batches that end early, tables changed at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from threading import Barrier, Thread
from typing import Any

import pytest

from pksk import (
    GSI,
    BatchIncomplete,
    Delays,
    Delete,
    Engine,
    Entity,
    Get,
    ItemUnreadable,
    Key,
    PkskError,
    Put,
    RequestRejected,
    RequestStarted,
    Retry,
    Table,
    access,
    connect,
)

notes = Table("notes", indexes=[GSI("by-topic", pk="topic", projection="keys")])


class Note(Entity, table=notes):
    id: str
    topic: str = "t"
    stars: int = 0

    primary = Key("NOTE#{id}", "META")
    by_topic = Key("{topic}", index="by-topic")

    @access(rate=1)
    @classmethod
    def many(cls, ids: list[str]) -> list[Get[Note]]:
        return [cls.primary.get(id=each) for each in ids]

    @access(rate=1)
    @classmethod
    def gone(cls, ids: list[str]) -> list[Delete[Note]]:
        return [cls.primary.delete(id=each) for each in ids]


class Replica:
    """A DynamoDB whose eventually consistent reads come from a replica that has no item, or has an older one."""

    def __init__(self, old: Mapping[str, Any] | None) -> None:
        self.engine, self.old = Engine.open(), old

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "BatchGetItem" and not request["RequestItems"]["notes"].get("ConsistentRead"):
            return {"Responses": {"notes": [self.old] if self.old else []}, "UnprocessedKeys": {}}
        return self.engine.call(operation, request)


@pytest.mark.parametrize("old", [None, Put(Note(id="1", topic="other")).item])
def test_what_a_replica_does_not_show_yet_is_asked_for_again(old: Mapping[str, Any] | None) -> None:
    db = connect(Replica(old))
    db.create_tables(notes)
    db.put(Note(id="1"))

    assert list(db.iter(Note.by_topic(topic="t").hydrate())) == [Note(id="1")]


class Half:
    """A DynamoDB that never processes the last key of a batch."""

    def __init__(self) -> None:
        self.engine = Engine.open()

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation != "BatchGetItem":
            return self.engine.call(operation, request)
        *first, last = request["RequestItems"]["notes"]["Keys"]
        found = self.engine.call(operation, {"RequestItems": {"notes": {"Keys": first}}}) if first else {}
        return {"Responses": {}, **found, "UnprocessedKeys": {"notes": {"Keys": [last]}}}


@pytest.mark.parametrize("unreadable", [None, []])
def test_an_item_that_cannot_be_read_does_not_hide_what_is_left(
    unreadable: list[ItemUnreadable] | None,
) -> None:
    client = Half()
    db = connect(client, retry=Retry(throttled_seconds=0.001))
    db.create_tables(notes)
    odd = {**Put(Note(id="1")).item, "stars": {"S": "bad"}}
    client.call("PutItem", {"TableName": "notes", "Item": odd})
    gets = [Note.primary.get(id="1"), Note.primary.get(id="2")]

    with pytest.raises(BatchIncomplete) as caught:
        db.batch_get(*gets, unreadable=unreadable)

    assert (caught.value.unprocessed, caught.value.processed) == (gets[1:], [None])
    assert isinstance(caught.value.__cause__, ItemUnreadable) is (unreadable is None)
    assert ("does not fit Note" in str(caught.value)) is (unreadable is None)


def test_several_processes_bring_one_table_in_line_at_once() -> None:
    wanted = Table("many", indexes=[GSI("one", pk="a"), GSI("two", pk="b")], ttl="x", stream=True)
    told: Counter[str] = Counter()

    def ensure(engine: Engine, barrier: Barrier) -> None:
        barrier.wait()
        try:
            told.update(connect(engine).ensure_tables(wanted))
        except PkskError as error:
            told[f"failed: {error.problem}"] += 1

    engine = Engine.open(delays=Delays(create_table=0.02, update_table=0.02))
    connect(engine).create_tables(Table("many"))
    barrier = Barrier(6)
    threads = [Thread(target=ensure, args=(engine, barrier)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert set(told.values()) == {1}, told
    assert len(told) == 4
    assert connect(engine).ensure_tables(wanted) == []


def test_a_change_that_is_refused_for_good_is_told() -> None:
    engine = Engine.open()

    class Refusing:
        def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
            if operation == "UpdateTimeToLive":
                return engine.call("UpdateTimeToLive", {**request, "TableName": "x"})
            return engine.call(operation, request)

    db = connect(Refusing())
    db.create_tables(Table("many"))

    with pytest.raises(RequestRejected):
        db.ensure_tables(Table("many", ttl="x"))


def test_a_list_of_one_pattern_that_is_run_as_a_whole_keeps_it() -> None:
    sent: list[RequestStarted] = []
    db = connect("memory:", hooks=[sent.append])
    db.create_tables(notes)
    sent.clear()

    with db.meter() as meter:
        db.batch_get(*Note.many(["1", "2"]))
        db.transaction(*Note.many(["1", "2"]))
        db.batch_delete(*Note.gone(["1", "2"]))
        db.transaction(*Note.gone(["1", "2"]))
        db.batch_get(*Note.many(["1"]), Note.primary.get(id="2"))

    assert [each.pattern for each in sent] == ["Note.many", "Note.many", "Note.gone", "Note.gone", None]
    assert {row.name for row in meter.rows} == {"Note.many", "Note.gone", "batch Note"}
