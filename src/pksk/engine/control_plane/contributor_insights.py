"""Contributor insights of tables and indexes: updated, described and listed. The engine counts nothing for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any, Final

import orjson

from pksk.engine.core import Answer, Core
from pksk.engine.service_errors import service_error, validation
from pksk.engine.state.table_record import done_at, require_active, to_milliseconds
from pksk.engine.texts import resources as texts

from ..state.table import Table
from ..state.table_record import InsightsSetting

DEFAULT_MODE: Final = "ACCESSED_AND_THROTTLED_KEYS"
# The first letter of a rule names the key that it watches, the last one what it counts.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/contributorinsights_HowItWorks.html
_COUNTED: Final = {DEFAULT_MODE: "CT", "THROTTLED_KEYS": "T"}


def check_insights_index(table: Table, index: str | None) -> None:
    """Raise if the index does not exist."""
    if index is not None and index not in table.indexes:
        raise service_error("ResourceNotFoundException", texts.insights_index(index))


def insights_status(setting: InsightsSetting | None, now: float) -> str:
    """The state of a table's or an index's insights."""
    if setting is None:
        return "DISABLED"
    done = now >= setting["until"]
    if setting["enabled"]:
        return "ENABLED" if done else "ENABLING"
    return "DISABLED" if done else "DISABLING"


def insights_description(table: Table, index: str | None, now: float) -> dict[str, Any]:
    """The members of DescribeContributorInsights for a table or an index."""
    setting = table.record.get("insights", {}).get(index or "")
    description: dict[str, Any] = {"TableName": table.name}
    if index is not None:
        description["IndexName"] = index
    if setting is not None and setting["enabled"]:
        description["ContributorInsightsRuleList"] = _rules(table, index, setting)
    description["ContributorInsightsStatus"] = insights_status(setting, now)
    if setting is not None:
        description["LastUpdateDateTime"] = setting["changed"]
        description["ContributorInsightsMode"] = setting["mode"]
    return description


def _rules(table: Table, index: str | None, setting: InsightsSetting) -> list[str]:
    layout = table.layout if index is None else table.indexes[index]
    name = table.name if index is None else f"{table.name}-{index}"
    keys = "PS" if layout.sort else "P"
    moment = int(setting["changed"] * 1000)
    return [
        f"DynamoDBContributorInsights-{key}K{counted}-{name}-{moment}"
        for key in keys
        for counted in _COUNTED[setting["mode"]]
    ]


def update_contributor_insights(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an UpdateContributorInsights request."""
    index = request.get("IndexName")
    enabled = request["ContributorInsightsAction"] == "ENABLE"
    with core.catalogue.change() as change:
        table = core.catalogue.table_in_any_state(request["TableName"])
        record = table.record
        require_active(record)
        check_insights_index(table, index)
        insights = record.get("insights", {})
        before = insights.get(index or "")
        setting: InsightsSetting = {
            "enabled": enabled,
            "mode": request.get("ContributorInsightsMode", before["mode"] if before else DEFAULT_MODE),
            "changed": to_milliseconds(change.now),
            "until": done_at(change.now, core.settings.delays.update_table),
        }
        change.save(table, {**record, "insights": {**insights, index or "": setting}})
    answer: Answer = {"TableName": table.name}
    if index is not None:
        answer["IndexName"] = index
    answer["ContributorInsightsStatus"] = "ENABLING" if enabled else "DISABLING"
    answer["ContributorInsightsMode"] = setting["mode"]
    return answer


def describe_contributor_insights(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DescribeContributorInsights request."""
    table, index = core.catalogue.table_in_any_state(request["TableName"]), request.get("IndexName")
    check_insights_index(table, index)
    return insights_description(table, index, core.now())


_PAGE: Final = 100


def list_contributor_insights(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a ListContributorInsights request."""
    catalogue = core.catalogue
    if "TableName" in request:
        tables = [catalogue.table_in_any_state(request["TableName"])]
    else:
        tables = sorted(catalogue.all(), key=attrgetter("name"))
    start = _position(request.get("NextToken"))
    summaries = [
        (position, summary)
        for table in tables
        for position, summary in _summaries(table, core.now())
        if start is None or position > start
    ]
    limit = request.get("MaxResults", 0)
    if limit < 1:  # the service has no minimum
        limit = _PAGE
    answer: Answer = {"ContributorInsightsSummaries": [summary for _, summary in summaries[:limit]]}
    if len(summaries) > limit:
        answer["NextToken"] = orjson.dumps(summaries[limit - 1][0]).hex()
    return answer


def _summaries(table: Table, now: float) -> Iterator[tuple[list[str], dict[str, Any]]]:
    for index, setting in sorted(table.record.get("insights", {}).items()):
        summary: dict[str, Any] = {"TableName": table.name}
        if index:
            summary["IndexName"] = index
        summary["ContributorInsightsStatus"] = insights_status(setting, now)
        summary["ContributorInsightsMode"] = setting["mode"]
        yield [table.name, index], summary


def _position(token: str | None) -> list[str] | None:
    """The table and index at the end of the last page."""
    if token is None:
        return None
    try:
        position = orjson.loads(bytes.fromhex(token))
    except ValueError:
        raise validation(texts.INSIGHTS_TOKEN) from None
    if not (isinstance(position, list) and all(isinstance(part, str) for part in position)):
        raise validation(texts.INSIGHTS_TOKEN)
    return position
