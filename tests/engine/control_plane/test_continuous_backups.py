"""UpdateContinuousBackups and DescribeContinuousBackups."""

from __future__ import annotations

import pytest

from tests.engine.state.catalogues import NAME, START, Opened

from .backups import described, update


def test_point_in_time_recovery_can_be_disabled_and_enabled_again() -> None:
    opened = Opened()
    opened.create()
    update(opened)

    off = update(opened, enabled=False)
    opened.clock.now += 60
    on = update(opened)

    assert off["PointInTimeRecoveryDescription"] == {"PointInTimeRecoveryStatus": "DISABLED"}
    assert on["PointInTimeRecoveryDescription"]["EarliestRestorableDateTime"] == START + 60


@pytest.mark.parametrize("days", [0, 36])
def test_the_recovery_period_is_between_1_and_35_days(days: int) -> None:
    opened = Opened()
    opened.create()
    wanted = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": days}

    message = opened.invalid(
        "UpdateContinuousBackups", {"TableName": NAME, "PointInTimeRecoverySpecification": wanted}
    )

    assert "recoveryPeriodInDays' failed to satisfy constraint" in message


def test_continuous_backups_of_a_creating_table_cannot_be_updated() -> None:
    opened = Opened(create_table=5)
    opened.create()
    wanted = {"PointInTimeRecoveryEnabled": True}

    assert opened.error_of(
        "UpdateContinuousBackups", {"TableName": NAME, "PointInTimeRecoverySpecification": wanted}
    ) == (
        "ContinuousBackupsUnavailableException",
        f"Backups are being enabled for the table: {NAME}. Please retry later",
    )


def test_point_in_time_recovery_is_disabled_by_default() -> None:
    opened = Opened()
    opened.create()

    assert described(opened) == {
        "ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"},
    }


def test_the_earliest_and_latest_restorable_times_are_now() -> None:
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


def test_the_recovery_period_is_stored() -> None:
    opened = Opened()
    opened.create()
    update(opened)

    update(opened, RecoveryPeriodInDays=7)

    assert described(opened)["PointInTimeRecoveryDescription"]["RecoveryPeriodInDays"] == 7
