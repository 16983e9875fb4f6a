"""An interrupt at any moment of a call leaves its write done or undone, and the engine usable."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import orjson
import pytest

from pksk.engine import Engine
from pksk.engine.storage import MemoryStorage, Row, SqliteStorage, Storage, StorageProblem

from .failing import Stop
from .interrupts import interrupted, moments

LONG = os.environ.get("PKSK_LONG", "") not in {"", "0"}
MOST_MOMENTS = 20
PATIENCE_SECONDS = 5.0
TABLE: dict[str, Any] = {
    "TableName": "orders",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "by", "AttributeType": "S"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by-customer",
            "KeySchema": [{"AttributeName": "by", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}
ORDERS: dict[str, Any] = {"TableName": "orders"}


def item(pk: str, by: str = "ann") -> dict[str, Any]:
    return {"pk": {"S": pk}, "by": {"S": by}}


def key(pk: str) -> dict[str, Any]:
    return {**ORDERS, "Key": {"pk": {"S": pk}}}


WRITES: dict[str, tuple[str, dict[str, Any]]] = {
    "put": ("PutItem", {**ORDERS, "Item": item("new")}),
    "replace": ("PutItem", {**ORDERS, "Item": item("1", "bob")}),
    "update": (
        "UpdateItem",
        {
            **key("1"),
            "UpdateExpression": "SET #b = :b",
            "ExpressionAttributeNames": {"#b": "by"},
            "ExpressionAttributeValues": {":b": {"S": "bob"}},
        },
    ),
    "delete": ("DeleteItem", key("1")),
    "transaction": (
        "TransactWriteItems",
        {
            "TransactItems": [
                {"Put": {**ORDERS, "Item": item("new")}},
                {"Delete": key("1")},
                {"Put": {**ORDERS, "Item": item("2", "bob")}},
            ]
        },
    ),
    "rejected transaction": (
        "TransactWriteItems",
        {
            "TransactItems": [
                {"Put": {**ORDERS, "Item": item("2", "bob")}},
                {"Delete": {**key("1"), "ConditionExpression": "attribute_not_exists(pk)"}},
            ]
        },
    ),
}
READS: dict[str, tuple[str, dict[str, Any]]] = {
    "get": ("GetItem", key("1")),
    "scan": ("Scan", {**ORDERS, "Limit": 1}),
    "describe": ("DescribeTable", ORDERS),
}
CALLS = {**WRITES, **READS}


def opened(path: Path | None) -> Engine:
    """An engine with two items, whose table was counted, so that its totals are updated."""
    engine = Engine.open(path or ":memory:", durable=False)
    engine.call("CreateTable", TABLE)
    for pk in ("1", "2"):
        put(engine, pk)
    engine.call("DescribeTable", ORDERS)
    return engine


def put(engine: Engine, pk: str) -> None:
    engine.call("PutItem", {**ORDERS, "Item": item(pk)})


def contents(engine: Engine) -> list[dict[str, str]]:
    """All items, after a look that the index and the counts agree with them."""
    found = _scanned(engine, {})
    assert _scanned(engine, {"IndexName": "by-customer"}) == found
    table = engine.call("DescribeTable", ORDERS)["Table"]
    assert table["ItemCount"] == table["GlobalSecondaryIndexes"][0]["ItemCount"] == len(found)
    return found


def _scanned(engine: Engine, more: dict[str, Any]) -> list[dict[str, str]]:
    items = engine.call("Scan", {**ORDERS, **more})["Items"]
    return sorted(({name: value["S"] for name, value in one.items()} for one in items), key=str)


def in_another_thread(work: Callable[[], None]) -> bool:
    """Whether something is done by another thread before the patience ends."""
    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(PATIENCE_SECONDS)
    return not thread.is_alive()


def outcomes(operation: str, request: dict[str, Any]) -> list[list[dict[str, str]]]:
    """What is stored without the call, and with it."""
    with opened(None) as engine:
        before = contents(engine)
        call(engine, operation, request)
        return [before, contents(engine)]


def call(engine: Engine, operation: str, request: dict[str, Any]) -> None:
    status, _ = engine.answer(operation, orjson.dumps(request))
    assert status in {200, 400}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", ["memory", "file"])
def test_an_interrupt_at_any_moment_leaves_a_call_done_or_undone_and_the_engine_usable(
    kind: str, name: str, tmp_path: Path
) -> None:
    operation, request = CALLS[name]
    allowed = outcomes(operation, request)
    with opened(tmp_path / "counting" if kind == "file" else None) as engine:
        count = moments(lambda: call(engine, operation, request))
    assert count

    stride = 1 if LONG else count // MOST_MOMENTS + 1
    for moment in range(1, count + 1, stride):
        path = tmp_path / str(moment) if kind == "file" else None
        engine = opened(path)
        where = interrupted(lambda engine=engine: call(engine, operation, request), moment)  # type: ignore[misc]
        check_sound(engine, path, allowed, where)


def check_sound(engine: Engine, path: Path | None, allowed: list[Any], where: str) -> None:
    """It has one of the contents it may have, other threads and this one write, and it can be closed."""
    assert in_another_thread(lambda: put(engine, "other")), where
    put(engine, "this")
    found = contents(engine)
    assert [one for one in found if one["pk"] not in {"other", "this"}] in allowed, where
    assert {"other", "this"} <= {one["pk"] for one in found}, where
    engine.call("DeleteItem", key("other"))
    engine.call("DeleteTable" if path is None else "DeleteItem", ORDERS if path is None else key("this"))
    before = None if path is None else contents(engine)
    engine.close()
    if path is not None:
        with Engine.open(path, durable=False) as again:
            assert contents(again) == before, where
            again.call("DeleteTable", ORDERS)


def test_a_commit_that_an_interrupt_follows_is_counted(path: Path) -> None:
    with SqliteStorage(path, durable=False) as storage:
        with storage.writing() as writer:
            space = writer.make_space()
            assert writer.totals(space) == (0, 0)
        turn: Any = storage._write_lock
        execute = turn._execute

        def interrupting(sql: str) -> None:
            execute(sql)
            if sql == "COMMIT":
                turn._execute = execute
                raise KeyboardInterrupt

        turn._execute = interrupting
        with pytest.raises(KeyboardInterrupt):
            _put(storage, space, b"a")

        assert storage.get(space, b"a") is not None
        with storage.reading() as reader:
            assert reader.totals(space) == (1, 1)


@pytest.mark.parametrize("failing_anyway", [False, True])
def test_an_interrupt_during_sorting_does_not_damage_other_rows(failing_anyway: bool) -> None:
    storage = MemoryStorage()
    before = {b"%04d" % number: Row(b"%04d" % number, 1, b"") for number in range(3000)}
    with storage.writing() as writer:
        space = writer.make_space()
        for row in before.values():
            writer.put(space, *row)
    after = {**before, b"00005": Row(b"00005", 1, b""), b"0009": Row(b"0009", 2, b"other")}
    del after[b"0007"]

    def write() -> None:
        with storage.writing() as writer:
            writer.put(space, b"00005", 1, b"")
            writer.delete(space, b"0007")
            writer.put(space, b"0009", 2, b"other")
            if failing_anyway:
                raise Stop

    def unwrite() -> None:
        with storage.writing() as writer:
            writer.delete(space, b"00005")
            writer.put(space, b"0007", 1, b"")
            writer.put(space, b"0009", 1, b"")

    def write_or_stop() -> None:
        with suppress(Stop):
            write()

    for moment in range(1, moments(write_or_stop) + 1):
        unwrite()
        where = interrupted(write_or_stop, moment)
        storage.abandon()
        with storage.reading() as reader:
            rows = list(reader.rows(space, b"", None))
            assert reader.totals(space) == (len(rows), sum(row.size for row in rows)), where
        assert rows in ([*before.values()], sorted(after.values())), where


def test_abandoning_without_an_open_block_does_nothing(storage: Storage, space: int) -> None:
    storage.abandon()
    with storage.writing() as writer:
        writer.put(space, b"d", 1, b"")
    storage.abandon()

    assert storage.get(space, b"d") is not None


def test_a_thread_does_not_abandon_blocks_of_another(storage: Storage, space: int) -> None:
    with storage.writing() as writer:
        writer.put(space, b"d", 1, b"")
        assert in_another_thread(storage.abandon)

    assert storage.get(space, b"d") is not None


def test_an_abandoned_block_is_rolled_back_and_releases_the_lock(storage: Storage, space: int) -> None:
    storage.sharing_commit().__enter__()
    storage.writing().__enter__()
    writer = storage.writing().__enter__()
    writer.put(space, b"d", 1, b"")
    writer.drop_space(space)
    storage.abandon()

    assert in_another_thread(lambda: _put(storage, space, b"e"))
    assert storage.get(space, b"d") is None
    assert storage.get(space, b"e") is not None
    with storage.reading() as reader:
        assert reader.totals(space) == (4, 7)


def _put(storage: Storage, space: int, key: bytes) -> None:
    with storage.writing() as writer:
        writer.put(space, key, 1, b"")


@pytest.mark.parametrize("kind", ["writing", "sharing_commit"])
def test_an_abandoned_outer_block_raises_at_its_end(kind: str, storage: Storage, space: int) -> None:
    with pytest.raises(StorageProblem, match="An interrupt ended this block"), getattr(storage, kind)():
        _abandon_and_put(storage, space)

    assert in_another_thread(lambda: _put(storage, space, b"f"))
    with storage.reading() as reader:
        assert [row.key for row in reader.rows(space, b"d", None)] == [b"d", b"e", b"f"]


def _abandon_and_put(storage: Storage, space: int) -> None:
    storage.abandon()
    assert in_another_thread(lambda: _put(storage, space, b"d"))
    _put(storage, space, b"e")


@pytest.mark.parametrize("kind", ["writing", "sharing_commit", "reading"])
def test_an_abandoned_outer_block_passes_on_the_interrupt(kind: str, storage: Storage, space: int) -> None:
    with pytest.raises(KeyboardInterrupt), getattr(storage, kind)():
        _abandon_and_raise(storage)

    assert in_another_thread(lambda: _put(storage, space, b"d"))
    assert storage.get(space, b"d") is not None


def _abandon_and_raise(storage: Storage) -> None:
    storage.abandon()
    raise KeyboardInterrupt


def test_unfinished_reads_do_not_prevent_dropping_a_space(path: Path) -> None:
    with SqliteStorage(path, durable=False) as storage:
        with storage.writing() as writer:
            space = writer.make_space()
            writer.put(space, b"a", 1, b"")
            writer.put(space, b"b", 1, b"")
        reader = storage.reading().__enter__()
        next(reader.rows(space, b"", None))
        storage.abandon()
        with storage.writing() as writer:
            writer.drop_space(space)
