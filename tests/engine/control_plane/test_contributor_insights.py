"""Contributor insights: updated, described and listed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.state.catalogues import NAME, START, Opened

from .contributor_insights import described, opened, update


def test_insights_have_rules_for_both_keys() -> None:
    engine = opened()

    answer = update(engine)

    mode = "ACCESSED_AND_THROTTLED_KEYS"
    assert answer == {
        "TableName": NAME,
        "ContributorInsightsStatus": "ENABLING",
        "ContributorInsightsMode": mode,
    }
    moment = f"{NAME}-{int(START * 1000)}"
    assert described(engine) == {
        "TableName": NAME,
        "ContributorInsightsRuleList": [
            f"DynamoDBContributorInsights-{rule}-{moment}" for rule in ("PKC", "PKT", "SKC", "SKT")
        ],
        "ContributorInsightsStatus": "ENABLED",
        "LastUpdateDateTime": START,
        "ContributorInsightsMode": mode,
    }
    assert described(engine.again()) == described(engine)


def test_an_index_has_its_own_insights_and_mode() -> None:
    engine = opened()

    update(engine, IndexName="by-a", ContributorInsightsMode="THROTTLED_KEYS")

    description = described(engine, IndexName="by-a")
    (rule,) = description["ContributorInsightsRuleList"]
    assert rule.startswith(f"DynamoDBContributorInsights-PKT-{NAME}-by-a-")
    assert described(engine)["ContributorInsightsStatus"] == "DISABLED"


def test_insights_are_enabling_for_the_delay() -> None:
    engine = opened(update_table=5)
    update(engine)

    on = described(engine)["ContributorInsightsStatus"]
    engine.clock.now += 5
    update(engine, "DISABLE")
    off = described(engine)
    engine.clock.now += 5

    assert (on, off["ContributorInsightsStatus"]) == ("ENABLING", "DISABLING")
    assert "ContributorInsightsRuleList" not in off
    assert described(engine)["ContributorInsightsStatus"] == "DISABLED"


def test_the_error_about_a_missing_index_names_it() -> None:
    engine = opened()
    request = {"TableName": NAME, "IndexName": "other"}

    assert engine.error_of("DescribeContributorInsights", request) == (
        "ResourceNotFoundException",
        "Requested resource not found: Index: other not found",
    )


def test_insights_are_disabled_by_default() -> None:
    assert described(opened()) == {"TableName": NAME, "ContributorInsightsStatus": "DISABLED"}


def test_disabled_insights_keep_their_mode_and_time() -> None:
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


def test_a_limit_that_is_a_string_is_a_serialization_error() -> None:
    assert Opened().error_of("ListContributorInsights", {"MaxResults": "1"}) == (
        "SerializationException",
        "STRING_VALUE cannot be converted to Integer",
    )


def test_a_page_has_at_most_100_entries() -> None:
    message = Opened().invalid("ListContributorInsights", {"MaxResults": 101})

    assert message == (
        "1 validation error detected: Value '101' at 'maxResults' failed to satisfy constraint: "
        "Member must have value less than or equal to 100"
    )


def test_a_foreign_token_is_rejected() -> None:
    for token in ("x", "7b7d", "5b315d"):
        message = opened().invalid("ListContributorInsights", {"NextToken": token})
        assert message == "One or more parameter values were invalid: Invalid NextToken"


def test_tables_without_insights_are_not_listed() -> None:
    assert opened().call("ListContributorInsights") == {"ContributorInsightsSummaries": []}


@pytest.mark.parametrize(("action", "status"), [("ENABLE", "ENABLED"), ("DISABLE", "DISABLED")])
def test_an_entry_has_its_mode(action: str, status: str) -> None:
    engine = opened()
    update(engine, action, IndexName="by-a")

    (entry,) = engine.call("ListContributorInsights")["ContributorInsightsSummaries"]

    assert entry == {
        "TableName": NAME,
        "IndexName": "by-a",
        "ContributorInsightsStatus": status,
        "ContributorInsightsMode": "ACCESSED_AND_THROTTLED_KEYS",
    }


def test_tables_and_indexes_are_listed_in_order_a_page_at_a_time() -> None:
    engine = opened()
    engine.create(TableName="another")
    update(engine, IndexName="by-a")
    update(engine)
    update(engine, TableName="another")

    listed: list[tuple[str, str | None]] = []
    request: dict[str, Any] = {"MaxResults": 2}
    while True:
        page = engine.call("ListContributorInsights", request)
        listed += [
            (each["TableName"], each.get("IndexName")) for each in page["ContributorInsightsSummaries"]
        ]
        if "NextToken" not in page:
            break
        request["NextToken"] = page["NextToken"]

    assert listed == [("another", None), (NAME, None), (NAME, "by-a")]
    of_one = engine.call("ListContributorInsights", {"TableName": "another"})
    assert len(of_one["ContributorInsightsSummaries"]) == 1
