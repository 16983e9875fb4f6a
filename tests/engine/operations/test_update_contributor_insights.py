"""UpdateContributorInsights, DescribeContributorInsights and ListContributorInsights, as far as settings go."""

from __future__ import annotations

from typing import Any

from tests.engine.tables.opened import NAME, START, Opened, defined, index, key


def opened(**delays: float) -> Opened:
    made = Opened(**delays)
    made.create(
        KeySchema=key("pk", "sk"),
        AttributeDefinitions=defined("pk", "sk", "a"),
        GlobalSecondaryIndexes=[index("by-a", "a")],
    )
    return made


def update(engine: Opened, action: str = "ENABLE", **members: str) -> dict[str, Any]:
    return engine.call(
        "UpdateContributorInsights",
        {"TableName": NAME, "ContributorInsightsAction": action, **members},
    )


def described(engine: Opened, **members: str) -> dict[str, Any]:
    return engine.call("DescribeContributorInsights", {"TableName": NAME, **members})


def test_insights_are_off_at_first() -> None:
    assert described(opened()) == {"TableName": NAME, "ContributorInsightsStatus": "DISABLED"}


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


def test_an_index_has_insights_of_its_own_and_may_count_throttling_alone() -> None:
    engine = opened()

    update(engine, IndexName="by-a", ContributorInsightsMode="THROTTLED_KEYS")

    shown = described(engine, IndexName="by-a")
    (rule,) = shown["ContributorInsightsRuleList"]
    assert rule.startswith(f"DynamoDBContributorInsights-PKT-{NAME}-by-a-")
    assert described(engine)["ContributorInsightsStatus"] == "DISABLED"


def test_insights_take_their_time() -> None:
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


def test_an_index_that_is_missing_is_named() -> None:
    engine = opened()
    request = {"TableName": NAME, "IndexName": "other"}

    assert engine.refused("DescribeContributorInsights", request) == (
        "ResourceNotFoundException",
        "Requested resource not found: Index: other not found",
    )


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


def test_a_token_from_elsewhere_is_refused() -> None:
    for token in ("x", "7b7d", "5b315d"):
        message = opened().invalid("ListContributorInsights", {"NextToken": token})
        assert message == "One or more parameter values were invalid: Invalid NextToken"
