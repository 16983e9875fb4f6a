"""Hooks are told of every request and of its end, and can break nothing."""

from __future__ import annotations

import logging
from datetime import date
from typing import Any

import pytest

from pksk import AlreadyExists, Put, RequestFinished, RequestStarted, Store, TableMissing, log_to
from tests.store.doors import Door
from tests.store.shop import Customer, Flag, Line, Order, Word, shop, words

FIRST = date(2025, 3, 1)
ORDER = Order(customer="7", number=1, day=FIRST)


class Watching:
    """Notes what begins and what ends."""

    def __init__(self) -> None:
        self.sent: list[RequestStarted] = []
        self.done: list[RequestFinished] = []

    def __call__(self, sending: RequestStarted) -> Any:
        self.sent.append(sending)
        return self.done.append


def test_a_hook_is_told_of_the_request_and_of_its_end(db: Store, door: Door) -> None:
    watching = Watching()
    store = door.open(hooks=[watching])
    store.put(ORDER)
    store.get(Order.primary.get(customer="7", number=1))
    put, get = watching.sent

    assert (put.operation, put.tables, put.entities, put.attempt) == ("PutItem", (shop.name,), ("Order",), 1)
    assert put.about == Put(ORDER)
    assert (get.operation, get.request["Key"]["pk"]) == ("GetItem", {"S": "CUST#7"})
    assert all(done.error is None and done.seconds >= 0 for done in watching.done)
    assert watching.done[1].answer is not None
    assert watching.done[1].answer["Item"]["customer"] == {"S": "7"}


def test_a_hook_is_told_of_errors_as_the_service_says_them(db: Store, door: Door) -> None:
    db.put(ORDER)
    watching = Watching()
    with pytest.raises(AlreadyExists):
        door.open(hooks=[watching]).create(ORDER)

    assert [getattr(done.error, "code", None) for done in watching.done] == [
        "ConditionalCheckFailedException"
    ]


def test_a_hook_knows_the_pattern_and_all_entities(db: Store, door: Door) -> None:
    watching = Watching()
    store = door.open(hooks=[watching])
    list(store.iter(Order.of_status("open", FIRST, FIRST)))
    store.transaction(Put(Flag(name="x")), Put(Line(customer="7", number=1, line=1)))
    store.batch_put(ORDER, Word(language="de", word="Haus"))

    assert watching.sent[0].pattern == "Order.of_status"
    assert {each.entities for each in watching.sent[1:-1]} == {("Flag", "Line")}
    assert watching.sent[-1].tables == (shop.name, words.name)


def test_several_hooks_are_all_told(db: Store, door: Door) -> None:
    one, other = Watching(), Watching()
    door.open(hooks=[one, other]).put(ORDER)

    assert len(one.done) == len(other.done) == 1


def test_a_hook_that_fails_is_logged_and_breaks_nothing(
    db: Store, door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(sending: RequestStarted) -> Any:
        raise RuntimeError("at the beginning")

    def broken_later(sending: RequestStarted) -> Any:
        def finish(done: RequestFinished) -> None:
            raise RuntimeError("at the end")

        return finish

    watching = Watching()
    store = door.open(hooks=[broken, broken_later, watching])

    assert store.put(ORDER) == ORDER
    assert len(watching.done) == 1
    assert [record.exc_info[1].args for record in caplog.records if record.exc_info] == [  # type: ignore[union-attr]
        ("at the beginning",),
        ("at the end",),
    ]


def test_a_log_tells_what_without_what_is_stored(
    db: Store, door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "pksk.store")
    store = door.open(hooks=[log_to()])
    store.put(ORDER)
    with pytest.raises(AlreadyExists):
        store.create(ORDER)

    lines = [record.getMessage() for record in caplog.records]
    assert lines[0].startswith(f"PutItem {shop.name} for Order in ")
    assert lines[1] == f"PutItem {shop.name} for Order failed: ConditionalCheckFailedException"
    assert "CUST#7" not in "".join(lines)


def test_reads_before_writes_are_about_the_write(db: Store, door: Door) -> None:
    db.put(ORDER)
    watching = Watching()
    update = Order.primary.update(customer="7", number=1).set(status="sent")
    door.open(hooks=[watching]).update(update)

    assert [(each.operation, each.about) for each in watching.sent] == [
        ("GetItem", update),
        ("UpdateItem", update),
    ]


def test_hooks_hear_of_tables(db: Store, door: Door) -> None:
    watching = Watching()
    with pytest.raises(TableMissing):
        door.open(hooks=[watching]).drop_tables("pksk-there-is-no-such-table")

    assert watching.sent[0].operation == "DeleteTable"


def test_a_hook_sees_guards_as_part_of_the_transaction(db: Store, door: Door) -> None:
    watching = Watching()
    door.open(hooks=[watching]).create(Customer(customer="7", name="Ann", email="a@b.c"))

    assert [each.operation for each in watching.sent] == ["TransactWriteItems"]
    assert len(watching.sent[0].request["TransactItems"]) == 2
