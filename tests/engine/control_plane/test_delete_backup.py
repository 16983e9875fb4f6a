"""DeleteBackup: removes the rows of a backup, and keeps tables that were restored from it."""

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


def test_deleting_a_backup_keeps_the_restored_table(opened: Opened) -> None:
    arn = backup(opened)
    opened.call("RestoreTableFromBackup", {"TargetTableName": "again", "BackupArn": arn})

    opened.call("DeleteBackup", {"BackupArn": arn})

    assert scanned(opened, "again") == [{"pk": {"S": "a"}}]


def test_a_backup_is_in_use_during_its_creation_and_restores() -> None:
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
