"""ListStreams: the streams of all tables or of one, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.core import Answer, Core
from pksk.engine.streams.find import all_streams
from pksk.engine.streams.left import drop_left

__all__ = ["list_streams"]

_PAGE: Final = 100


def list_streams(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a ListStreams request."""
    drop_left(core)
    start, limit = request.get("ExclusiveStartStreamArn", ""), request.get("Limit", _PAGE)
    streams = [found for found in all_streams(core, request.get("TableName")) if found.arn > start]
    answer: Answer = {
        "Streams": [
            {
                "StreamArn": found.arn,
                "TableName": found.record["TableName"],
                "StreamLabel": found.stream["label"],
            }
            for found in streams[:limit]
        ]
    }
    if len(streams) > limit:
        answer["LastEvaluatedStreamArn"] = streams[limit - 1].arn
    return answer
