"""DescribeContributorInsights: the settings of a table and of its indexes."""

from __future__ import annotations

from tests.engine.tables.opened import NAME, START, Opened

from .insights import described, opened, update


def test_a_name_that_is_no_text_cannot_be_read() -> None:
    assert Opened().refused("DescribeContributorInsights", {"TableName": 1}) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_a_table_must_be_named() -> None:
    message = Opened().invalid("DescribeContributorInsights", {})

    assert message == "The parameter 'TableName' is required but was not present in the request"


def test_a_table_that_is_missing_is_named() -> None:
    assert Opened().refused("DescribeContributorInsights", {"TableName": NAME}) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {NAME} not found",
    )


def test_an_index_that_is_missing_is_named() -> None:
    engine = opened()
    request = {"TableName": NAME, "IndexName": "other"}

    assert engine.refused("DescribeContributorInsights", request) == (
        "ResourceNotFoundException",
        "Requested resource not found: Index: other not found",
    )


def test_insights_are_off_at_first() -> None:
    assert described(opened()) == {"TableName": NAME, "ContributorInsightsStatus": "DISABLED"}


def test_insights_that_were_switched_off_keep_their_mode_and_moment() -> None:
    engine = opened()
    update(engine, ContributorInsightsMode="THROTTLED_KEYS")
    engine.clock.now += 60
    update(engine, "DISABLE")

    assert described(engine) == {
        "TableName": NAME,
        "ContributorInsightsStatus": "DISABLED",
        "LastUpdateDateTime": START + 60,
        "ContributorInsightsMode": "THROTTLED_KEYS",
    }
