"""Contributor insights as tables and indexes describe them; nothing is counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.faults import fault
from pksk.engine.texts import resources as texts

from .record import Record
from .table import Table

__all__ = ["MODE", "check_insights_index", "insights_status", "shown_insights"]

MODE: Final = "ACCESSED_AND_THROTTLED_KEYS"
# The first letter of a rule is the key it watches, the last what it counts.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/contributorinsights_HowItWorks.html
_COUNTED: Final = {MODE: "CT", "THROTTLED_KEYS": "T"}


def check_insights_index(table: Table, index: str | None) -> None:
    """Refuse insights into an index that is not there."""
    if index is not None and index not in table.indexes:
        raise fault("ResourceNotFoundException", texts.insights_index(index))


def insights_status(setting: Mapping[str, Any] | None, now: float) -> str:
    """The state of a table's or an index's insights."""
    if setting is None:
        return "DISABLED"
    done = now >= setting["until"]
    if setting["enabled"]:
        return "ENABLED" if done else "ENABLING"
    return "DISABLED" if done else "DISABLING"


def shown_insights(table: Table, index: str | None, now: float) -> dict[str, Any]:
    """What DescribeContributorInsights shows of a table or an index."""
    record: Record = table.settings
    setting = record.get("insights", {}).get(index or "")
    shown: dict[str, Any] = {"TableName": table.name}
    if index is not None:
        shown["IndexName"] = index
    if setting is not None and setting["enabled"]:
        shown["ContributorInsightsRuleList"] = _rules(table, index, setting)
    shown["ContributorInsightsStatus"] = insights_status(setting, now)
    if setting is not None:
        shown["LastUpdateDateTime"] = setting["changed"]
        shown["ContributorInsightsMode"] = setting["mode"]
    return shown


def _rules(table: Table, index: str | None, setting: Mapping[str, Any]) -> list[str]:
    rows = table.rows if index is None else table.indexes[index]
    name = table.name if index is None else f"{table.name}-{index}"
    keys = "PS" if rows.sort else "P"
    moment = int(setting["changed"] * 1000)
    return [
        f"DynamoDBContributorInsights-{key}K{counted}-{name}-{moment}"
        for key in keys
        for counted in _COUNTED[setting["mode"]]
    ]
