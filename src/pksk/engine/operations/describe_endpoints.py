"""DescribeEndpoints: where the service of this region is reached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.core import Answer, Core

__all__ = ["describe_endpoints"]

_DAY_MINUTES: Final = 1440


def describe_endpoints(core: Core, request: Mapping[str, Any]) -> Answer:  # noqa: ARG001  it asks nothing
    """Answer a DescribeEndpoints request."""
    address = f"dynamodb.{core.settings.region}.amazonaws.com"
    return {"Endpoints": [{"Address": address, "CachePeriodInMinutes": _DAY_MINUTES}]}
