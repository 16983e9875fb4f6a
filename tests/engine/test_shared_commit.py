"""Requests answered together: as if one by one, with one commit, and rolled back together if it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import orjson
import pytest

from pksk.engine import Engine, Partitioning
from pksk.engine.settings import Delays, Settings
from pksk.engine.storage import MemoryStorage, SqliteStorage, StorageProblem

from .agreement import check_agreement, scanned
from .contents import contents
from .faulty import FaultyStorage
from .overlapping_calls import Call, held_call
from .state.catalogues import Clock, defined, index, table
from .test_service_errors import STORAGES, Failing, connection, in_another_thread, large
from .valid_requests import VALID, set_up

Requests = Sequence[tuple[str, dict[str, Any]]]
ITEMS = [
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "BatchWriteItem",
    "TransactWriteItems",
    "GetItem",
    "Query",
    "Scan",
]
ITEM_CALLS = [(operation, request) for operation, request in VALID if operation in ITEMS]


def encoded(requests: Requests) -> list[tuple[str, bytes]]:
    return [(operation, orjson.dumps(request)) for operation, request in requests]


def put(number: int, text: str = "x") -> tuple[str, dict[str, Any]]:
    return "PutItem", {"TableName": "orders", "Item": {"pk": {"S": str(number)}, "t": {"S": text}}}


def get(number: int) -> tuple[str, dict[str, Any]]:
    return "GetItem", {"TableName": "orders", "Key": {"pk": {"S": str(number)}}, "ConsistentRead": True}


BETWEEN = "GetItem", b"between"


class Between(Engine):
    """An engine that does something else between two requests of one commit."""

    work: Callable[[], object]

    def answer(self, operation: str, body: bytes) -> tuple[int, bytes]:
        if body == BETWEEN[1]:
            self.work()
        return super().answer(operation, body)


def commits(engine: Engine) -> list[str]:
    """A list to which each commit of a file is added from now on."""
    found: list[str] = []
    connection(engine).set_trace_callback(lambda sql: found.append(sql) if sql == "COMMIT" else None)
    return found


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Engine]:
    with Engine.open(tmp_path / "tables.db", durable=False) as engine:
        engine.call("CreateTable", table())
        yield engine


def _set_up(kind: str, folder: Path, name: str) -> Engine:
    (folder / name).mkdir()
    return set_up(Engine.on(STORAGES[kind](folder / name), Settings(clock=Clock())))


@pytest.mark.parametrize("kind", STORAGES)
@pytest.mark.parametrize("draw", range(6))
def test_requests_are_answered_as_if_sent_one_by_one(kind: str, draw: int, tmp_path: Path) -> None:
    requests = encoded(Random(draw).choices(ITEM_CALLS, k=25))
    with _set_up(kind, tmp_path, "alone") as alone, _set_up(kind, tmp_path, "together") as together:
        expected = [alone.answer(*request) for request in requests]

        assert together.answers(requests) == expected

        assert str(together.heat()) == str(alone.heat())
        assert [scanned(together, name) for name in ("orders", "parts")] == [
            scanned(alone, name) for name in ("orders", "parts")
        ]
        check_agreement(together)


def test_requests_of_every_operation_can_be_answered_together() -> None:
    requests = encoded([request for each in VALID for request in (ITEM_CALLS[0], each)])
    with set_up(Engine.open()) as engine:
        answered = engine.answers(requests)

        assert len(answered) == len(requests)
        assert {status for status, _ in answered} <= {200, 400}
        check_agreement(engine)


def test_writes_share_one_commit_and_reads_between_see_them(file: Engine) -> None:
    counted = commits(file)

    answered = file.answers(encoded([get(1), put(1), get(1), put(2), ("GetItem", {}), put(3), get(3)]))

    assert len(counted) == 1
    assert [status for status, _ in answered] == [200, 200, 200, 200, 400, 200, 200]
    assert [b'"Item"' in body for _, body in answered] == [False, False, True, False, False, False, True]


def test_single_requests_and_reads_share_no_commit(file: Engine) -> None:
    counted = commits(file)
    file.answers(encoded([put(1)]))
    file.answers(encoded([get(1), put(2), get(2)]))

    assert file.answers([]) == []
    assert len(counted) == 2


def test_a_change_of_a_table_commits_on_its_own(file: Engine) -> None:
    counted = commits(file)
    more = table(TableName="more")

    answered = file.answers(
        encoded(
            [put(1), put(2), ("CreateTable", more), put(3), put(4), ("DeleteTable", {"TableName": "more"})]
        )
    )

    assert {status for status, _ in answered} == {200}
    assert len(counted) == 4


def test_a_rejected_write_does_not_affect_the_others(file: Engine) -> None:
    once = {**put(1)[1], "ConditionExpression": "attribute_not_exists(pk)"}

    answered = file.answers(encoded([("PutItem", once), ("PutItem", once), put(2)]))

    assert [status for status, _ in answered] == [200, 400, 200]
    assert len(scanned(file, "orders")) == 2


def test_reads_that_lag_and_traces_get_a_commit_for_each(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "a.db", durable=False, delays=Delays(global_index=1.0)) as engine:
        engine.call("CreateTable", table())
        counted = commits(engine)
        engine.answers(encoded([put(1), put(2)]))
        assert len(counted) == 2
    with Engine.open(tmp_path / "b.db", durable=False) as engine:
        engine.call("CreateTable", table())
        with engine.trace(tmp_path / "calls.jsonl"):
            engine.answers(encoded([put(1), put(2)]))
        lines = (tmp_path / "calls.jsonl").read_text().splitlines()
        assert [orjson.loads(line)["op"] for line in lines] == ["Trace", "PutItem", "PutItem"]


# A commit that fails.


DISK_FULL = b'{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"The disk is full."}'


@pytest.mark.parametrize("kind", STORAGES)
@pytest.mark.parametrize("first", range(4))
def test_a_storage_failure_at_any_step_leaves_a_consistent_file(
    kind: str, first: int, tmp_path: Path
) -> None:
    requests, step, failed = encoded(ITEM_CALLS), 1 + first, [0]
    while failed:
        (tmp_path / f"{step}").mkdir()
        with closing(Failing(STORAGES[kind](tmp_path / f"{step}"))) as failing:
            failed = _failed(failing, step, requests)
            check_agreement(failing.engine)
            assert DISK_FULL not in {body for _, body in failing.engine.answers(requests)}
            check_agreement(failing.engine)
        step += 12
    assert step > 50


def _failed(failing: Failing, step: int, requests: Sequence[tuple[str, bytes]]) -> list[int]:
    """The places of the requests that fail when storage does at a step."""
    before = contents(failing.engine)
    failing.storage.fail(step, StorageProblem("The disk is full."))
    answered = failing.engine.answers(requests)
    hit = failing.storage.heal()
    failed = [position for position, (status, _) in enumerate(answered) if status == 500]
    assert bool(failed) is hit
    assert all(answered[position][1] == DISK_FULL for position in failed)
    if len(failed) > 1:  # the commit failed
        assert contents(failing.engine) == before
    return failed


FULL = StorageProblem("The disk is full.")


def test_if_the_commit_fails_writes_fail_and_reads_see_what_is_stored() -> None:
    storage = FaultyStorage(MemoryStorage())
    with Engine.on(storage) as engine:  # type: ignore[arg-type]
        engine.call("CreateTable", table())
        storage.shared = FULL

        answered = engine.answers(encoded([put(1), get(1), put(2)]))

        assert answered == [(500, DISK_FULL), (200, b"{}"), (500, DISK_FULL)]
        assert scanned(engine, "orders") == []
        assert "write" not in str(engine.heat())


def _watched(storage: FaultyStorage) -> Engine:
    """An engine with a stream, an index and partitions so small that they split all the time."""
    small = Partitioning(partitions=1, partition_bytes=600, shard_seconds=30)
    engine = Engine.on(storage, Settings(clock=Clock(), partitioning=small))  # type: ignore[arg-type]
    engine.call(
        "CreateTable",
        table(
            AttributeDefinitions=defined("pk", "t"),
            GlobalSecondaryIndexes=[index("by-t", "t")],
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        ),
    )
    return engine


def test_partitions_and_shards_follow_only_what_was_stored() -> None:
    storage = FaultyStorage(MemoryStorage())
    random = Random(7)
    with _watched(storage) as engine:
        clock = engine._core.settings.clock
        for round_ in range(60):
            clock.now += 20  # type: ignore[attr-defined]
            requests = encoded([put(random.randrange(90), random.choice("abc") * 20) for _ in range(8)])
            storage.shared = FULL if round_ % 3 else None
            engine.answers(requests)
            check_agreement(engine)
            with Engine.on(_Left(storage._storage), engine._core.settings) as again:  # type: ignore[arg-type]
                assert contents(again) == contents(engine)
                assert _ranges(again) == _ranges(engine)
        assert len(engine.partitions("orders")) > 2


def _ranges(engine: Engine) -> list[tuple[int, str, str | None, int]]:
    return [(part.number, part.low, part.shard, part.bytes) for part in engine.partitions("orders")]


class _Left:
    """A storage that is still there after its second engine was closed."""

    def __init__(self, storage: Any) -> None:
        self._storage = storage

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)

    def close(self) -> None:
        return


def test_a_search_during_a_shared_commit_finds_what_is_stored(tmp_path: Path) -> None:
    request = next(each for each in VALID if each[0] == "SearchVectors")
    moved = next(each for each in VALID if each[0] == "UpdateItem" and each[1]["TableName"] == "pictures")
    seen: list[dict[str, Any]] = []
    storage = FaultyStorage(SqliteStorage(tmp_path / "tables.db", durable=False))
    with set_up(Engine.on(storage)) as engine:  # type: ignore[arg-type]
        before = engine.call(*request)
        between = Between(engine._core)
        between.work = lambda: in_another_thread(lambda: seen.append(engine.call(*request)) or 1)  # type: ignore[func-returns-value]
        between.answers([*encoded([moved]), BETWEEN, *encoded([moved])])

        assert seen == [before]
        after = engine.call(*request)
        assert after != before
        storage.shared = FULL
        back = ("PutItem", {"TableName": "pictures", "Item": {"id": {"S": "a"}}})
        assert {status for status, _ in engine.answers(encoded([back, moved]))} == {500}
        assert engine.call(*request) == after


def test_the_token_of_a_transaction_that_was_not_stored_can_be_used_again() -> None:
    storage = FaultyStorage(MemoryStorage())
    with Engine.on(storage) as engine:  # type: ignore[arg-type]
        engine.call("CreateTable", table())
        actions = [{"Put": put(1)[1]}]
        transaction = {"ClientRequestToken": "t", "TransactItems": actions}
        requests = encoded([("TransactWriteItems", transaction), put(2)])
        storage.shared = FULL
        assert {status for status, _ in engine.answers(requests)} == {500}
        storage.shared = None

        engine.answers(requests)

        assert sorted(item["pk"]["S"] for item in scanned(engine, "orders")) == ["1", "2"]


def test_a_full_disk_rejects_all_writes_that_share_a_commit(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    with set_up(Engine.open(path)) as engine:
        pages = connection(engine).execute("PRAGMA page_count").fetchone()[0]
        connection(engine).execute(f"PRAGMA max_page_count = {pages + 40}")
        stored = 0
        while True:
            batch = encoded([("TransactWriteItems", large(number)) for number in range(stored, stored + 3)])
            before = contents(engine)
            statuses = [status for status, _ in engine.answers(batch)]
            if 500 in statuses:
                break
            stored += 3
        # SQLite may have taken back one of them, or all.
        assert contents(engine) == before or statuses.count(200)
        check_agreement(engine)
        connection(engine).execute(f"PRAGMA max_page_count = {pages + 400}")
        assert {status for status, _ in engine.answers(batch)} == {200}
        check_agreement(engine)
        kept = contents(engine)
    with Engine.open(path) as again:
        assert contents(again) == kept


def test_a_closed_engine_answers_each(tmp_path: Path) -> None:
    engine = Engine.open(tmp_path / "tables.db")
    engine.close()

    answered = engine.answers(encoded([put(1), get(1), put(2)]))

    assert [status for status, _ in answered] == [500, 500, 500]
    assert all(b"The storage is closed." in body for _, body in answered)


def test_an_interrupt_between_requests_leaves_nothing_locked(file: Engine) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    engine = Between(file._core)
    engine.work = interrupt
    with pytest.raises(KeyboardInterrupt):
        engine.answers([*encoded([put(1)]), BETWEEN, *encoded([put(2)])])

    assert in_another_thread(lambda: file.call(*put(2))) == {}
    assert file._core.after_commit is None
    check_agreement(file)


# Whether one would have to wait.


@pytest.mark.parametrize("path", [":memory:", "tables.db"])
def test_an_engine_is_free_unless_another_writes(path: str, tmp_path: Path) -> None:
    with Engine.open(path if path == ":memory:" else tmp_path / path, durable=False) as engine:
        engine.call("CreateTable", table())
        assert engine.is_free()
        with held_call(engine, *put(1)):
            assert not engine.is_free()
        assert engine.is_free()


def test_requests_of_many_threads_at_once_are_all_stored(file: Engine) -> None:
    over = Event()

    def write(start: int) -> None:
        for number in range(start, start + 60, 3):
            answered = file.answers(encoded([put(number), put(number + 1), get(number), put(number + 2)]))
            assert {status for status, _ in answered} == {200}

    def alone() -> None:
        number = 1000
        while not over.is_set():
            file.call(*put(number))
            number += 1

    beside = Call(alone)
    writers = [Call(lambda start=start: write(start)) for start in (0, 60, 120)]  # type: ignore[misc]
    for writer in writers:
        writer.result()
    over.set()
    beside.result()

    assert {str(number) for number in range(180)} <= {item["pk"]["S"] for item in scanned(file, "orders")}
    check_agreement(file)
