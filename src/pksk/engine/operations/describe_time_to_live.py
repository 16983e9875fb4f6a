"""DescribeTimeToLive: by which attribute the items of a table expire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.tables.expiry import shown_expiry

__all__ = ["describe_time_to_live"]


def describe_time_to_live(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DescribeTimeToLive request."""
    table = core.catalogue.described(request["TableName"])
    return {"TimeToLiveDescription": shown_expiry(table.settings, core.now())}
