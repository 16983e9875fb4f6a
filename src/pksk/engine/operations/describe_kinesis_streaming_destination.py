"""DescribeKinesisStreamingDestination: where changes of a table would be sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.tables.destinations import shown_destinations

__all__ = ["describe_kinesis_streaming_destination"]


def describe_kinesis_streaming_destination(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DescribeKinesisStreamingDestination request."""
    table = core.catalogue.described(request["TableName"])
    return {
        "TableName": table.name,
        "KinesisDataStreamDestinations": shown_destinations(table.settings, core.now()),
    }
