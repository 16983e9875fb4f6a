"""UpdateKinesisStreamingDestination: changes how precise the times in a destination are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.core import Answer, Core
from pksk.engine.faults import validation
from pksk.engine.tables.destinations import change_destination, destination_status, existing_destination
from pksk.engine.tables.record import Record
from pksk.engine.texts import resources as texts

__all__ = ["update_kinesis_streaming_destination"]

_CONFIGURATION: Final = "UpdateKinesisStreamingConfiguration"
_PRECISION: Final = "ApproximateCreationDateTimePrecision"


def update_kinesis_streaming_destination(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an UpdateKinesisStreamingDestination request."""

    def updated(record: Record, now: float) -> dict[str, Any]:
        before = existing_destination(record, request["StreamArn"])
        if destination_status(before, now) != "ACTIVE":
            raise validation(texts.destination_not_active("UPDATE"))
        precision = request.get(_CONFIGURATION, {}).get(_PRECISION)
        if precision is None or precision == before.get("precision"):
            raise validation(texts.SAME_PRECISION)
        return {**before, "status": ["UPDATING", "ACTIVE"], "precision": precision}

    return change_destination(core, request, _CONFIGURATION, updated)
