"""RestoreTableToPointInTime: a copy of a table as it is now; no other time can be restored."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.state.catalogues import ARN, NAME, START, Opened

from .backups import described, scanned, update


@pytest.fixture
def opened() -> Opened:
    made = Opened()
    made.create()
    made.put(pk="a")
    update(made)
    return made


def request(**members: Any) -> dict[str, Any]:
    members = {
        "SourceTableName": NAME,
        "TargetTableName": "again",
        "UseLatestRestorableTime": True,
        **members,
    }
    return {name: value for name, value in members.items() if value is not None}


@pytest.mark.parametrize(
    ("members", "code", "text"),
    [
        ({"RestoreDateTime": "now"}, "SerializationException", "STRING_VALUE cannot be converted to Date"),
        ({"TargetTableName": None}, "ValidationException", "The parameter 'TargetTableName' is required"),
        ({"TargetTableName": "a"}, "ValidationException", "TableName must be at least 3 characters"),
        ({"SourceTableName": None}, "ValidationException", "One of SourceTableName or SourceTableArn"),
        ({"SourceTableArn": ARN}, "ValidationException", "Only one of SourceTableName or SourceTableArn"),
        (
            {"UseLatestRestorableTime": None},
            "ValidationException",
            "Either RestoreDateTime must be specified",
        ),
        (
            {"UseLatestRestorableTime": False},
            "ValidationException",
            "Either RestoreDateTime must be specified",
        ),
        ({"RestoreDateTime": START}, "ValidationException", "RestoreDateTime cannot be specified"),
    ],
)
def test_an_invalid_request_is_rejected(opened: Opened, members: Any, code: str, text: str) -> None:
    found, message = opened.error_of("RestoreTableToPointInTime", request(**members))

    assert found == code
    assert text in str(message)


def test_a_missing_table_has_its_own_error_code(opened: Opened) -> None:
    assert opened.error_of("RestoreTableToPointInTime", request(SourceTableName="missing")) == (
        "TableNotFoundException",
        "Table not found: missing",
    )


def test_a_table_without_recovery_cannot_be_restored(opened: Opened) -> None:
    update(opened, enabled=False)

    assert opened.error_of("RestoreTableToPointInTime", request()) == (
        "PointInTimeRecoveryUnavailableException",
        f"Point in time recovery is not enabled for table '{NAME}'",
    )


def test_a_table_that_exists_is_not_overwritten(opened: Opened) -> None:
    assert opened.error_of("RestoreTableToPointInTime", request(TargetTableName=NAME)) == (
        "TableAlreadyExistsException",
        f"Table already exists: {NAME}",
    )


def test_the_latest_restorable_time_is_now(opened: Opened) -> None:
    opened.clock.now += 100
    opened.put(pk="b")

    answer = opened.call("RestoreTableToPointInTime", request())["TableDescription"]

    assert answer["RestoreSummary"] == {
        "SourceTableArn": ARN,
        "RestoreDateTime": START + 100,
        "RestoreInProgress": True,
    }
    assert scanned(opened, "again") == scanned(opened)
    assert described_of(opened, "again") == "DISABLED"


def test_the_source_can_be_named_by_its_arn(opened: Opened) -> None:
    opened.call("RestoreTableToPointInTime", request(SourceTableName=None, SourceTableArn=ARN))

    assert scanned(opened, "again") == scanned(opened)


def test_another_time_is_rejected(opened: Opened) -> None:
    opened.clock.now += 100

    for moment in (START, START + 50, START + 101):
        wanted = request(UseLatestRestorableTime=None, RestoreDateTime=moment)
        assert opened.error_of("RestoreTableToPointInTime", wanted) == (
            "InvalidRestoreTimeException",
            "An invalid restore time was specified. "
            "RestoreDateTime must be between EarliestRestorableDateTime and LatestRestorableDateTime.",
        )
    assert opened.call("ListTables") == {"TableNames": [NAME]}


def test_the_described_latest_restorable_time_can_be_restored(opened: Opened) -> None:
    latest = described(opened)["PointInTimeRecoveryDescription"]["LatestRestorableDateTime"]

    opened.call("RestoreTableToPointInTime", request(UseLatestRestorableTime=None, RestoreDateTime=latest))

    assert scanned(opened, "again") == scanned(opened)


def test_a_table_that_is_being_deleted_cannot_be_restored() -> None:
    opened = Opened(delete_table=5)
    opened.create()
    update(opened)
    opened.call("DeleteTable", {"TableName": NAME})

    code, _ = opened.error_of("RestoreTableToPointInTime", request())
    assert code == "PointInTimeRecoveryUnavailableException"


def described_of(opened: Opened, name: str) -> str:
    description = opened.call("DescribeContinuousBackups", {"TableName": name})[
        "ContinuousBackupsDescription"
    ]
    return str(description["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"])
