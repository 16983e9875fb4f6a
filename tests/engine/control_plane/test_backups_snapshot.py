"""A backup taken during concurrent transactions has each of them whole or not at all."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from pksk.engine import Engine
from pksk.schema import GSI, N, Table
from tests.conftest import LONG

ACCOUNTS = 20
CENTS = 1000
BACKUPS = 60 if LONG else 6
TABLE = Table("accounts", sk=None, indexes=[GSI("by-owner", pk="owner", sk=N("cents"))])


@pytest.fixture(params=["memory", "file"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    path: Any = ":memory:" if request.param == "memory" else tmp_path / "tables.db"
    with Engine.open(path, durable=False) as opened:
        opened.call("CreateTable", TABLE.create_request())
        for number in range(ACCOUNTS):
            item = {"pk": {"S": str(number)}, "owner": {"S": "ann"}, "cents": {"N": str(CENTS)}}
            opened.call("PutItem", {"TableName": "accounts", "Item": item})
        yield opened


def test_every_backup_taken_during_transfers_has_the_same_sum(engine: Engine) -> None:
    done, failures = Event(), []

    def transfer(number: int) -> None:
        chance = random.Random(number)
        try:
            while not done.is_set():
                giver, taker = chance.sample(range(ACCOUNTS), 2)
                actions = [_change(giver, -1), _change(taker, 1)]
                engine.call("TransactWriteItems", {"TransactItems": actions})
        except Exception as error:  # shown below: a thread's own would be lost
            failures.append(error)

    writers = [Thread(target=transfer, args=(number,)) for number in range(3)]
    for writer in writers:
        writer.start()
    backups = []
    for number in range(BACKUPS):
        request = {"TableName": "accounts", "BackupName": f"number-{number}"}
        backups.append(engine.call("CreateBackup", request)["BackupDetails"]["BackupArn"])
        engine.call("RestoreTableFromBackup", {"BackupArn": backups[-1], "TargetTableName": f"busy-{number}"})
    done.set()
    for writer in writers:
        writer.join()

    assert failures == []
    for number in range(BACKUPS):
        accounts = engine.call("Scan", {"TableName": f"busy-{number}"})["Items"]
        assert len(accounts) == ACCOUNTS
        assert sum(int(item["cents"]["N"]) for item in accounts) == ACCOUNTS * CENTS
        indexed = engine.call("Scan", {"TableName": f"busy-{number}", "IndexName": "by-owner"})["Items"]
        assert sorted(indexed, key=repr) == sorted(accounts, key=repr)
    assert len(engine.call("ListBackups", {})["BackupSummaries"]) == BACKUPS


def test_a_backup_can_be_deleted_by_another_thread_during_a_restore(engine: Engine) -> None:
    """Restores and deletions at once: each restore is whole, or says that the backup is gone."""
    arn = engine.call("CreateBackup", {"TableName": "accounts", "BackupName": "first"})["BackupDetails"]
    outcomes: list[str] = []

    def restore(number: int) -> None:
        request = {"BackupArn": arn["BackupArn"], "TargetTableName": f"again-{number}"}
        try:
            engine.call("RestoreTableFromBackup", request)
            outcomes.append("restored")
        except Exception as error:
            outcomes.append(str(error))

    threads = [Thread(target=restore, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    engine.call("DeleteBackup", {"BackupArn": arn["BackupArn"]})
    for thread in threads:
        thread.join()

    gone = f"BackupNotFoundException: Backup not found: {arn['BackupArn']}"
    assert set(outcomes) <= {"restored", gone}
    names = engine.call("ListTables", {})["TableNames"]
    assert len(names) == 1 + outcomes.count("restored")
    for name in names:
        assert engine.call("Scan", {"TableName": name})["Count"] == ACCOUNTS


def _change(number: int, by: int) -> dict[str, Any]:
    return {
        "Update": {
            "TableName": "accounts",
            "Key": {"pk": {"S": str(number)}},
            "UpdateExpression": "ADD cents :by",
            "ExpressionAttributeValues": {":by": {"N": str(by)}},
        }
    }
