"""Contributor insights of tables and indexes: updated, described and listed. The engine counts nothing for them."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Final

import orjson

from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.service_errors import resource_not_found, validation
from pksk.engine.state import Table, table_record

_DEFAULT_MODE: Final = "ACCESSED_AND_THROTTLED_KEYS"
# The first letter of a rule names the key that it watches, the last one what it counts.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/contributorinsights_HowItWorks.html
_COUNTED: Final = {_DEFAULT_MODE: "CT", "THROTTLED_KEYS": "T"}


def _check_insights_index(table: Table, index: str | None) -> None:
    """Raise if the index does not exist."""
    if index is not None and index not in table.indexes:
        raise resource_not_found(f"Index: {index}")


def _insights_status(setting: table_record.InsightsSetting | None, now: float) -> str:
    """The state of a table's or an index's insights."""
    if setting is None:
        return "DISABLED"
    is_final = now >= setting["until"]
    if setting["enabled"]:
        return "ENABLED" if is_final else "ENABLING"
    return "DISABLED" if is_final else "DISABLING"


def _insights_description(table: Table, index: str | None, now: float) -> Answer:
    """The members of DescribeContributorInsights for a table or an index."""
    setting = table.record.get("insights", {}).get(index or "")
    description = _names(table, index)
    if setting is not None and setting["enabled"]:
        description["ContributorInsightsRuleList"] = _rules(table, index, setting)
    description["ContributorInsightsStatus"] = _insights_status(setting, now)
    if setting is not None:
        description["LastUpdateDateTime"] = setting["changed"]
        description["ContributorInsightsMode"] = setting["mode"]
    return description


def _names(table: Table, index: str | None) -> Answer:
    return {"TableName": table.name} if index is None else {"TableName": table.name, "IndexName": index}


def _rules(table: Table, index: str | None, setting: table_record.InsightsSetting) -> list[str]:
    layout = table.layout if index is None else table.indexes[index]
    name = table.name if index is None else f"{table.name}-{index}"
    keys = "PS" if layout.sort else "P"
    moment = int(setting["changed"] * 1000)
    return [
        f"DynamoDBContributorInsights-{key}K{counted}-{name}-{moment}"
        for key in keys
        for counted in _COUNTED[setting["mode"]]
    ]


def update_contributor_insights(core: Core, request: Request) -> Answer:
    """Answer an UpdateContributorInsights request."""
    index = request.get("IndexName")
    enabled = request["ContributorInsightsAction"] == "ENABLE"
    with core.catalogue.change() as change:
        table = core.catalogue.table_in_any_state(request["TableName"])
        record = table_record.require_active(table.record)
        _check_insights_index(table, index)
        insights = record.get("insights", {})
        before = insights.get(index or "")
        setting: table_record.InsightsSetting = {
            "enabled": enabled,
            "mode": request.get("ContributorInsightsMode", before["mode"] if before else _DEFAULT_MODE),
            "changed": table_record.to_milliseconds(change.now),
            "until": table_record.done_at(change.now, core.settings.delays.update_table),
        }
        change.save(table, {**record, "insights": {**insights, index or "": setting}})
    status = "ENABLING" if enabled else "DISABLING"
    return {
        **_names(table, index),
        "ContributorInsightsStatus": status,
        "ContributorInsightsMode": setting["mode"],
    }


def describe_contributor_insights(core: Core, request: Request) -> Answer:
    """Answer a DescribeContributorInsights request."""
    table, index = core.catalogue.table_in_any_state(request["TableName"]), request.get("IndexName")
    _check_insights_index(table, index)
    return _insights_description(table, index, core.now())


_PAGE: Final = 100


def list_contributor_insights(core: Core, request: Request) -> Answer:
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


def _summaries(table: Table, now: float) -> Iterator[tuple[list[str], Answer]]:
    for index, setting in sorted(table.record.get("insights", {}).items()):
        status = _insights_status(setting, now)
        names = _names(table, index or None)
        yield (
            [table.name, index],
            {**names, "ContributorInsightsStatus": status, "ContributorInsightsMode": setting["mode"]},
        )


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
