"""ListContributorInsights: the tables and indexes that have settings, in pages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.tables.opened import NAME, Opened

from .insights import opened, update


def test_a_number_that_is_a_text_cannot_be_read() -> None:
    assert Opened().refused("ListContributorInsights", {"MaxResults": "1"}) == (
        "SerializationException",
        "STRING_VALUE cannot be converted to Integer",
    )


def test_a_page_has_100_entries_at_most() -> None:
    message = Opened().invalid("ListContributorInsights", {"MaxResults": 101})

    assert message == (
        "1 validation error detected: Value '101' at 'maxResults' failed to satisfy constraint: "
        "Member must have value less than or equal to 100"
    )


def test_a_token_from_elsewhere_is_refused() -> None:
    for token in ("x", "7b7d", "5b315d"):
        message = opened().invalid("ListContributorInsights", {"NextToken": token})
        assert message == "One or more parameter values were invalid: Invalid NextToken"


def test_a_table_that_is_missing_is_named() -> None:
    assert Opened().refused("ListContributorInsights", {"TableName": NAME}) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {NAME} not found",
    )


def test_what_never_had_insights_is_not_listed() -> None:
    assert opened().call("ListContributorInsights") == {"ContributorInsightsSummaries": []}


@pytest.mark.parametrize(("action", "status"), [("ENABLE", "ENABLED"), ("DISABLE", "DISABLED")])
def test_an_entry_says_what_is_counted(action: str, status: str) -> None:
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
