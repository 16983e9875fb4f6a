"""CreateBackup: a copy of a table at one moment."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.engine.state.catalogues import ARN, NAME, START, Opened

from .backups import backup, listed


def request(**members: Any) -> dict[str, Any]:
    return {"TableName": NAME, "BackupName": "first", **members}


@pytest.fixture
def opened() -> Opened:
    made = Opened()
    made.create()
    return made


@pytest.mark.parametrize("name", ["ab", "x" * 256, "my backup", "über"])
def test_a_backup_name_has_the_constraints_of_table_names(opened: Opened, name: str) -> None:
    assert "'backupName' failed to satisfy constraint" in opened.invalid(
        "CreateBackup", request(BackupName=name)
    )


def test_a_missing_table_has_its_own_error_code() -> None:
    assert Opened().error_of("CreateBackup", request()) == (
        "TableNotFoundException",
        f"Table not found: {NAME}",
    )


def test_a_creating_table_cannot_be_backed_up() -> None:
    opened = Opened(create_table=5)
    opened.create()

    assert opened.error_of("CreateBackup", request()) == (
        "ContinuousBackupsUnavailableException",
        f"Backups are being enabled for the table: {NAME}. Please retry later",
    )


def test_a_deleting_table_is_in_use() -> None:
    opened = Opened(delete_table=5)
    opened.create()
    opened.call("DeleteTable", {"TableName": NAME})

    assert opened.error_of("CreateBackup", request()) == (
        "TableInUseException",
        f"Table is being deleted: {NAME}",
    )


def test_the_response_describes_a_creating_backup(opened: Opened) -> None:
    opened.put(pk="a", text="x" * 10)

    details = opened.call("CreateBackup", request(TableName=ARN))["BackupDetails"]

    assert re.fullmatch(re.escape(ARN) + r"/backup/0\d{13}-[0-9a-f]{8}", details.pop("BackupArn"))
    assert details == {
        "BackupName": "first",
        "BackupSizeBytes": 17,
        "BackupStatus": "CREATING",
        "BackupType": "USER",
        "BackupCreationDateTime": START,
    }


def test_a_backup_is_available_at_once_or_after_the_delay_of_create_table() -> None:
    opened = Opened(create_table=5)
    opened.create()
    opened.clock.now += 5
    arn = backup(opened)

    def status() -> str:
        described = opened.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
        return str(described["BackupDetails"]["BackupStatus"])

    assert status() == "CREATING"
    opened.clock.now += 5
    assert status() == "AVAILABLE"


def test_two_backups_can_share_a_name_but_not_a_time(opened: Opened) -> None:
    first, second = backup(opened, "one"), backup(opened, "one")

    assert first < second
    assert listed(opened) == ["one", "one"]


def test_a_backup_outlives_its_table_and_the_engine(opened: Opened) -> None:
    arn = backup(opened)
    opened.call("DeleteTable", {"TableName": NAME})

    described = opened.again().call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]

    assert described["BackupDetails"]["BackupName"] == "first"


def test_a_backup_does_not_have_later_writes(opened: Opened) -> None:
    opened.put(pk="a", n=1)
    arn = backup(opened)
    opened.put(pk="a", n=2)
    opened.put(pk="b", n=3)

    opened.call("RestoreTableFromBackup", {"TargetTableName": "again", "BackupArn": arn})

    assert opened.call("Scan", {"TableName": "again"})["Items"] == [{"pk": {"S": "a"}, "n": {"N": "1"}}]


def test_a_failed_backup_leaves_nothing(opened: Opened) -> None:
    notes = opened.storage.notes("")

    opened.error_of("CreateBackup", request(TableName="missing"))

    assert opened.storage.notes("") == notes
