"""A table with items that can expire, for tests of time to live."""

from __future__ import annotations

from typing import Any

from tests.engine.state.catalogues import NAME, Opened

__all__ = ["described", "opened", "request"]


def request(attribute: str = "expires", *, enabled: bool = True) -> dict[str, Any]:
    return {
        "TableName": NAME,
        "TimeToLiveSpecification": {"Enabled": enabled, "AttributeName": attribute},
    }


def opened(**delays: float) -> Opened:
    made = Opened(**delays)
    made.create()
    return made


def described(engine: Opened) -> dict[str, Any]:
    description: dict[str, Any] = engine.call("DescribeTimeToLive", {"TableName": NAME})[
        "TimeToLiveDescription"
    ]
    return description
