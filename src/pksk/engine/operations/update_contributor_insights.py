"""UpdateContributorInsights: switches the counting of busy keys on or off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.tables.creation import to_milliseconds
from pksk.engine.tables.insights import MODE, check_insights_index
from pksk.engine.tables.states import done_at, require_settled

__all__ = ["update_contributor_insights"]


def update_contributor_insights(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an UpdateContributorInsights request."""
    index = request.get("IndexName")
    enabled = request["ContributorInsightsAction"] == "ENABLE"
    with core.catalogue.changing() as change:
        table = core.catalogue.described(request["TableName"])
        record = table.settings
        require_settled(record)
        check_insights_index(table, index)
        insights = record.get("insights", {})
        before = insights.get(index or "", {})
        setting = {
            "enabled": enabled,
            "mode": request.get("ContributorInsightsMode", before.get("mode", MODE)),
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
