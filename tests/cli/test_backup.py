"""`pksk backup`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pksk import Engine, Table
from tests.cli.run_pksk import pksk
from tests.cli.transfer_files import ROWS, fill
from tests.transfer.tables import put, scanned


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    fill()
    return tmp_path


def test_a_backup_is_made_listed_described_restored_and_deleted() -> None:
    made = pksk("backup", "create", "orders", "--name", "nightly")
    listed = pksk("backup", "list").out.splitlines()
    described = pksk("backup", "describe", "nightly").out
    restored = pksk("backup", "restore", "nightly", "orders-restored")
    deleted = pksk("backup", "delete", "nightly")

    assert (made.code, made.err) == (0, "")
    assert made.out.startswith("backup   nightly\ntable    orders\nbytes    53\ncreated  ")
    assert re.match(r"nightly +orders +53  \d{4}-", listed[1])
    assert "status   AVAILABLE\ntable    orders\nitems    2\nbytes    53\n" in described
    assert restored.out == "table  orders-restored, created now\nitems  2\nbytes  53\n"
    assert deleted.out == "Deleted backup nightly of table orders.\n"
    assert pksk("backup", "list").out == "No backups.\n"
    with Engine.open("pksk.db") as engine:
        assert scanned(engine, "orders-restored") == scanned(engine, "orders") == ROWS


def test_a_backup_without_a_name_is_called_by_its_table_and_time() -> None:
    pksk("backup", "create", "orders")
    [summary] = json.loads(pksk("backup", "list", "--json").out)["backups"]

    assert re.fullmatch(r"orders-\d{4}-\d\d-\d\d-\d{6}", summary["BackupName"])


def test_every_command_can_print_json() -> None:
    made = json.loads(pksk("backup", "create", "orders", "--name", "nightly", "--json").out)
    [listed] = json.loads(pksk("backup", "list", "orders", "--json").out)["backups"]
    described = json.loads(pksk("backup", "describe", made["BackupArn"], "--json").out)
    restored = json.loads(pksk("backup", "restore", made["BackupArn"], "copy", "--json").out)
    deleted = json.loads(pksk("backup", "delete", made["BackupArn"], "--json").out)

    assert made["BackupName"] == listed["BackupName"] == "nightly"
    assert described["SourceTableDetails"]["TableName"] == "orders"
    assert restored == {"table": "copy", "items": 2, "bytes": 53}
    assert deleted == {"deleted": "nightly", "arn": made["BackupArn"]}


def test_a_backup_outlives_its_table() -> None:
    pksk("backup", "create", "orders", "--name", "nightly")
    with Engine.open("pksk.db") as engine:
        engine.call("DeleteTable", {"TableName": "orders"})

    assert "nightly" in pksk("backup", "list", "orders").out
    assert pksk("backup", "restore", "nightly", "orders").code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["create", "ordrs"], "Fix: did you mean 'orders'?"),
        (["create", "orders", "--name", "x"], "pksk explain service-rejected"),
        (["list", "ordrs"], "Fix: did you mean 'orders'?"),
        (["describe", "nigtly"], "Fix: did you mean 'nightly'?"),
        (["delete", "zzz"], "Backups are: nightly."),
        (["restore", "nightly", "orders"], "TableAlreadyExistsException"),
        (["restore", "nightly"], "Missing argument 'TABLE'"),
        (["list", "--data", "psk.db"], "Fix: did you mean 'pksk.db'?"),
        (["lst"], "Did you mean 'list'?"),
    ],
)
def test_the_error_for_a_wrong_name_suggests_the_nearest(arguments: list[str], message: str) -> None:
    pksk("backup", "create", "orders", "--name", "nightly")
    ran = pksk("backup", *arguments)

    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_one_of_several_backups_of_a_name_is_named_by_its_arn() -> None:
    for _ in range(2):
        pksk("backup", "create", "orders", "--name", "nightly")
    arns = [each["BackupArn"] for each in json.loads(pksk("backup", "list", "--json").out)["backups"]]

    assert "pksk explain backup-several" in pksk("backup", "delete", "nightly").err
    assert pksk("backup", "delete", arns[0]).code == 0
    assert len(json.loads(pksk("backup", "list", "--json").out)["backups"]) == 1


def test_the_system_backup_of_a_deleted_table_is_found() -> None:
    recovery = {"PointInTimeRecoveryEnabled": True}
    with Engine.open("pksk.db", durable=False) as engine:
        request = {"TableName": "orders", "PointInTimeRecoverySpecification": recovery}
        engine.call("UpdateContinuousBackups", request)
        engine.call("DeleteTable", {"TableName": "orders"})

    assert "orders$DeletedTableBackup" in pksk("backup", "list", "orders").out
    assert pksk("backup", "restore", "orders$DeletedTableBackup", "orders").code == 0


def test_a_long_table_name_is_shortened_in_the_name_of_its_backup() -> None:
    name = "n" * 255
    fill("other.db", [Table(name)])
    made = json.loads(pksk("backup", "create", name, "--data", "other.db", "--json").out)

    assert made["BackupName"].startswith("nnn")
    assert len(made["BackupName"]) <= 255


def test_a_full_disk_is_not_reported_as_a_dynamodb_error() -> None:
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Engine.open("pksk.db", durable=False) as engine:
        put(engine, "orders", ({"customer": {"S": "x"}, "number": {"N": f"{n}"}} for n in range(2000)))
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, limits[1]))
    try:
        ran = pksk("backup", "create", "orders")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert ran.code == 2
    assert ran.err.startswith("pksk.db cannot be used: ")
    assert "DynamoDB" not in ran.err
    assert pksk("backup", "list").out == "No backups.\n"
