"""ListContributorInsights: the tables and indexes whose busy keys are, or were, counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any, Final

import orjson

from pksk.engine.core import Answer, Core
from pksk.engine.faults import validation
from pksk.engine.tables.insights import insights_status
from pksk.engine.tables.table import Table
from pksk.engine.texts import resources as texts

__all__ = ["list_contributor_insights"]

_PAGE: Final = 100


def list_contributor_insights(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a ListContributorInsights request."""
    catalogue = core.catalogue
    if "TableName" in request:
        tables = [catalogue.described(request["TableName"])]
    else:
        tables = sorted(catalogue.all(), key=attrgetter("name"))
    start = _position(request.get("NextToken"))
    found = [
        (place, summary)
        for table in tables
        for place, summary in _summaries(table, core.now())
        if start is None or place > start
    ]
    most = request.get("MaxResults", 0)
    if most < 1:  # the service sets no least number
        most = _PAGE
    answer: Answer = {"ContributorInsightsSummaries": [summary for _, summary in found[:most]]}
    if len(found) > most:
        answer["NextToken"] = orjson.dumps(found[most - 1][0]).hex()
    return answer


def _summaries(table: Table, now: float) -> Iterator[tuple[list[str], dict[str, Any]]]:
    for index, setting in sorted(table.settings.get("insights", {}).items()):
        summary: dict[str, Any] = {"TableName": table.name}
        if index:
            summary["IndexName"] = index
        summary["ContributorInsightsStatus"] = insights_status(setting, now)
        summary["ContributorInsightsMode"] = setting["mode"]
        yield [table.name, index], summary


def _position(token: str | None) -> list[str] | None:
    """The table and index that the page before ended with."""
    if token is None:
        return None
    try:
        position = orjson.loads(bytes.fromhex(token))
    except ValueError:
        raise validation(texts.INSIGHTS_TOKEN) from None
    if not (isinstance(position, list) and all(isinstance(part, str) for part in position)):
        raise validation(texts.INSIGHTS_TOKEN)
    return position
