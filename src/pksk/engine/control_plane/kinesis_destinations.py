"""Kinesis streaming destinations: enabled, updated, disabled and described. The engine sends nothing to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.service_errors import invalid_parameter, resource_not_found, validation
from pksk.engine.state import TableRecord
from pksk.engine.state.table_record import KinesisDestination, done_at, require_active


def _destination_status(setting: Mapping[str, Any], now: float) -> str:
    """The state of a destination: in transition, or the one it changes to."""
    passing, final = setting["status"]
    return str(final if now >= setting["until"] else passing)


def _describe_destinations(record: TableRecord, now: float) -> list[Answer]:
    """KinesisDataStreamDestinations of a table."""
    descriptions = []
    for stream, setting in record.get("destinations", {}).items():
        destination = {"StreamArn": stream, "DestinationStatus": _destination_status(setting, now)}
        if "precision" in setting:
            destination["ApproximateCreationDateTimePrecision"] = setting["precision"]
        descriptions.append(destination)
    return descriptions


def _change_destination(
    core: Core,
    request: Request,
    configuration: str,
    changed: Callable[[KinesisDestination | None, float], KinesisDestination],
) -> Answer:
    """Store a changed destination. The response repeats the configuration of the request."""
    stream = request["StreamArn"]
    with core.catalogue.change() as change:
        table = core.catalogue.table_in_any_state(request["TableName"])
        record = require_active(table.record)
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


def enable_kinesis_streaming_destination(core: Core, request: Request) -> Answer:
    """Answer an EnableKinesisStreamingDestination request."""

    def enabled(before: KinesisDestination | None, now: float) -> KinesisDestination:
        if before is not None and _destination_status(before, now) != "DISABLED":
            raise validation(
                f"{texts.DESTINATION_STATE}EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED "
                "to perform ENABLE operation."
            )
        setting: KinesisDestination = {"status": ["ENABLING", "ACTIVE"]}
        precision = request.get(_CONFIGURATION, {}).get(_PRECISION)
        return {**setting, "precision": precision} if precision else setting

    return _change_destination(core, request, _CONFIGURATION, enabled)


def update_kinesis_streaming_destination(core: Core, request: Request) -> Answer:
    """Answer an UpdateKinesisStreamingDestination request."""

    def updated(before: KinesisDestination | None, now: float) -> KinesisDestination:
        active = _require_active_destination(before, now, request["StreamArn"], "UPDATE")
        precision = request.get(_UPDATE_CONFIGURATION, {}).get(_PRECISION)
        if precision is None or precision == active.get("precision"):
            raise invalid_parameter("Precision is already set to the desired value")
        return {**active, "status": ["UPDATING", "ACTIVE"], "precision": precision}

    return _change_destination(core, request, _UPDATE_CONFIGURATION, updated)


def disable_kinesis_streaming_destination(core: Core, request: Request) -> Answer:
    """Answer a DisableKinesisStreamingDestination request."""

    def disabled(before: KinesisDestination | None, now: float) -> KinesisDestination:
        active = _require_active_destination(before, now, request["StreamArn"], "DISABLE")
        return {**active, "status": ["DISABLING", "DISABLED"]}

    return _change_destination(core, request, _CONFIGURATION, disabled)


def _require_active_destination(
    setting: KinesisDestination | None, now: float, stream: str, action: str
) -> KinesisDestination:
    if setting is None:
        raise resource_not_found(f"KinesisStreamingDestination: {stream}")
    if _destination_status(setting, now) != "ACTIVE":
        raise validation(
            f"{texts.DESTINATION_STATE}KinesisStreamingDestination must be ACTIVE to perform {action} operation."
        )
    return setting


def describe_kinesis_streaming_destination(core: Core, request: Request) -> Answer:
    """Answer a DescribeKinesisStreamingDestination request."""
    table = core.catalogue.table_in_any_state(request["TableName"])
    return {
        "TableName": table.name,
        "KinesisDataStreamDestinations": _describe_destinations(table.record, core.now()),
    }
