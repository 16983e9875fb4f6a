"""DisableKinesisStreamingDestination: sends changes of a table to a Kinesis stream no longer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.core import Answer, Core
from pksk.engine.faults import validation
from pksk.engine.tables.destinations import change_destination, destination_status, existing_destination
from pksk.engine.tables.record import Record
from pksk.engine.texts import resources as texts

__all__ = ["disable_kinesis_streaming_destination"]

_CONFIGURATION: Final = "EnableKinesisStreamingConfiguration"


def disable_kinesis_streaming_destination(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DisableKinesisStreamingDestination request."""

    def disabled(record: Record, now: float) -> dict[str, Any]:
        before = existing_destination(record, request["StreamArn"])
        if destination_status(before, now) != "ACTIVE":
            raise validation(texts.destination_not_active("DISABLE"))
        return {**before, "status": ["DISABLING", "DISABLED"]}

    return change_destination(core, request, _CONFIGURATION, disabled)
