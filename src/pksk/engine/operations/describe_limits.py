"""DescribeLimits: the account's quotas of provisioned capacity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.core import Answer, Core

__all__ = ["describe_limits"]

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
_ACCOUNT: Final = 80_000
_TABLE: Final = 40_000


def describe_limits(core: Core, request: Mapping[str, Any]) -> Answer:  # noqa: ARG001  they are every account's
    """Answer a DescribeLimits request."""
    return {
        "AccountMaxReadCapacityUnits": _ACCOUNT,
        "AccountMaxWriteCapacityUnits": _ACCOUNT,
        "TableMaxReadCapacityUnits": _TABLE,
        "TableMaxWriteCapacityUnits": _TABLE,
    }
