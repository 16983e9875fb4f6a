"""UpdateContinuousBackups: recovery to a point in time, as far as it is described."""

from __future__ import annotations

import pytest

from tests.engine.state.catalogues import ARN, NAME, START, Opened

from .backups import described, update


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

    assert opened.error_of(
        "UpdateContinuousBackups", {"TableName": NAME, "PointInTimeRecoverySpecification": wanted}
    ) == (
        "ContinuousBackupsUnavailableException",
        f"Backups are being enabled for the table: {NAME}. Please retry later",
    )


def test_a_name_that_is_not_a_string_cannot_be_read() -> None:
    assert Opened().error_of("DescribeContinuousBackups", {"TableName": 1}) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_a_table_must_be_named() -> None:
    message = Opened().invalid("DescribeContinuousBackups", {})

    assert message == "The parameter 'TableName' is required but was not present in the request"


def test_a_table_that_is_missing_has_an_error_of_its_own() -> None:
    for name in (NAME, ARN):
        assert Opened().error_of("DescribeContinuousBackups", {"TableName": name}) == (
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


def test_only_the_present_can_be_restored() -> None:
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
