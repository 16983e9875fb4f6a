"""UpdateContinuousBackups and DescribeContinuousBackups: recovery to a point in time, as far as it is described."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.tables.opened import ARN, NAME, START, Opened


def update(opened: Opened, *, enabled: bool = True, **members: int) -> dict[str, Any]:
    wanted = {"PointInTimeRecoveryEnabled": enabled, **members}
    shown: dict[str, Any] = opened.call(
        "UpdateContinuousBackups", {"TableName": NAME, "PointInTimeRecoverySpecification": wanted}
    )["ContinuousBackupsDescription"]
    return shown


def described(opened: Opened) -> dict[str, Any]:
    shown: dict[str, Any] = opened.call("DescribeContinuousBackups", {"TableName": NAME})[
        "ContinuousBackupsDescription"
    ]
    return shown


def test_backups_are_on_and_recovery_is_off_at_first() -> None:
    opened = Opened()
    opened.create()

    assert described(opened) == {
        "ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"},
    }


def test_recovery_reaches_back_to_when_it_was_switched_on() -> None:
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
    assert later["EarliestRestorableDateTime"] == START
    assert later["LatestRestorableDateTime"] == START + 3300
    assert described(opened.again()) == described(opened)


def test_recovery_reaches_back_no_further_than_its_period() -> None:
    opened = Opened()
    opened.create()
    update(opened)
    update(opened, RecoveryPeriodInDays=7)

    opened.clock.now += 30 * 86400

    recovery = described(opened)["PointInTimeRecoveryDescription"]
    assert recovery["RecoveryPeriodInDays"] == 7
    assert recovery["EarliestRestorableDateTime"] == START + 23 * 86400


def test_recovery_is_switched_off_and_begins_anew() -> None:
    opened = Opened()
    opened.create()
    update(opened)

    off = update(opened, enabled=False)
    opened.clock.now += 60
    on = update(opened)

    assert off["PointInTimeRecoveryDescription"] == {"PointInTimeRecoveryStatus": "DISABLED"}
    assert on["PointInTimeRecoveryDescription"]["EarliestRestorableDateTime"] == START + 60


@pytest.mark.parametrize("days", [0, 36])
def test_a_period_is_between_one_and_35_days(days: int) -> None:
    opened = Opened()
    opened.create()
    wanted = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": days}

    message = opened.invalid(
        "UpdateContinuousBackups", {"TableName": NAME, "PointInTimeRecoverySpecification": wanted}
    )

    assert "recoveryPeriodInDays' failed to satisfy constraint" in message


def test_a_table_that_is_missing_has_an_error_of_its_own() -> None:
    for name in (NAME, ARN):
        assert Opened().refused("DescribeContinuousBackups", {"TableName": name}) == (
            "TableNotFoundException",
            f"Table not found: {NAME}",
        )


def test_a_table_that_is_being_created_has_no_backups_to_change() -> None:
    opened = Opened(create_table=5)
    opened.create()
    wanted = {"PointInTimeRecoveryEnabled": True}

    assert opened.refused(
        "UpdateContinuousBackups", {"TableName": NAME, "PointInTimeRecoverySpecification": wanted}
    ) == (
        "ContinuousBackupsUnavailableException",
        f"Backups are being enabled for the table: {NAME}. Please retry later",
    )
