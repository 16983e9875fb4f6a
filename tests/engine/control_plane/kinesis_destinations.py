"""A table, for tests of Kinesis streaming destinations."""

from __future__ import annotations

from typing import Any

from tests.engine.state.catalogues import NAME, Opened

__all__ = ["BAD_STATE", "STREAM", "described", "opened", "request"]

STREAM = "arn:aws:kinesis:us-east-1:000000000000:stream/changes"
BAD_STATE = "Table is not in a valid state to enable Kinesis Streaming Destination: "


def opened(**delays: float) -> Opened:
    made = Opened(**delays)
    made.create()
    return made


def request(**members: Any) -> dict[str, Any]:
    return {"TableName": NAME, "StreamArn": STREAM, **members}


def described(engine: Opened) -> list[dict[str, Any]]:
    answer = engine.call("DescribeKinesisStreamingDestination", {"TableName": NAME})
    assert answer["TableName"] == NAME
    listed: list[dict[str, Any]] = answer["KinesisDataStreamDestinations"]
    return listed
