"""DescribeLimits: the account's quotas of provisioned capacity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.tables.quotas import ACCOUNT_UNITS, TABLE_UNITS

__all__ = ["describe_limits"]


def describe_limits(core: Core, request: Mapping[str, Any]) -> Answer:  # noqa: ARG001  they are every account's
    """Answer a DescribeLimits request."""
    return {
        "AccountMaxReadCapacityUnits": ACCOUNT_UNITS,
        "AccountMaxWriteCapacityUnits": ACCOUNT_UNITS,
        "TableMaxReadCapacityUnits": TABLE_UNITS,
        "TableMaxWriteCapacityUnits": TABLE_UNITS,
    }
