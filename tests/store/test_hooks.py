"""Hooks: called at the start and end of every request; their errors are logged."""

from __future__ import annotations

import logging
from datetime import date
from typing import Any

import pytest

from pksk import (
    AlreadyExists,
    Delete,
    Entity,
    Get,
    Key,
    Put,
    RequestFinished,
    RequestStarted,
    Store,
    Table,
    TableMissing,
    access,
    connect,
    log_to,
)
from tests.store.doors import Door
from tests.store.shop import Customer, Flag, Line, Order, Word, shop, words

FIRST = date(2025, 3, 1)
notes = Table("notes")
ORDER = Order(customer="7", number=1, day=FIRST)


class Recorder:
    """A hook that records the start and the end of each request."""

    def __init__(self) -> None:
        self.sent: list[RequestStarted] = []
        self.done: list[RequestFinished] = []

    def __call__(self, request: RequestStarted) -> Any:
        self.sent.append(request)
        return self.done.append


def test_a_hook_is_called_at_the_start_and_end_of_a_request(db: Store, door: Door) -> None:
    recorder = Recorder()
    store = door.open(hooks=[recorder])
    store.put(ORDER)
    store.get(Order.primary.get(customer="7", number=1))
    put, get = recorder.sent

    assert (put.operation, put.tables, put.entities, put.attempt) == ("PutItem", (shop.name,), ("Order",), 1)
    assert put.request == Put(ORDER)
    assert (get.operation, get.parameters["Key"]["pk"]) == ("GetItem", {"S": "CUST#7"})
    assert all(done.error is None and done.seconds >= 0 for done in recorder.done)
    assert recorder.done[1].answer is not None
    assert recorder.done[1].answer["Item"]["customer"] == {"S": "7"}


def test_a_hook_receives_service_errors(db: Store, door: Door) -> None:
    db.put(ORDER)
    recorder = Recorder()
    with pytest.raises(AlreadyExists):
        door.open(hooks=[recorder]).create(ORDER)

    assert [getattr(done.error, "code", None) for done in recorder.done] == [
        "ConditionalCheckFailedException"
    ]


def test_a_hook_knows_the_pattern_and_all_entities(db: Store, door: Door) -> None:
    recorder = Recorder()
    store = door.open(hooks=[recorder])
    list(store.iter(Order.of_status("open", FIRST, FIRST)))
    store.transaction(Put(Flag(name="x")), Put(Line(customer="7", number=1, line=1)))
    store.batch_put(ORDER, Word(language="de", word="Haus"))

    assert recorder.sent[0].pattern == "Order.of_status"
    assert {each.entities for each in recorder.sent[1:-1]} == {("Flag", "Line")}
    assert recorder.sent[-1].tables == (shop.name, words.name)


def test_all_hooks_are_called(db: Store, door: Door) -> None:
    one, other = Recorder(), Recorder()
    door.open(hooks=[one, other]).put(ORDER)

    assert len(one.done) == len(other.done) == 1


def test_the_error_of_a_hook_is_logged_and_the_request_goes_on(
    db: Store, door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(request: RequestStarted) -> Any:
        raise RuntimeError("at the beginning")

    def broken_later(request: RequestStarted) -> Any:
        def finish(done: RequestFinished) -> None:
            raise RuntimeError("at the end")

        return finish

    recorder = Recorder()
    store = door.open(hooks=[broken, broken_later, recorder])

    assert store.put(ORDER) == ORDER
    assert len(recorder.done) == 1
    assert [record.exc_info[1].args for record in caplog.records if record.exc_info] == [  # type: ignore[union-attr]
        ("at the beginning",),
        ("at the end",),
    ]


def test_a_log_has_no_stored_values(db: Store, door: Door, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "pksk.store")
    store = door.open(hooks=[log_to()])
    store.put(ORDER)
    with pytest.raises(AlreadyExists):
        store.create(ORDER)

    lines = [record.getMessage() for record in caplog.records]
    assert lines[0].startswith(f"PutItem {shop.name} for Order in ")
    assert lines[1] == f"PutItem {shop.name} for Order failed: ConditionalCheckFailedException"
    assert "CUST#7" not in "".join(lines)


def test_a_read_before_a_write_belongs_to_the_write(db: Store, door: Door) -> None:
    db.put(ORDER)
    recorder = Recorder()
    update = Order.primary.update(customer="7", number=1).set(status="sent")
    door.open(hooks=[recorder]).update(update)

    assert [(each.operation, each.request) for each in recorder.sent] == [
        ("GetItem", update),
        ("UpdateItem", update),
    ]


def test_hooks_are_called_for_table_operations(db: Store, door: Door) -> None:
    recorder = Recorder()
    with pytest.raises(TableMissing):
        door.open(hooks=[recorder]).drop_tables("pksk-there-is-no-such-table")

    assert recorder.sent[0].operation == "DeleteTable"


def test_a_hook_sees_guards_as_part_of_the_transaction(db: Store, door: Door) -> None:
    recorder = Recorder()
    door.open(hooks=[recorder]).create(Customer(customer="7", name="Ann", email="a@b.c"))

    assert [each.operation for each in recorder.sent] == ["TransactWriteItems"]
    assert len(recorder.sent[0].parameters["TransactItems"]) == 2


class Note(Entity, table=notes):
    id: str

    primary = Key("NOTE#{id}", "META")

    @access(rate=1)
    @classmethod
    def many(cls, ids: list[str]) -> list[Get[Note]]:
        return [cls.primary.get(id=each) for each in ids]

    @access(rate=1)
    @classmethod
    def gone(cls, ids: list[str]) -> list[Delete[Note]]:
        return [cls.primary.delete(id=each) for each in ids]


def test_a_batch_or_transaction_of_one_pattern_is_metered_under_it() -> None:
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
