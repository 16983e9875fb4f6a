"""DeleteBackup: the backup goes with its rows, and tables that were restored from it stay."""

from __future__ import annotations

import pytest

from pksk.engine.storage import SpaceMissing
from tests.engine.state.catalogues import ARN, Opened

from .backups import backup, listed, scanned


@pytest.fixture
def opened() -> Opened:
    made = Opened()
    made.create()
    made.put(pk="a")
    return made


def test_an_arn_that_is_not_a_string_cannot_be_read(opened: Opened) -> None:
    assert opened.error_of("DeleteBackup", {"BackupArn": []})[0] == "SerializationException"


def test_an_arn_is_required(opened: Opened) -> None:
    assert "'backupArn' failed to satisfy constraint: Member must not be null" in opened.invalid(
        "DeleteBackup", {}
    )


def test_a_backup_that_is_missing_is_named(opened: Opened) -> None:
    arn = f"{ARN}/backup/01790000000000-0123abcd"

    assert opened.error_of("DeleteBackup", {"BackupArn": arn}) == (
        "BackupNotFoundException",
        f"Backup not found: {arn}",
    )


def test_a_deleted_backup_is_described_once_and_removed_with_its_rows(opened: Opened) -> None:
    arn = backup(opened)
    before = opened.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
    space = opened.catalogue.table(ARN).layout.space + 1

    answer = opened.call("DeleteBackup", {"BackupArn": arn})["BackupDescription"]

    before["BackupDetails"]["BackupStatus"] = "DELETED"
    assert answer == before
    assert listed(opened) == []
    assert opened.error_of("DeleteBackup", {"BackupArn": arn})[0] == "BackupNotFoundException"
    with opened.storage.reading() as reader, pytest.raises(SpaceMissing):
        reader.get(space, b"")


def test_a_restored_table_stays(opened: Opened) -> None:
    arn = backup(opened)
    opened.call("RestoreTableFromBackup", {"TargetTableName": "again", "BackupArn": arn})

    opened.call("DeleteBackup", {"BackupArn": arn})

    assert scanned(opened, "again") == [{"pk": {"S": "a"}}]


def test_a_backup_that_is_being_created_or_restored_is_in_use() -> None:
    opened = Opened(create_table=5)
    opened.create()
    opened.clock.now += 5
    arn = backup(opened)

    assert opened.error_of("DeleteBackup", {"BackupArn": arn})[0] == "BackupInUseException"
    opened.clock.now += 5
    opened.call("RestoreTableFromBackup", {"TargetTableName": "again", "BackupArn": arn})
    assert opened.error_of("DeleteBackup", {"BackupArn": arn}) == (
        "BackupInUseException",
        "There is another ongoing conflicting backup control plane operation on the table. "
        "The backup is either being created, deleted or restored to a table.",
    )
    opened.clock.now += 5
    opened.call("DeleteBackup", {"BackupArn": arn})

    assert listed(opened) == []
