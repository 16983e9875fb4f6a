"""DescribeContributorInsights: whether the busiest keys of a table or an index are counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.tables.insights import check_insights_index, shown_insights

__all__ = ["describe_contributor_insights"]


def describe_contributor_insights(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DescribeContributorInsights request."""
    table, index = core.catalogue.described(request["TableName"]), request.get("IndexName")
    check_insights_index(table, index)
    return shown_insights(table, index, core.now())
