"""Kinesis streaming destinations: enabled, updated, disabled and described. The engine sends nothing to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pksk.engine.core import Answer, Core
from pksk.engine.service_errors import service_error, validation
from pksk.engine.texts import resources as texts

from ..state.table_record import KinesisDestination, TableRecord, done_at, require_active


def destination_status(setting: Mapping[str, Any], now: float) -> str:
    """The state of a destination: in transition, or the one it changes to."""
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


def change_destination(
    core: Core,
    request: Mapping[str, Any],
    configuration: str,
    changed: Callable[[KinesisDestination | None, float], KinesisDestination],
) -> Answer:
    """Store a changed destination. The response repeats the configuration of the request."""
    stream = request["StreamArn"]
    with core.catalogue.change() as change:
        table = core.catalogue.table_in_any_state(request["TableName"])
        record = table.record
        require_active(record)
        destinations = record.get("destinations", {})
        setting = changed(destinations.get(stream), change.now)
        setting["until"] = done_at(change.now, core.settings.delays.update_table)
        change.save(table, {**record, "destinations": {**destinations, stream: setting}})
    answer = {"TableName": table.name, "StreamArn": stream, "DestinationStatus": setting["status"][0]}
    if configuration in request:
        answer[configuration] = request[configuration]
    return answer


_CONFIGURATION: Final = "EnableKinesisStreamingConfiguration"
_UPDATE_CONFIGURATION: Final = "UpdateKinesisStreamingConfiguration"
_PRECISION: Final = "ApproximateCreationDateTimePrecision"


def enable_kinesis_streaming_destination(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an EnableKinesisStreamingDestination request."""

    def enabled(before: KinesisDestination | None, now: float) -> KinesisDestination:
        if before is not None and destination_status(before, now) != "DISABLED":
            raise validation(texts.DESTINATION_NOT_DISABLED)
        setting: KinesisDestination = {"status": ["ENABLING", "ACTIVE"]}
        precision = request.get(_CONFIGURATION, {}).get(_PRECISION)
        return {**setting, "precision": precision} if precision else setting

    return change_destination(core, request, _CONFIGURATION, enabled)


def update_kinesis_streaming_destination(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an UpdateKinesisStreamingDestination request."""

    def updated(before: KinesisDestination | None, now: float) -> KinesisDestination:
        active = _require_active_destination(before, now, request["StreamArn"], "UPDATE")
        precision = request.get(_UPDATE_CONFIGURATION, {}).get(_PRECISION)
        if precision is None or precision == active.get("precision"):
            raise validation(texts.SAME_PRECISION)
        return {**active, "status": ["UPDATING", "ACTIVE"], "precision": precision}

    return change_destination(core, request, _UPDATE_CONFIGURATION, updated)


def disable_kinesis_streaming_destination(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DisableKinesisStreamingDestination request."""

    def disabled(before: KinesisDestination | None, now: float) -> KinesisDestination:
        active = _require_active_destination(before, now, request["StreamArn"], "DISABLE")
        return {**active, "status": ["DISABLING", "DISABLED"]}

    return change_destination(core, request, _CONFIGURATION, disabled)


def _require_active_destination(
    setting: KinesisDestination | None, now: float, stream: str, action: str
) -> KinesisDestination:
    if setting is None:
        raise service_error("ResourceNotFoundException", texts.no_destination(stream))
    if destination_status(setting, now) != "ACTIVE":
        raise validation(texts.destination_not_active(action))
    return setting


def describe_kinesis_streaming_destination(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DescribeKinesisStreamingDestination request."""
    table = core.catalogue.table_in_any_state(request["TableName"])
    return {
        "TableName": table.name,
        "KinesisDataStreamDestinations": describe_destinations(table.record, core.now()),
    }
