"""Kinesis streaming destinations: enabled, updated, disabled and described; nothing is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pksk.engine.core import Answer, Core
from pksk.engine.service_errors import service_error, validation
from pksk.engine.texts import resources as texts

from ..state.table_record import KinesisDestination, TableRecord, done_at, require_active

__all__ = [
    "change_destination",
    "describe_destinations",
    "describe_kinesis_streaming_destination",
    "destination_status",
    "disable_kinesis_streaming_destination",
    "enable_kinesis_streaming_destination",
    "existing_destination",
    "update_kinesis_streaming_destination",
]


def destination_status(setting: Mapping[str, Any], now: float) -> str:
    """The state of a destination: on its way, or where it was going."""
    passing, done = setting["status"]
    return str(done if now >= setting["until"] else passing)


def describe_destinations(record: TableRecord, now: float) -> list[dict[str, Any]]:
    """KinesisDataStreamDestinations of a table."""
    shown = []
    for stream, setting in record.get("destinations", {}).items():
        destination = {"StreamArn": stream, "DestinationStatus": destination_status(setting, now)}
        if "precision" in setting:
            destination["ApproximateCreationDateTimePrecision"] = setting["precision"]
        shown.append(destination)
    return shown


def existing_destination(record: TableRecord, stream: str) -> KinesisDestination:
    """A destination that the table has had."""
    found = record.get("destinations", {}).get(stream)
    if found is None:
        raise service_error("ResourceNotFoundException", texts.no_destination(stream))
    return found


def change_destination(
    core: Core,
    request: Mapping[str, Any],
    configuration: str,
    changed: Callable[[TableRecord, float], KinesisDestination],
) -> Answer:
    """Store what becomes of a destination; the answer, with the member that configures it if it was given."""
    stream = request["StreamArn"]
    with core.catalogue.change() as change:
        table = core.catalogue.table_in_any_state(request["TableName"])
        record = table.record
        require_active(record)
        delay = core.settings.delays.update_table
        setting: KinesisDestination = {**changed(record, change.now), "until": done_at(change.now, delay)}
        change.save(table, {**record, "destinations": {**record.get("destinations", {}), stream: setting}})
    answer = {"TableName": table.name, "StreamArn": stream, "DestinationStatus": setting["status"][0]}
    if configuration in request:
        answer[configuration] = request[configuration]
    return answer


_ENABLE_CONFIGURATION: Final = "EnableKinesisStreamingConfiguration"
_PRECISION: Final = "ApproximateCreationDateTimePrecision"


def enable_kinesis_streaming_destination(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an EnableKinesisStreamingDestination request."""

    def enabled(record: TableRecord, now: float) -> KinesisDestination:
        before = record.get("destinations", {}).get(request["StreamArn"])
        if before is not None and destination_status(before, now) != "DISABLED":
            raise validation(texts.DESTINATION_NOT_DISABLED)
        setting: KinesisDestination = {"status": ["ENABLING", "ACTIVE"]}
        precision = request.get(_ENABLE_CONFIGURATION, {}).get(_PRECISION)
        return {**setting, "precision": precision} if precision else setting

    return change_destination(core, request, _ENABLE_CONFIGURATION, enabled)


_UPDATE_CONFIGURATION: Final = "UpdateKinesisStreamingConfiguration"
_UPDATE_PRECISION: Final = "ApproximateCreationDateTimePrecision"


def update_kinesis_streaming_destination(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an UpdateKinesisStreamingDestination request."""

    def updated(record: TableRecord, now: float) -> KinesisDestination:
        before = existing_destination(record, request["StreamArn"])
        if destination_status(before, now) != "ACTIVE":
            raise validation(texts.destination_not_active("UPDATE"))
        precision = request.get(_UPDATE_CONFIGURATION, {}).get(_UPDATE_PRECISION)
        if precision is None or precision == before.get("precision"):
            raise validation(texts.SAME_PRECISION)
        return {**before, "status": ["UPDATING", "ACTIVE"], "precision": precision}

    return change_destination(core, request, _UPDATE_CONFIGURATION, updated)


_DISABLE_CONFIGURATION: Final = "EnableKinesisStreamingConfiguration"


def disable_kinesis_streaming_destination(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DisableKinesisStreamingDestination request."""

    def disabled(record: TableRecord, now: float) -> KinesisDestination:
        before = existing_destination(record, request["StreamArn"])
        if destination_status(before, now) != "ACTIVE":
            raise validation(texts.destination_not_active("DISABLE"))
        return {**before, "status": ["DISABLING", "DISABLED"]}

    return change_destination(core, request, _DISABLE_CONFIGURATION, disabled)


def describe_kinesis_streaming_destination(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DescribeKinesisStreamingDestination request."""
    table = core.catalogue.table_in_any_state(request["TableName"])
    return {
        "TableName": table.name,
        "KinesisDataStreamDestinations": describe_destinations(table.record, core.now()),
    }
