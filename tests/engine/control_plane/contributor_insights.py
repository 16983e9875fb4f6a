"""A table with an index, for tests of contributor insights."""

from __future__ import annotations

from typing import Any

from tests.engine.state.catalogues import NAME, Opened, defined, index, key

__all__ = ["described", "opened", "update"]


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
