"""UpdateContributorInsights, as far as settings go."""

from __future__ import annotations

from tests.engine.tables.opened import NAME, START

from .insights import described, opened, update


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
