"""UpdateContinuousBackups: recovery to a point in time, as far as it is described."""

from __future__ import annotations

import pytest

from tests.engine.tables.opened import NAME, START, Opened

from .backups import update


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
