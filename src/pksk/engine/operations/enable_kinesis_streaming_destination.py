"""EnableKinesisStreamingDestination: names a Kinesis stream for changes of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.core import Answer, Core
from pksk.engine.faults import validation
from pksk.engine.tables.destinations import change_destination, destination_status
from pksk.engine.tables.record import Record
from pksk.engine.texts import resources as texts

__all__ = ["enable_kinesis_streaming_destination"]

_CONFIGURATION: Final = "EnableKinesisStreamingConfiguration"
_PRECISION: Final = "ApproximateCreationDateTimePrecision"


def enable_kinesis_streaming_destination(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an EnableKinesisStreamingDestination request."""

    def enabled(record: Record, now: float) -> dict[str, Any]:
        before = record.get("destinations", {}).get(request["StreamArn"])
        if before is not None and destination_status(before, now) != "DISABLED":
            raise validation(texts.DESTINATION_NOT_DISABLED)
        setting: dict[str, Any] = {"status": ["ENABLING", "ACTIVE"]}
        precision = request.get(_CONFIGURATION, {}).get(_PRECISION)
        return {**setting, "precision": precision} if precision else setting

    return change_destination(core, request, _CONFIGURATION, enabled)
