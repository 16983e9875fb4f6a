"""DescribeContinuousBackups: how far back a table may be recovered."""

from __future__ import annotations

from tests.engine.tables.opened import ARN, NAME, START, Opened

from .backups import described, update


def test_a_name_that_is_no_text_cannot_be_read() -> None:
    assert Opened().refused("DescribeContinuousBackups", {"TableName": 1}) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_a_table_must_be_named() -> None:
    message = Opened().invalid("DescribeContinuousBackups", {})

    assert message == "The parameter 'TableName' is required but was not present in the request"


def test_a_table_that_is_missing_has_an_error_of_its_own() -> None:
    for name in (NAME, ARN):
        assert Opened().refused("DescribeContinuousBackups", {"TableName": name}) == (
            "TableNotFoundException",
            f"Table not found: {NAME}",
        )


def test_backups_are_on_and_recovery_is_off_at_first() -> None:
    opened = Opened()
    opened.create()

    assert described(opened) == {
        "ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"},
    }


def test_what_can_be_restored_is_the_present_since_nothing_else_is_kept() -> None:
    opened = Opened()
    opened.create()

    answer = update(opened)
    opened.clock.now += 3600

    assert answer["PointInTimeRecoveryDescription"] == {
        "PointInTimeRecoveryStatus": "ENABLED",
        "RecoveryPeriodInDays": 35,
        "EarliestRestorableDateTime": START,
        "LatestRestorableDateTime": START,
    }
    later = described(opened)["PointInTimeRecoveryDescription"]
    assert later["EarliestRestorableDateTime"] == later["LatestRestorableDateTime"] == START + 3600
    assert described(opened.again()) == described(opened)


def test_the_period_of_recovery_is_kept() -> None:
    opened = Opened()
    opened.create()
    update(opened)

    update(opened, RecoveryPeriodInDays=7)

    assert described(opened)["PointInTimeRecoveryDescription"]["RecoveryPeriodInDays"] == 7
