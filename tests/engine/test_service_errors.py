"""When storage fails or a call is interrupted, the call is done or undone, and the engine can be used afterwards."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import orjson
import pytest

from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.engine.storage import MemoryStorage, SqliteStorage, Storage, StorageProblem
from pksk.errors import FileError
from tests.conftest import LONG
from tests.project.tree import ROOT, SOURCE

from .agreement import check_agreement, scanned
from .contents import contents
from .faulty import FaultyStorage
from .state.catalogues import Opened
from .storage.files import as_someone_else
from .valid_requests import SET_UP, VALID, set_up

CASES = [pytest.param(*case, id=f"{number} {case[0]}") for number, case in enumerate(VALID)]
STORAGES: dict[str, Callable[[Path], Storage]] = {
    "memory": lambda _: MemoryStorage(),
    "sqlite": lambda folder: SqliteStorage(folder / "tables.db", durable=False),
}
ITEM = {
    "pk": {"S": "x"},
    "sk": {"N": "1"},
    "status": {"S": "open"},
    "amount": {"N": "1"},
    "day": {"B": "AA=="},
}


class Failing:
    """An engine with tables and items, on a storage that can be made to fail."""

    def __init__(self, storage: Storage, *, conflicts: bool = False) -> None:
        self.storage = FaultyStorage(storage)
        self.engine = set_up(Engine(Opened(self.storage).core))  # type: ignore[arg-type]
        if conflicts:
            settings = self.engine._core.settings
            object.__setattr__(settings, "conflicts", True)

    def close(self) -> None:
        self.engine.close()

    def outcome(self, step: int, error: BaseException, operation: str, request: Any) -> BaseException | None:
        """What a call raises when the storage raises at a step of it."""
        self.storage.fail(step, error)
        try:
            self.engine.call(operation, request)
        except (ServiceError, KeyboardInterrupt) as raised:
            if not self.storage.heal():
                raise  # it fails without our doing
            return raised
        self.storage.heal()
        return None


ERRORS: dict[str, Exception] = {
    "memory": StorageProblem("The disk is gone."),
    "sqlite": sqlite3.OperationalError("disk I/O error"),
}


@pytest.mark.parametrize(("operation", "request_"), CASES)
@pytest.mark.parametrize("kind", STORAGES)
def test_a_call_whose_storage_fails_at_any_step_changes_nothing(
    operation: str, request_: Any, kind: str, tmp_path: Path
) -> None:
    with closing(Failing(STORAGES[kind](tmp_path))) as failing:
        # A file is slower, and fails at the same steps as memory.
        stride = 1 if LONG or kind == "memory" else 3
        check_all_steps(failing, ERRORS[kind], operation, request_, stride)


def check_all_steps(
    failing: Failing, error: Exception, operation: str, request_: Any, stride: int = 1
) -> None:
    before, step = contents(failing.engine), 1
    while (raised := failing.outcome(step, error, operation, request_)) is not None:
        assert isinstance(raised, ServiceError)
        assert (raised.code, raised.status) == ("InternalServerError", 500)
        assert contents(failing.engine) == before
        step += stride

    check_agreement(failing.engine)
    assert step > 1 or operation in WITHOUT_STORAGE


# What these say is in memory.
WITHOUT_STORAGE = {
    "DescribeContinuousBackups",
    "DescribeContributorInsights",
    "DescribeEndpoints",
    "DescribeKinesisStreamingDestination",
    "DescribeLimits",
    "DescribeTimeToLive",
    "GetResourcePolicy",
    "ListContributorInsights",
    "ListTables",
    "ListTagsOfResource",
}


@pytest.mark.parametrize(("operation", "request_"), CASES)
@pytest.mark.parametrize("conflicts", [False, True])
def test_an_interrupted_call_changes_nothing_and_leaves_nothing_locked(
    operation: str, request_: Any, conflicts: bool
) -> None:
    failing = Failing(MemoryStorage(), conflicts=conflicts)
    before, step = contents(failing.engine), 1
    while (raised := failing.outcome(step, KeyboardInterrupt(), operation, request_)) is not None:
        assert isinstance(raised, KeyboardInterrupt)
        assert contents(failing.engine) == before
        step += 1

    assert (
        in_another_thread(lambda: failing.engine.call("PutItem", {"TableName": "orders", "Item": ITEM})) == {}
    )
    check_agreement(failing.engine)


@pytest.mark.parametrize(("operation", "request_"), CASES)
def test_a_call_that_is_interrupted_after_its_commit_is_stored(operation: str, request_: Any) -> None:
    failing = Failing(MemoryStorage())
    before = contents(failing.engine)
    failing.storage.late = KeyboardInterrupt()
    with suppress(KeyboardInterrupt):
        failing.engine.call(operation, request_)
    failing.storage.late = None

    assert (contents(failing.engine) == before) is reads(operation, request_)
    again = Engine(Opened(failing.storage).core)  # type: ignore[arg-type]
    assert contents(failing.engine) == contents(again)
    check_agreement(failing.engine)


@pytest.mark.parametrize("readable", [True, False])
def test_a_change_interrupted_after_its_commit_counts_as_undone_if_storage_cannot_be_read(
    readable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = Failing(MemoryStorage())

    def unreadable(prefix: str) -> dict[str, bytes]:
        raise StorageProblem("The disk is gone.")

    if not readable:
        monkeypatch.setattr(failing.storage, "notes", unreadable)
    failing.storage.late = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        failing.engine.call("UpdateTable", {"TableName": "orders", "DeletionProtectionEnabled": True})
    failing.storage.late = None

    described = failing.engine.call("DescribeTable", {"TableName": "orders"})["Table"]
    assert described["DeletionProtectionEnabled"] is readable


READS = ("Get", "Describe", "List", "Query", "Scan", "Search", "BatchGet", "TransactGet")


def reads(operation: str, request: Mapping[str, Any]) -> bool:
    """Whether a request changes nothing."""
    statements = request.get("Statements") or request.get("TransactStatements") or [request]
    return operation.startswith(READS) or all("SELECT" in each.get("Statement", "") for each in statements)


def in_another_thread(call: Callable[[], Any]) -> Any:
    """What a call gives that has none of this thread's locks."""
    results: list[Any] = []
    thread = Thread(target=lambda: results.append(call()), daemon=True)
    thread.start()
    thread.join(10)
    assert results, "it waits for a lock"
    return results[0]


@pytest.mark.parametrize("kind", STORAGES)
@pytest.mark.parametrize(("operation", "request_"), CASES)
def test_a_closed_engine_rejects_calls(operation: str, request_: Any, kind: str, tmp_path: Path) -> None:
    engine = Engine(Opened(STORAGES[kind](tmp_path)).core)
    engine.close()
    engine.close()

    with pytest.raises(ServiceError) as error:
        engine.call(operation, request_)
    status, body = engine.answer(operation, orjson.dumps(request_))

    assert (error.value.code, error.value.status) == ("InternalServerError", 500)
    assert (status, orjson.loads(body)) == (
        500,
        {
            "__type": "com.amazonaws.dynamodb.v20120810#InternalServerError",
            "message": "The storage is closed.",
        },
    )


def connection(engine: Engine) -> sqlite3.Connection:
    found: sqlite3.Connection = engine._core.storage._write_lock.connection  # type: ignore[attr-defined]
    return found


def is_internal_error(engine: Engine, operation: str, request: Any) -> bool:
    """Whether a call fails by the engine's own fault; any other failure is raised."""
    try:
        engine.call(operation, request)
    except ServiceError as error:
        if (error.code, error.status) != ("InternalServerError", 500):
            raise
        return True
    return False


def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    engine = set_up(Engine.open(path))
    pages = connection(engine).execute("PRAGMA page_count").fetchone()[0]
    connection(engine).execute(f"PRAGMA max_page_count = {pages + 40}")
    stored = 0
    while not is_internal_error(engine, "TransactWriteItems", large(stored)):
        stored += 1
    kept = contents(engine)

    assert is_internal_error(engine, "CreateTable", {**SET_UP[0][1], "TableName": "more"})
    assert is_internal_error(engine, "UpdateTable", new_index())
    assert contents(engine) == kept
    check_agreement(engine)
    engine.close()
    with Engine.open(path) as again:
        assert contents(again) == kept
        assert len(scanned(again, "orders")) == 4 + 2 * stored
        assert not is_internal_error(again, "TransactWriteItems", large(stored))
        assert not is_internal_error(again, "UpdateTable", new_index())
        check_agreement(again)


def large(number: int) -> dict[str, Any]:
    """A transaction that puts two large items under its number."""
    items = [{**ITEM, "sk": {"N": f"{number}{half}"}, "note": {"S": "x" * 9000}} for half in (".1", ".2")]
    return {"TransactItems": [{"Put": {"TableName": "orders", "Item": item}} for item in items]}


def new_index() -> dict[str, Any]:
    request: dict[str, Any] = next(request for operation, request in VALID if operation == "UpdateTable")
    return request


def test_a_file_that_becomes_read_only_is_still_read(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "tables.db", durable=False) as engine:
        before = contents(set_up(engine))
        connection(engine).execute("PRAGMA query_only = ON")

        for operation, request in VALID:
            assert is_internal_error(engine, operation, request) is not reads(operation, request)

        assert contents(engine) == before
        connection(engine).execute("PRAGMA query_only = OFF")
        assert not is_internal_error(engine, "PutItem", {"TableName": "orders", "Item": ITEM})
        check_agreement(engine)


def test_a_read_only_file_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    set_up(Engine.open(path)).close()
    path.chmod(0o444)
    tmp_path.chmod(0o555)
    with as_someone_else(), pytest.raises(FileError, match="cannot be opened"):
        Engine.open(path)

    tmp_path.chmod(0o755)
    path.chmod(0o644)
    with Engine.open(path) as engine:
        check_agreement(engine)


def test_an_engine_that_fails_to_open_releases_its_file(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    with SqliteStorage(path) as storage, storage.writing() as writer:
        writer.note("table/odd", b"no JSON")
    with pytest.raises(FileError, match="is damaged"):
        Engine.open(path)

    with SqliteStorage(path) as storage, storage.writing() as writer:
        writer.note("table/odd", None)
    Engine.open(path).close()


# Transactions, updates, deletes and batches, with an index that comes and goes and a table that is made anew.
WRITE = """
import sys
from pksk.client import ServiceError
from pksk.engine import Engine
from tests.engine.valid_requests import SET_UP

engine = Engine.open(sys.argv[1], durable=sys.argv[2] == "durable")
if not engine.call("ListTables", {})["TableNames"]:
    for operation, request in SET_UP[:2]:
        engine.call(operation, request)
found = engine.call("GetItem", {"TableName": "parts", "Key": {"id": {"B": "AA=="}}})
number = int(found["Item"]["number"]["N"]) if found else 0
call = engine.call
while True:
    number += 1
    here = {"pk": {"S": str(number % 7)}, "sk": {"N": str(number % 31)}}
    there = {"pk": {"S": str(number % 5)}, "sk": {"N": str(-1 - number % 31)}}
    more = {"amount": {"N": str(number)}, "status": {"S": "open"}, "day": {"B": "AAE="}}
    counted = {"id": {"B": "AA=="}, "number": {"N": str(number)}, "weight": {"N": str(number)}}
    try:
        call("TransactWriteItems", {"ClientRequestToken": str(number), "TransactItems": [
            {"Put": {"TableName": "orders", "Item": {**here, **more, "note": {"S": "x" * (number * 97 % 3000)}}}},
            {"Update": {"TableName": "orders", "Key": there, "UpdateExpression": "SET amount = :n ADD seen :one",
                        "ExpressionAttributeValues": {":n": {"N": str(number)}, ":one": {"N": "1"}}}},
            {"Put": {"TableName": "parts", "Item": counted}},
        ]})
        call("BatchWriteItem", {"RequestItems": {"orders": [
            {"DeleteRequest": {"Key": {**there, "pk": {"S": str(number % 3)}}}},
            {"PutRequest": {"Item": {**there, **more, "pk": {"S": "b"}}}},
        ]}})
        if number % 5 == 0:
            names = [index["IndexName"] for index in call("DescribeTable", {"TableName": "parts"})["Table"]
                     .get("GlobalSecondaryIndexes", ())]
            change = {"Delete": {"IndexName": "by-number"}} if "by-number" in names else {"Create": {
                "IndexName": "by-number", "KeySchema": [{"AttributeName": "number", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
                "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}}
            call("UpdateTable", {"TableName": "parts", "GlobalSecondaryIndexUpdates": [change],
                                 "AttributeDefinitions": [{"AttributeName": "number", "AttributeType": "N"}]})
        if number % 7 == 0:
            if "more" in call("ListTables", {})["TableNames"]:
                call("DeleteTable", {"TableName": "more"})
            call("CreateTable", {**SET_UP[0][1], "TableName": "more"})
            call("PutItem", {"TableName": "more", "Item": {**here, **more}})
    except ServiceError as error:
        print(error, file=sys.stderr, flush=True)
        raise
    print(number, flush=True)
"""
KILLS = 40 if LONG else 4


@pytest.mark.parametrize("mode", ["durable", "fast"])
def test_indexes_and_streams_match_after_a_process_was_killed(mode: str, tmp_path: Path) -> None:
    path, random, acknowledged = tmp_path / "tables.db", Random(), 0
    for _ in range(KILLS):
        acknowledged = killed_while_writing(path, mode, random.uniform(0.01, 0.3)) or acknowledged

        with Engine.open(path, durable=False) as engine:
            check_agreement(engine)
            last = engine.call("GetItem", {"TableName": "parts", "Key": {"id": {"B": "AA=="}}})
        assert int(last["Item"]["number"]["N"]) >= acknowledged

    assert acknowledged > 0


def killed_while_writing(path: Path, mode: str, seconds: float) -> int:
    """Let a process write for some seconds after its first number; returns the last number that it printed."""
    command = [sys.executable, "-c", WRITE, str(path), mode]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(SOURCE), str(ROOT)))}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        lines = [process.stdout.readline()]
        time.sleep(seconds)
        process.kill()
        lines += process.stdout.readlines()
        assert process.stderr.read() == ""
    return int(next((line for line in reversed(lines) if line.endswith("\n")), 0))
