"""ListBackups: by table, type and time, in pages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.state.catalogues import ARN, NAME, START, Opened

from .backups import backup, listed, update


@pytest.fixture
def opened() -> Opened:
    """Backups a to e, ten seconds apart, of two tables in turn."""
    made = Opened()
    made.create()
    made.create(TableName="people")
    for number, name in enumerate(("aaa", "bbb", "ccc", "ddd", "eee")):
        backup(made, name, (NAME, "people")[number % 2])
        made.clock.now += 10
    return made


@pytest.mark.parametrize(
    ("members", "code", "text"),
    [
        (
            {"TimeRangeLowerBound": "today"},
            "SerializationException",
            "STRING_VALUE cannot be converted to Date",
        ),
        ({"TimeRangeUpperBound": True}, "SerializationException", "TRUE_VALUE cannot be converted to Date"),
        ({"Limit": "1"}, "SerializationException", "STRING_VALUE cannot be converted to Integer"),
        ({"Limit": 0}, "ValidationException", "Member must have value greater than or equal to 1"),
        ({"Limit": 101}, "ValidationException", "Member must have value less than or equal to 100"),
        ({"BackupType": "MINE"}, "ValidationException", "[ALL, AWS_BACKUP, USER, SYSTEM]"),
        ({"ExclusiveStartBackupArn": "x" * 40}, "ValidationException", "Invalid ExclusiveStartBackupArn"),
    ],
)
def test_an_invalid_request_is_rejected(opened: Opened, members: Any, code: str, text: str) -> None:
    found, message = opened.error_of("ListBackups", members)

    assert found == code
    assert text in str(message)


def test_backups_are_listed_oldest_first(opened: Opened) -> None:
    assert listed(opened) == ["aaa", "bbb", "ccc", "ddd", "eee"]


def test_a_summary_names_its_table(opened: Opened) -> None:
    first = opened.call("ListBackups", {})["BackupSummaries"][0]

    assert first.pop("BackupArn").startswith(f"{ARN}/backup/")
    assert first == {
        "TableName": NAME,
        "TableId": opened.describe()["TableId"],
        "TableArn": ARN,
        "BackupName": "aaa",
        "BackupCreationDateTime": START,
        "BackupStatus": "AVAILABLE",
        "BackupType": "USER",
        "BackupSizeBytes": 0,
    }


def test_backups_can_be_listed_by_table_name_or_arn(opened: Opened) -> None:
    assert listed(opened, TableName="people") == ["bbb", "ddd"]
    assert listed(opened, TableName=ARN) == ["aaa", "ccc", "eee"]


def test_listing_a_table_without_backups_is_empty_even_if_it_is_missing(opened: Opened) -> None:
    opened.create(TableName="fresh")

    assert opened.call("ListBackups", {"TableName": "fresh"}) == {"BackupSummaries": []}
    assert opened.call("ListBackups", {"TableName": "missing"}) == {"BackupSummaries": []}


def test_a_time_range_includes_its_lower_bound_and_not_its_upper_one(opened: Opened) -> None:
    assert listed(opened, TimeRangeLowerBound=START + 10, TimeRangeUpperBound=START + 30) == ["bbb", "ccc"]
    assert listed(opened, TimeRangeLowerBound=START + 40) == ["eee"]
    assert listed(opened, TimeRangeUpperBound=START) == []


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
def test_a_list_in_pages_has_every_backup(opened: Opened, limit: int) -> None:
    request: dict[str, Any] = {"Limit": limit}
    found: list[str] = []
    while True:
        page = opened.call("ListBackups", request)
        found += [each["BackupName"] for each in page["BackupSummaries"]]
        assert len(page["BackupSummaries"]) <= limit
        if "LastEvaluatedBackupArn" not in page:
            break
        request["ExclusiveStartBackupArn"] = page["LastEvaluatedBackupArn"]

    assert found == ["aaa", "bbb", "ccc", "ddd", "eee"]


def test_a_page_continues_after_a_deleted_backup(opened: Opened) -> None:
    page = opened.call("ListBackups", {"Limit": 2})
    opened.call("DeleteBackup", {"BackupArn": page["LastEvaluatedBackupArn"]})

    assert listed(opened, ExclusiveStartBackupArn=page["LastEvaluatedBackupArn"]) == ["ccc", "ddd", "eee"]


def test_deleting_a_table_with_recovery_leaves_a_backup_for_35_days(opened: Opened) -> None:
    opened.put(pk="a")
    update(opened)
    opened.call("DeleteTable", {"TableName": NAME})

    left = opened.call("ListBackups", {"BackupType": "SYSTEM"})["BackupSummaries"]

    assert [each["BackupName"] for each in left] == [f"{NAME}$DeletedTableBackup"]
    assert left[0]["BackupExpiryDateTime"] == opened.clock.now + 35 * 86400
    assert left[0]["BackupSizeBytes"] == 3
    assert len(listed(opened)) == 5
    assert len(listed(opened, BackupType="ALL")) == 6
    assert listed(opened, BackupType="AWS_BACKUP") == []
    opened.clock.now += 35 * 86400
    assert listed(opened, BackupType="SYSTEM") == []
    assert (
        opened.error_of("DescribeBackup", {"BackupArn": left[0]["BackupArn"]})[0] == "BackupNotFoundException"
    )


def test_expired_backups_are_removed_with_the_next_backup(opened: Opened) -> None:
    update(opened)
    opened.call("DeleteTable", {"TableName": NAME})
    assert len(opened.storage.notes("backup/")) == 6
    opened.clock.now += 35 * 86400

    backup(opened, "new", "people")

    assert len(opened.storage.notes("backup/")) == 6
    assert opened.again().call("ListBackups", {"BackupType": "SYSTEM"}) == {"BackupSummaries": []}
